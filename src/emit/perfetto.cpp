#include "pimento/emit/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pimento/base/text.h"
#include "pimento/emit/commands.h"

namespace pimento::emit {

using machine::CommandKind;

namespace {

constexpr int kHost = 1, kChannel = 2;  // processes
constexpr int kHostTrack = 1;

std::string jsonString(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string microseconds(std::int64_t picoseconds) {
  return fmt::format("{}.{:06}", picoseconds / 1'000'000, picoseconds % 1'000'000);
}

}  // namespace

PerfettoTrace::PerfettoTrace(std::ostream &out, const machine::Machine &machine, const evaluate::Breakdown &before,
                             std::int64_t maxEvents)
    : out_(&out), clockGHz_(machine.clockGHz), left_(maxEvents) {
  PIMENTO_CHECK(machine.dram.has_value());
  const machine::Dram &dram = *machine.dram;
  ranks_ = static_cast<int>(dram.organization.ranks);
  banksPerRank_ = static_cast<int>(dram.organization.banks());
  banksPerGroup_ = static_cast<int>(dram.organization.banksPerGroup);
  refreshTime_ = dram.refreshTime.value;
  readTime_ = dram.readLatency.value;
  writeTime_ = dram.writeLatency.value;
  banks_.resize(static_cast<std::size_t>(ranks_ * banksPerRank_));

  *out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  metadata("process_name", kHost, kHostTrack, "name", "host");
  nameTrack(kHost, kHostTrack, "phases");
  metadata("process_name", kChannel, slotTrack(), "name", fmt::format("{}: one channel", machine.name));
  nameTrack(kChannel, slotTrack(), "commands");
  for (int rank = 0; rank < ranks_; ++rank)
    nameTrack(kChannel, refreshTrack(rank), fmt::format("rank {}: refresh", rank));
  hostPhase("rearrange in", before.rearrangeIn);
  hostPhase("transfer in", before.transferIn);
  hostPhase("launch", before.launch);
  origin_ = hostEnd_;
}

void PerfettoTrace::onCommand(const sim::dram::IssuedCommand &c) {
  if (c.time <= last_) startAnotherRun();
  last_ = c.time;
  const auto b = static_cast<std::size_t>(c.bank);
  Tick length = 1;
  switch (c.kind) {
    case CommandKind::kActivate:
      banks_[b].isOpen = true;
      banks_[b].row = c.row;
      banks_[b].since = c.time;
      break;
    case CommandKind::kPrecharge:
      closeRow(c.bank, c.time);
      break;
    case CommandKind::kRead:
      length = readTime_;
      break;
    case CommandKind::kWrite:
      length = writeTime_;
      break;
    case CommandKind::kRefresh:
      if (mayWrite()) complete(kChannel, refreshTrack(c.bank / banksPerRank_), "refresh", c.time, refreshTime_);
      break;
  }
  // As the engine counts cycles: to the end of the last column command, and one more.
  if (isColumnCommand(c.kind)) completion_ = std::max(completion_, c.time + length + 1);
  if (!mayWrite()) return;
  std::string args = fmt::format("\"bank\":{}", c.bank);
  if (c.kind != CommandKind::kRefresh) args += fmt::format(",\"row\":{}", c.row);
  if (isColumnCommand(c.kind)) args += fmt::format(",\"column\":{}", c.column);
  if (c.command != nullptr) args += fmt::format(",\"purpose\":\"{}\"", program::name(c.command->purpose));
  complete(kChannel, slotTrack(), mnemonic(c.kind), c.time, 1, args);
}

Status PerfettoTrace::finish(const evaluate::Report &report) {
  closeRows(std::max(completion_, last_ + 1));
  hostEnd_ = origin_ + std::max(completion_, last_ + 1);
  hostPhase("transfer out", report.breakdown.transferOut);
  hostPhase("merge", report.breakdown.merge);
  hostPhase("rearrange out", report.breakdown.rearrangeOut);
  *out_ << fmt::format(
      "\n],\"otherData\":{{\"kernel\":{},\"target\":{},\"mapping\":{},\"cycles\":{},\"clock_ghz\":{},\"dropped\":{}}}}}"
      "\n",
      jsonString(report.kernel), jsonString(report.target), jsonString(report.mapping), report.cycles.value,
      numberText(clockGHz_), dropped_);
  out_->flush();
  if (*out_) return okStatus();
  return error("unwritable-file", {}, "the timeline could not be written in full", "is the disk full?");
}

/// The next run's cycles count from the end of this one.
void PerfettoTrace::startAnotherRun() {
  const Tick end = std::max(completion_, last_ + 1);
  closeRows(end);
  origin_ += end;
  last_ = -1;
  completion_ = 0;
}

void PerfettoTrace::closeRows(Tick at) {
  for (int b = 0; b < static_cast<int>(banks_.size()); ++b) closeRow(b, at);
}

void PerfettoTrace::closeRow(int bank, Tick at) {
  BankTrack &b = banks_[static_cast<std::size_t>(bank)];
  if (!b.isOpen) return;
  b.isOpen = false;
  if (!mayWrite()) return;
  if (!b.isNamed) {
    const int inRank = bank % banksPerRank_;
    nameTrack(kChannel, bankTrack(bank),
              fmt::format("rank {} group {} bank {} (bank {})", bank / banksPerRank_, inRank / banksPerGroup_,
                          inRank % banksPerGroup_, bank));
    b.isNamed = true;
  }
  complete(kChannel, bankTrack(bank), fmt::format("row {}", b.row), b.since, at - b.since,
           fmt::format("\"row\":{}", b.row));
}

/// Whether one more event fits; says once in the trace that none does.
bool PerfettoTrace::mayWrite() {
  if (left_ > 0) {
    --left_;
    return true;
  }
  if (dropped_++ == 0) complete(kChannel, slotTrack(), "trace truncated", last_ + 1, 0);
  return false;
}

void PerfettoTrace::hostPhase(std::string_view name, Cycles length) {
  if (length.value <= 0) return;
  const Tick from = hostEnd_ - origin_;  // complete() counts from the run's cycle 0
  complete(kHost, kHostTrack, name, from, length.value);
  hostEnd_ += length.value;
}

void PerfettoTrace::nameTrack(int process, int track, std::string_view name) {
  metadata("thread_name", process, track, "name", name);
  begin();
  *out_ << fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                       process, track, track);
}

void PerfettoTrace::metadata(std::string_view kind, int process, int track, std::string_view key,
                             std::string_view value) {
  begin();
  *out_ << fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", kind, process, track, key,
                       jsonString(value));
}

void PerfettoTrace::complete(int process, int track, std::string_view name, Tick from, Tick cycles,
                             std::string_view args) {
  begin();
  const std::int64_t start = picoseconds(origin_ + from);
  *out_ << fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", name, process,
                       track, microseconds(start), microseconds(picoseconds(origin_ + from + cycles) - start), args);
}

/// Every event stands on a line of its own.
void PerfettoTrace::begin() {
  *out_ << (isFirst_ ? "\n" : ",\n");
  isFirst_ = false;
}

/// Whole picoseconds, so that the end of one event is not after the start of the next.
std::int64_t PerfettoTrace::picoseconds(Tick cycles) const {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(cycles) * 1000.0 / clockGHz_));
}

}  // namespace pimento::emit
