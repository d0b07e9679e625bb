#include "pimento/sim/dram/spec.h"

#include <algorithm>

namespace pimento::sim::dram {

using machine::CommandKind;

namespace {

/// What opens, closes and refreshes rows may issue whatever the program is, and so may plain reads and writes.
std::vector<bool> usedBy(const machine::Dram &d, const std::vector<program::NamedCommand> &names) {
  std::vector<bool> isUsed;
  for (std::size_t i = 0; i < d.commands.size(); ++i) {
    const machine::Command &c = d.commands[i];
    const bool isColumn = c.slot() == machine::Slot::kColumn && c.kind != CommandKind::kBarrier;
    const bool isPlain = static_cast<int>(i) == d.plainCommand(CommandKind::kRead) ||
                         static_cast<int>(i) == d.plainCommand(CommandKind::kWrite);
    isUsed.push_back(!isColumn || isPlain ||
                     std::ranges::any_of(names, [&](const program::NamedCommand &n) { return n.name == c.name; }));
  }
  return isUsed;
}

}  // namespace

ChannelSpec::ChannelSpec(const machine::Dram &d, Modes m, const std::vector<program::NamedCommand> &names)
    : ChannelSpec(d, std::move(m), DeviceSpec(d, usedBy(d, names))) {}

ChannelSpec::ChannelSpec(const machine::Dram &d, Modes m) : ChannelSpec(d, std::move(m), DeviceSpec(d)) {}

ChannelSpec::ChannelSpec(const machine::Dram &d, Modes m, DeviceSpec of)
    : device(std::move(of)), modes(std::move(m)), dram_(&d) {
  activate = d.plainCommand(CommandKind::kActivate);
  precharge = d.plainCommand(CommandKind::kPrecharge);
  read = d.plainCommand(CommandKind::kRead);
  write = d.plainCommand(CommandKind::kWrite);
  refresh = d.plainCommand(CommandKind::kRefresh);
  PIMENTO_CHECK(activate >= 0 && precharge >= 0 && read >= 0 && write >= 0 && device.banks <= 64);
  readLatency = d.readLatency.value;
  writeLatency = d.writeLatency.value;
  for (int i = 0; i < static_cast<int>(d.commands.size()); ++i) {
    const machine::Command &c = d.commands[static_cast<std::size_t>(i)];
    const bool isPlain = i == activate || i == precharge || i == read || i == write || i == refresh;
    names.push_back(isPlain ? "" : c.name);
    latency.push_back(c.completion ? c.completion->value : c.kind == CommandKind::kWrite ? writeLatency : readLatency);
    hasData.push_back(i == read || (c.completion && c.slot() == machine::Slot::kColumn));
    if (c.kind == CommandKind::kPrecharge && !isPlain) widePrecharges.push_back(i);
    const auto opens = [&](const machine::Command &x) {
      return x.kind == CommandKind::kActivate && x.scope == c.scope && c.scope != machine::ScopeLevel::kBank;
    };
    const auto wide = std::find_if(d.commands.begin(), d.commands.end(), opens);
    wideActivate.push_back(wide == d.commands.end() ? -1 : static_cast<int>(wide - d.commands.begin()));
  }
  readLatency = latency[static_cast<std::size_t>(read)];
  writeLatency = latency[static_cast<std::size_t>(write)];
  const machine::Controller &c = d.controller;
  transactionQueue = c.transactionQueue;
  commandQueue = c.commandQueue;
  isEagerPrecharge = c.prechargePolicy == "eager";
  hasSingleRefreshSlot = c.refreshPolicy == "single-slot";
  hasRefresh = c.refreshPolicy != "none" && refresh >= 0 && d.refreshInterval.value > 0;
  refreshWaits = c.refreshWaitsForPrecharge;
  losesBarriers = c.losesBarrierOnFullQueue;
  fence = c.fence.value;
  commandLatency = c.commandLatency.value;
  refreshInterval = d.refreshInterval.value;
  columns = d.organization.columns;
  Tick longest = hasRefresh ? refreshInterval : 0;
  // What lengths add is waited for once: a command that has one is progress.
  Tick longestLength = 0;
  for (const machine::TimingConstraint &t : d.constraints) {
    longest = std::max(longest, t.after(0));
    longestLength = std::max(longestLength, t.after(program::kMostLength) - t.after(0));
  }
  patience = 256 * longest + 2 * longestLength + fence;
  isFourQueues = c.scheduler == machine::Scheduler::kFourQueues;
  drainsBeforeBarrier = c.barrier == machine::BarrierRule::kDrain;
  hasSeveralRows = d.quirks.severalOpenRows;
  writesBegin = c.writesBegin;
  writesEnd = c.writesEnd;
  findRules();
}

void ChannelSpec::findRules() {
  for (std::size_t i = 0; i < dram_->commands.size(); ++i) {
    const machine::Command &c = dram_->commands[i];
    awaitsData = awaitsData || c.awaitsData;
    rules.push_back({c.slot() == machine::Slot::kColumn && c.needs == machine::Needs::kOpenRow, device.width[i] > 1,
                     c.slot() == machine::Slot::kRow, c.kind == CommandKind::kBarrier, c.awaitsData,
                     static_cast<std::int16_t>(dram_->commandOf(CommandKind::kActivate, c.scope)),
                     static_cast<std::int16_t>(dram_->commandOf(CommandKind::kPrecharge, c.scope))});
  }
}

program::FlatLoops ChannelSpec::flatten(const program::CommandLoops &loops,
                                        const std::vector<program::NamedCommand> &programNames) const {
  return {loops, modes.reservedRows, device.banksPerRank, program::CommandRows(*dram_, programNames),
          isFourQueues ? program::Meeting::kInsideLoop : program::Meeting::kAnywhere};
}

program::Transaction ChannelSpec::transaction(int command, int bank, std::int64_t row, std::int64_t column,
                                              bool isBarrier) const {
  PIMENTO_CHECK(command >= 0 && command < device.commands && device.isColumn(command));
  program::Transaction t;
  t.row = static_cast<std::int32_t>(row);
  t.column = static_cast<std::int16_t>(column);
  t.bank = static_cast<std::uint8_t>(bank);
  t.op = static_cast<std::int16_t>(command);
  t.isBarrier = isBarrier;
  t.isWide = device.width[static_cast<std::size_t>(command)] > 1 || !device.needsRow(command);
  return t;
}

}  // namespace pimento::sim::dram
