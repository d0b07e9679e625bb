// A saved trace of a loop: it loads a word, adds to it, and stores a word elsewhere.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "pimento/trace/file/writer.h"

namespace pimento::test {

/// Iterations take the words at 0x10000 and 0x80000, and go on by `step` bytes.
inline void saveLoop(const std::string &file, std::uint64_t iterations, std::uint64_t step) {
  std::ofstream out(file, std::ios::binary);
  trace::file::Writer writer(out, false);
  const trace::Program program;
  writer.onStart(program, false);
  trace::Block block;
  for (const trace::Operation operation : {trace::Operation::kLoad, trace::Operation::kAdd, trace::Operation::kStore}) {
    trace::Instruction &in = block.instructions.emplace_back();
    in.address = 0x1000 + 4 * block.instructions.size();
    in.operation = operation;
    in.loads = operation == trace::Operation::kLoad;
    in.stores = operation == trace::Operation::kStore;
  }
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const trace::Access accesses[] = {{.address = 0x10000 + step * i, .instruction = 0, .bytes = 4},
                                      {.address = 0x80000 + step * i, .instruction = 2, .bytes = 4, .isStore = true}};
    writer.onBlock(block, 3, accesses);
  }
  trace::ProgramEnd end;
  end.instructions = static_cast<std::int64_t>(3 * iterations);
  EXPECT_TRUE(writer.finish(end));
}

}  // namespace pimento::test
