#include "pimento/sim/sram/transposer.h"

#include <algorithm>

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
      chip_(machine, slices, *this),
      numbers_(numbers),
      lineBytes_(static_cast<std::uint64_t>(slices.line.value)),
      units_(static_cast<std::size_t>(machine.sram->banks()),
             std::vector<Tick>(static_cast<std::size_t>(machine.sram->ways), 0)) {}

Token Transposer::token(What what, std::size_t slice, std::uint64_t line) const {
  return static_cast<Token>(what) << kWhatShift | static_cast<Token>(slice) << kSliceShift | line;
}

/// Banks and ways of a line's elements.
std::vector<Transposer::Target> Transposer::targetsOf(std::uint64_t line) const {
  std::vector<Target> out;
  const std::uint64_t from = std::max(base_, line * lineBytes_), to = std::min(end_, (line + 1) * lineBytes_);
  const auto bytes = static_cast<std::uint64_t>(elementBits_ / 8);
  for (std::uint64_t a = from; a < to; a += bytes) {
    const LayoutTable::Place p = table_->placeOf(region_, a);
    auto at = std::ranges::find(out, p.bank, &Target::bank);
    if (at == out.end()) at = out.insert(out.end(), {p.bank, {}});
    if (std::ranges::find(at->ways, p.way) == at->ways.end()) at->ways.push_back(p.way);
  }
  return out;
}

TransposeTime Transposer::run(std::int64_t start) {
  time_ = {};
  slices_.assign(units_.size(), {});
  const std::uint64_t first = base_ / lineBytes_, last = (end_ - 1) / lineBytes_;
  left_.assign(static_cast<std::size_t>(last - first + 1), 0);
  time_.lines = static_cast<std::int64_t>(left_.size());
  for (std::uint64_t line = first; line <= last; ++line) {
    const std::vector<Target> targets = targetsOf(line);
    for (const Target &t : targets)
      left_[static_cast<std::size_t>(line - first)] += static_cast<std::int64_t>(t.ways.size());
    // On the way out a line is put together where its first element lies.
    const Node at = isOut_ ? targets.front().bank : chip_.home(line * lineBytes_);
    slices_[static_cast<std::size_t>(at)].lines.push_back(line);
  }
  open_ = slices_.size();
  for (std::size_t s = 0; s < slices_.size(); ++s)
    chip_.send(start, numbers_.core, static_cast<Node>(s), Bytes(static_cast<std::int64_t>(lineBytes_)),
               Traffic::kOffload, token(What::kBegin, s, 0));
  chip_.run();
  PIMENTO_CHECK(open_ == 0);
  time_.cycles -= start;
  return time_;
}

TransposeTime Transposer::fetch(LayoutTable &table, int region, std::int64_t start) {
  table_ = &table;
  region_ = region;
  isOut_ = false;
  const LayoutTable::Region &r = table.region(region);
  base_ = r.base;
  end_ = r.end;
  elementBits_ = 8 * r.elementBytes;
  table.fetch(region);
  const TransposeTime time = run(start);
  for (std::uint64_t line = base_ / lineBytes_; line <= (end_ - 1) / lineBytes_; ++line) chip_.drop(line * lineBytes_);
  table.fetched(region, start + time.cycles);
  return time;
}

TransposeTime Transposer::release(LayoutTable &table, int region, std::int64_t start) {
  table_ = &table;
  region_ = region;
  isOut_ = true;
  const LayoutTable::Region &r = table.region(region);
  base_ = r.base;
  end_ = r.end;
  elementBits_ = 8 * r.elementBytes;
  PIMENTO_CHECK(table.state(region) == LayoutTable::State::kTransposed);
  const TransposeTime time = run(start);
  table.release(region);
  return time;
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
    for (const Target &t : targetsOf(line)) transpose(t, s, line, now);
  } else {
    chip_.access(now, line * lineBytes_, uncore::Access::kRead, token(What::kLine, s, line));
  }
  chip_.at(now + 1, token(What::kAsk, s, 0));
}

/// Through the units of the ways that its elements lie in.
void Transposer::transpose(const Target &target, std::size_t s, std::uint64_t line, Tick now) {
  for (const int way : target.ways) {
    Tick &free = units_[static_cast<std::size_t>(target.bank)][static_cast<std::size_t>(way)];
    free = std::max(free, now) + elementBits_;
    ++time_.transposed;
    chip_.at(free, token(What::kTransposed, s, line));
  }
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
      const std::vector<Target> targets = targetsOf(line);
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
      for (const Target &target : targetsOf(line))
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
    case What::kEnd:
      --open_;
      time_.cycles = std::max(time_.cycles, now);
      return;
  }
}

}  // namespace pimento::sim::sram
