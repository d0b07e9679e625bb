// The mesh: closed forms, ties, forks, and the plain model that moves flit by flit.
#include "pimento/sim/noc/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "pimento/base/rng.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"
#include "test/support/plain_network.h"

namespace pimento::test {
namespace {

using sim::noc::Arrival;
using sim::noc::Network;
using sim::noc::Node;
using sim::noc::Tick;
using sim::noc::Traffic;

machine::Noc meshOf(int columns, int rows, std::int64_t router = 5, std::int64_t link = 1) {
  machine::Noc n;
  n.columns = columns;
  n.rows = rows;
  n.router = Cycles(router);
  n.link = Cycles(link);
  n.flit = Bytes(32);
  n.header = Bytes(8);
  return n;
}

/// By packet and tile.
std::map<std::pair<std::int64_t, Node>, Tick> arrivalsOf(Network &network) {
  network.finish();
  std::map<std::pair<std::int64_t, Node>, Tick> times;
  for (const Arrival &a : network.takeArrivals()) times[{a.packet, a.node}] = a.time;
  return times;
}

TEST(Network, ComesFromTheMachineFile) {
  const machine::Machine m = load("l3-uncore");
  ASSERT_TRUE(m.noc);
  EXPECT_EQ(m.noc->nodes(), 64);
  EXPECT_EQ(m.noc->router, Cycles(5));
  EXPECT_EQ(m.noc->flits(Bytes(0)), 1);
  EXPECT_EQ(m.noc->flits(Bytes(24)), 1);
  EXPECT_EQ(m.noc->flits(Bytes(64)), 3) << "a line and its header";
  EXPECT_FALSE(load("l3-arrays").noc);
}

TEST(Network, APacketAloneTakesRoutersLinksAndItsFlits) {
  for (const auto routing : {machine::Noc::Routing::kXY, machine::Noc::Routing::kYX})
    for (const Node to : {0, 1, 8, 27, 63}) {
      machine::Noc mesh = meshOf(8, 8, 5, 2);
      mesh.routing = routing;
      Network network(mesh);
      const std::int64_t p = network.send(100, 0, to, 3, Traffic::kData);
      const int hops = network.distance(0, to);
      EXPECT_EQ(arrivalsOf(network).at({p, to}), 100 + (hops + 1) * 5 + hops * 2 + 3) << to;
      EXPECT_EQ(network.flitHops(Traffic::kData), 3 * hops);
      EXPECT_EQ(network.flitHops(), 3 * hops);
    }
}

TEST(Network, TwoFlowsShareALink) {
  constexpr int kPackets = 50;
  Network network(meshOf(3, 1));
  // From 0 and 1 to 2: both need the link from 1 to 2, 100 packets of 4 flits, all of it from the first head on.
  for (int i = 0; i < kPackets; ++i) {
    network.send(4 * i, 0, 2, 4, Traffic::kData);
    network.send(4 * i, 1, 2, 4, Traffic::kControl);
  }
  Tick last = 0;
  for (const auto &[who, time] : arrivalsOf(network)) last = std::max(last, time);
  // The first head stands at the link in cycle 5; then 2 * 50 * 4 flits, a link, a router.
  EXPECT_EQ(last, 5 + 2 * kPackets * 4 + 1 + 5);
  EXPECT_EQ(network.flitHops(Traffic::kData), 2 * kPackets * 4);
  EXPECT_EQ(network.flitHops(Traffic::kControl), kPackets * 4);
}

TEST(Network, TiesGoInTheOrderOfPorts) {
  // To the tile in the middle of a 3 x 3 mesh, from all sides, sent last port first; their heads stand there at once.
  const Node middle = 4, north = 1, east = 5, south = 7, west = 3;
  Network network(meshOf(3, 3));
  const std::int64_t own = network.send(6, middle, middle, 2, Traffic::kData);
  const std::int64_t w = network.send(0, west, middle, 2, Traffic::kData);
  const std::int64_t s = network.send(0, south, middle, 2, Traffic::kData);
  const std::int64_t e = network.send(0, east, middle, 2, Traffic::kData);
  const std::int64_t n = network.send(0, north, middle, 2, Traffic::kData);
  const auto times = arrivalsOf(network);
  Tick expected = 5 + 1 + 5;
  for (const std::int64_t p : {n, e, s, w, own}) EXPECT_EQ(times.at({p, middle}), expected += 2);
}

TEST(Network, ALinkIsServedInTheOrderOfTimeNotOfCalls) {
  Network network(meshOf(4, 1));
  const std::int64_t far = network.send(0, 0, 3, 8, Traffic::kData);    // at the last link from cycle 17 on
  const std::int64_t near = network.send(10, 2, 3, 8, Traffic::kData);  // from cycle 15 on
  const auto times = arrivalsOf(network);
  EXPECT_EQ(times.at({near, 3}), 10 + 2 * 5 + 1 + 8);
  EXPECT_EQ(times.at({far, 3}), times.at({near, 3}) + 8);
}

TEST(Network, AMulticastCrossesALinkOnce) {
  Network network(meshOf(8, 8));
  std::vector<Node> all(64);
  for (Node n = 0; n < 64; ++n) all[static_cast<std::size_t>(n)] = n;
  const std::int64_t p = network.multicast(0, 0, all, 3, Traffic::kInterTile);
  const auto times = arrivalsOf(network);
  ASSERT_EQ(times.size(), 64u);
  for (const Node n : all) {
    const int hops = network.distance(0, n);
    EXPECT_EQ(times.at({p, n}), (hops + 1) * 5 + hops + 3);
  }
  EXPECT_EQ(network.flitHops(Traffic::kInterTile), 3 * 63) << "a tree of 64 tiles has 63 links";
  EXPECT_EQ(network.delivered(), 64);
  EXPECT_EQ(network.packets(), 1);
}

TEST(Network, TakesTheTimesOfAPlainModel) {
  const std::int64_t cases = caseCount(1000);
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const auto below = [&](std::uint64_t n) { return static_cast<int>(rng.below(n)); };
    machine::Noc mesh = meshOf(1 + below(4), 1 + below(4), 1 + below(5), 1 + below(3));
    if (below(2) == 0) mesh.routing = machine::Noc::Routing::kYX;
    const auto nodes = static_cast<std::uint64_t>(mesh.nodes());
    std::vector<PlainPacket> packets(static_cast<std::size_t>(1 + below(40)));
    for (PlainPacket &p : packets) {
      p = {below(60), below(nodes), {}, 1 + below(6)};
      const bool isMulticast = below(4) == 0;
      for (Node n = 0; n < mesh.nodes(); ++n)
        if (isMulticast && below(3) == 0) p.to.push_back(n);
      if (p.to.empty()) p.to.push_back(below(nodes));
    }
    std::stable_sort(packets.begin(), packets.end(), [](const auto &a, const auto &b) { return a.time < b.time; });
    Network network(mesh);
    for (const PlainPacket &p : packets) {
      // Worked on as far as it goes, or all at once at the end.
      if (seed % 2 == 0) network.workUntil(p.time);
      if (p.to.size() == 1 && below(2) == 0)
        network.send(p.time, p.from, p.to[0], p.flits, Traffic::kData);
      else
        network.multicast(p.time, p.from, p.to, p.flits, Traffic::kData);
    }
    const auto times = arrivalsOf(network);
    PlainNetwork plain(mesh, packets);
    const PlainNetwork::Arrivals expected = plain.run();
    ASSERT_EQ(times.size(), expected.size()) << "seed " << seed;
    for (const auto &[who, time] : expected)
      ASSERT_EQ(times.at({who.first, who.second}), time) << "seed " << seed << " packet " << who.first;
    ASSERT_EQ(network.flitHops(), plain.flitHops()) << "seed " << seed;
  }
}

TEST(Network, TrainsTakeTheTimesOfTheirPacketsWithinFivePercent) {
  const std::int64_t cases = caseCount(40);
  double worst = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const auto below = [&](std::uint64_t n) { return static_cast<int>(rng.below(n)); };
    const machine::Noc mesh = meshOf(2 + below(3), 2 + below(3));
    struct Train {
      Tick time = 0;
      Node from = 0, to = 0;
      std::int64_t packets = 0;
      int flits = 1;
      Tick interval = 1;
      std::int64_t number = 0, last = 0;
    };
    std::vector<Train> trains(static_cast<std::size_t>(1 + below(6)));
    const auto nodes = static_cast<std::uint64_t>(mesh.nodes());
    Network inGroups(mesh), onePacketEach(mesh);
    std::vector<std::pair<Tick, std::size_t>> packets;
    for (std::size_t i = 0; i < trains.size(); ++i) {
      Train &t = trains[i];
      t = {below(50), below(nodes), below(nodes), 200 + below(3000), 1 + below(4), 0, 0, 0};
      t.interval = t.flits * (1 + below(3));
      t.number = inGroups.train(t.time, t.from, t.to, t.packets, t.flits, t.interval, Traffic::kData);
      for (std::int64_t p = 0; p < t.packets; ++p) packets.emplace_back(t.time + p * t.interval, i);
    }
    std::stable_sort(packets.begin(), packets.end());
    for (const auto &[time, i] : packets)
      trains[i].last = onePacketEach.send(time, trains[i].from, trains[i].to, trains[i].flits, Traffic::kData);
    auto times = arrivalsOf(inGroups), exact = arrivalsOf(onePacketEach);
    EXPECT_EQ(inGroups.flitHops(), onePacketEach.flitHops());
    EXPECT_EQ(inGroups.packets(), onePacketEach.packets());
    EXPECT_EQ(inGroups.delivered(), onePacketEach.delivered());
    for (const Train &t : trains) {
      const double took = static_cast<double>(times.at({t.number, t.to}) - t.time);
      const double should = static_cast<double>(exact.at({t.last, t.to}) - t.time);
      worst = std::max(worst, std::abs(took / should - 1));
    }
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(worst, 0.05);
}

TEST(Network, AShortTrainIsItsPackets) {
  Network network(meshOf(4, 4));
  const std::int64_t p = network.train(0, 0, 15, 60, 3, 7, Traffic::kOffload);
  EXPECT_EQ(arrivalsOf(network).at({p, 15}), 59 * 7 + 7 * 5 + 6 + 3);
  EXPECT_EQ(network.flitHops(Traffic::kOffload), 60 * 3 * 6);
}

TEST(Network, AMillionPacketsInAreAMillionOut) {
  constexpr std::int64_t kPackets = 1'000'000;
  Network network(meshOf(8, 8));
  Rng rng(7);
  std::int64_t arrived = 0, hops = 0;
  std::vector<bool> seen(kPackets);
  for (std::int64_t i = 0; i < kPackets; ++i) {
    const Node from = static_cast<Node>(rng.below(64)), to = static_cast<Node>(rng.below(64));
    hops += 3 * network.distance(from, to);
    network.send(i / 4, from, to, 3, Traffic::kData);
    if (i % 1000 != 999 && i + 1 != kPackets) continue;
    if (i + 1 == kPackets)
      network.finish();
    else
      network.workUntil(i / 4);
    for (const Arrival &a : network.takeArrivals()) {
      ASSERT_FALSE(seen[static_cast<std::size_t>(a.packet)]);
      seen[static_cast<std::size_t>(a.packet)] = true;
      ++arrived;
    }
  }
  EXPECT_EQ(arrived, kPackets);
  EXPECT_EQ(network.delivered(), kPackets);
  EXPECT_EQ(network.flitHops(), hops);
}

}  // namespace
}  // namespace pimento::test
