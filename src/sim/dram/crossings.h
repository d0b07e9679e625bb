// How loops move linear addresses: by whole rows, or within rows until one crosses into the next. What makes a period
// of a list shorter than the iterations that it takes to move every address by whole rows.
//
// While no address of a loop crosses, its commands stay in their rows, whatever its counter is: iterations are alike
// but for columns, and rows that others have opened do not matter. Columns matter to plain reads alone, which may find
// their address among the writes that wait.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/spec.h"

namespace pimento::sim::dram {

/// Of the loops of one list. Immutable.
class Crossings {
 public:
  /// Both must outlive it.
  Crossings(const ChannelSpec &spec, const program::FlatLoops &code);

  /// Whether it moves a command whose row is given.
  bool movesRows(int loop) const { return at(loop).movesRows; }
  /// The iteration, modulo FlatLoops::Loop::recurrence, before which some address crosses next.
  std::int32_t next(int loop, std::int64_t counter) const {
    const Loop &l = at(loop);
    return l.next.empty() ? 0 : l.next[static_cast<std::size_t>(counter % l.recurrence)];
  }
  /// Iterations after this one until an address crosses.
  std::int64_t left(int loop, std::int64_t counter) const {
    return at(loop).next.empty() ? 0 : next(loop, counter) - 1 - counter % at(loop).recurrence;
  }
  /// Whether what happened while the counter of a loop went from `from` to `to` happens from `now` on, as far as rows
  /// go.
  bool repeatsAt(int loop, std::int64_t from, std::int64_t to, std::int64_t now) const {
    return (now - from) % at(loop).recurrence == 0 || (stays(loop, from, to) && stays(loop, now, now + to - from));
  }
  /// How many steps of so many iterations are alike from `counter` on, in the trips that are left.
  std::int64_t stepsAlike(int loop, std::int64_t step, std::int64_t counter) const;

  /// Whether a plain read in the loop, which the cursor is in at `depth`, may still find a write that waits there.
  bool mayFind(const program::LoopsCursor &cursor, int depth, const program::Transaction &write) const;

 private:
  struct Loop {
    std::int64_t trip = 0, recurrence = 1;
    bool movesRows = false;
    std::vector<std::int32_t> next;                            ///< by counter modulo recurrence, where that is not 1
    std::vector<std::pair<std::uint8_t, std::int32_t>> reads;  ///< plain ones in it: bank and command, by bank
  };
  const Loop &at(int loop) const { return loops_[static_cast<std::size_t>(loop)]; }
  bool stays(int loop, std::int64_t from, std::int64_t to) const {
    const std::int64_t n = at(loop).recurrence;
    return n == 1 ? from == to : from / n == to / n && next(loop, from) == next(loop, to);
  }
  void findReads();
  void findNext();

  const ChannelSpec *spec_;
  const program::FlatLoops *code_;
  std::vector<Loop> loops_;
};

}  // namespace pimento::sim::dram
