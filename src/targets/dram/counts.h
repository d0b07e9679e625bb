// What runs of DRAM channels count: commands of the program by purpose, and what the controller did on its own; each
// with the actions that it is priced by.
#pragma once

#include <array>
#include <cstdint>

#include "pimento/evaluate/counts.h"
#include "pimento/program/program.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::targets::dram {

/// Purposes of column commands (in the order of program::Purpose), then row commands and refreshes.
const evaluate::CountTable &countTable();

/// How a target counts: rows for commands of programs, then those of ChannelCounts in its order.
struct Counting {
  const evaluate::CountTable &table;
  std::size_t commands = 0;  ///< rows for commands
  /// Which of them a command counts in.
  std::size_t (*rowOf)(const program::Program &program, const program::Command &command) = nullptr;
  bool sumsToColumns = true;  ///< they add up to the column commands that the engine counts
};
/// What a command counts for in its row: one, or its length where it has one.
inline std::int64_t amountOf(const program::Command &c) {
  return c.length > 0 ? c.length : 1;
}
/// With countTable().
const Counting &byPurpose();

/// The commands of a process of a DRAM channel.
const program::CommandLoops &loopsOf(const program::Process &process);

/// Adds what all instances of `process` count, row by row; each of them `counts`, of a shared process all together.
void addCounts(std::vector<std::int64_t> &totals, const Counting &counting, const program::Program &program,
               const program::Process &process, const sim::dram::ChannelCounts &counts);

}  // namespace pimento::targets::dram
