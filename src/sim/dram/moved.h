// Where a command goes, relative to what the loops around a position have moved it by: how states name addresses, so
// that the same place in a later iteration has the same words.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pimento/program/loops_cursor.h"

namespace pimento::sim::dram {

inline const program::FlatLoops::FlatCommand &flatCommand(const program::LoopsCursor &cursor, int command) {
  return cursor.code().commands()[static_cast<std::size_t>(command)];
}

/// How many of the loops around `cursor` are around the command.
inline int loopsShared(const program::LoopsCursor &cursor, const program::FlatLoops::FlatCommand &f) {
  const int most = std::min(cursor.depth(), f.depth);
  int d = 0;
  while (d < most && f.loops[static_cast<std::size_t>(d)] == cursor.loopAt(d)) ++d;
  return d;
}

/// Linear: of bytes, as columns.
struct Moved {
  std::int64_t row = 0, column = 0;
};

/// A loop that is not uniform moves nothing here: its counter is a word of the state.
inline Moved movedBy(const program::LoopsCursor &cursor, const program::FlatLoops::FlatCommand &f) {
  Moved p;
  for (int i = 0; i < f.moveCount; ++i) {
    const program::FlatLoops::FlatCommand::Move &m = f.moves[static_cast<std::size_t>(i)];
    const int loop = f.loops[static_cast<std::size_t>(m.depth)];
    if (m.depth >= cursor.depth() || cursor.loopAt(m.depth) != loop) break;
    if (!cursor.code().loops()[static_cast<std::size_t>(loop)].isUniform) continue;
    p.row += m.row * cursor.counter(m.depth);
    p.column += m.column * cursor.counter(m.depth);
  }
  return p;
}

/// By how many rows the loops have moved it; what is left of a row is told by the counters (FlatLoops::recurrence).
inline std::int64_t rowsMoved(const program::LoopsCursor &cursor, const program::FlatLoops::FlatCommand &f) {
  const Moved p = movedBy(cursor, f);
  if (!f.command.isLinear) return p.row;
  const std::int64_t bytes = cursor.code().rowBytes();
  return p.column / bytes - (p.column % bytes < 0 ? 1 : 0);
}

}  // namespace pimento::sim::dram
