// What a result says of its run repeats it: the command line in `run`, given to the built tool by a shell, and `explain
// RESULT.json`, over random sets of options.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/base/rng.h"
#include "pimento/base/text.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/verbs.h"
#include "pimento/tune/boosted_trees.h"
#include "test/support/folder.h"
#include "test/support/loop_trace.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::ordered_json;
using Choices = std::map<std::string, std::vector<std::string>>;

const std::string kSource = PIMENTO_SOURCE_DIR;

/// An input with options that suit it. A flag has the value "true".
struct Scenario {
  std::string input;
  std::vector<VerbId> verbs;
  Choices always = {}, sometimes = {};
  bool needsCompiler = false;
  std::string language = {};  ///< that the build must read
  bool needsPredictor = false;
};

const Choices kHbmPim = {{"set", {"channels=4", "timing.tRP=16", "timing.tRCDRD=20"}},
                         {"map", {"auto", "reference"}},
                         {"data", {"none", "one", "uniform:0,1", "const:2"}},
                         {"seed", {"7", "18446744073709551615"}},
                         {"engine", {"fast-forward", "two-slice"}}};

Choices with(Choices base, const Choices &more) {
  for (const auto &[name, values] : more) base[name] = values;
  return base;
}

/// A saved trace, which lies there until the program ends.
std::string traceOfLoop() {
  static const test::Folder folder;
  const std::string file = folder / "loop.ptrace";
  if (!std::filesystem::exists(file)) test::saveLoop(file, 200, 64);
  return file;
}

std::vector<Scenario> scenarios() {
  const std::vector<VerbId> runs = {VerbId::kEstimate, VerbId::kSimulate};
  return {
      {"gemv",
       {VerbId::kEstimate, VerbId::kSimulate, VerbId::kCompare},
       {{"size", {"m=64,n=256", "m=100,n=300"}}},
       with(kHbmPim, {{"variant", {"tree"}},
                      {"dtype", {"f16"}},
                      {"target", {"hbm-pim-sound", "hbm-pim"}},
                      {"targets", {"hbm-pim", "hbm-pim-sound,hbm-pim"}},
                      {"constant", {"A"}}})},
      {"y[i] += A[i,j] * x[j]; z[i] = relu(y[i])",
       {VerbId::kEstimate, VerbId::kSimulate, VerbId::kCompare},
       {{"size", {"i=64,j=256"}}},
       with(kHbmPim, {{"offload", {"all", "possible", "best"}}, {"constant", {"A", "A,x"}}, {"targets", {"hbm-pim"}}})},
      {"gemv",
       {VerbId::kEstimate},
       {{"size", {"m=64,n=256"}}, {"engine", {"two-slice"}}, {"alpha", {"0.01", "0.25", "1"}}},
       {{"set", {"channels=8"}}}},
      {"gemv",
       {VerbId::kExplore},
       {{"size", {"m=64,n=256"}}, {"set", {"channels=2"}}},
       {{"limit", {"40", "0"}},
        {"budget", {"3"}},
        {"no-bounds", {"true"}},
        {"exhaustive", {"true"}},
        {"space", {"own", "factors"}},
        {"chunks", {"none", "channel=2"}},
        {"orders", {"none", "all"}},
        {"no-check", {"true"}},
        {"kernel", {"gemv"}},
        {"seed", {"3"}},
        {"data", {"one"}},
        {"offload", {"possible"}}}},
      {"gemv",
       {VerbId::kExplore},
       {{"sweep", {"timing.tRP=10..14", "size.m=64,128"}}},
       {{"size", {"n=256"}}, {"map", {"auto", "reference"}}, {"dtype", {"f16"}}, {"set", {"channels=2"}}}},
      {kSource + "/examples/gemv_relu.mlir",
       runs,
       {{"size", {"d0=64,d1=64"}}},
       with(kHbmPim,
            {{"offload", {"best", "possible"}}, {"check", {"interpreter", "text"}}, {"function", {"gemv_relu"}}}),
       false,
       "mlir"},
      {kSource + "/kernels/polybench/jacobi-1d.c",
       runs,
       {{"target", {"upmem"}},
        {"include", {kSource + "/kernels/polybench/utilities"}},
        {"define", {"MINI_DATASET", "N=12"}}},
       {{"seed", {"4"}}, {"data", {"one"}}},
       true,
       "c"},
      {kSource + "/examples/upmem/sum.s",
       runs,
       {{"in", {"blocks=u32:8"}}, {"launches", {"1", "2", "3"}}},
       {{"set", {"tasklets=4"}},
        {"max-instructions", {"1000000"}},
        {"profile", {"true"}},
        {"out", {"result:u32"}},
        {"target", {"upmem"}}}},
      {"va",
       runs,
       {{"target", {"upmem"}}, {"size", {"n=512"}}, {"set", {"dpus=2"}}},
       {{"dtype", {"i32", "f32"}},
        {"data", {"uniform:0,9"}},
        {"seed", {"5"}},
        {"map", {"reference;program=compiled"}},
        {"variant", {"measured"}}},
       true},
      {"gemv",
       {VerbId::kEstimate, VerbId::kSimulate, VerbId::kCompare},
       {{"size", {"m=64,n=256"}}, {"dtype", {"f32"}}, {"convert", {"f32=f16"}}, {"targets", {"hbm-pim"}}},
       {{"data", {"random", "none", "uniform:-3,3"}}, {"seed", {"7"}}}},
      {"gemv",
       {VerbId::kEstimate, VerbId::kSimulate, VerbId::kCompare},
       {{"size", {"m=64,n=256"}}, {"objective", {"time", "energy", "kernel"}}, {"targets", {"hbm-pim"}}},
       {{"set", {"channels=4"}}}},
      {"gemv",
       {VerbId::kTune},
       {{"size", {"m=64,n=256"}}, {"set", {"channels=2"}}, {"store", {"none"}}},
       {{"rules", {"1", "1,2,3", "3-rounded"}}, {"budget", {"3"}}, {"objective", {"energy", "kernel"}}}},
      {"gemv",
       runs,
       {{"size", {"m=64,n=256"}}, {"target", {"attacc", "aim"}}, {"pass", {"-group_loads", "-bank_group_order"}}},
       {{"set", {"channels=2"}}}},
      {"o[i] = 3 * a[i] + 3 * a[i+1] + 3 * a[i+2]",
       {VerbId::kEstimate, VerbId::kSimulate},
       {{"size", {"i=300"}}, {"target", {"l3-arrays"}}, {"dtype", {"f32"}}},
       {{"fp", {"strict", "reassociate"}}, {"set", {"sram.mode=words"}}}},
      {"llama3-8b",
       {VerbId::kLlm},
       {{"store", {"none"}}, {"map", {"reference"}}, {"generate", {"2", "3"}}},
       {{"host", {"published"}},
        {"target", {"attacc", "none", "attacc-published"}},
        {"set", {"timing.nCCDAB=4"}},
        {"schedule", {"published-base", "published-full", "published-dcc-base", "published-dcc-full"}},
        {"dtype", {"f16"}},
        {"batch", {"2"}},
        {"prompt", {"16", "200"}},
        {"gpus", {"2"}},
        {"devices", {"4"}}}},
      {"llama3-8b",
       {VerbId::kServe},
       {{"store", {"none"}},
        {"requests", {kSource + "/examples/llm/requests.csv"}},
        {"target", {"none", "none", "none", "attacc"}}},
       {{"batch", {"4"}}, {"gpus", {"2"}}, {"dtype", {"f16"}}}},
      {"gemv",
       {VerbId::kTune},
       {{"size", {"m=64,n=256"}},
        {"target", {"attacc"}},
        {"set", {"channels=2"}},
        {"store", {"none"}},
        {"engine", {"predictor", "predictor-only"}},
        {"model", {"none"}},
        {"train", {"m=32,n=256"}}},
       {{"retrain", {"8"}}},
       false,
       {},
       true},
      {traceOfLoop(),
       {VerbId::kExplore},
       {{"sweep", {"core.rob=20,40"}}},
       {{"levels", {"l1d", "l1d+l2"}},
        {"locality", {"level", "bank"}},
        {"rows", {"true"}},
        {"technology", {"fefet"}},
        {"arrays", {"release-constants"}},
        {"caches", {"32KiB/4+256KiB/8"}}}},
  };
}

/// Without what differs between two runs of one input.
Json comparable(Json j) {
  if (j.is_object())
    for (const char *key : {"wall_us", "compile_us", "seconds", "compile_seconds", "train_seconds"}) j.erase(key);
  if (j.is_structured())
    for (Json &part : j) part = comparable(part);
  return j;
}

Json parsed(const std::string &text) {
  return comparable(Json::parse(text, nullptr, false));
}

/// Whether XGBoost is installed.
bool hasPredictor() {
  const std::vector<float> one = {1.0F};
  return tune::BoostedTrees::fit({1, one}, one, 1).ok();
}

class Repeat : public ::testing::Test {
 protected:
  std::string file(const std::string &ending) const {
    return ::testing::TempDir() + "/repeat_" + std::to_string(::getpid()) + ending;
  }
  void TearDown() override {
    for (const char *ending : {".json", ".out"}) std::filesystem::remove(file(ending));
  }

  /// What the built tool prints for the words.
  std::string answerOf(std::vector<std::string> words) const {
    words[0] = PIMENTO_BINARY_DIR "/bin/pimento";
    words.insert(words.end(), {"--json", "--quiet"});
    const std::string line = "PIMENTO_MACHINES=" + shellLine({kSource + "/machines"}) + " " + shellLine(words) + " >" +
                             shellLine({file(".out")}) + " </dev/null";
    const int status = std::system(line.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << line;
    return readFile(file(".out")).ok() ? *readFile(file(".out")) : std::string();
  }

  /// One random set of options: its command, and where it can be explained its explanation.
  void expectRepeats(const Scenario &s, Rng &rng) {
    const VerbId verb = s.verbs[rng.below(s.verbs.size())];
    Options options;
    options.input = s.input;
    options.isJson = options.isQuiet = true;
    options.machinePath = {kSource + "/machines"};
    std::set<std::string> given;
    const auto give = [&](const std::string &name, const std::vector<std::string> &values) {
      const OptionRow *row = optionOf(verb, name);
      if (row == nullptr) return;
      for (const std::string &entry : split(values[rng.below(values.size())], row->separator))
        ASSERT_TRUE(set(*row, entry, options)) << name;
      given.insert(name);
    };
    for (const auto &[name, values] : s.always) give(name, values);
    for (const auto &[name, values] : s.sometimes)
      if (rng.below(3) == 0) give(name, values);
    ++tried_;
    const Outcome outcome = run(verb, options);
    if (outcome.status != 0) return;  // options that do not go together
    ++ran_;
    for (const std::string &name : given) shown_.insert(std::string(verbOf(verb).name) + " --" + name);
    const Json result = Json::parse(outcome.text);
    std::size_t row = 0;  // of a target that can run the kernel
    while (verb == VerbId::kCompare && !result["rows"][row].contains("run")) ++row;
    const Json &runOf = verb == VerbId::kCompare ? result["rows"][row]["run"] : result["run"];
    const auto words = runOf["command"].get<std::vector<std::string>>();
    SCOPED_TRACE(shellLine(words));
    const Json again = parsed(answerOf(words));
    if (verb != VerbId::kCompare) {
      EXPECT_EQ(again, comparable(result));
      if (verb != VerbId::kExplore && verb != VerbId::kLlm && verb != VerbId::kServe)
        expectExplained(verb == VerbId::kTune ? result["best"] : result, outcome.text);
      return;
    }
    ASSERT_EQ(again["rows"].size(), 1u);  // the command of a row compares that row's target
    EXPECT_EQ(again["rows"][0], comparable(result)["rows"][row]);
  }

  void expectExplained(const Json &result, const std::string &text) {
    if (result["exact"] == "extrapolated") return;  // has no derivation
    ASSERT_TRUE(writeFile(file(".json"), text));
    const Json now = parsed(answerOf({"pimento", "explain", file(".json"), "--number", "total_cycles"}));
    EXPECT_EQ(now["tree"]["value"], result["total_cycles"]);
  }

  static std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text)
      if (separator != 0 && c == separator)
        parts.emplace_back();
      else
        parts.back() += c;
    return parts;
  }

  int tried_ = 0, ran_ = 0;
  std::set<std::string> shown_;  ///< "estimate --seed"
};

TEST_F(Repeat, TheCommandOfAResultGivesItAgain) {
  std::uint64_t number = 0;
  for (const Scenario &s : scenarios()) {
    Rng rng(++number);  // of its own: builds that leave scenarios out draw the same for the others
    if (s.needsCompiler && !makeDpuCompiler()) continue;
    if (!s.language.empty() && !reads(s.language)) continue;
    if (s.needsPredictor && !hasPredictor()) continue;
    for (int i = 0; i < 10; ++i) expectRepeats(s, rng);
  }
  EXPECT_GE(4 * ran_, 3 * tried_);
  for (const char *option : {"estimate --engine", "estimate --alpha", "simulate --launches",
                             "simulate --max-instructions", "explore --limit", "explore --no-bounds", "explore --space",
                             "explore --kernel", "explore --sweep", "compare --targets", "tune --rules"})
    EXPECT_TRUE(shown_.contains(option)) << option;
}

TEST(OptionTable, NamesAndKeysAreUnique) {
  for (const Verb &verb : verbs()) {
    std::set<std::string_view> names, keys;
    for (const OptionRow &row : optionTable()) {
      if (row.verbs.has(verb.id)) {
        EXPECT_TRUE(names.insert(row.name).second) << verb.name << " --" << row.name;
      }
      if (!row.runKey.empty() && (row.verbs.has(verb.id) || row.alsoInRunOf.has(verb.id))) {
        EXPECT_TRUE(keys.insert(row.runKey).second) << verb.name << " run." << row.runKey;
      }
    }
  }
  std::set<std::string_view> api;
  for (const OptionRow &row : optionTable())
    if (!row.apiKey.empty()) {
      EXPECT_TRUE(api.insert(row.apiKey).second) << row.apiKey;
    }
}

TEST(OptionTable, EveryRowHasAVerbAndAHelpText) {
  for (const OptionRow &row : optionTable()) {
    if (row.name.empty()) continue;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_TRUE(std::any_of(verbs().begin(), verbs().end(), [&](const Verb &v) { return row.verbs.has(v.id); }))
        << row.name;
    EXPECT_EQ(row.value.empty(), std::holds_alternative<bool Options::*>(row.field)) << row.name;
  }
}

/// Every option that decides a result is one that the property above draws, so that a new one must be added there.
TEST(OptionTable, EveryOptionOfARunIsDrawnAbove) {
  std::set<std::string> drawn;
  for (const Scenario &s : scenarios())
    for (const Choices *choices : {&s.always, &s.sometimes})
      for (const auto &[name, values] : *choices) drawn.insert(name);
  for (const OptionRow &row : optionTable())
    if (!row.runKey.empty()) {
      EXPECT_TRUE(drawn.contains(std::string(row.name))) << row.name;
    }
}

TEST(OptionTable, ValuesOutsideTheirRangeAreRefused) {
  for (const auto &[name, text] :
       std::vector<std::pair<const char *, const char *>>{{"launches", "0"},
                                                          {"launches", "1.5"},
                                                          {"launches", ""},
                                                          {"seed", "-1"},
                                                          {"seed", "18446744073709551616"},
                                                          {"alpha", "2"},
                                                          {"alpha", "nan"},
                                                          {"jobs", "99999999999999999999"}}) {
    Options options;
    const OptionRow *row = optionOf(VerbId::kEstimate, name);
    ASSERT_NE(row, nullptr) << name;
    const Status s = set(*row, text, options);
    ASSERT_FALSE(s) << name << " " << text;
    EXPECT_EQ(s.diagnostics().front().code, "option-value");
    EXPECT_TRUE(isUsual(*row, options)) << name;
  }
}

TEST(OptionTable, AListIsToldFromAWord) {
  EXPECT_TRUE(isList(*optionOf(VerbId::kEstimate, "size")));
  EXPECT_FALSE(isList(*optionOf(VerbId::kEstimate, "dtype")));
  EXPECT_EQ(optionOf(VerbId::kReport, "size"), nullptr);
}

TEST(ListOptions, KnowsTheVerbs) {
  Options o;
  o.input = "explan";
  const Outcome unknown = run(VerbId::kOptions, o);
  ASSERT_EQ(unknown.diagnostics.size(), 1u);
  EXPECT_EQ(unknown.diagnostics.front().code, "unknown-verb");
  EXPECT_NE(unknown.diagnostics.front().hint.find("explain"), std::string::npos);
  o.input = "report";
  EXPECT_EQ(run(VerbId::kOptions, o).text.find("--size"), std::string::npos);
  EXPECT_NE(run(VerbId::kOptions, o).text.find("--output"), std::string::npos);
}

}  // namespace
}  // namespace pimento::driver
