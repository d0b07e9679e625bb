#include "pimento/sim/dram/crossings.h"

#include <algorithm>
#include <utility>

namespace pimento::sim::dram {

using program::FlatLoops;

namespace {

/// Trips of a loop, and by how many bytes an iteration moves an address.
using Strides = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Where in a row an address may be while one loop stands still: all places that the others move it to. Empty: too
/// many.
std::vector<std::int64_t> placesInRow(std::int64_t address, std::int64_t rowBytes, const Strides &others) {
  constexpr std::size_t kMost = 128;
  const auto inRow = [rowBytes](std::int64_t a) { return (a % rowBytes + rowBytes) % rowBytes; };
  std::vector<std::int64_t> places = {inRow(address)};
  for (const auto &[trip, stride] : others) {
    const std::size_t before = places.size();
    for (std::int64_t n = 1; n < std::min(trip, rowBytes); ++n) {
      const std::int64_t step = inRow(inRow(stride) * n);
      if (step == 0) break;
      for (std::size_t i = 0; i < before; ++i) {
        const std::int64_t place = inRow(places[i] + step);
        if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
      }
      if (places.size() > kMost) return {};
    }
  }
  return places;
}

/// Marks the iterations before which an address crosses that may be at these places in iteration 0.
void mark(const std::vector<std::int64_t> &places, std::int64_t stride, std::int64_t rowBytes, std::vector<bool> &at) {
  if (places.empty() || stride < 0) at.assign(at.size(), true);
  if (stride < 0) return;
  for (const std::int64_t place : places)
    for (std::size_t n = 1; n < at.size(); ++n)
      if ((place + stride * static_cast<std::int64_t>(n)) % rowBytes < stride) at[n] = true;
}

}  // namespace

Crossings::Crossings(const ChannelSpec &spec, const FlatLoops &code)
    : spec_(&spec), code_(&code), loops_(code.loops().size()) {
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    loops_[l].trip = code.loops()[l].trip;
    loops_[l].recurrence = code.loops()[l].recurrence;
  }
  findReads();
  findNext();
}

void Crossings::findReads() {
  const std::vector<FlatLoops::FlatCommand> &commands = code_->commands();
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (commands[i].origin.op == spec_->read)
      for (int d = 0; d < commands[i].depth; ++d)
        loops_[static_cast<std::size_t>(commands[i].loops[static_cast<std::size_t>(d)])].reads.emplace_back(
            commands[i].origin.bank, static_cast<std::int32_t>(i));
  for (Loop &l : loops_) std::stable_sort(l.reads.begin(), l.reads.end());
}

// An address, and what the loops have moved it by, cross into another row where their places in a row do. Columns that
// matter must move by whole bursts.
void Crossings::findNext() {
  std::vector<std::vector<bool>> crosses(loops_.size());
  for (std::size_t l = 0; l < loops_.size(); ++l)
    if (loops_[l].recurrence > 1) crosses[l].resize(static_cast<std::size_t>(loops_[l].recurrence));
  const auto isPlain = [this](const FlatLoops::FlatCommand &c) {
    return c.origin.op == spec_->read || c.origin.op == spec_->write;
  };
  const FlatLoops::FlatCommand *last = nullptr;
  Strides others;
  for (const FlatLoops::FlatCommand &c : code_->commands()) {
    if (!spec_->rules[static_cast<std::size_t>(c.origin.op)].needsRow) continue;
    const bool isLikeLast = last != nullptr && last->depth == c.depth && last->loops == c.loops &&
                            last->command.isLinear == c.command.isLinear && last->command.row == c.command.row &&
                            last->command.column == c.command.column && isPlain(*last) == isPlain(c);
    if (isLikeLast) continue;
    last = &c;
    for (int i = 0; i < c.moveCount; ++i) {
      const FlatLoops::FlatCommand::Move &m = c.moves[static_cast<std::size_t>(i)];
      const auto l = static_cast<std::size_t>(c.loops[static_cast<std::size_t>(m.depth)]);
      if (!c.command.isLinear) {
        loops_[l].movesRows = true;
        continue;
      }
      if (crosses[l].empty()) continue;
      others.clear();
      for (int j = 0; j < c.moveCount; ++j) {
        const FlatLoops::FlatCommand::Move &o = c.moves[static_cast<std::size_t>(j)];
        if (j != i) others.emplace_back(at(c.loops[static_cast<std::size_t>(o.depth)]).trip, o.column);
      }
      if (isPlain(c) && m.column % code_->burst() != 0) crosses[l].assign(crosses[l].size(), true);
      for (const std::int64_t address : {c.address, std::int64_t{0}})
        mark(placesInRow(address, code_->rowBytes(), others), m.column, code_->rowBytes(), crosses[l]);
    }
  }
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    auto next = static_cast<std::int32_t>(crosses[l].size());
    loops_[l].next.resize(crosses[l].size());
    for (std::size_t n = crosses[l].size(); n-- > 0;) {
      loops_[l].next[n] = next;
      if (crosses[l][n]) next = static_cast<std::int32_t>(n);
    }
  }
}

std::int64_t Crossings::stepsAlike(int loop, std::int64_t step, std::int64_t counter) const {
  std::int64_t iterations = at(loop).trip - 1 - counter;
  if (step % at(loop).recurrence != 0) iterations = std::min(iterations, left(loop, counter));
  return iterations / step;
}

bool Crossings::mayFind(const program::LoopsCursor &cursor, int depth, const program::Transaction &write) const {
  const Loop &loop = at(cursor.loopAt(depth));
  const std::int64_t address = write.row * code_->rowBytes() + write.column * code_->burst();
  auto r =
      std::lower_bound(loop.reads.begin(), loop.reads.end(), std::pair<std::uint8_t, std::int32_t>(write.bank, -1));
  for (; r != loop.reads.end() && r->first == write.bank; ++r) {
    const FlatLoops::FlatCommand &f = code_->commands()[static_cast<std::size_t>(r->second)];
    if (!f.command.isLinear) return true;
    std::int64_t low = f.address, high = f.address;
    for (int i = 0; i < f.moveCount; ++i) {
      const FlatLoops::FlatCommand::Move &m = f.moves[static_cast<std::size_t>(i)];
      const std::int64_t trip = at(f.loops[static_cast<std::size_t>(m.depth)]).trip;
      const std::int64_t first = m.depth <= depth ? cursor.counter(m.depth) : 0,
                         last = m.depth < depth ? first : trip - 1;
      low += std::min(m.column * first, m.column * last);
      high += std::max(m.column * first, m.column * last);
    }
    if (address + code_->burst() > low && address <= high) return true;
  }
  return false;
}

}  // namespace pimento::sim::dram
