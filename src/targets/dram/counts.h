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

/// The commands of a process of a DRAM channel.
const program::CommandLoops &loopsOf(const program::Process &process);

/// Adds what all instances of `process` count, row by row; each of them `counts`.
void addCounts(std::vector<std::int64_t> &totals, const program::Process &process,
               const sim::dram::ChannelCounts &counts);

}  // namespace pimento::targets::dram
