// A loop nest as one thread runs it: vector instructions at each depth, and the addresses that they touch.
//
// Levels are counted from the outside. An iteration of a level runs the instructions that stand before its inner
// levels, these, and those that stand behind them; the innermost level's stand before. Whoever makes it (targets/chip)
// has decided on blocks, registers and lanes.
//
// Not here: what is computed; when anything happens (core.h, many_cores.h).
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/trace/instruction.h"

namespace pimento::sim::core {

/// What an instruction touches in an iteration: base + the sum of strides[l] * (iteration of level l), for each lane.
struct LoopAccess {
  std::uint16_t instruction = 0;  ///< of its block
  bool isStore = false;
  std::uint8_t bytes = 4;  ///< of one access, at most 64
  std::uint64_t base = 0;
  std::vector<std::int64_t> strides;  ///< bytes, by level
  int lanes = 1;                      ///< accesses of one instruction: a gather, or a scatter ...
  std::int64_t laneStride = 0;        ///< ... of elements so far apart
  /// If not 0: an index comes from data. Each lane's access is moved by one of `within` times `step` bytes at random;
  /// in iterations of the innermost level alike where `isFixedInside`.
  std::int64_t within = 0, step = 0;
  bool isFixedInside = false;
};

struct LoopBlock {
  std::vector<trace::Instruction> instructions;
  std::vector<LoopAccess> accesses;  ///< in the order of their instructions
};

struct LoopCode {
  std::vector<std::int64_t> extents;  ///< by level
  /// A part of longer loops: its first iterations, and how many the loops have in all, by level. Empty: it is all.
  std::vector<std::int64_t> from = {}, whole = {};
  std::vector<LoopBlock> before, behind;  ///< by level
  std::int64_t instructions() const;      ///< that run in all
};

}  // namespace pimento::sim::core
