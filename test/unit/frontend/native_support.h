// A text that runs on this machine beside its reading in the interpreter, on the same data.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pimento/frontend/native.h"
#include "pimento/kernel/interpreter.h"

namespace pimento::frontend {

inline std::string saidBy(const Diagnostics &diagnostics) {
  return diagnostics.empty() ? "" : diagnostics.front().str();
}

/// Runs a C text on random data for the graph of another one (of itself).
inline Result<NativeAnswer> runCOn(const std::string &text, const std::string &graphText,
                                   const CKernelOptions &options = {}, const NativeLimits &limits = {5}) {
  const Result<CKernels> file = importC(graphText, "k.c", options);
  if (!file) return file.diagnostics();
  return runC(text, "k.c", options, file->graph, kernel::makeData(file->graph, {}), limits);
}

inline Result<NativeAnswer> runCText(const std::string &text, const CKernelOptions &options = {},
                                     const NativeLimits &limits = {5}) {
  return runCOn(text, text, options, limits);
}

/// Expects bits of all outputs to be equal; NaNs are.
inline void expectSameBits(const kernel::Graph &graph, const kernel::DataSet &reading, const kernel::DataSet &text) {
  int outputs = 0;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph.tensors[t];
    if (tensor.role != kernel::Role::kOutput && tensor.role != kernel::Role::kInOut) continue;
    ++outputs;
    ASSERT_EQ(reading[t].bytes.size(), text[t].bytes.size()) << tensor.name;
    for (std::int64_t e = 0; e < tensor.elements() && reading[t].bytes != text[t].bytes; ++e) {
      const double a = reading[t].asDouble(e), b = text[t].asDouble(e);
      ASSERT_TRUE((a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b)))
          << tensor.name << "[" << e << "]: " << a << " by the reading, " << b << " by the text\n"
          << kernel::print(graph);
    }
  }
  EXPECT_GT(outputs, 0);
}

inline void expectSame(const kernel::Graph &graph, const kernel::DataSet &data, const Result<NativeAnswer> &text) {
  ASSERT_TRUE(text.ok()) << saidBy(text.diagnostics());
  ASSERT_EQ(text->whyNot, "");
  kernel::DataSet reading = data;
  ASSERT_TRUE(kernel::interpret(graph, reading).ok());
  expectSameBits(graph, reading, text->outputs);
}

/// A C text computes what its reading computes.
inline void expectReadRight(const std::string &text, const CKernelOptions &options = {},
                            const kernel::DataSpec &spec = {}) {
  SCOPED_TRACE(text);
  const Result<CKernels> file = importC(text, "k.c", options);
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  const kernel::DataSet data = kernel::makeData(file->graph, spec);
  expectSame(file->graph, data, runC(text, "k.c", options, file->graph, data, {5}));
}

/// The same of MLIR.
inline void expectMlirReadRight(const std::string &text, const MlirOptions &options = {},
                                const kernel::DataSpec &spec = {}) {
  SCOPED_TRACE(text);
  const Result<Imported> file = importMlirFile(text, "t.mlir", options);
  ASSERT_TRUE(file.ok()) << saidBy(file.diagnostics());
  kernel::DataSet data = kernel::makeData(file->graph, spec);
  for (const auto &[tensor, bytes] : file->contents) data[static_cast<std::size_t>(tensor)].bytes = bytes;
  expectSame(file->graph, data, runMlir(text, "t.mlir", options, file->graph, file->tensors, data, {5}));
}

}  // namespace pimento::frontend
