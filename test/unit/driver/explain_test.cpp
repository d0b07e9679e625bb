// Explanations: every number of a result has one, and its formula gives the number.
#include "pimento/evaluate/explain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "pimento/base/file.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/verbs.h"
#include "pimento/emit/json.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "pimento/mapping/mapping.h"
#include "test/support/recompute.h"
#include "test/support/target_of.h"

namespace pimento::driver {
namespace {

using evaluate::Derivation;
using evaluate::DerivationPtr;
using Json = nlohmann::json;

/// Every node below, each once: its formula gives its value, and leaves of the machine say where they come from.
class TreeChecker {
 public:
  void check(const Derivation &d) {
    if (!seen_.insert(&d).second) return;
    const auto again = test::recompute(d);
    ASSERT_TRUE(again.has_value()) << d.name << " = " << d.formula;
    if (d.isInteger()) {
      ASSERT_EQ(again->index(), 0U) << d.name;
      EXPECT_EQ(std::get<0>(*again), d.integer()) << d.name << " = " << d.formula << " = " << d.substituted();
    } else {
      const double value = again->index() == 0 ? static_cast<double>(std::get<0>(*again)) : std::get<1>(*again);
      EXPECT_LE(std::abs(value - d.real()), 1e-12 * std::abs(d.real())) << d.name << " = " << d.substituted();
    }
    if (d.isLeaf()) {
      EXPECT_TRUE(d.parts.empty()) << d.name;
      EXPECT_FALSE(d.name.empty());
      if (d.source.empty()) leavesWithoutSource_.insert(d.name);
    }
    for (const Derivation::Part &p : d.parts) check(*p.node);
    for (const DerivationPtr &b : d.beside) check(*b);
  }
  std::size_t nodes() const { return seen_.size(); }
  const std::set<std::string> &leavesWithoutSource() const { return leavesWithoutSource_; }

 private:
  std::set<const Derivation *> seen_;
  std::set<std::string> leavesWithoutSource_;
};

struct Case {
  const char *what;
  kernel::Graph graph;
  std::string target = "hbm-pim";
  std::vector<machine::Override> overrides = {};
  std::string map = "";
  evaluate::Offload offload = evaluate::Offload::kAll;
  std::string variant = "plain";
};

kernel::Graph zoo(const char *name, const kernel::Sizes &sizes) {
  auto g = kernel::makeZooKernel(name, sizes, DType::kF16);
  EXPECT_TRUE(g);
  return *g;
}
kernel::Graph notation(const char *text, const kernel::Sizes &sizes) {
  auto g = kernel::parseNotation(text, sizes, DType::kF16);
  EXPECT_TRUE(g);
  return *g;
}

std::vector<Case> cases() {
  std::vector<Case> c;
  c.push_back({"gemv", zoo("gemv", {{"m", 4096}, {"n", 4096}})});
  c.push_back({"long gemv", zoo("gemv", {{"m", 16384}, {"n", 8192}})});
  c.push_back({"odd gemv", zoo("gemv", {{"m", 300}, {"n", 777}, {"batch", 3}})});
  c.push_back({"tree", zoo("gemv", {{"m", 4096}, {"n", 1024}}), "hbm-pim", {}, "", evaluate::Offload::kAll, "tree"});
  c.push_back({"va", zoo("va", {{"n", 1000001}})});
  c.push_back({"relu", zoo("relu", {{"n", 5000000}}), "hbm-pim-sound"});
  c.push_back({"sound", zoo("gemv", {{"m", 2048}, {"n", 512}}), "hbm-pim-sound"});
  c.push_back({"changed numbers",
               zoo("gemv", {{"m", 1024}, {"n", 1024}}),
               "hbm-pim",
               {{"timing.tRP", "17"},
                {"channels", "16"},
                {"host.merge_rate", "37.5"},
                {"energy.mac", "0.731"},
                {"clock.device", "1.3 GHz"}}});
  c.push_back({"own mapping", zoo("gemv", {{"m", 512}, {"n", 256}}), "hbm-pim", {}, "M1:{(8,1),(8,1),(1,16),(8,16)}"});
  c.push_back({"host and device",
               notation("y[m] += A[m,n] * x[n]; t[m] = tanh(y[m]); z[k] += B[k,m] * t[m]",
                        {{"m", 4096}, {"n", 4096}, {"k", 2048}}),
               "hbm-pim",
               {},
               "",
               evaluate::Offload::kPossible});
  c.push_back({"network", zoo("rnnt", {}), "hbm-pim", {}, "", evaluate::Offload::kBest});
  return c;
}

void flatten(const Json &j, const std::string &path, std::map<std::string, double> &out) {
  if (j.is_number()) out[path] = j.get<double>();
  if (j.is_object())
    for (const auto &[key, value] : j.items()) flatten(value, path.empty() ? key : path + "." + key, out);
  if (j.is_array())
    for (std::size_t i = 0; i < j.size(); ++i) flatten(j[i], path + "[" + std::to_string(i) + "]", out);
}

TEST(Explain, EveryNumberOfAResultIsExplainedAndItsFormulaGivesIt) {
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.what);
    const auto machine = machine::loadMachine(c.target, {PIMENTO_SOURCE_DIR "/machines"}, c.overrides);
    ASSERT_TRUE(machine);
    evaluate::Request r;
    r.graph = &c.graph;
    r.machine = &*machine;
    r.target = &test::targetOf(*machine);
    r.tools.cache = test::sharedCache();
    r.offload = c.offload;
    r.variant = c.variant;
    const auto spec = mapping::parseMapSpec(c.map.empty() ? "reference" : c.map);
    ASSERT_TRUE(spec);
    r.maps.push_back(*spec);
    auto evaluation = evaluate::evaluateRecorded(r);
    ASSERT_TRUE(evaluation) << evaluation.diagnostics()[0].str();
    evaluation->report.sizes = {{"m", 12}};
    const auto explanation = evaluate::explain(evaluate::explainInput(r, *evaluation));
    std::map<std::string, double> numbers;
    flatten(Json::parse(emit::toJson(evaluation->report)), "", numbers);
    for (const auto &[key, value] : numbers) {
      const auto d = explanation.find(key);
      ASSERT_TRUE(d) << key;
      EXPECT_EQ((*d)->name, key);
      EXPECT_EQ((*d)->real(), value) << key;
    }
    TreeChecker checker;
    for (const auto &[key, d] : explanation.numbers()) checker.check(*d);
    EXPECT_GT(checker.nodes(), 300U);
    for (const std::string &name : checker.leavesWithoutSource())
      EXPECT_TRUE(name.find("energy.") == std::string::npos && name.find("timing.") == std::string::npos)
          << name << " is a number of the machine without a source";
  }
}

TEST(Explain, RoundsWhoseDataMakeThemDifferAddUp) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const VerbId verb : {VerbId::kEstimate, VerbId::kSimulate}) {
    Options o;
    o.input = "for t in 0..5 { y[i] = y[i] * x[i] }";
    o.maps = {"reference"};
    o.sizes = {"i=64"};
    o.dtype = "f32";
    o.target = "upmem";
    o.isJson = true;
    const Outcome out = run(verb, o);
    ASSERT_EQ(out.status, 0);
    const Json result = Json::parse(out.text);
    const std::string file = ::testing::TempDir() + "/pimento_explain_rounds.json";
    ASSERT_TRUE(writeFile(file, out.text));
    Options again;
    again.input = file;
    again.number = "breakdown.compute";
    again.isJson = true;
    const Outcome explained = run(VerbId::kExplain, again);
    ASSERT_EQ(explained.status, 0) << explained.diagnostics[0].str();
    const Json tree = Json::parse(explained.text)["tree"];
    EXPECT_EQ(tree["value"], result["cycles"]);
    EXPECT_NE(explained.text.find("first + others"), std::string::npos) << explained.text;
  }
}

TEST(Explain, RoundsThatDifferAreOneStageWhoseNumbersAreTheirSums) {
  Options o;
  o.input = "for k in 0..6 { y[i] += A[k,i] where i >= k }";
  o.sizes = {"i=40000"};
  o.dtype = "f16";
  o.maps = {"reference"};
  o.isJson = true;
  const Outcome out = run(VerbId::kEstimate, o);
  ASSERT_EQ(out.status, 0);
  const Json result = Json::parse(out.text);
  ASSERT_EQ(result["stages"].size(), 1U);
  EXPECT_EQ(result["stages"][0]["runs"], 6);
  EXPECT_EQ(result["stages"][0]["total_cycles"], result["total_cycles"]);
  std::map<std::string, double> numbers;
  flatten(Json{{"stages", result["stages"]}, {"phases", result["phases"]}}, "", numbers);
  for (const auto &[key, value] : numbers) {
    if (key.ends_with(".runs")) continue;
    o.number = key;
    const Outcome explained = run(VerbId::kExplain, o);
    ASSERT_EQ(explained.status, 0) << key << ": " << explained.diagnostics[0].str();
    EXPECT_DOUBLE_EQ(Json::parse(explained.text)["tree"]["value"].get<double>(), value) << key;
  }
}

TEST(Explain, AFormulaThatDoesNotGiveTheNumberIsNoticed) {
  Derivation d;
  d.value = std::int64_t{7};
  d.formula = "a * 2";
  auto part = std::make_shared<Derivation>();
  part->value = std::int64_t{3};
  d.parts = {{"a", part}};
  EXPECT_EQ(std::get<0>(*test::recompute(d)), 6);
  d.formula = "b * 2";
  EXPECT_FALSE(test::recompute(d));
}

Options optionsFor(std::string input) {
  Options o;
  o.input = std::move(input);
  o.sizes = {"m=512,n=512"};
  return o;
}

Json jsonOf(VerbId verb, Options o) {
  o.isJson = true;
  const Outcome out = run(verb, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return Json::parse(out.text);
}

TEST(ExplainVerb, GivesOneNumberOrTheOverview) {
  Options o = optionsFor("gemv");
  const Json result = jsonOf(VerbId::kEstimate, o), overview = jsonOf(VerbId::kExplain, o);
  EXPECT_EQ(overview["time"]["value"], result["time_ns"]);
  EXPECT_EQ(overview["energy"]["value"], result["energy_pj"]);
  o.number = "breakdown.merge";
  const Json merge = jsonOf(VerbId::kExplain, o);
  EXPECT_EQ(merge["tree"]["value"], result["breakdown"]["merge"]);
  EXPECT_EQ(merge["explain"], "breakdown.merge");
  o.number = "energy_breakdown.mac";
  EXPECT_EQ(jsonOf(VerbId::kExplain, o)["tree"]["value"], result["energy_breakdown"]["mac"]["pj"]);
}

TEST(ExplainVerb, TextIsNarrowAndHasSources) {
  Options o = optionsFor("gemv");
  o.number = "cycles";
  o.depth = 9;
  const Outcome out = run(VerbId::kExplain, o);
  ASSERT_EQ(out.status, 0);
  EXPECT_NE(out.text.find("read_read_group"), std::string::npos);
  EXPECT_NE(out.text.find("timing.tCCDL"), std::string::npos);
  EXPECT_NE(out.text.find("[paper]"), std::string::npos);
  EXPECT_NE(out.text.find("utilisation"), std::string::npos);
  std::size_t begin = 0;
  for (std::size_t end; (end = out.text.find('\n', begin)) != std::string::npos; begin = end + 1)
    EXPECT_LE(end - begin, 104U) << out.text.substr(begin, end - begin);
}

TEST(ExplainVerb, AProgramFromAFileIsExplainedToo) {
  Options o = optionsFor("gemv");
  o.emit = "llvcnm";
  const std::string file = ::testing::TempDir() + "/pimento_explain.llvcnm";
  ASSERT_TRUE(writeFile(file, run(VerbId::kCompile, o).text));
  Options program;
  program.input = file;
  const Json result = jsonOf(VerbId::kEstimate, program);
  for (const char *key : {"cycles", "energy_pj", "counts.pim_mac", "stages[0].energy_pj", "total_cycles"}) {
    program.number = key;
    const Json tree = jsonOf(VerbId::kExplain, program)["tree"];
    EXPECT_EQ(tree["name"], key);
    if (result.contains(key)) {
      EXPECT_EQ(tree["value"], result[key]);
    }
  }
}

TEST(ExplainVerb, AProgramOfVirtualInstructionsIsExplainedToo) {
  for (const std::string target : {"upmem", PIMENTO_SOURCE_DIR "/examples/machines/cnm-vector.yaml"}) {
    if (target == "upmem" && !makeDpuCompiler()) continue;
    Options o = optionsFor("va");
    o.sizes = {"n=65536"};
    o.target = target;
    o.emit = "llvcnm";
    const std::string file = ::testing::TempDir() + "/pimento_explain_virtual.llvcnm";
    ASSERT_TRUE(writeFile(file, run(VerbId::kCompile, o).text));
    Options program;
    program.input = file;
    program.target = target;
    const Json result = jsonOf(VerbId::kEstimate, program);
    for (const char *key : {"cycles", "energy_pj", "counts.instructions"}) {
      program.number = key;
      const Json tree = jsonOf(VerbId::kExplain, program)["tree"];
      EXPECT_EQ(tree["name"], key);
      if (result.contains(key)) {
        EXPECT_EQ(tree["value"], result[key]) << key;
      }
    }
  }
}

TEST(ExplainVerb, UnitsAreCalledAsInTheResult) {
  for (const char *machine : {"cnm-pipeline", "cnm-vector"}) {
    Options o = optionsFor("va");
    o.sizes = {"n=65536"};
    o.target = std::string(PIMENTO_SOURCE_DIR "/examples/machines/") + machine + ".yaml";
    const Json result = jsonOf(VerbId::kEstimate, o);
    for (const char *key : {"units_simulated", "units_identical", "phases[0].cycles"}) {
      o.number = key;
      const Json tree = jsonOf(VerbId::kExplain, o)["tree"];
      EXPECT_EQ(tree["name"], key) << machine;
      EXPECT_GE(tree["value"], 1);
      if (result.contains(key)) {
        EXPECT_EQ(tree["value"], result[key]) << machine;
      }
    }
  }
}

TEST(ExplainVerb, CountsNameTheFactorsOfTheMapping) {
  Options o = optionsFor("gemv");
  o.maps = {"reference"};
  o.number = "counts.pim_mac";
  o.depth = 9;
  const Outcome out = run(VerbId::kExplain, o);
  EXPECT_NE(out.text.find("= channel * block * lane * range"), std::string::npos) << out.text;
  EXPECT_NE(out.text.find("M1:{(64,1),(8,1),(1,16),"), std::string::npos) << out.text;
}

/// Saves a result, perhaps changed, and explains it.
class SavedResult : public ::testing::Test {
 protected:
  std::string save(const std::string &text) const {
    const std::string file = ::testing::TempDir() + "/pimento_explain.json";
    EXPECT_TRUE(writeFile(file, text));
    return file;
  }
  std::string codeOf(const std::string &text) {
    Options o;
    o.input = save(text);
    const Outcome out = run(VerbId::kExplain, o);
    if (out.diagnostics.empty()) return "";
    EXPECT_EQ(out.status, 1);
    EXPECT_FALSE(out.diagnostics[0].hint.empty());
    message_ = out.diagnostics[0].str();
    return out.diagnostics[0].code;
  }
  static Json result(const char *verb = "estimate") {
    Options o = optionsFor("gemv");
    o.sets = {"timing.tRP=16"};
    return jsonOf(std::string(verb) == "estimate" ? VerbId::kEstimate : VerbId::kSimulate, o);
  }
  std::string message_;
};

TEST_F(SavedResult, IsRepeatedAndExplained) {
  for (const char *verb : {"estimate", "simulate"}) {
    const Json saved = result(verb);
    EXPECT_EQ(saved["run"]["verb"], verb);
    EXPECT_EQ(saved["run"]["sets"], Json({"timing.tRP=16"}));
    Options o;
    o.input = save(saved.dump());
    o.number = "energy_pj";
    EXPECT_EQ(jsonOf(VerbId::kExplain, o)["tree"]["value"], saved["energy_pj"]) << verb;
  }
}

TEST_F(SavedResult, OfARunWithConstantsIsRepeatedWithThem) {
  Options o = optionsFor("gemv");
  o.constants = {"A"};
  const Json saved = jsonOf(VerbId::kEstimate, o);
  EXPECT_GT(saved["setup_cycles"], 0);
  Options again;
  again.input = save(saved.dump());
  again.number = "setup_cycles";
  EXPECT_EQ(jsonOf(VerbId::kExplain, again)["tree"]["value"], saved["setup_cycles"]);
}

TEST_F(SavedResult, WithOtherNumbersIsRefusedAndSaysWhich) {
  Json saved = result();
  saved["breakdown"]["merge"] = 1;
  EXPECT_EQ(codeOf(saved.dump()), "result-changed");
  EXPECT_NE(message_.find("breakdown.merge was 1, is"), std::string::npos) << message_;
  saved["run"]["machine"] = "0";
  EXPECT_EQ(codeOf(saved.dump()), "result-changed");
  EXPECT_NE(message_.find("machine 'hbm-pim' have changed"), std::string::npos) << message_;
  saved["run"]["version"] = "0.0.1";
  EXPECT_EQ(codeOf(saved.dump()), "result-changed");
  EXPECT_NE(message_.find("made by pimento 0.0.1"), std::string::npos) << message_;
}

TEST_F(SavedResult, OfAnInputThatIsGoneSaysSo) {
  Json saved = result();
  saved["run"]["input"] = "no/such/file.mlir";
  EXPECT_EQ(codeOf(saved.dump()), "input-gone");
  EXPECT_NE(message_.find("no/such/file.mlir"), std::string::npos);
}

TEST_F(SavedResult, ThatIsNoneIsRefused) {
  EXPECT_EQ(codeOf("{\"cycles\": 3,\n  oops}"), "bad-json");
  EXPECT_NE(message_.find(":2:"), std::string::npos) << message_;
  EXPECT_EQ(codeOf("[1, 2]"), "not-a-result");
  EXPECT_EQ(codeOf("{\"points\": 3}"), "not-a-result");
  EXPECT_EQ(codeOf("{\"rows\": []}"), "not-a-result");
  Json saved = result();
  saved.erase("run");
  EXPECT_EQ(codeOf(saved.dump()), "not-a-result");
  saved = result();
  saved["run"]["sizes"] = "m=3";
  EXPECT_EQ(codeOf(saved.dump()), "bad-run");
  saved = result();
  saved["run"]["verb"] = "explore";
  EXPECT_EQ(codeOf(saved.dump()), "bad-run");
}

TEST_F(SavedResult, ThatCannotBeReadIsRefused) {
  Options o;
  o.input = ::testing::TempDir() + "/there_is_no_such_result.json";
  EXPECT_EQ(run(VerbId::kExplain, o).diagnostics.at(0).code, "unreadable-file");
}

TEST_F(SavedResult, TakesNoOptionsOfARun) {
  Options o;
  o.input = ::testing::TempDir() + "/there_is_no_such_result.json";
  o.maps = {"auto"};
  const Outcome out = run(VerbId::kExplain, o);
  ASSERT_EQ(out.diagnostics.at(0).code, "result-option");
  EXPECT_EQ(out.diagnostics.at(0).where.file, "--map");
}

TEST(ExplainVerb, AnUnknownNumberIsRefusedWithTheNearest) {
  Options o = optionsFor("gemv");
  o.number = "breakdown.murge";
  const Outcome out = run(VerbId::kExplain, o);
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(out.diagnostics.at(0).code, "unknown-number");
  EXPECT_NE(out.diagnostics.at(0).hint.find("did you mean 'breakdown.merge'"), std::string::npos);
  o.number = "counts.nothing_like_it";
  EXPECT_NE(run(VerbId::kExplain, o).diagnostics.at(0).hint.find("counts.pim_mac"), std::string::npos);
}

}  // namespace
}  // namespace pimento::driver
