// Runs a C function as the host compiler built it and as the graph that the front end makes of its text, on the same
// data, and compares every bit.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "pimento/frontend/frontend.h"
#include "pimento/kernel/interpreter.h"

namespace pimento::frontend {

/// Contents of the graph's tensors by name; a function finds its arrays here.
using HostArrays = std::map<std::string, void *>;

inline kernel::Graph importGoodC(const std::string &text, const CKernelOptions &options = {}) {
  Result<CKernels> file = importC(text, "k.c", options);
  if (file) return std::move(file->graph);
  for (const Diagnostic &d : file.diagnostics()) ADD_FAILURE() << d.str() << "\nin:\n" << text;
  return {};
}

/// Whether elements of outputs may be left as they were by C: a kernel says so by an in-out.
enum class Unwritten : bool { kCounts, kIsZero };

/// Runs both and expects the same contents of all outputs.
inline void expectSameAsHost(const kernel::Graph &graph, const std::function<void(const HostArrays &)> &host,
                             const kernel::DataSpec &spec = {}, Unwritten unwritten = Unwritten::kIsZero) {
  if (graph.kernels.empty()) return;  // already reported
  kernel::DataSet data = kernel::makeData(graph, spec);
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph.tensors[t];
    if (data[t].bytes.empty()) data[t] = kernel::TensorData(tensor.type, tensor.shape);
  }
  kernel::DataSet native = data;
  // C may read elements whose values it then leaves alone: tensors end where that does not matter, arrays go on.
  constexpr std::size_t kBehind = 4096;
  HostArrays arrays;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    constexpr double kWasThere = 77;
    const bool isOutput = graph.tensors[t].role == kernel::Role::kOutput && unwritten == Unwritten::kCounts;
    for (std::int64_t e = 0; isOutput && e < native[t].elements(); ++e) native[t].setDouble(e, kWasThere);
    native[t].bytes.resize(data[t].bytes.size() + kBehind);
    arrays[graph.tensors[t].name] = native[t].bytes.data();
  }
  host(arrays);
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) native[t].bytes.resize(data[t].bytes.size());
  const Status done = kernel::interpret(graph, data);
  ASSERT_TRUE(done.ok()) << done.diagnostics().front().str();
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph.tensors[t];
    if (tensor.role == kernel::Role::kTemporary || tensor.role == kernel::Role::kInput) continue;
    for (std::int64_t e = 0; e < tensor.elements() && data[t].bytes != native[t].bytes; ++e) {
      const auto at = static_cast<std::size_t>(e) * static_cast<std::size_t>(sizeOf(tensor.type).value);
      const auto size = static_cast<std::size_t>(sizeOf(tensor.type).value);
      const bool isSame = std::equal(data[t].bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                     data[t].bytes.begin() + static_cast<std::ptrdiff_t>(at + size),
                                     native[t].bytes.begin() + static_cast<std::ptrdiff_t>(at));
      if (isSame) continue;
      FAIL() << tensor.name << "[" << e << "] is " << data[t].asDouble(e) << ", the host computes "
             << native[t].asDouble(e) << "\n"
             << kernel::print(graph);
    }
  }
}

}  // namespace pimento::frontend
