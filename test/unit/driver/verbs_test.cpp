#include "pimento/driver/verbs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "pimento/driver/dpu_compiler.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

Options optionsFor(std::string input) {
  Options o;
  o.input = std::move(input);
  return o;
}

Json jsonOf(VerbId verb, Options o) {
  o.isJson = true;
  const Outcome out = run(verb, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return Json::parse(out.text);
}

TEST(Verbs, NotationAndZooGiveOneResult) {
  Options notation = optionsFor("y[i] += A[i,j] * x[j]"), zoo = optionsFor("gemv");
  notation.sizes = {"i=300,j=700"};
  zoo.sizes = {"m=300", "n=700"};
  const Json a = jsonOf(VerbId::kEstimate, notation), b = jsonOf(VerbId::kEstimate, zoo);
  EXPECT_EQ(a["cycles"], b["cycles"]);
  EXPECT_EQ(a["counts"], b["counts"]);
  EXPECT_EQ(a["energy_pj"], b["energy_pj"]);
}

TEST(Verbs, MachinesAreComparedWithTheirAnswersCheckedWhereAskedFor) {
  Options o = optionsFor("gemv");
  o.sizes = {"m=40,n=64"};
  o.targets = {"hbm-pim", "attacc", "aim"};
  const Json estimated = jsonOf(VerbId::kCompare, o);
  o.engine = "simulate";
  const Json simulated = jsonOf(VerbId::kCompare, o);
  ASSERT_EQ(simulated["rows"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(estimated["rows"][i]["checked"].get<bool>());
    EXPECT_TRUE(simulated["rows"][i]["checked"].get<bool>()) << simulated["rows"][i]["target"];
    EXPECT_EQ(simulated["rows"][i]["total_cycles"], estimated["rows"][i]["total_cycles"]);
  }
  o.engine = "quick";
  EXPECT_EQ(jsonOf(VerbId::kCompare, o)["rows"][0]["diagnostics"][0]["code"], "unknown-engine");
}

TEST(Verbs, WithoutAMappingTheBestIsChosenForWhatIsAskedFor) {
  Options o = optionsFor("gemv");
  o.sizes = {"m=96,n=512"};
  std::map<std::string, Json> best;
  for (const char *objective : {"", "time", "energy", "kernel"}) {
    o.objective = objective;
    best[objective] = jsonOf(VerbId::kEstimate, o);
    EXPECT_EQ(best[objective]["objective"], *objective == 0 ? "time" : objective);
    EXPECT_EQ(best[objective]["stages"][0]["choice"]["objective"], best[objective]["objective"]);
  }
  o.maps = {"reference"};
  const Json reference = jsonOf(VerbId::kEstimate, o);
  EXPECT_TRUE(reference["objective"].is_null());
  EXPECT_EQ(best[""]["mapping"], best["time"]["mapping"]);
  EXPECT_LT(best["time"]["total_cycles"], reference["total_cycles"]);
  for (const auto &[objective, other] : best) {
    EXPECT_LE(best["time"]["total_cycles"], other["total_cycles"]);
    EXPECT_LE(best["energy"]["energy_pj"], other["energy_pj"]);
    EXPECT_LE(best["kernel"]["cycles"], other["cycles"]);
  }
}

TEST(Verbs, ANoteSaysWhatAConstantWouldSave) {
  Options o = optionsFor("gemv");
  o.sizes = {"m=512,n=512"};
  o.maps = {"reference"};
  const Json given = jsonOf(VerbId::kEstimate, o);
  ASSERT_EQ(given["notes"].size(), 1U);
  const std::string note = given["notes"][0];
  o.constants = {"A"};
  const std::string total = std::to_string(jsonOf(VerbId::kEstimate, o)["total_cycles"].get<std::int64_t>());
  EXPECT_NE(note.find(total + " with --constant A"), std::string::npos) << note;
  EXPECT_EQ(jsonOf(VerbId::kEstimate, o)["notes"].size(), 0U) << "nothing is left to say";
}

TEST(Verbs, EstimateEqualsSimulateInAllButTheWay) {
  Options o = optionsFor("gemvrelu");
  o.sizes = {"m=5000,n=900"};
  Json a = jsonOf(VerbId::kEstimate, o), b = jsonOf(VerbId::kSimulate, o);
  EXPECT_TRUE(b["checked"].get<bool>());
  for (const char *key :
       {"cycles", "total_cycles", "time_ns", "energy_pj", "breakdown", "counts", "energy_breakdown", "mapping"})
    EXPECT_EQ(a[key], b[key]) << key;
}

TEST(Verbs, AConstantInputIsPlacedBeforeTheRunAndInNoTotal) {
  Options o = optionsFor("gemv");
  o.sizes = {"m=512,n=512"};
  o.maps = {"reference"};
  const Json given = jsonOf(VerbId::kEstimate, o);
  o.constants = {"A"};
  const Json kept = jsonOf(VerbId::kEstimate, o);
  EXPECT_EQ(kept["cycles"], given["cycles"]);
  EXPECT_EQ(kept["breakdown"]["transfer_in"], 0);
  const std::int64_t moved =
      given["breakdown"]["transfer_in"].get<std::int64_t>() + given["breakdown"]["rearrange_in"].get<std::int64_t>();
  EXPECT_EQ(kept["setup_cycles"], moved);
  EXPECT_EQ(kept["total_cycles"], given["total_cycles"].get<std::int64_t>() - moved);
  EXPECT_TRUE(jsonOf(VerbId::kSimulate, o)["checked"].get<bool>());
}

TEST(Verbs, NetworksRunWhereTheyAreFasterUnlessToldOtherwise) {
  Options o = optionsFor("rnnt");
  const Json best = jsonOf(VerbId::kEstimate, o);
  o.offload = "possible";
  EXPECT_LT(best["total_cycles"], jsonOf(VerbId::kEstimate, o)["total_cycles"]);
  o.offload = "all";
  EXPECT_EQ(run(VerbId::kEstimate, o).status, 1);
}

TEST(Verbs, OverridesReachTheEngine) {
  Options o = optionsFor("gemv");
  const Json plain = jsonOf(VerbId::kEstimate, o);
  o.sets = {"timing.tRP=20"};
  EXPECT_GT(jsonOf(VerbId::kEstimate, o)["cycles"], plain["cycles"]);
  o.sets = {"channels=32"};
  EXPECT_GT(jsonOf(VerbId::kEstimate, o)["cycles"].get<int>(), 3 * plain["cycles"].get<int>() / 2);
}

TEST(Verbs, ATargetThatCannotRunTheKernelHasAnErrorInItsRow) {
  Options o = optionsFor("gemv");
  o.targets = {"hbm-pim", "nosuch"};
  const Json rows = jsonOf(VerbId::kCompare, o)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0]["error"].is_null());
  EXPECT_FALSE(rows[1]["error"].is_null());
}

TEST(Verbs, CompilePrintsEveryStage) {
  for (const auto &[stage, expected] : {std::pair{"kernel", "reduction"},
                                        {"mapping", "M1:{(64,1)"},
                                        {"llvcnm", "loop"},
                                        {"commands", "cycle,command"},
                                        {"asm", "MAC GRF_B"}}) {
    Options o = optionsFor("gemv");
    o.sizes = {"m=512,n=256"};
    o.maps = {"reference"};
    o.emit = stage;
    const Outcome out = run(VerbId::kCompile, o);
    EXPECT_EQ(out.status, 0);
    EXPECT_NE(out.text.find(expected), std::string::npos) << stage << ":\n" << out.text.substr(0, 400);
  }
}

TEST(Verbs, TheCOfAnAutoMappingIsThatOfTheMappingWhichEstimateChooses) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  Options o = optionsFor("red");
  o.target = "upmem";
  o.sizes = {"n=20000"};
  o.maps = {"auto;buffer=256"};
  const std::string mapping = jsonOf(VerbId::kEstimate, o)["mapping"];
  for (const std::string stage : {"c", "host"}) {
    o.emit = stage;
    const Outcome out = run(VerbId::kCompile, o);
    ASSERT_EQ(out.status, 0);
    EXPECT_EQ(out.text.substr(0, out.text.find('\n')), "// Mapping: " + mapping);
  }
}

TEST(Verbs, AMappingIsFoundWhereEarlierKernelsMakeTheDataThatDecideTheTime) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  Options o;
  o.input = "t[i] = x[i] + x[i]; y[i] = t[i] * t[i]";
  o.dtype = "f32";
  o.target = "upmem";
  o.sizes = {"i=128"};
  o.maps = {"auto;dpus=8"};
  const Json found = jsonOf(VerbId::kEstimate, o);
  for (const Json &stage : found["stages"]) EXPECT_FALSE(stage["choice"].is_null());
  o.data = "none";
  const Outcome out = run(VerbId::kEstimate, o);
  ASSERT_FALSE(out.diagnostics.empty()) << "nothing is known of the data of the run itself";
  EXPECT_EQ(out.diagnostics.front().code, "data-decide-time");
}

TEST(Verbs, TheReferenceOfAPartOfTheSpaceIsOfThatPart) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  Options o = optionsFor("va");
  o.target = "upmem";
  o.sizes = {"n=20000"};
  o.maps = {"auto;dpus=8"};
  o.isUnchecked = true;
  const Json part = jsonOf(VerbId::kExplore, o);
  const std::string mapping = part["reference"]["mapping"];
  EXPECT_EQ(mapping.substr(0, mapping.find("),(16)")), "M1:{(1),(8") << "16 tasklets of 8 DPUs of one rank";
  o.maps = {mapping};
  EXPECT_EQ(jsonOf(VerbId::kEstimate, o)["cycles"], part["reference"]["cycles"]);
}

TEST(Verbs, AProgramTextEstimatesLikeItsKernel) {
  Options o = optionsFor("gemv");
  o.sizes = {"m=512,n=256"};
  const Json kernel = jsonOf(VerbId::kEstimate, o);
  o.emit = "llvcnm";
  const Outcome text = run(VerbId::kCompile, o);
  const auto file =
      std::filesystem::temp_directory_path() / ("pimento_verbs_" + std::to_string(::getpid()) + ".llvcnm");
  std::FILE *f = std::fopen(file.c_str(), "w");
  ASSERT_NE(f, nullptr);
  std::fputs(text.text.c_str(), f);
  std::fclose(f);
  const Json program = jsonOf(VerbId::kSimulate, optionsFor(file.string()));
  std::filesystem::remove(file);
  EXPECT_EQ(program["cycles"], kernel["cycles"]);
  EXPECT_FALSE(program["checked"].get<bool>());
}

TEST(Verbs, WrongInputsSayWhatWouldBeRight) {
  const auto fails = [](Options o, VerbId verb, const std::string &code) {
    const Outcome out = run(verb, o);
    EXPECT_EQ(out.status, 1) << code;
    ASSERT_FALSE(out.diagnostics.empty());
    EXPECT_EQ(out.diagnostics[0].code, code) << out.diagnostics[0].str();
    EXPECT_FALSE(out.diagnostics[0].hint.empty()) << code;
  };
  Options o = optionsFor("gemvv");
  fails(o, VerbId::kEstimate, "unknown-input");
  o = optionsFor("gemv");
  o.sizes = {"m=0"};
  fails(o, VerbId::kEstimate, "bad-size");
  o.sizes = {};
  o.dtype = "f17";
  fails(o, VerbId::kEstimate, "unknown-dtype");
  o.dtype = "";
  o.sets = {"channels"};
  fails(o, VerbId::kEstimate, "bad-override");
  o.sets = {};
  o.data = "sometimes";
  fails(o, VerbId::kSimulate, "bad-data");
  o.data = "";
  o.trace = "/no/such/folder/t.json";
  fails(o, VerbId::kSimulate, "unwritable-file");
  o.trace = "";
  o.emit = "poem";
  fails(o, VerbId::kCompile, "unknown-stage");
  fails(optionsFor("gemvv"), VerbId::kKernels, "unknown-kernel");
  fails(optionsFor("hbm-pin"), VerbId::kValidate, "unknown-suite");
}

TEST(Verbs, TheSchemaNamesUnitsAndChoicesOfEveryKey) {
  Options o;
  o.isSchema = true;
  const Json rows = jsonOf(VerbId::kTargets, o)["schema"];
  std::map<std::string, Json> byPath;
  for (const Json &row : rows) byPath[row["path"].get<std::string>()] = row;
  EXPECT_EQ(byPath["timing.*"]["units"], "cycle|ns");
  EXPECT_EQ(byPath["controller.precharge"]["choices"], Json({"eager", "conflict"}));
  EXPECT_EQ(byPath["name"]["required"], true);
  for (const Json &row : rows) {
    EXPECT_FALSE(row["meaning"].get<std::string>().empty()) << row["path"];
    EXPECT_EQ(row["kind"] == "number" || row["kind"] == "formula" || row["kind"] == "numbers", row.contains("units"));
  }
  EXPECT_NE(run(VerbId::kTargets, o).text.find("\ncontroller.precharge"), std::string::npos);
}

}  // namespace
}  // namespace pimento::driver
