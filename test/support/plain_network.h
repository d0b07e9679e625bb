// The plain model of a mesh: every cycle is one turn of one loop, every flit moves by itself.
//
// Written from the description in sim/noc/network.h (stages, links, order of service, forks), not from the engine, and
// without caring for speed. Queues have any length, one for each packet that waits at an output.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"

namespace pimento::test {

struct PlainPacket {
  std::int64_t time = 0;
  int from = 0;
  std::vector<int> to;
  int flits = 1;
};

class PlainNetwork {
 public:
  /// By packet and tile: when its last flit is there.
  using Arrivals = std::map<std::pair<int, int>, std::int64_t>;

  PlainNetwork(const machine::Noc &noc, std::vector<PlainPacket> packets) : noc_(noc), packets_(std::move(packets)) {}

  Arrivals run() {
    std::size_t expected = 0;
    for (const PlainPacket &p : packets_) expected += p.to.size();
    for (std::int64_t t = 0; arrivals_.size() < expected; ++t) {
      for (int p = 0; p < static_cast<int>(packets_.size()); ++p) {
        const PlainPacket &packet = packets_[static_cast<std::size_t>(p)];
        if (t >= packet.time && t < packet.time + packet.flits)
          arrive(t, packet.from, kTile, p, std::set<int>(packet.to.begin(), packet.to.end()));
      }
      for (const Flit &f : underWay_[t]) arrive(t, f.node, f.port, f.packet, f.to);
      underWay_.erase(t);
      for (int node = 0; node < noc_.nodes(); ++node)
        for (int out = 0; out <= kTile; ++out) serve(t, node, out);
    }
    return arrivals_;
  }
  std::int64_t flitHops() const { return flitHops_; }

 private:
  static constexpr int kNorth = 0, kEast = 1, kSouth = 2, kWest = 3, kTile = 4;
  struct Flit {
    int node = 0, port = 0, packet = 0;
    std::set<int> to;
  };
  /// A packet at an output: its flits that are there, each with the cycle in which it has passed the stages.
  struct Waiting {
    int port = 0, packet = 0;
    std::set<int> to;
    std::int64_t head = 0;
    std::deque<std::int64_t> ready;
    int sent = 0;
  };
  struct Output {
    std::vector<Waiting> packets;
    int owner = -1;  ///< packet that holds the link
  };

  int outputFor(int at, int to) const {
    const int x = at % noc_.columns, y = at / noc_.columns, toX = to % noc_.columns, toY = to / noc_.columns;
    const int alongX = toX > x ? kEast : toX < x ? kWest : kTile;
    const int alongY = toY > y ? kSouth : toY < y ? kNorth : kTile;
    if (noc_.routing == machine::Noc::Routing::kXY) return alongX != kTile ? alongX : alongY;
    return alongY != kTile ? alongY : alongX;
  }

  void arrive(std::int64_t t, int node, int port, int packet, const std::set<int> &to) {
    std::map<int, std::set<int>> parts;
    for (const int n : to) parts[outputFor(node, n)].insert(n);
    for (const auto &[out, tiles] : parts) {
      std::vector<Waiting> &packets = outputs_[{node, out}].packets;
      auto w = std::find_if(packets.begin(), packets.end(), [&](const Waiting &x) { return x.packet == packet; });
      const std::int64_t ready = t + noc_.router.value;
      if (w == packets.end()) w = packets.insert(w, {port, packet, tiles, ready, {}, 0});
      w->ready.push_back(ready);
    }
  }

  void serve(std::int64_t t, int node, int out) {
    const auto found = outputs_.find({node, out});
    if (found == outputs_.end()) return;
    Output &o = found->second;
    if (o.owner < 0) {
      const auto first = std::min_element(o.packets.begin(), o.packets.end(), [](const Waiting &a, const Waiting &b) {
        return std::tie(a.head, a.port, a.packet) < std::tie(b.head, b.port, b.packet);
      });
      if (first == o.packets.end() || first->head > t) return;
      o.owner = first->packet;
    }
    const auto w =
        std::find_if(o.packets.begin(), o.packets.end(), [&](const Waiting &x) { return x.packet == o.owner; });
    if (w->ready.empty() || w->ready.front() > t) return;
    w->ready.pop_front();
    const bool isTail = ++w->sent == packets_[static_cast<std::size_t>(w->packet)].flits;
    if (out == kTile) {
      if (isTail) arrivals_[{w->packet, node}] = t + 1;
    } else {
      ++flitHops_;
      const int step[] = {-noc_.columns, 1, noc_.columns, -1}, opposite[] = {kSouth, kWest, kNorth, kEast};
      underWay_[t + noc_.link.value].push_back({node + step[out], opposite[out], w->packet, w->to});
    }
    if (!isTail) return;
    o.packets.erase(w);
    o.owner = -1;
  }

  machine::Noc noc_;
  std::vector<PlainPacket> packets_;
  std::map<std::pair<int, int>, Output> outputs_;
  std::map<std::int64_t, std::vector<Flit>> underWay_;
  Arrivals arrivals_;
  std::int64_t flitHops_ = 0;
};

}  // namespace pimento::test
