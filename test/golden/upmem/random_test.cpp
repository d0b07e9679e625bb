// Random affine kernels under random mappings, compiled for DPUs, against the reference interpreter.
#include <gtest/gtest.h>

#include "test/support/cases.h"
#include "test/support/compiled_run.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/random_affine_graph.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

TEST(CompiledRandom, AffineKernelsAreRight) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  const std::int64_t wanted = caseCount(40);
  constexpr DType kTypes[] = {DType::kI32, DType::kI8,  DType::kU16, DType::kI64, DType::kF32,
                              DType::kU32, DType::kI16, DType::kU8,  DType::kF16, DType::kF64};
  const machine::Machine machine = handUpmemWithRoom();
  LlvmDpuCompiler compiler;
  Rng rng(20261);
  int ran = 0, refused = 0;
  for (std::int64_t n = 0; ran < wanted && n < 20 * wanted; ++n) {
    RandomAffineGraph random(rng, kTypes[n % 10]);
    const kernel::Graph graph = random.make();
    mapping::Mapping m = random.mappingOf(graph.kernels[0], 4);
    m.mergeAt = n % 3 == 0   ? mapping::MergeAt::kCheapest
                : n % 3 == 1 ? mapping::MergeAt::kDevice
                             : mapping::MergeAt::kHost;
    if (!kernel::verify(graph)) continue;
    const std::string wrong =
        runCompiled(graph, 0, m, machine, &compiler, kernel::makeData(graph, {.seed = static_cast<std::uint64_t>(n)}));
    if (wrong.starts_with("lower: ") &&
        (wrong.find("[capacity]") != std::string::npos || wrong.find("[mapping-") != std::string::npos)) {
      ++refused;
      continue;
    }
    ++ran;
    EXPECT_EQ(wrong, "") << "number " << n << " under " << m.text << "\n" << kernel::print(graph);
  }
  EXPECT_EQ(ran, wanted) << refused << " were refused";
}

}  // namespace
}  // namespace pimento::test
