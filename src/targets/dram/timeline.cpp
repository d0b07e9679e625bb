#include "pimento/targets/dram/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "pimento/targets/dram/command_list.h"

namespace pimento::targets::dram {

using machine::CommandKind;

ChannelTimeline::ChannelTimeline(std::ostream &out, const machine::Machine &machine, const evaluate::Breakdown &before,
                                 std::int64_t maxEvents)
    : events_(out, machine.clockGHz, slotTrack(), maxEvents) {
  PIMENTO_CHECK(machine.dram.has_value());
  const machine::Dram &dram = *machine.dram;
  ranks_ = static_cast<int>(dram.organization.ranks);
  banksPerRank_ = static_cast<int>(dram.organization.banks());
  banksPerGroup_ = static_cast<int>(dram.organization.banksPerGroup);
  refreshTime_ = dram.refreshTime.value;
  readTime_ = dram.readLatency.value;
  writeTime_ = dram.writeLatency.value;
  banks_.resize(static_cast<std::size_t>(ranks_ * banksPerRank_));

  events_.nameDevice(fmt::format("{}: one channel", machine.name));
  events_.nameTrack(slotTrack(), "commands");
  for (int rank = 0; rank < ranks_; ++rank)
    events_.nameTrack(refreshTrack(rank), fmt::format("rank {}: refresh", rank));
  events_.hostBefore(before);
}

void ChannelTimeline::onCommand(const sim::dram::IssuedCommand &c) {
  if (c.time <= last_) startAnotherRun();
  last_ = c.time;
  Tick length = 1;
  switch (c.kind) {
    case CommandKind::kActivate:
      for (std::uint64_t m = c.banks; m != 0; m &= m - 1) {
        BankTrack &b = banks_[static_cast<std::size_t>(std::countr_zero(m))];
        b.isOpen = true;
        b.row = c.row;
        b.since = c.time;
      }
      break;
    case CommandKind::kPrecharge:
      for (std::uint64_t m = c.banks; m != 0; m &= m - 1) closeRow(std::countr_zero(m), c.time);
      break;
    case CommandKind::kRead:
      length = readTime_;
      break;
    case CommandKind::kWrite:
      length = writeTime_;
      break;
    case CommandKind::kRefresh:
      if (events_.mayWrite(last_ + 1))
        events_.completeAsked(refreshTrack(c.bank / banksPerRank_), "refresh", c.time, refreshTime_);
      break;
    case CommandKind::kBarrier:
      break;
  }
  // As the engine counts cycles: to the end of the last column command, and one more.
  if (isColumnCommand(c.kind)) completion_ = std::max(completion_, c.time + length + 1);
  if (!events_.mayWrite(last_ + 1)) return;
  std::string args = fmt::format("\"bank\":{}", c.bank);
  if (c.kind != CommandKind::kRefresh) args += fmt::format(",\"row\":{}", c.row);
  if (isColumnCommand(c.kind)) args += fmt::format(",\"column\":{}", c.column);
  if (c.command != nullptr) args += fmt::format(",\"purpose\":\"{}\"", program::name(c.command->purpose));
  events_.completeAsked(slotTrack(), mnemonic(c), c.time, 1, args);
}

Status ChannelTimeline::finish(const evaluate::Report &report) {
  closeRows(std::max(completion_, last_ + 1));
  return events_.finish(report, std::max(completion_, last_ + 1));
}

/// The next run's cycles count from the end of this one.
void ChannelTimeline::startAnotherRun() {
  const Tick end = std::max(completion_, last_ + 1);
  closeRows(end);
  events_.advance(end);
  last_ = -1;
  completion_ = 0;
}

void ChannelTimeline::closeRows(Tick at) {
  for (int b = 0; b < static_cast<int>(banks_.size()); ++b) closeRow(b, at);
}

void ChannelTimeline::closeRow(int bank, Tick at) {
  BankTrack &b = banks_[static_cast<std::size_t>(bank)];
  if (!b.isOpen) return;
  b.isOpen = false;
  if (!events_.mayWrite(last_ + 1)) return;
  if (!b.isNamed) {
    const int inRank = bank % banksPerRank_;
    events_.nameTrack(bankTrack(bank), fmt::format("rank {} group {} bank {} (bank {})", bank / banksPerRank_,
                                                   inRank / banksPerGroup_, inRank % banksPerGroup_, bank));
    b.isNamed = true;
  }
  events_.completeAsked(bankTrack(bank), fmt::format("row {}", b.row), b.since, at - b.since,
                        fmt::format("\"row\":{}", b.row));
}

}  // namespace pimento::targets::dram
