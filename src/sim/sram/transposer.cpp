#include "pimento/sim/sram/transposer.h"

#include <algorithm>

#include "pimento/base/integer.h"

namespace pimento::sim::sram {

namespace {

using uncore::Node;
using uncore::Tick;
using uncore::Token;
using uncore::Traffic;

constexpr int kWhatShift = 60, kSliceShift = 48;
constexpr Token kLineMask = (Token{1} << kSliceShift) - 1;

}  // namespace

Transposer::Transposer(const machine::Machine &machine, const uncore::Slices &slices, const Numbers &numbers)
    : sram_(*machine.sram),
      shape_(slices),
      chip_(machine, slices, *this),
      numbers_(numbers),
      lineBytes_(static_cast<std::uint64_t>(slices.line.value)),
      units_(*machine.sram) {}

Token Transposer::token(What what, std::size_t slice, std::uint64_t line) const {
  return static_cast<Token>(what) << kWhatShift | static_cast<Token>(slice) << kSliceShift | line;
}

std::vector<LayoutTable::BankWays> Transposer::waysOf(std::uint64_t line) const {
  return table_->waysOf(region_, line * lineBytes_, static_cast<std::int64_t>(lineBytes_));
}

TransposeTime Transposer::run(std::int64_t start) {
  time_ = {};
  slices_.assign(static_cast<std::size_t>(sram_.banks()), {});
  const std::uint64_t first = base_ / lineBytes_, last = (end_ - 1) / lineBytes_;
  left_.assign(static_cast<std::size_t>(last - first + 1), 0);
  time_.lines = static_cast<std::int64_t>(left_.size());
  for (std::uint64_t line = first; line <= last; ++line) {
    const std::vector<LayoutTable::BankWays> targets = waysOf(line);
    for (const LayoutTable::BankWays &t : targets)
      left_[static_cast<std::size_t>(line - first)] += static_cast<std::int64_t>(t.ways.size());
    // On the way out a line is put together where its first element lies.
    const Node at = isOut_ ? targets.front().bank : chip_.home(line * lineBytes_);
    slices_[static_cast<std::size_t>(at)].lines.push_back(line);
  }
  open_ = slices_.size();
  for (std::size_t s = 0; s < slices_.size(); ++s)
    chip_.send(start, numbers_.core, static_cast<Node>(s), Bytes(static_cast<std::int64_t>(lineBytes_)),
               Traffic::kOffload, token(What::kBegin, s, 0));
  const std::int64_t before = units_.passes();
  chip_.run();
  PIMENTO_CHECK(open_ == 0);
  time_.cycles -= start;
  time_.transposed = units_.passes() - before;
  return time_;
}

/// What lines are of, from here on.
void Transposer::look(const LayoutTable &table, int region) {
  table_ = &table;
  region_ = region;
  const LayoutTable::Region &r = table.region(region);
  base_ = r.base;
  end_ = r.end;
  elementBits_ = 8 * r.elementBytes;
}

TransposeTime Transposer::fetch(LayoutTable &table, int region, std::int64_t start) {
  look(table, region);
  isOut_ = false;
  table.fetch(region);
  const TransposeTime time = run(start);
  for (std::uint64_t line = base_ / lineBytes_; line <= (end_ - 1) / lineBytes_; ++line) chip_.drop(line * lineBytes_);
  table.fetched(region, start + time.cycles);
  return time;
}

TransposeTime Transposer::release(LayoutTable &table, int region, std::int64_t start) {
  look(table, region);
  isOut_ = true;
  PIMENTO_CHECK(table.state(region) == LayoutTable::State::kTransposed);
  const TransposeTime time = run(start);
  table.release(region);
  return time;
}

FlushTime Transposer::reserve(std::int64_t start) {
  PIMENTO_CHECK(shape_.ways > sram_.ways);
  time_ = {};
  slices_.assign(static_cast<std::size_t>(sram_.banks()), {});
  open_ = slices_.size();
  for (std::size_t s = 0; s < slices_.size(); ++s)
    chip_.send(start, numbers_.core, static_cast<Node>(s), Bytes(0), Traffic::kControl, token(What::kReserve, s, 0));
  chip_.run();
  PIMENTO_CHECK(open_ == 0);
  return {time_.cycles - start, time_.lines};
}

void Transposer::giveWaysBack() {
  for (std::size_t s = 0; s < static_cast<std::size_t>(sram_.banks()); ++s)
    chip_.restrict(static_cast<Node>(s), shape_.ways);
}

FlushTime Transposer::recall(const LayoutTable &table, int region, const DirtyLines &dirty, std::int64_t start) {
  look(table, region);
  PIMENTO_CHECK(table.state(region) != LayoutTable::State::kBlocked);
  const std::vector<DirtyLine> lines = dirty(base_, end_);
  if (lines.empty()) return {};
  time_ = {};
  open_ = 0;
  for (const DirtyLine &d : lines) {
    const std::uint64_t line = d.address / lineBytes_;
    PIMENTO_CHECK(line >= base_ / lineBytes_ && line <= (end_ - 1) / lineBytes_);
    if (table.state(region) == LayoutTable::State::kNormal) {
      ++open_;
    } else {
      for (const LayoutTable::BankWays &t : waysOf(line)) open_ += t.ways.size();
    }
    chip_.send(start, numbers_.core, d.tile, Bytes(0), Traffic::kControl,
               token(What::kRecall, static_cast<std::size_t>(d.tile), line));
  }
  chip_.run();
  PIMENTO_CHECK(open_ == 0);
  return {time_.cycles - start, static_cast<std::int64_t>(lines.size())};
}

FlushTime Transposer::save(std::uint64_t address, Bytes state, std::int64_t start) {
  const auto core = static_cast<std::size_t>(numbers_.core);
  const std::int64_t lines = ceilDiv(state.value, static_cast<std::int64_t>(lineBytes_));
  time_ = {};
  slices_.assign(static_cast<std::size_t>(sram_.banks()), {});
  slices_[core].waiting = lines;
  open_ = 1;
  for (std::int64_t i = 0; i < lines; ++i)
    chip_.at(start + i, token(What::kFlush, core, address / lineBytes_ + static_cast<std::uint64_t>(i)));
  if (lines == 0) return {};
  chip_.run();
  PIMENTO_CHECK(open_ == 0);
  return {time_.cycles - start, lines};
}

FlushTime Transposer::restore(std::uint64_t address, Bytes state, std::int64_t start) {
  const std::int64_t lines = ceilDiv(state.value, static_cast<std::int64_t>(lineBytes_));
  time_ = {};
  open_ = static_cast<std::size_t>(lines);
  for (std::int64_t i = 0; i < lines; ++i) {
    const std::uint64_t line = address / lineBytes_ + static_cast<std::uint64_t>(i);
    const auto home = static_cast<std::size_t>(chip_.home(line * lineBytes_));
    chip_.send(start + i, numbers_.core, static_cast<Node>(home), Bytes(0), Traffic::kControl,
               token(What::kAskState, home, line));
  }
  if (lines == 0) return {};
  chip_.run();
  PIMENTO_CHECK(open_ == 0);
  return {time_.cycles - start, lines};
}

/// A recalled line is where it belongs: in its slice, or at a bank of its tiles.
void Transposer::keep(std::size_t s, std::uint64_t line, Tick now) {
  if (table_->state(region_) == LayoutTable::State::kNormal)
    return chip_.access(now, line * lineBytes_, uncore::Access::kWriteWhole, token(What::kKept, s, line));
  for (const LayoutTable::BankWays &t : waysOf(line)) {
    if (t.bank != static_cast<int>(s)) continue;
    for (const int way : t.ways) chip_.at(units_.pass(t.bank, way, elementBits_, now), token(What::kKept, s, line));
  }
}

/// The next line of a slice's stream.
void Transposer::ask(std::size_t s, Tick now) {
  Slice &slice = slices_[s];
  if (!slice.isBegun) return;
  if (slice.next == slice.lines.size()) return ended(s, now);
  if (slice.waiting >= numbers_.outstanding || slice.free > now) return;
  const std::uint64_t line = slice.lines[slice.next++];
  ++slice.waiting;
  slice.free = now + 1;
  if (isOut_) {
    for (const LayoutTable::BankWays &t : waysOf(line)) transpose(t, s, line, now);
  } else {
    chip_.access(now, line * lineBytes_, uncore::Access::kRead, token(What::kLine, s, line));
  }
  chip_.at(now + 1, token(What::kAsk, s, 0));
}

/// Through the units of the ways that its elements lie in.
void Transposer::transpose(const LayoutTable::BankWays &to, std::size_t s, std::uint64_t line, Tick now) {
  for (const int way : to.ways)
    chip_.at(units_.pass(to.bank, way, elementBits_, now), token(What::kTransposed, s, line));
}

void Transposer::ended(std::size_t s, Tick now) {
  Slice &slice = slices_[s];
  if (slice.isEnded || slice.waiting > 0) return;
  slice.isEnded = true;
  chip_.send(now, static_cast<Node>(s), numbers_.core, Bytes(0), Traffic::kOffload, token(What::kEnd, s, 0));
}

void Transposer::on(Token t, Tick now) {
  const auto what = static_cast<What>(t >> kWhatShift);
  const auto s = static_cast<std::size_t>(t >> kSliceShift & ((1U << (kWhatShift - kSliceShift)) - 1));
  const std::uint64_t line = t & kLineMask;
  switch (what) {
    case What::kBegin:
      slices_[s].isBegun = true;
      return ask(s, now);
    case What::kAsk:
      return ask(s, now);
    case What::kLine: {
      const std::vector<LayoutTable::BankWays> targets = waysOf(line);
      for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i].bank == static_cast<int>(s)) {
          transpose(targets[i], s, line, now);
          continue;
        }
        ++time_.forwarded;
        chip_.send(now, static_cast<Node>(s), targets[i].bank, Bytes(static_cast<std::int64_t>(lineBytes_)),
                   Traffic::kData, token(What::kAtBank, static_cast<std::size_t>(targets[i].bank), line));
      }
      return;
    }
    case What::kAtBank: {
      // The stream that waits for it is that of the line's slice.
      const auto home = static_cast<std::size_t>(chip_.home(line * lineBytes_));
      for (const LayoutTable::BankWays &target : waysOf(line))
        if (target.bank == static_cast<int>(s)) transpose(target, home, line, now);
      return;
    }
    case What::kTransposed: {
      if (--left_[static_cast<std::size_t>(line - base_ / lineBytes_)] > 0) return;
      if (isOut_) return chip_.store(now, static_cast<Node>(s), line * lineBytes_, token(What::kStored, s, line));
      --slices_[s].waiting;
      return ask(s, now);
    }
    case What::kStored:
      --slices_[s].waiting;
      return ask(s, now);
    case What::kReserve: {
      // One line per cycle.
      const auto ways = static_cast<int>(shape_.ways - sram_.ways);
      for (const std::uint64_t a : chip_.restrict(static_cast<Node>(s), ways))
        chip_.at(now + slices_[s].waiting++, token(What::kFlush, s, a / lineBytes_));
      time_.lines += slices_[s].waiting;
      return ended(s, now);
    }
    case What::kFlush:
      return chip_.store(now, static_cast<Node>(s), line * lineBytes_, token(What::kFlushed, s, line));
    case What::kFlushed:
      --slices_[s].waiting;
      return ended(s, now);
    case What::kRecall: {
      const auto to = [&](int bank) {
        chip_.send(now, static_cast<Node>(s), bank, Bytes(static_cast<std::int64_t>(lineBytes_)), Traffic::kData,
                   token(What::kRecalled, static_cast<std::size_t>(bank), line));
      };
      if (table_->state(region_) == LayoutTable::State::kNormal) return to(chip_.home(line * lineBytes_));
      for (const LayoutTable::BankWays &t : waysOf(line)) to(t.bank);
      return;
    }
    case What::kRecalled:
      return keep(s, line, now);
    case What::kKept:
      chip_.send(now, static_cast<Node>(s), numbers_.core, Bytes(0), Traffic::kControl, token(What::kEnd, s, line));
      return;
    case What::kAskState:
      return chip_.access(now, line * lineBytes_, uncore::Access::kRead, token(What::kState, s, line));
    case What::kState:
      return chip_.send(now, static_cast<Node>(s), numbers_.core, Bytes(static_cast<std::int64_t>(lineBytes_)),
                        Traffic::kData, token(What::kEnd, s, line));
    case What::kEnd:
      --open_;
      time_.cycles = std::max(time_.cycles, now);
      return;
  }
}

}  // namespace pimento::sim::sram
