// A time that no run of a program on a channel can beat, and activations that every run makes: found by counting.
//
// Not an estimate: nothing is fitted, and refreshes, the controller's hesitation and rows that it closes too early are
// left out, so the bound is at most what the engine (channel.h) says, on every machine. What is counted:
//
//  * Barriers order groups of column commands: all of one group issue before any of the next. So the columns of
//    neighbouring groups are apart by what the constraints ask of the two commands, and those inside a group by the
//    smallest wait that any two of them have; with fences a group arrives after the fence of the one before it.
//  * A bank holds one row. Where a group wants another row in a bank than the last group there, a precharge and an
//    activate lie between their columns, each with its waits (tRTP or tWR, tRP, tRCD, tRAS, tRC).
//  * The controller looks for rows to open in the group at the head of its queue, and in the next one only when the
//    head is down to its barrier. So that activate comes after the last column but one of the group before.
//  * So many activates of one rank take so long (tRRD, tFAW); so many transactions arrive one per cycle.
//
// Each rule says "this time is at least the maximum of those plus a wait", so lower bounds in give lower bounds out.
// Loops are walked until one iteration ends as the one before it did, all times relative to its last column; since the
// loop is uniform (program::FlatLoops), the others go like it and are added up.
#pragma once

#include <span>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::sim::dram {

/// What a run takes at least.
struct ChannelBound {
  Cycles cycles;         ///< Channel::cycles() is never less
  ChannelCounts counts;  ///< each at most what the run counts; columns are exact
};

/// What tests may claim too much of, to show that they would notice: that rows open only when the group before is done,
/// that all banks wait for each other like one, that a row closes after every group.
enum class Overclaim : std::uint8_t { kNone, kLateRows, kOneBank, kClosedRows };

/// The bound for a program that comes to its end. Programs whose groups or loops it cannot follow (a lost barrier,
/// loops that do not settle, commands beyond plain reads and writes) get the bound of their number of commands alone.
ChannelBound lowerBound(const ChannelSpec &spec, const program::FlatLoops &code,
                        Overclaim overclaim = Overclaim::kNone);

/// The same of a list for several channels (fed_channels.h), or of a controller with four queues, by counting alone:
/// the channel with most to do issues one column command per cycle (with four queues a read may be served by a write
/// that waits for its address, so reads of rows that are also written do not count), those of a kind that wait for
/// their like in the whole channel keep that distance, and those that need rows of a pseudo channel that of any two of
/// them, refreshes between them included.
ChannelBound lowerBoundOfList(const ChannelSpec &spec, const program::FlatLoops &code, int channels);

/// So many column commands of a kind; a row of the machine's table.
struct ColumnCount {
  int command = -1;
  std::int64_t count = 0;
};
/// What one pseudo channel takes at least for these, refreshes included, if it has no others: those of them that need
/// rows.
Cycles leastOfColumns(const ChannelSpec &spec, std::span<const ColumnCount> columns);

}  // namespace pimento::sim::dram
