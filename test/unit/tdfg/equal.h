// Whether a graph, its streams and its tensor graphs compute the same.
#pragma once

#include <gtest/gtest.h>

#include "pimento/kernel/data.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/tdfg/execute.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"
#include "pimento/tdfg/text.h"

namespace pimento::tdfg {

inline std::string textOf(const Diagnostics &diagnostics) {
  std::string s;
  for (const Diagnostic &d : diagnostics) s += d.str() + "\n";
  return s;
}

/// Contents of `data` after the program ran on copies of inputs must be those of the interpreter, bit for bit.
inline void expectEqual(const kernel::Graph &graph, const Program &program,
                        const std::map<std::string, std::int64_t> &sizes, const ExecuteOptions &options,
                        std::uint64_t seed = 1) {
  kernel::DataSpec spec;
  spec.seed = seed;
  kernel::DataSet expected = kernel::makeData(graph, spec), data = expected;
  const Status reference = kernel::interpret(graph, expected);
  const Status status = execute(program, sizes, data, options);
  ASSERT_EQ(reference.ok(), status.ok()) << textOf(status.ok() ? reference.diagnostics() : status.diagnostics())
                                         << kernel::print(graph) << print(program);
  if (!reference.ok()) return;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    ASSERT_EQ(expected[t].bytes, data[t].bytes) << "array " << graph.tensors[t].name << "\n"
                                                << kernel::print(graph) << print(program);
  }
}

/// A graph without sizes: streams, tensor graphs and what is read back from their text.
inline void expectSameProgram(const kernel::Graph &graph, std::uint64_t seed = 1, int *graphs = nullptr) {
  auto program = fitStreams({}, [&](const auto &) { return Result<kernel::Graph>(graph); });
  ASSERT_TRUE(program.ok()) << textOf(program.diagnostics());
  extract(*program);
  const Status status = verify(*program);
  ASSERT_TRUE(status.ok()) << textOf(status.diagnostics()) << kernel::print(graph) << print(*program);
  const auto again = readProgram(print(*program), "again");
  ASSERT_TRUE(again.ok()) << textOf(again.diagnostics()) << print(*program);
  ASSERT_EQ(print(*program), print(again->program));
  ExecuteOptions streams;
  streams.hasStreamsAlone = true;
  expectEqual(graph, again->program, {}, streams, seed);
  expectEqual(graph, again->program, {}, {}, seed);
  if (graphs)
    for (const Region &region : program->regions) *graphs += region.nodes.empty() ? 0 : 1;
}

}  // namespace pimento::tdfg
