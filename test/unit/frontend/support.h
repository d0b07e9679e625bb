// Imports MLIR text (also as the affine loops mlir-opt makes of it), runs it by the reference interpreter and hands out
// the tensors by name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pimento/frontend/frontend.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"
#include "test/unit/frontend/lowered.h"

namespace pimento::frontend {

inline kernel::Graph importGood(const std::string &text, const kernel::Sizes &sizes = {}) {
  Result<kernel::Graph> graph = importMlir(text, "t.mlir", {{}, sizes});
  if (graph) {
    if (isComparable(*graph, text, sizes)) expectSameAsLoops(*graph, text);
    return std::move(*graph);
  }
  for (const Diagnostic &d : graph.diagnostics()) ADD_FAILURE() << d.str() << "\nin:\n" << text;
  return {};
}

/// A graph, what its inputs were and what it made of them.
class Executed {
 public:
  explicit Executed(const std::string &text, const kernel::Sizes &sizes = {}) : graph(importGood(text, sizes)) {
    before = kernel::makeData(graph, {});
    after = before;
    if (graph.kernels.empty()) return;
    const Status status = kernel::interpret(graph, after);
    EXPECT_TRUE(status.ok());
  }

  /// Elements of a tensor before (`in`) and after (`out`) the run.
  std::vector<double> in(const std::string &name) const { return values(before, name); }
  std::vector<double> out(const std::string &name) const { return values(after, name); }
  kernel::Role roleOf(const std::string &name) const {
    const int t = graph.tensorNamed(name);
    EXPECT_GE(t, 0) << name << " in\n" << kernel::print(graph);
    return t < 0 ? kernel::Role::kInput : graph.tensors[static_cast<std::size_t>(t)].role;
  }

  kernel::Graph graph;
  kernel::DataSet before, after;

 private:
  std::vector<double> values(const kernel::DataSet &data, const std::string &name) const {
    const int t = graph.tensorNamed(name);
    EXPECT_GE(t, 0) << name << " in\n" << kernel::print(graph);
    std::vector<double> x;
    if (t < 0) return x;
    const kernel::TensorData &tensor = data[static_cast<std::size_t>(t)];
    for (std::int64_t e = 0; e < tensor.elements(); ++e) x.push_back(tensor.asDouble(e));
    return x;
  }
};

}  // namespace pimento::frontend
