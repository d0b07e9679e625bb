// Linalg functions and what mlir-opt makes of them as affine loops: both must compute the same bits.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "pimento/frontend/frontend.h"
#include "pimento/kernel/interpreter.h"

#ifndef PIMENTO_MLIR_OPT
#define PIMENTO_MLIR_OPT "mlir-opt-19"
#define PIMENTO_HAS_MLIR_OPT false
#else
#define PIMENTO_HAS_MLIR_OPT true
#endif

namespace pimento::frontend {

/// The text after `mlir-opt --convert-linalg-to-affine-loops`; empty where that fails.
inline std::string loweredToLoops(const std::string &text) {
  std::string path = testing::TempDir() + "lowered_XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return {};
  std::ofstream(path) << text;
  std::string lowered;
  FILE *pipe =
      popen((PIMENTO_MLIR_OPT " --allow-unregistered-dialect --convert-linalg-to-affine-loops " + path).c_str(), "r");
  std::array<char, 4096> part{};
  for (std::size_t n = 0; pipe && (n = fread(part.data(), 1, part.size(), pipe)) > 0;) lowered.append(part.data(), n);
  const bool isDone = pipe && pclose(pipe) == 0;
  std::remove(path.c_str());
  return isDone ? lowered : std::string();
}

/// The argument names of function `name`, in order.
inline std::vector<std::string> argumentsOf(const std::string &text, const std::string &name) {
  std::vector<std::string> arguments;
  const std::size_t start = text.find("@" + name + "("), end = text.find('{', start);
  for (std::size_t at = text.find('%', start); at < end; at = text.find('%', at + 1)) {
    arguments.push_back(text.substr(at + 1, text.find(':', at) - at - 1));
  }
  return arguments;
}

/// Both graphs on the data of the first; tensor `names[n]` of the first is "argn" of the second.
inline void expectSameResults(const kernel::Graph &a, const kernel::Graph &b, const std::vector<std::string> &names,
                              const std::string &what) {
  const std::string texts = kernel::print(a) + kernel::print(b) + what;
  kernel::DataSet x = kernel::makeData(a, {}), y = kernel::makeData(b, {});
  std::vector<std::array<std::size_t, 2>> pairs;
  for (std::size_t n = 0; n < names.size(); ++n) {
    const int left = a.tensorNamed(names[n]), right = b.tensorNamed("arg" + std::to_string(n));
    // mlir-opt folds x - x; an input may be gone.
    if (left < 0 || right < 0) {
      EXPECT_TRUE(left < 0 || a.tensors[static_cast<std::size_t>(left)].role == kernel::Role::kInput) << texts;
      continue;
    }
    pairs.push_back({static_cast<std::size_t>(left), static_cast<std::size_t>(right)});
    EXPECT_EQ(a.tensors[pairs.back()[0]].role, b.tensors[pairs.back()[1]].role) << texts;
    y[pairs.back()[1]] = x[pairs.back()[0]];
  }
  EXPECT_FALSE(pairs.empty()) << texts;
  ASSERT_TRUE(kernel::interpret(a, x).ok()) << what;
  ASSERT_TRUE(kernel::interpret(b, y).ok()) << what;
  for (const auto &[left, right] : pairs) {
    EXPECT_EQ(x[left].shape, y[right].shape) << what;
    EXPECT_TRUE(x[left].bytes == y[right].bytes) << a.tensors[left].name << " differs\n" << texts;
  }
}

/// Whether mlir-opt makes loops of the text, and the interpreter runs them quickly.
inline bool isComparable(const kernel::Graph &graph, const std::string &text, const kernel::Sizes &sizes) {
  std::int64_t points = 0;
  for (const kernel::Kernel &k : graph.kernels) points += k.points();
  return PIMENTO_HAS_MLIR_OPT && sizes.empty() && points < 100'000 && text.find("linalg.") != std::string::npos &&
         text.find("tensor<") == std::string::npos;
}

/// `graph` is what `text` was read as.
inline void expectSameAsLoops(const kernel::Graph &graph, const std::string &text) {
  const std::string loops = loweredToLoops(text);
  ASSERT_FALSE(loops.empty()) << text;
  const std::vector<std::string> names = argumentsOf(text, graph.name);
  kernel::Sizes sizes;  // what the linalg ops implied, their loops ask for
  for (std::size_t n = 0; n < names.size() && text.find('?') != std::string::npos; ++n) {
    const int t = graph.tensorNamed(names[n]);
    const std::vector<std::int64_t> shape =
        t < 0 ? std::vector<std::int64_t>{} : graph.tensors[static_cast<std::size_t>(t)].shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      sizes["arg" + std::to_string(n) + ":" + std::to_string(d)] = shape[d];
    }
  }
  const Result<kernel::Graph> lowered = importMlir(loops, "loops.mlir", {graph.name, sizes});
  for (const Diagnostic &d : lowered ? Diagnostics{} : lowered.diagnostics()) ADD_FAILURE() << d.str() << "\n" << loops;
  if (lowered) expectSameResults(graph, *lowered, names, loops);
}

}  // namespace pimento::frontend
