// A mapping that is printed is the mapping: estimates under it and under its text agree, whatever it was called, and
// through every text that can hold it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "pimento/base/text.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/input.h"
#include "pimento/driver/input_kind.h"
#include "pimento/driver/verbs.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/random.h"
#include "test/support/cases.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kTargets = {"hbm-pim",
                                           "hbm-pim-sound",
                                           "upmem",
                                           "upmem-upimulator",
                                           PIMENTO_SOURCE_DIR "/examples/machines/cnm-pipeline.yaml",
                                           PIMENTO_SOURCE_DIR "/examples/machines/cnm-vector.yaml"};

bool isUpmem(const std::string &target) {
  return target.starts_with("upmem");
}

/// What a reader of a result sees of a run, but what it is called and how long it took us.
Json numbersOf(const std::string &text) {
  const Json all = Json::parse(text);
  Json out;
  for (const char *key : {"cycles", "total_cycles", "time_ns", "energy_pj", "energy_kernel_pj", "exact", "breakdown",
                          "energy_breakdown", "counts", "setup_cycles", "setup_energy_pj"})
    out[key] = all.at(key);
  return out;
}

class PrintedMapping : public testing::Test {
 protected:
  void SetUp() override {
    const auto *test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("pimento_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Options given(const std::string &input, const std::string &target,
                       const std::vector<std::string> &sizes = {}) {
    Options o;
    o.input = input;
    o.target = target;
    o.sizes = sizes;
    o.data = isUpmem(target) ? "const:3" : "";
    o.isJson = true;
    return o;
  }

  static Options under(Options o, const std::string &map) {
    o.maps = {map};
    return o;
  }

  static std::string emitted(Options o, const std::string &stage) {
    o.emit = stage;
    o.isJson = false;
    const Outcome out = run(VerbId::kCompile, o);
    EXPECT_EQ(out.status, 0) << stage << ": " << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
    return out.text;
  }

  /// The text of `--map` that --emit mapping shows.
  static std::string printed(const Options &o) {
    const std::string text = emitted(o, "mapping");
    std::string map;
    for (const std::string_view line : split(trim(text), '\n')) {
      const std::string_view spec = line.substr(line.find(": ") + 2);
      map += (map.empty() ? "" : "|") + std::string(spec.starts_with("runs on the host") ? "host" : spec);
    }
    return map;
  }

  std::string written(const std::string &name, const std::string &text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  /// Nothing where the target cannot run it so.
  std::optional<Json> estimated(const Options &o) {
    const Outcome out = run(VerbId::kEstimate, o);
    if (out.status != 0) {
      why_ = out.diagnostics.front();
      return std::nullopt;
    }
    return numbersOf(out.text);
  }

  void expectSame(const Options &o) {
    SCOPED_TRACE(o.input + " on " + o.target + " under " + (o.maps.empty() ? "reference" : o.maps.front()));
    const std::optional<Json> wanted = estimated(o);
    if (!wanted) return expectTrueRefusal();
    ++compared_;
    const std::string map = printed(o);
    EXPECT_EQ(estimated(under(o, map)), wanted) << map << "\n" << why_.str();
    EXPECT_EQ(printed(under(o, map)), map);
    expectSameFrom(o, "cnm", *wanted);
    if (reads("mlir")) expectSameFrom(o, "mlir", *wanted);
  }

  static std::int64_t kernelsOf(const Options &o) {
    const std::string text = emitted(o, "kernel");
    std::int64_t kernels = 0;
    for (const std::string_view line : split(text, '\n')) kernels += line.starts_with("  kernel ") ? 1 : 0;
    EXPECT_GT(kernels, 0) << text;
    return kernels;
  }

  void expectTrueRefusal() const { EXPECT_NE(why_.kind, DiagnosticKind::kOurs) << why_.str(); }

  /// Through a file that states graph and mappings.
  void expectSameFrom(const Options &o, const std::string &language, const Json &wanted) {
    Options compiling = o;
    compiling.emit = language;
    compiling.isJson = false;
    const Outcome out = run(VerbId::kCompile, compiling);
    if (out.status != 0) {  // not every graph has a form in MLIR
      EXPECT_EQ(out.diagnostics.front().kind, DiagnosticKind::kUnsupported) << out.diagnostics.front().str();
      return;
    }
    Options file = given(written("k." + language, out.text), o.target);
    if (o.target.starts_with("hbm-pim") && o.variant == "tree")
      file.variant = o.variant;  // of the program, not the kernel
    // Loops that store to several tensors are read as several kernels.
    if (language == "mlir" && kernelsOf(file) != kernelsOf(o)) return;
    const Outcome again = run(VerbId::kEstimate, file);
    ASSERT_EQ(again.status, 0) << again.diagnostics.front().str() << "\n" << out.text;
    EXPECT_EQ(numbersOf(again.text), wanted) << out.text;
    ++read_;
  }

  std::filesystem::path folder_;
  Diagnostic why_;
  int compared_ = 0, read_ = 0;
};

TEST_F(PrintedMapping, OfMeasuredProgramsMeansThem) {
  const std::vector<std::vector<std::string>> cases = {
      {"va", "n=65536"}, {"red", "n=65536"},    {"scan", "n=4096"},        {"hst", "n=65536"},
      {"sel", "n=4096"}, {"gemv", "m=64,n=64"}, {"gemm", "m=16,n=16,k=32"}};
  for (const auto &c : cases)
    for (const char *map : {"reference", "reference;dpus=4;tasklets=8;buffer=16"})
      expectSame(under(given(c[0], "upmem", {c[1]}), map));
  EXPECT_EQ(compared_, 14);
}

TEST_F(PrintedMapping, TakesTheCyclesOfTheMeasuredProgram) {
  const Options va = under(given("va", "upmem", {"n=65536"}), "reference");
  EXPECT_EQ(estimated(under(va, printed(va)))->at("cycles"), 619140);
  const Options hst = under(given("hst", "upmem", {"n=65536"}), "reference");
  EXPECT_EQ(estimated(under(hst, printed(hst)))->at("cycles"), 1271387);
  EXPECT_TRUE(printed(va).ends_with(";program=reference")) << printed(va);
}

TEST_F(PrintedMapping, SaysWhichKernelsStayOnTheHost) {
  expectSame(given("rnnt", "hbm-pim"));
  Options attention = given("attn", "hbm-pim", {"batch=1,heads=2,len=32,dhead=16"});
  attention.offload = "possible";
  expectSame(attention);
  EXPECT_NE(printed(attention).find("host"), std::string::npos);
  EXPECT_EQ(compared_, 2);
  EXPECT_EQ(read_, reads("mlir") ? 3 : 2);
}

TEST_F(PrintedMapping, OfARedOfTwoArraysHoldsWhatItsProgramNeeds) {
  Options red = given("red", "upmem", {"n=65536"});
  expectSame(red);
  red.variant = "measured";
  expectSame(red);
  EXPECT_EQ(compared_, 2);
}

TEST_F(PrintedMapping, OfCompiledProgramsMeansThem) {
  if (makeDpuCompiler() == nullptr) GTEST_SKIP() << "there is no compiler";
  expectSame(under(given("va", "upmem", {"n=4096"}), "reference;program=compiled"));
  expectSame(under(given("va", "upmem", {"n=4096"}), "M1:{(1),(4),(8),(128)}"));
  expectSame(given("mul", "upmem", {"n=1000"}));
  EXPECT_EQ(compared_, 3);
  EXPECT_TRUE(printed(under(given("mul", "upmem", {"n=1000"}), "reference")).ends_with(";program=compiled"));
  // As long as it is not said: compiled.
  const Options va = given("va", "upmem", {"n=4096"});
  const std::string map = "M1:{(1),(4),(8),(128)}";
  EXPECT_EQ(estimated(under(va, map)), estimated(under(va, map + ";program=compiled")));
  EXPECT_NE(estimated(under(va, map)), estimated(under(va, map + ";program=reference")));
}

TEST_F(PrintedMapping, NamesAProgramThatTheTargetHas) {
  const auto refusal = [&](const std::string &input, const std::string &target, const std::string &map) {
    EXPECT_FALSE(estimated(under(given(input, target), map))) << target;
    EXPECT_EQ(why_.kind, DiagnosticKind::kUnsupported) << why_.str();
    return why_;
  };
  for (const std::string &target : {kTargets[0], kTargets[4]}) {
    EXPECT_TRUE(estimated(under(given("va", target, {"n=4096"}), "reference;program=reference"))) << why_.str();
    const Diagnostic d = refusal("va", target, "reference;program=compiled");
    EXPECT_EQ(d.code, "unsupported-program");
    EXPECT_NE(d.message.find("no compiled programs"), std::string::npos) << d.str();
    EXPECT_NE(d.hint.find("choices: reference"), std::string::npos) << d.str();
    EXPECT_EQ(d.where.line, 1);
    EXPECT_EQ(d.where.column, 11);
  }
  EXPECT_EQ(refusal("mul", "upmem", "reference;program=reference").code, "unsupported-op");
  if (makeDpuCompiler() == nullptr) {
    EXPECT_EQ(refusal("va", "upmem", "reference;program=compiled").code, "no-dpu-compiler");
  }
}

TEST_F(PrintedMapping, OfOneProgramNeedsNoWord) {
  for (const std::string &target : kTargets) {
    if (isUpmem(target)) continue;
    const Options gemv = given("gemv", target, {"m=64,n=64"});
    expectSame(gemv);
    EXPECT_EQ(printed(gemv).find("program="), std::string::npos);
  }
  expectSame(under(given("va", "hbm-pim", {"n=4096"}), "auto"));
  EXPECT_EQ(compared_, 5);
  EXPECT_GE(read_, 5);
}

/// Sizes that are done at once; networks and what has no size here take their own.
std::vector<std::string> smallSizes(const kernel::ZooEntry &entry) {
  if (entry.isNetwork) return {};
  std::vector<std::string> sizes;
  for (const auto &[name, value] : entry.defaults)
    sizes.push_back(fmt::format("{}={}", name, std::min<std::int64_t>(value, 96)));
  return sizes;
}

TEST_F(PrintedMapping, IsTheMappingOfEveryKernelEverywhere) {
  if (!test::isLongRun()) GTEST_SKIP() << "takes minutes; PIMENTO_LONG_TESTS=1 runs it";
  for (const std::string &target : kTargets)
    for (const kernel::ZooEntry &entry : kernel::zoo())
      for (const std::string &variant : entry.variants)
        for (const char *map : {"reference", "auto", "reference;program=reference", "reference;program=compiled",
                                "auto;program=reference", "auto;program=compiled"}) {
          if (entry.isNetwork && isUpmem(target)) continue;
          Options o = under(given(entry.name, target, smallSizes(entry)), map);
          o.variant = variant;
          expectSame(o);
        }
  EXPECT_GT(compared_, 200);
  EXPECT_GT(read_, 300);
}

/// A few numbers of every mapping drawn for a kernel of the zoo.
TEST_F(PrintedMapping, IsTheMappingWhereItIsDrawn) {
  const int count = test::isLongRun() ? 60 : 2;
  for (const std::string &target : kTargets) {
    const auto machine = machine::loadMachine(target, {PIMENTO_SOURCE_DIR "/machines"});
    ASSERT_TRUE(machine.ok());
    const DType type = isUpmem(target) ? DType::kI32 : machine->nativeType;
    for (const char *name : {"gemv", "va"}) {
      const kernel::ZooEntry &entry = *kernel::zooEntry(name);
      kernel::Sizes sizes;
      for (const auto &[size, value] : entry.defaults) sizes[size] = std::min<std::int64_t>(value, 96);
      const auto graph = kernel::makeZooKernel(name, sizes, type);
      ASSERT_TRUE(graph.ok());
      Rng rng(7);
      for (int n = 0; n < count; ++n) {
        mapping::Mapping m = mapping::randomMapping(graph->kernels.front(), *machine, rng);
        if (isUpmem(target) && n % 3 == 1) m.program = mapping::ProgramKind::kCompiled;
        expectSame(under(given(name, target, smallSizes(entry)), mapping::print(m)));
      }
    }
  }
  EXPECT_GT(compared_, count * 4);
}

}  // namespace
}  // namespace pimento::driver
