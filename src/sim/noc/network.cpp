#include "pimento/sim/noc/network.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "pimento/base/diagnostics.h"

namespace pimento::sim::noc {

namespace {

constexpr int kTurnBits = 45, kPortBits = 3;

constexpr std::size_t index(Port port) {
  return static_cast<std::size_t>(port);
}

}  // namespace

Network::Network(const machine::Noc &noc) : noc_(noc), free_(static_cast<std::size_t>(noc.nodes())) {}

void Network::check(Tick time, Node from, std::int64_t flits) const {
  PIMENTO_CHECK(time >= worked_ && flits >= 1);
  PIMENTO_CHECK(from >= 0 && from < noc_.nodes());
}

std::int64_t Network::send(Tick time, Node from, Node to, std::int64_t flits, Traffic traffic) {
  check(time, from, flits);
  PIMENTO_CHECK(to >= 0 && to < noc_.nodes());
  ++packets_;
  inject(time, from, {time + flits, flits, 1, sent_, to, -1, true, traffic});
  return sent_++;
}

std::int64_t Network::multicast(Tick time, Node from, std::span<const Node> to, std::int64_t flits, Traffic traffic) {
  check(time, from, flits);
  PIMENTO_CHECK(!to.empty());
  std::vector<Node> nodes(to.begin(), to.end());
  std::sort(nodes.begin(), nodes.end());
  PIMENTO_CHECK(nodes.front() >= 0 && nodes.back() < noc_.nodes());
  PIMENTO_CHECK(std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end());
  ++packets_;
  inject(time, from, {time + flits, flits, 1, sent_, nodes.front(), newBranch(std::move(nodes)), true, traffic});
  return sent_++;
}

std::int64_t Network::train(Tick time, Node from, Node to, std::int64_t packets, std::int64_t flits, Tick interval,
                            Traffic traffic) {
  check(time, from, flits);
  PIMENTO_CHECK(to >= 0 && to < noc_.nodes() && packets >= 1 && interval >= flits);
  packets_ += packets;
  const std::int64_t most = std::max(kGroups, packets * flits / kGroupFlits);
  const std::int64_t groups = std::min(packets, most);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t first = g * packets / groups, behind = (g + 1) * packets / groups;
    const Tick end = time + (behind - 1) * interval + flits;
    inject(time + first * interval, from,
           {end, (behind - first) * flits, behind - first, sent_, to, -1, behind == packets, traffic});
  }
  return sent_++;
}

void Network::workUntil(Tick time) {
  // An event has its router's stages behind it: what is sent at `time` or later is in none before that.
  while (!events_.empty() && events_.top().time < time + noc_.router.value) {
    const Event e = events_.top();
    events_.pop();
    route(e);
  }
  worked_ = std::max(worked_, time);
}

void Network::finish() {
  Tick last = worked_;
  while (!events_.empty()) {
    const Event e = events_.top();
    events_.pop();
    last = std::max(last, e.time);
    route(e);
  }
  worked_ = last;
}

std::vector<Arrival> Network::takeArrivals() {
  std::vector<Arrival> arrived = std::exchange(arrivals_, {});
  std::sort(arrived.begin(), arrived.end(), [](const Arrival &a, const Arrival &b) {
    return std::tie(a.time, a.node, a.packet) < std::tie(b.time, b.node, b.packet);
  });
  return arrived;
}

std::int64_t Network::flitHops() const {
  return std::accumulate(flitHops_.begin(), flitHops_.end(), std::int64_t{0});
}

int Network::distance(Node a, Node b) const {
  return std::abs(a % noc_.columns - b % noc_.columns) + std::abs(a / noc_.columns - b / noc_.columns);
}

Port Network::towards(Node at, Node to) const {
  const int dx = to % noc_.columns - at % noc_.columns, dy = to / noc_.columns - at / noc_.columns;
  const Port alongX = dx > 0 ? Port::kEast : Port::kWest, alongY = dy > 0 ? Port::kSouth : Port::kNorth;
  if (dx == 0 && dy == 0) return Port::kTile;
  if (noc_.routing == machine::Noc::Routing::kXY) return dx != 0 ? alongX : alongY;
  return dy != 0 ? alongY : alongX;
}

void Network::inject(Tick time, Node from, Item item) {
  enter(time, from, Port::kTile, newItem(item));
}

void Network::enter(Tick time, Node at, Port port, std::uint32_t item) {
  const std::uint64_t order = ((static_cast<std::uint64_t>(at) << kPortBits | index(port)) << kTurnBits) | turn_++;
  events_.push({time + noc_.router.value, order, item});
}

void Network::route(const Event &event) {
  const auto at = static_cast<Node>(event.order >> (kTurnBits + kPortBits));
  const Item &item = items_[event.item];
  if (item.branch >= 0)
    fork(at, event.time, event.item);
  else
    leave(at, event.time, towards(at, item.to), event.item);
}

/// A copy for each output that leads to some of its tiles.
void Network::fork(Node at, Tick ready, std::uint32_t item) {
  const Item whole = items_[item];
  std::array<std::vector<Node>, kPorts> parts;
  for (const Node to : branches_[static_cast<std::size_t>(whole.branch)]) parts[index(towards(at, to))].push_back(to);
  branches_[static_cast<std::size_t>(whole.branch)].clear();
  unusedBranches_.push_back(whole.branch);
  unusedItems_.push_back(item);
  for (std::size_t p = 0; p < kPorts; ++p) {
    if (parts[p].empty()) continue;
    Item copy = whole;
    copy.to = parts[p].front();
    copy.branch = parts[p].size() == 1 ? -1 : newBranch(std::move(parts[p]));
    leave(at, ready, static_cast<Port>(p), newItem(copy));
  }
}

void Network::leave(Node at, Tick ready, Port port, std::uint32_t number) {
  Item &item = items_[number];
  Tick &free = free_[static_cast<std::size_t>(at)][index(port)];
  const Tick start = std::max(ready, free);
  free = start + item.flits;
  const Tick end = std::max(free, item.end + noc_.router.value);
  if (port == Port::kTile) {
    delivered_ += item.packets;
    if (item.isLast) arrivals_.push_back({item.number, at, end});
    unusedItems_.push_back(number);
    return;
  }
  flitHops_[static_cast<std::size_t>(item.traffic)] += item.flits;
  item.end = end + noc_.link.value;
  constexpr std::array<Port, 4> kOpposite{Port::kSouth, Port::kWest, Port::kNorth, Port::kEast};
  const std::array<int, 4> step{-noc_.columns, 1, noc_.columns, -1};
  enter(start + noc_.link.value, at + step[index(port)], kOpposite[index(port)], number);
}

std::uint32_t Network::newItem(const Item &item) {
  if (unusedItems_.empty()) {
    PIMENTO_CHECK(items_.size() < std::numeric_limits<std::uint32_t>::max());
    items_.push_back(item);
    return static_cast<std::uint32_t>(items_.size() - 1);
  }
  const std::uint32_t number = unusedItems_.back();
  unusedItems_.pop_back();
  items_[number] = item;
  return number;
}

int Network::newBranch(std::vector<Node> nodes) {
  if (unusedBranches_.empty()) {
    branches_.push_back(std::move(nodes));
    return static_cast<int>(branches_.size() - 1);
  }
  const int branch = unusedBranches_.back();
  unusedBranches_.pop_back();
  branches_[static_cast<std::size_t>(branch)] = std::move(nodes);
  return branch;
}

}  // namespace pimento::sim::noc
