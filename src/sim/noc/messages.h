// What happens at the tiles of a mesh, in the order of time: things that somebody has planned, and messages that
// arrive.
//
// Each carries a payload, whose meaning is its owner's. What stays in a tile needs no packet, and is there at once.
// What happens in one cycle goes in the order in which it became known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/noc/network.h"

namespace pimento::sim::noc {

template <typename Payload>
class Messages {
 public:
  struct Event {
    Tick time = 0;
    Node node = 0;
    Payload payload{};
  };
  static constexpr Tick kNever = Network::kNever;

  explicit Messages(const machine::Noc &noc) : network_(noc), stages_(noc.router.value) {}

  /// At a tile, without a message.
  void at(Tick time, Node node, const Payload &payload) { events_.push({{time, node, payload}, turn_++}); }
  void send(Tick time, Node from, Node to, std::int64_t flits, Traffic traffic, const Payload &payload) {
    if (from == to) return at(time, to, payload);
    under_.emplace(network_.send(time, from, to, flits, traffic), Cargo{payload, 1});
  }
  /// At each of the tiles, once.
  void multicast(Tick time, Node from, const std::vector<Node> &to, std::int64_t flits, Traffic traffic,
                 const Payload &payload) {
    std::vector<Node> others;
    for (const Node n : to) {
      if (n == from)
        at(time, n, payload);
      else
        others.push_back(n);
    }
    if (others.empty()) return;
    under_.emplace(network_.multicast(time, from, others, flits, traffic),
                   Cargo{payload, static_cast<int>(others.size())});
  }
  /// When the last of so many packets is there.
  void train(Tick time, Node from, Node to, std::int64_t packets, std::int64_t flits, Tick interval, Traffic traffic,
             const Payload &payload) {
    under_.emplace(network_.train(time, from, to, packets, flits, interval, traffic), Cargo{payload, 1});
  }

  /// Nothing happens before, and the mesh has nothing to work on; kNever: nothing is left.
  Tick next() const { return std::min(nextPlanned(), nextOfMesh()); }
  /// Goes on to cycle next(): what happens there, or nothing, if the mesh has gone on.
  std::optional<Event> step() {
    const Tick mesh = nextOfMesh();
    if (mesh <= nextPlanned()) {
      network_.workUntil(mesh);
      for (const Arrival &a : network_.takeArrivals()) {
        const auto cargo = under_.find(a.packet);
        at(a.time, a.node, cargo->second.payload);
        if (--cargo->second.left == 0) under_.erase(cargo);
      }
      return std::nullopt;
    }
    const Event e = events_.top().event;
    events_.pop();
    return e;
  }

  const Network &network() const { return network_; }

 private:
  struct Planned {
    Event event;
    std::uint64_t turn = 0;
    bool operator>(const Planned &o) const {
      return event.time != o.event.time ? event.time > o.event.time : turn > o.turn;
    }
  };
  struct Cargo {
    Payload payload;
    int left = 1;  ///< tiles that it has not reached
  };
  Tick nextPlanned() const { return events_.empty() ? kNever : events_.top().event.time; }
  /// A head that has its router's stages behind it in some cycle entered the router so many before: so far ahead of
  /// others' messages the mesh can work.
  Tick nextOfMesh() const {
    return network_.next() == kNever ? kNever : std::max<Tick>(network_.next() - stages_ + 1, 0);
  }

  Network network_;
  Tick stages_;
  std::priority_queue<Planned, std::vector<Planned>, std::greater<>> events_;
  std::unordered_map<std::int64_t, Cargo> under_;  ///< by packet
  std::uint64_t turn_ = 0;
};

}  // namespace pimento::sim::noc
