// CNM IR between the verbs: what `compile --emit cnm` prints is an input that gives the same result.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

Options optionsFor(std::string input, std::vector<std::string> sizes = {}, std::string target = "") {
  Options o;
  o.input = std::move(input);
  o.sizes = std::move(sizes);
  o.target = std::move(target);
  return o;
}

std::string textOf(Options o, const std::string &stage) {
  o.emit = stage;
  const Outcome out = run(VerbId::kCompile, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return out.text;
}

std::string fileWith(const std::string &text, const std::string &name) {
  std::string path = testing::TempDir() + "/" + name + ".cnm";
  std::ofstream(path) << text;
  return path;
}

/// What a verb says, without what names the input, says where its mapping comes from, or the time it took.
Json resultOf(VerbId verb, Options o) {
  o.isJson = true;
  const Outcome out = run(verb, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  if (out.status != 0) return {};
  Json json = Json::parse(out.text);
  for (const char *key : {"run", "kernel", "sizes", "wall_us", "compile_us"}) json.erase(key);
  for (Json &stage : json["stages"])
    for (const char *key : {"mapping_why", "choice"}) stage.erase(key);
  return json;
}

/// But for what was searched for.
void expectEqual(Json a, Json b) {
  for (Json *j : {&a, &b}) j->erase("objective");
  for (const auto &[key, value] : a.items()) EXPECT_TRUE(b.contains(key) && b[key] == value) << key;
  EXPECT_EQ(a.size(), b.size());
}

/// Under the reference mapping unless another is given.
void expectSame(Options given, const std::string &name) {
  if (given.maps.empty()) given.maps = {"reference"};
  const std::string text = textOf(given, "cnm");
  const Options again = optionsFor(fileWith(text, name));
  EXPECT_EQ(textOf(again, "cnm"), text);
  EXPECT_EQ(textOf(again, "mapping"), textOf(given, "mapping"));
  expectEqual(resultOf(VerbId::kEstimate, again), resultOf(VerbId::kEstimate, given));
}

TEST(Cnm, OfHbmPimKernelsGivesTheSameResult) {
  for (const char *kernel : {"gemv", "gemvrelu", "va", "gemm", "mlp"}) expectSame(optionsFor(kernel), kernel);
}

TEST(Cnm, OfUpmemKernelsGivesTheSameResult) {
  for (const char *kernel : {"va", "scan", "sel"}) expectSame(optionsFor(kernel, {"n=10000"}, "upmem"), kernel);
  expectSame(optionsFor("gemv", {"m=64,n=64"}, "upmem"), "upmem_gemv");
}

TEST(Cnm, OfMlirAndCFilesGivesTheSameResult) {
  const std::string source = PIMENTO_SOURCE_DIR;
  Options mlir = optionsFor(source + "/examples/gemv_relu.mlir");
  mlir.emit = "kernel";
  const Outcome read = run(VerbId::kCompile, mlir);
  if (read.status != 0 && read.diagnostics[0].code == "needs-llvm") GTEST_SKIP() << "built without LLVM";
  expectSame(mlir, "mlir");
  expectSame(optionsFor(source + "/kernels/mlp.c", {"in=8,hidden=8,out=4"}, "upmem"), "c_mlp");
  expectSame(optionsFor(source + "/kernels/sel.c", {"n=1000"}, "upmem"), "c_sel");
}

TEST(Cnm, KeepsMappingsThatWereGivenOrChosen) {
  Options o = optionsFor("gemv", {"m=2048,n=512"});
  o.maps = {"M1:{(32,1),(8,1),(1,16),(8,32)};cyclic(lane,1)"};
  expectSame(o, "given");
  o.maps = {"auto"};
  expectSame(o, "chosen");
  Options truncated = optionsFor("va", {"n=100000"});
  truncated.maps = {"reference;tail=truncate"};
  expectSame(truncated, "truncated");
}

TEST(Cnm, IsSimulatedAndCheckedLikeTheKernel) {
  Options given = optionsFor("gemvrelu", {"m=600,n=300"});
  given.maps = {"reference"};
  const Json json = resultOf(VerbId::kSimulate, optionsFor(fileWith(textOf(given, "cnm"), "simulated")));
  EXPECT_TRUE(json["checked"].get<bool>());
  expectEqual(json, resultOf(VerbId::kSimulate, given));
}

TEST(Cnm, KernelsThatStayOnTheHostStayThere) {
  const Options given = optionsFor("rnnt");
  const Json a = resultOf(VerbId::kEstimate, given),
             b = resultOf(VerbId::kEstimate, optionsFor(fileWith(textOf(given, "cnm"), "network")));
  EXPECT_EQ(a["total_cycles"], b["total_cycles"]);
  EXPECT_EQ(a["energy_pj"], b["energy_pj"]);
  int onHost = 0;
  for (std::size_t s = 0; s < a["stages"].size(); ++s) {
    EXPECT_EQ(a["stages"][s]["where"], b["stages"][s]["where"]);
    onHost += b["stages"][s]["where"] == "host" ? 1 : 0;
  }
  EXPECT_GT(onHost, 0);
}

TEST(Cnm, HostIsAMappingLikeAnyOther) {
  Options o = optionsFor("gemvrelu", {"m=64,n=64"});
  o.maps = {"reference|host"};
  const Json json = resultOf(VerbId::kSimulate, o);
  EXPECT_EQ(json["stages"][0]["where"], "pim");
  EXPECT_EQ(json["stages"][1]["where"], "host");
  EXPECT_EQ(json["stages"][1]["why"], "the mapping places it on the host");
  EXPECT_TRUE(json["checked"].get<bool>());
}

TEST(Cnm, AMapOptionAndAnotherTargetLeaveItsMappingAside) {
  Options o = optionsFor("gemv", {"m=64,n=64"});
  o.maps = {"M1:{(1,1),(8,1),(1,16),(8,4)}"};
  const std::string file = fileWith(textOf(o, "cnm"), "aside");
  EXPECT_EQ(resultOf(VerbId::kEstimate, optionsFor(file))["mapping"], o.maps[0]);
  Options mapped = optionsFor(file);
  mapped.maps = {"reference"};
  EXPECT_EQ(resultOf(VerbId::kEstimate, mapped)["mapping"], "reference");
  EXPECT_EQ(resultOf(VerbId::kEstimate, optionsFor(file, {}, "hbm-pim-sound"))["objective"], "time") << "it is chosen";
}

TEST(Cnm, AMappingItLeavesOpenIsTheUsualOne) {
  Options reference = optionsFor("gemv", {"m=64,n=64"});
  reference.maps = {"reference"};
  std::string text = textOf(reference, "cnm");
  text.erase(text.find("  mapping"));
  Options o = optionsFor(fileWith(text + "}\n", "open"));
  const auto usual = resultOf(VerbId::kEstimate, o);
  EXPECT_EQ(usual["objective"], "time");
  o.maps = {"auto"};
  EXPECT_EQ(resultOf(VerbId::kEstimate, o)["mapping"], usual["mapping"]);
  o.maps = {"reference"};
  EXPECT_EQ(resultOf(VerbId::kEstimate, o)["mapping"], "reference");
}

TEST(Cnm, ATextInPlaceOfTheFileNamesTheTarget) {
  Options o = optionsFor("nowhere.cnm");
  o.text = textOf(optionsFor("va", {"n=1024"}, "upmem"), "cnm");
  EXPECT_EQ(resultOf(VerbId::kEstimate, o)["target"], "upmem");
}

TEST(Cnm, ItsTargetIsUsedUnlessAnotherIsNamed) {
  const std::string file = fileWith(textOf(optionsFor("va", {"n=1024"}, "upmem"), "cnm"), "target");
  EXPECT_EQ(resultOf(VerbId::kEstimate, optionsFor(file))["target"], "upmem");
  Options both = optionsFor(file);
  both.targets = {"hbm-pim", "upmem"};
  both.isJson = true;
  const Outcome out = run(VerbId::kCompare, both);
  EXPECT_EQ(out.status, 0);
  EXPECT_EQ(Json::parse(out.text)["rows"].size(), 2u);
}

TEST(Cnm, LevelsThatAreNotTheMachinesAreReportedInTheFile) {
  std::string text = textOf(optionsFor("gemv", {"m=64,n=64"}), "cnm");
  text.replace(text.find("channel block lane"), 18, "channel bank lane");
  const std::string file = fileWith(text, "levels");
  const Outcome out = run(VerbId::kEstimate, optionsFor(file));
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics[0].where.file, file);
  EXPECT_GT(out.diagnostics[0].where.line, 0);
}

TEST(Cnm, ExtentsAreThoseOfTheFile) {
  const std::string file = fileWith(textOf(optionsFor("gemv", {"m=64,n=64"}), "cnm"), "extents");
  const Outcome out = run(VerbId::kEstimate, optionsFor(file, {"m=128"}));
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics[0].code, "unknown-size");
}

// Attention is one program on AttAcc: its one mapping comes back as that of all its kernels, from both texts.
TEST(CnmAsInput, AProgramOfSeveralKernelsComesBackAsOne) {
  Options o = optionsFor("attn", {"batch=1,heads=2,dhead=16,len=16"}, "attacc");
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  const Json direct = resultOf(VerbId::kSimulate, o);
  for (const char *stage : {"cnm", "dcc"}) {
    Options read = o;
    read.input = testing::TempDir() + "/attention_" + std::to_string(::getpid()) + "." + stage;
    std::ofstream(read.input) << textOf(o, stage);
    read.sizes.clear();
    const Json back = resultOf(VerbId::kSimulate, read);
    for (const char *key : {"cycles", "total_cycles", "energy_pj", "checked", "breakdown"})
      EXPECT_EQ(back[key], direct[key]) << stage << " " << key;
  }
}

}  // namespace
}  // namespace pimento::driver
