// A machine's DRAM, resolved from names once: what a channel, its controller and its device ask while they run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/device.h"
#include "pimento/sim/dram/modes.h"

namespace pimento::sim::dram {

/// Policies and numbers of a machine. Commands are rows of its table.
struct ChannelSpec {
  /// The machine must have passed its loader's checks.
  explicit ChannelSpec(const machine::Dram &dram, Modes modes = {});
  /// For programs that name these commands and no others.
  ChannelSpec(const machine::Dram &dram, Modes modes, const std::vector<program::NamedCommand> &names);

  DeviceSpec device;
  Modes modes;
  int activate = -1, precharge = -1, read = -1, write = -1, refresh = -1;  ///< plain commands
  /// Precharges of more than one bank.
  std::vector<int> widePrecharges;
  /// By column command: the activate for all its banks at once, or -1.
  std::vector<int> wideActivate;
  std::vector<Tick> latency;       ///< by column command: issue to completion
  std::vector<bool> hasData;       ///< by command: its data, or what it does, arrive `latency` after it (four queues)
  std::vector<std::string> names;  ///< of commands beyond the plain ones; else empty
  std::int64_t transactionQueue, commandQueue;
  bool isEagerPrecharge, hasSingleRefreshSlot, hasRefresh, refreshWaits, losesBarriers;
  Tick fence, commandLatency, readLatency, writeLatency, refreshInterval;
  Tick patience;  ///< a channel that completes nothing for this long never will
  std::int64_t columns;
  // Four queues (four_queues.h).
  bool isFourQueues, drainsBeforeBarrier, hasSeveralRows, awaitsData = false;  ///< the last: some barrier does
  std::int64_t writesBegin, writesEnd;
  /// What a controller asks of a command again and again.
  struct Rule {
    bool needsRow = false, isWide = false, takesRowSlot = false, isBarrier = false, awaitsData = false;
    std::int16_t opens = -1, closes = -1;  ///< the commands that open and close the rows that it needs
  };
  std::vector<Rule> rules;  ///< by command

  /// The command loops of a process; `names`: those of its program.
  program::FlatLoops flatten(const program::CommandLoops &loops,
                             const std::vector<program::NamedCommand> &names = {}) const;
  /// A column command by its row of the table (-1: PIMENTO_CHECK), for lists and requests.
  program::Transaction transaction(int command, int bank, std::int64_t row, std::int64_t column,
                                   bool isBarrier = false) const;
  /// The banks that a queued command addresses.
  std::uint64_t reach(const program::Transaction &t) const { return device.reach(t.op, t.bank); }
  /// May two commands be of one burst, as far as their banks and registers go?
  bool meet(const program::Transaction &a, const program::Transaction &b) const {
    if (!a.isWide && !b.isWide) return a.bank == b.bank;
    const bool hasRow = device.needsRow(a.op);
    return hasRow == device.needsRow(b.op) && (hasRow ? (reach(a) & reach(b)) != 0 : a.op == b.op);
  }

 private:
  ChannelSpec(const machine::Dram &dram, Modes modes, DeviceSpec device);
  void findRules();

  const machine::Dram *dram_;
};

}  // namespace pimento::sim::dram
