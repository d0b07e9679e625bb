#include "pimento/sim/uncore/shared_l3.h"

#include <algorithm>

#include "pimento/sim/dram/address_map.h"

namespace pimento::sim::uncore {

namespace {

/// Out of a router: four neighbours.
constexpr int kDirections = 4;
/// Cycles of a link that are kept.
constexpr std::size_t kWindow = std::size_t{1} << 12;

}  // namespace

SharedL3::SharedL3(const machine::Machine &machine, const Slices &slices)
    : machine_(machine), slices_(slices), memory_(machine) {
  const auto nodes = static_cast<std::size_t>(machine.noc->nodes());
  const std::int64_t sets = slices.size.value / (slices.line.value * slices.ways);
  tags_.reserve(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    tags_.emplace_back(cache::Tags::Shape{
        .sets = sets, .ways = slices.ways, .replacement = slices.replacement, .longEvery = slices.longEvery});
    ready_.emplace_back(tags_.back().places());
  }
  ports_.assign(nodes, Calendar(slices.ports, kWindow));
  links_.assign(nodes * kDirections, BitCalendar(kWindow));
}

Node SharedL3::home(std::uint64_t line) const {
  const auto piece = static_cast<std::uint64_t>(slices_.interleave.value / slices_.line.value);
  return static_cast<Node>(line / piece % tags_.size());
}

std::uint64_t SharedL3::inSlice(std::uint64_t line) const {
  const auto piece = static_cast<std::uint64_t>(slices_.interleave.value / slices_.line.value);
  return line / (piece * tags_.size()) * piece + line % piece;
}

Node SharedL3::controllerOf(std::uint64_t line) const {
  const dram::Place place =
      dram::placeOf(machine_.dram->organization, line * static_cast<std::uint64_t>(slices_.line.value));
  return slices_.controllers[static_cast<std::size_t>(place.channel)];
}

bool SharedL3::isPresent(std::uint64_t address) const {
  return std::ranges::any_of(present_, [&](const auto &r) { return r.first <= address && address < r.second; });
}

/// Along X-Y: each link takes the packet's flits, one behind the other, when the head has passed the router. When the
/// last flit is there.
Tick SharedL3::cross(Node from, Node to, Bytes data, Traffic traffic, Tick at) {
  const machine::Noc &noc = *machine_.noc;
  const std::int64_t flits = noc.flits(data);
  std::int64_t x = from % noc.columns, y = from / noc.columns;
  const std::int64_t toX = to % noc.columns, toY = to / noc.columns;
  Tick head = at;
  const auto move = [&](int direction) {
    const std::int64_t link = (y * noc.columns + x) * kDirections + direction;
    head = links_[static_cast<std::size_t>(link)].take(head + noc.router.value, flits) + noc.link.value;
  };
  const auto alongX = [&] {
    for (; x < toX; ++x) move(0);
    for (; x > toX; --x) move(1);
  };
  const auto alongY = [&] {
    for (; y < toY; ++y) move(2);
    for (; y > toY; --y) move(3);
  };
  flitHops_[static_cast<std::size_t>(traffic)] += flits * (std::abs(x - toX) + std::abs(y - toY));
  if (noc.routing == machine::Noc::Routing::kXY) {
    alongX();
    alongY();
  } else {
    alongY();
    alongX();
  }
  // Out of the last router to the tile.
  return head + noc.router.value + flits - 1;
}

void SharedL3::keep(std::uint64_t line, bool isDirty, Tick at) {
  const Node slice = home(line);
  const auto s = static_cast<std::size_t>(slice);
  const auto victim = tags_[s].bringIn(inSlice(line), isDirty);
  ready_[s][tags_[s].placeOf(inSlice(line))] = at;
  if (!victim || !victim->isDirty) return;
  const auto piece = static_cast<std::uint64_t>(slices_.interleave.value / slices_.line.value);
  const std::uint64_t gone =
      (victim->line / piece * tags_.size() + static_cast<std::uint64_t>(slice)) * piece + victim->line % piece;
  const Tick there = cross(slice, controllerOf(gone), slices_.line, Traffic::kData, at);
  memory_.write(gone * static_cast<std::uint64_t>(slices_.line.value), slices_.line.value, there);
}

void SharedL3::warm(std::uint64_t address) {
  if (isPresent(address)) return;  // comes when it is asked for
  const std::uint64_t line = address / static_cast<std::uint64_t>(slices_.line.value);
  const auto s = static_cast<std::size_t>(home(line));
  if (tags_[s].use(inSlice(line), false)) return;
  (void)tags_[s].bringIn(inSlice(line), false);
  ready_[s][tags_[s].placeOf(inSlice(line))] = 0;
}

cache::Behind::Answer SharedL3::fetch(int core, std::uint64_t address, std::int64_t /*bytes*/, cache::Tick at) {
  const std::uint64_t line = address / static_cast<std::uint64_t>(slices_.line.value);
  const Node slice = home(line);
  const auto s = static_cast<std::size_t>(slice);
  ++counts_.reads;
  const Tick asked = cross(core, slice, Bytes(0), Traffic::kControl, at);
  Tick looked = ports_[s].take(asked) + slices_.latency.value;
  if (delay_) looked = delay_(address, looked);
  Answer answer{looked, true};
  if (tags_[s].use(inSlice(line), false)) {
    answer.ready = std::max(looked, ready_[s][tags_[s].placeOf(inSlice(line))]);
  } else if (isPresent(address)) {
    keep(line, false, looked);
  } else {
    ++counts_.misses;
    answer.isShared = false;
    const Node controller = controllerOf(line);
    const Tick there = cross(slice, controller, Bytes(0), Traffic::kControl, looked);
    const Tick read = memory_.read(line * static_cast<std::uint64_t>(slices_.line.value), slices_.line.value, there);
    answer.ready = cross(controller, slice, slices_.line, Traffic::kData, read);
    keep(line, false, answer.ready);
  }
  answer.ready = cross(slice, core, slices_.line, Traffic::kData, answer.ready);
  return answer;
}

void SharedL3::writeBack(int core, std::uint64_t address, std::int64_t /*bytes*/, cache::Tick at) {
  const std::uint64_t line = address / static_cast<std::uint64_t>(slices_.line.value);
  const Node slice = home(line);
  const auto s = static_cast<std::size_t>(slice);
  ++counts_.writeBacks;
  const Tick there = ports_[s].take(cross(core, slice, slices_.line, Traffic::kData, at));
  if (!tags_[s].use(inSlice(line), true)) keep(line, true, there + slices_.latency.value);
}

}  // namespace pimento::sim::uncore
