// Graphs whose kernels are compiled for DPUs one by one and compared with the reference interpreter.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "pimento/kernel/notation.h"
#include "test/support/compiled_run.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/upmem_run.h"

namespace pimento::test {

class CompiledTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!frontend::hasDpuC()) GTEST_SKIP() << "built without LLVM";
  }

  /// Every kernel of the graph alone, on what the ones before it left.
  void expectRight(const kernel::Graph &graph, const std::string &map, const kernel::DataSpec &spec = {}) {
    const machine::Machine machine = handUpmemWithRoom();
    const auto wanted = mapping::parseMapSpec(map);
    ASSERT_TRUE(wanted.ok());
    kernel::DataSet data = kernel::makeData(graph, spec);
    for (std::size_t t = 0; t < data.size(); ++t)
      if (data[t].bytes.empty()) data[t] = kernel::TensorData(graph.tensors[t].type, graph.tensors[t].shape);
    for (int k = 0; k < static_cast<int>(graph.kernels.size()); ++k) {
      mapping::Mapping m = wanted->mapping;
      if (wanted->kind != mapping::MapSpec::Kind::kExplicit) {
        const auto all = targets::upmem::compiled::mappingSpace(graph, k, machine, *wanted);
        ASSERT_FALSE(all.empty());
        m = all.front();
      }
      EXPECT_EQ(runCompiled(graph, k, m, machine, &compiler_, data), "")
          << graph.name << " kernel " << k << " " << name(graph.tensors[0].type) << " " << mapping::print(m);
      ASSERT_TRUE(kernel::interpretKernel(graph, k, data).ok());
    }
  }

  void expectRight(const std::string &notation, const kernel::Sizes &sizes, DType type, const std::string &map,
                   const kernel::DataSpec &spec = {}) {
    const auto graph = kernel::parseNotation(notation, sizes, type);
    ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
    expectRight(*graph, map, spec);
  }

  LlvmDpuCompiler compiler_;
};

}  // namespace pimento::test
