// An estimate of a compiled DPU program is what its simulation takes: every cycle, every count.
#include <gtest/gtest.h>

#include "pimento/kernel/zoo.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

struct Case {
  const char *kernel;
  kernel::Sizes sizes;
  DType type;
  const char *map;
};

TEST(CompiledKernels, AreEstimatedAsTheyAreSimulated) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  const machine::Machine machine = handUpmemWithRoom();
  const Case cases[] = {
      {"va", {{"n", 5000}}, DType::kI32, "M1:{(1),(3),(7),(240)}"},
      {"red", {{"n", 30000}}, DType::kI32, "M1:{(1),(3),(12),(840)};merge=host"},
      {"red", {{"n", 30000}}, DType::kI32, "M1:{(1),(3),(12),(840)};merge=device"},
      {"red", {{"n", 30000}}, DType::kI8, "M1:{(2),(2),(16),(480)};merge=device"},
      {"red", {{"n", 30000}}, DType::kI64, "M1:{(1),(1),(1),(30000)};merge=device"},
      {"gemv", {{"m", 300}, {"n", 64}}, DType::kI32, "M1:{(1,1),(1,1),(1,8),(300,8)};merge=device;buffer=8"},
      {"gemv", {{"m", 20}, {"n", 300}}, DType::kI8, "M1:{(1,1),(2,1),(2,6),(5,56)};merge=device"},
      {"hst", {{"n", 3000}, {"bins", 128}}, DType::kU32, "M1:{(1),(2),(8),(192)};merge=device"},
  };
  LlvmDpuCompiler compiler;
  for (const Case &c : cases) {
    SCOPED_TRACE(std::string(c.kernel) + " under " + c.map);
    const auto graph = kernel::makeZooKernel(c.kernel, c.sizes, c.type);
    ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
    const auto spec = mapping::parseMapSpec(c.map);
    ASSERT_TRUE(spec.ok());
    const auto compiled = targetOf(machine).compile({&*graph}, spec->mapping, machine, "plain", {&compiler});
    ASSERT_TRUE(compiled.ok()) << compiled.diagnostics().front().str();
    const kernel::DataSpec values{.kind = kernel::DataSpec::Kind::kUniform, .low = 0, .high = 100};
    const auto estimated = (*compiled)->run({.isFastForward = true, .values = &values}),
               simulated = (*compiled)->run({.isFastForward = false, .values = &values});
    ASSERT_TRUE(estimated.ok() && simulated.ok());
    EXPECT_FALSE(estimated->interval);
    EXPECT_EQ(estimated->cycles, simulated->cycles);
    EXPECT_EQ(estimated->counts, simulated->counts);
  }
}

}  // namespace
}  // namespace pimento::test
