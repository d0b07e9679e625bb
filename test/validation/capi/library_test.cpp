// The headers and the run-time library for DPU programs, from C.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "pimento/backend_dpu/backend.h"
#include "pimento/base/file.h"
#include "pimento/base/text.h"
#include "pimento/dpu/assembler.h"
#include "pimento/dpu/include.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/runtime_c.h"
#include "pimento/driver/upmem_cc.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/upmem/log.h"
#include "test/support/folder.h"
#include "test/unit/dpu_runtime/run.h"

namespace pimento {
namespace {

using test::messages;

#define NEEDS_CLANG \
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang"

/// Runs test/validation/capi/library.c: the log, and how many checks failed.
std::pair<std::string, std::uint32_t> runLibraryProgram(int tasklets, const std::string &binary) {
  auto bytes = readFile(binary);
  if (!bytes) return {messages(bytes.diagnostics()), 1};
  auto code = dpu::loadProgram(*bytes, binary, {});
  if (!code) return {messages(code.diagnostics()), 1};
  const program::Code::Symbol *failures = code->symbolNamed("failures");
  targets::upmem::DpuLog log(*code);
  const std::uint32_t address = failures->address;
  auto image = sim::dpu::Image::make(*std::move(code));
  if (!image) return {messages(image.diagnostics()), 1};
  sim::dpu::Dpu dpu(*image, test::plainDpu());
  const sim::dpu::RunResult run = dpu.simulate({.maxInstructions = 100'000'000});
  log.take(dpu);
  if (run.fault) return {log.text() + run.fault->str(), 1};
  std::uint32_t count = 0;
  dpu.readWram(address, std::as_writable_bytes(std::span(&count, 1)));
  return {fmt::format("{} tasklets\n{}", tasklets, log.text()), count};
}

TEST(DpuLibrary, DoesWhatItsHeadersSay) {
  NEEDS_CLANG;
  const test::Folder folder;
  const std::string binary = folder / "library";
  for (const int tasklets : {1, 2, 5, 11, 16, 24}) {
    const driver::CcOutcome outcome =
        driver::upmemCc({"-O2", "-Wall", "-Wextra", "-Werror", fmt::format("-DNR_TASKLETS={}", tasklets), "-o", binary,
                         PIMENTO_SOURCE_DIR "/test/validation/capi/library.c"},
                        {PIMENTO_SOURCE_DIR "/machines"});
    ASSERT_EQ(outcome.status, 0) << outcome.messages;
    const auto [log, failures] = runLibraryProgram(tasklets, binary);
    EXPECT_EQ(failures, 0u) << log;
  }
}

/// test/validation/capi/function.c for `name`, on 256 numbers: of doubles, then of floats.
std::vector<double> valuesOf(const std::string &name, const std::vector<double> &in, const std::string &binary) {
  const driver::CcOutcome outcome =
      driver::upmemCc({"-O2", "-Wall", "-Wextra", "-Werror", "-DNR_TASKLETS=11", "-DFUNCTION=" + name, "-o", binary,
                       PIMENTO_SOURCE_DIR "/test/validation/capi/function.c"},
                      {PIMENTO_SOURCE_DIR "/machines"});
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
  auto bytes = readFile(binary);
  if (!bytes) return {};
  auto code = dpu::loadProgram(*bytes, binary, {});
  if (!code) return {};
  const std::uint32_t from = code->symbolNamed("in")->address, to = code->symbolNamed("out")->address;
  sim::dpu::Dpu dpu(*sim::dpu::Image::make(*std::move(code)), test::plainDpu());
  dpu.writeMram(from - program::kMramBase, test::bytesOf(in));
  const sim::dpu::RunResult run = dpu.simulate({.maxInstructions = 100'000'000});
  EXPECT_FALSE(run.fault) << name << ": " << run.fault->str();
  return test::fromMram<double>(dpu, to - program::kMramBase, 2 * in.size());
}

/// How far apart two numbers are, in units of the last place of the second.
template <typename F>
double unitsBetween(F a, F b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (a == b) return std::signbit(a) == std::signbit(b) ? 0 : 1e9;
  if (!std::isfinite(a) || !std::isfinite(b)) return 1e9;
  return std::fabs(a - b) / (std::nextafter(std::fabs(b), static_cast<F>(HUGE_VAL)) - std::fabs(b));
}

struct MathCase {
  const char *name;
  double (*here)(double);
  double units, range;
};

TEST(DpuMath, IsAsNearAsItsFilesSay) {
  NEEDS_CLANG;
  const test::Folder folder;
  const MathCase cases[] = {
      {"floor", std::floor, 0, 1e4}, {"ceil", std::ceil, 0, 1e4},  {"trunc", std::trunc, 0, 1e4},
      {"round", std::round, 0, 1e4}, {"rint", std::rint, 0, 1e4},  {"fabs", std::fabs, 0, 1e300},
      {"sqrt", std::sqrt, 0, 1e300}, {"cbrt", std::cbrt, 4, 1e30}, {"exp", std::exp, 4, 700},
      {"exp2", std::exp2, 4, 1000},  {"log", std::log, 4, 1e10},   {"log2", std::log2, 4, 1e10},
      {"log10", std::log10, 4, 1e5}, {"sinh", std::sinh, 4, 30},   {"cosh", std::cosh, 4, 30},
      {"tanh", std::tanh, 4, 3},     {"sin", std::sin, 4, 100},    {"cos", std::cos, 4, 100},
      {"tan", std::tan, 4, 100},     {"asin", std::asin, 4, 1},    {"acos", std::acos, 4, 1},
      {"atan", std::atan, 4, 10},
  };
  for (const MathCase &c : cases) {
    std::vector<double> in = {0.0, -0.0, 1, -1, 0.5, -0.5, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e-310};
    Rng rng(7);
    while (in.size() < 256) in.push_back(rng.real(-c.range, c.range) / (in.size() % 3 == 0 ? 64 : 1));
    const std::vector<double> out = valuesOf(c.name, in, folder / "function");
    ASSERT_EQ(out.size(), 2 * in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_LE(unitsBetween(out[i], c.here(in[i])), c.units) << c.name << "(" << in[i] << ")";
      const auto x = static_cast<float>(in[i]), y = static_cast<float>(out[in.size() + i]);
      EXPECT_LE(unitsBetween(y, static_cast<float>(c.here(x))), c.units > 0 ? 1 : 0) << c.name << "f(" << x << ")";
    }
  }
}

TEST(DpuHeaders, StandAlone) {
  NEEDS_CLANG;
  for (const dpu::IncludeFile &file : dpu::includeFiles()) {
    const auto module = frontend::readDpuC({file.name + ".c",
                                            fmt::format("#include <{0}>\n#include <{0}>\nint unit;\n", file.name),
                                            {"-Wall", "-Wextra", "-Werror", "-DNR_TASKLETS=16"}});
    EXPECT_TRUE(module) << file.name << ": " << messages(module.diagnostics());
  }
}

TEST(DpuHeaders, SayWhatIsWrongWithATransfer) {
  NEEDS_CLANG;
  const auto module = frontend::readDpuC(
      {"bad.c",
       "#include <mram.h>\n__dma_aligned char b[4096];\nint main(void) {\n  mram_read(DPU_MRAM_HEAP_POINTER, b, 12);\n"
       "  mram_write(b, DPU_MRAM_HEAP_POINTER, 4096);\n  return 0;\n}\n",
       {}});
  ASSERT_TRUE(module);
  ASSERT_GE(module->warnings.size(), 2u);
  EXPECT_NE(messages(module->warnings).find("bad.c:4:"), std::string::npos);
  EXPECT_NE(messages(module->warnings).find("a multiple of 8 bytes, at most 2048"), std::string::npos);
  EXPECT_NE(messages(module->warnings).find("bad.c:5:"), std::string::npos);
}

TEST(DpuRuntimeInC, DefinesWhatItSays) {
  NEEDS_CLANG;
  for (const dpu::CRuntimeFile &file : dpu::cRuntimeFiles()) {
    std::vector<std::string> arguments = dpu::cRuntimeArguments(file);
    arguments.insert(arguments.end(), {"-Wall", "-Wextra", "-Werror"});
    const auto module = frontend::readDpuC({file.name, file.text, arguments});
    ASSERT_TRUE(module) << messages(module.diagnostics());
    const auto text = backend_dpu::compile(module->bytes, {});
    ASSERT_TRUE(text) << messages(text.diagnostics());
    const auto object = dpu::assemble(*text, file.name);
    ASSERT_TRUE(object) << messages(object.diagnostics());
    const std::vector<std::string> names = dpu::definedBy(file);
    EXPECT_FALSE(names.empty()) << file.name;
    for (const std::string &name : names) {
      EXPECT_TRUE(std::any_of(object->symbols.begin(), object->symbols.end(),
                              [&](const dpu::Symbol &s) {
                                return s.name == name && s.section != dpu::Symbol::kUndefined &&
                                       s.binding != dpu::Binding::kLocal;
                              }))
          << file.name << " does not define " << name;
      const auto files = dpu::cRuntimeFilesFor({"nothing", name});
      ASSERT_EQ(files.size(), 1u) << name;
      EXPECT_EQ(files[0], &file);
    }
  }
}

TEST(DpuRuntimeInC, NoFunctionIsACallOfItself) {
  NEEDS_CLANG;
  for (const dpu::CRuntimeFile &file : dpu::cRuntimeFiles()) {
    const auto module = frontend::readDpuC({file.name, file.text, dpu::cRuntimeArguments(file)});
    ASSERT_TRUE(module) << messages(module.diagnostics());
    const auto text = backend_dpu::compile(module->bytes, {});
    ASSERT_TRUE(text) << messages(text.diagnostics());
    std::string function;
    for (const std::string_view line : split(*text, '\n')) {
      if (line.ends_with(":")) function = std::string(line.substr(0, line.size() - 1));
      // Subnormal numbers are made normal by one call more.
      if (function == "cbrt") continue;
      EXPECT_FALSE(line.find("call") != line.npos && line.ends_with(", " + function)) << file.name << " " << function;
    }
  }
}

}  // namespace
}  // namespace pimento
