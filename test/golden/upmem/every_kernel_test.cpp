// Every kernel of the zoo in every type, at 20 sizes under 5 mappings: minutes.
#include <gtest/gtest.h>

#include "pimento/kernel/zoo.h"
#include "test/support/compiled_run.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

constexpr std::int64_t kSizes[] = {1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 48, 63, 65, 100, 129, 200};

kernel::Sizes sizesOf(const kernel::ZooEntry &entry, std::int64_t n) {
  kernel::Sizes sizes = entry.defaults;
  const bool isCubic = sizes.size() > 2;
  for (auto &[name, extent] : sizes)
    extent = name == "batch" ? 1 + n % 2 : name == "bins" ? 2 * n : isCubic ? 1 + n / 6 : sizes.size() == 1 ? 5 * n : n;
  if (entry.name == "hst") sizes["n"] = 5 * n;
  return sizes;
}

TEST(EveryKernel, IsRightAtTwentySizesUnderFiveMappings) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  machine::Machine machine = handUpmem();
  machine.dpu->mram = Bytes(1 << 22);
  LlvmDpuCompiler compiler;
  for (const kernel::ZooEntry &entry : kernel::zoo()) {
    if (entry.isNetwork) continue;
    for (const DType type : entry.types) {
      const bool isSmall = sizeOf(type).value == 1;
      if (isFloat(type) && (isSmall || (entry.name == "attn" && type == DType::kF64))) continue;
      if (entry.name == "hst" && isSmall) continue;  // no room for 12 bits
      for (const std::int64_t n : kSizes) {
        const auto graph = kernel::makeZooKernel(entry.name, sizesOf(entry, n), type, "");
        ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
        kernel::DataSpec spec{.seed = static_cast<std::uint64_t>(n)};
        if (!entry.data.empty()) spec = {kernel::DataSpec::Kind::kUniform, 0, 4095, 1};
        kernel::DataSet data = kernel::makeData(*graph, spec);
        for (std::size_t t = 0; t < data.size(); ++t)
          if (data[t].bytes.empty()) data[t] = kernel::TensorData(graph->tensors[t].type, graph->tensors[t].shape);
        for (int k = 0; k < static_cast<int>(graph->kernels.size()); ++k) {
          const auto all = targets::upmem::compiled::mappingSpace(*graph, k, machine, {});
          for (std::size_t m = 0; m < 5 && m < all.size(); ++m) {
            mapping::Mapping mapping = all[m * all.size() / 5];
            if (m % 2 == 1) mapping.mergeAt = mapping::MergeAt::kDevice;
            const std::string wrong = runCompiled(*graph, k, mapping, machine, &compiler, data);
            const bool isRefused = wrong.find("[capacity]") != std::string::npos ||
                                   wrong.find("-split]") != std::string::npos;  // floating-point prefix sums
            EXPECT_TRUE(wrong.empty() || isRefused)
                << entry.name << " n=" << n << " " << name(type) << " " << mapping.text << ": " << wrong;
          }
          ASSERT_TRUE(kernel::interpretKernel(*graph, k, data).ok());
        }
      }
    }
  }
}

}  // namespace
}  // namespace pimento::test
