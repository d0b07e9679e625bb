// A mesh of routers at work: packets with the times at which they leave, and when they are where they go.
//
// Wormhole switching with a queue of any length for each input and output of a router, as in Dally and Towles,
// "Principles and Practices of Interconnection Networks", chapters 13 and 16: a head flit takes a router's stages, then
// the link once that is free, one flit per cycle; a packet holds a link from its first flit to its last. A link serves
// heads in the order in which they are ready, in one cycle those of lower ports first (Port). A packet to several tiles
// forks where their ways part, so that it crosses a link once.
//
// The network has no clock. It works up to the time that it is told, since what leaves later may reach a link earlier.
//
// A train (many packets one behind the other, from and to the same tile) goes link by link in groups of its packets
// (kGroups, kGroupFlits). A group holds a link as one packet does, so others wait up to a group longer than behind
// single packets; docs/decisions/0051-network-and-memory.md has the error.
//
// Not here: finite buffers and credits, so no deadlock and no back pressure.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "pimento/machine/machine.h"

namespace pimento::sim::noc {

using Tick = std::int64_t;  ///< cycles of the network
using Node = int;           ///< row * columns + column

enum class Traffic : std::uint8_t {
  kControl,    ///< requests, acknowledgements, synchronisation
  kData,       ///< lines, and operands that streams forward
  kOffload,    ///< what manages streams and commands: configuration, migration, flow control
  kInterTile,  ///< what commands move between arrays of different banks
};
inline constexpr int kTraffics = 4;

/// Of a router, in the order in which they are served.
enum class Port : std::uint8_t { kNorth, kEast, kSouth, kWest, kTile };
inline constexpr int kPorts = 5;

struct Arrival {
  std::int64_t packet = 0;  ///< number that send() gave
  Node node = 0;
  Tick time = 0;  ///< its last flit is there
};

class Network {
 public:
  static constexpr std::int64_t kGroups = 64;      ///< of a train, where it has so many packets, ...
  static constexpr std::int64_t kGroupFlits = 16;  ///< ... and as many more as keep them at about so many flits

  explicit Network(const machine::Noc &noc);

  /// Sends a packet of `flits` (1 at least), whose first flit enters the router of `from` in cycle `time`: no earlier
  /// than the network has been told to work. Returns its number; packets are numbered from 0.
  std::int64_t send(Tick time, Node from, Node to, std::int64_t flits, Traffic traffic);
  /// To several tiles, each once: an arrival for each.
  std::int64_t multicast(Tick time, Node from, std::span<const Node> to, std::int64_t flits, Traffic traffic);
  /// `packets` of `flits` each, one every `interval` cycles (`flits` at least): one number, one arrival, of the last.
  std::int64_t train(Tick time, Node from, Node to, std::int64_t packets, std::int64_t flits, Tick interval,
                     Traffic traffic);

  /// Works on everything that happens before cycle `time`.
  void workUntil(Tick time);
  /// The first cycle in which a head has its router's stages behind it, of all that is under way; kNever: nothing is.
  Tick next() const { return events_.empty() ? kNever : events_.top().time; }
  static constexpr Tick kNever = std::numeric_limits<Tick>::max();
  /// Until nothing is under way.
  void finish();
  /// What has arrived since the last call, in the order of time, then tile, then number.
  std::vector<Arrival> takeArrivals();

  /// Flits times links that they have crossed, by class.
  std::int64_t flitHops(Traffic traffic) const { return flitHops_[static_cast<std::size_t>(traffic)]; }
  std::int64_t flitHops() const;
  std::int64_t packets() const { return packets_; }      ///< sent; each of a train counts
  std::int64_t delivered() const { return delivered_; }  ///< arrived, once per tile; each of a train counts
  int distance(Node a, Node b) const;                    ///< links between them
  const machine::Noc &machine() const { return noc_; }

 private:
  /// What goes link by link: a packet, or some of a train.
  struct Item {
    Tick end = 0;  ///< behind its last flit, where its head is
    std::int64_t flits = 0, packets = 1, number = 0;
    Node to = 0;         ///< of a packet to one tile
    int branch = -1;     ///< index of its tiles in branches_, if they are many
    bool isLast = true;  ///< of its train
    Traffic traffic = Traffic::kData;
  };
  /// A head flit reaches an input of a router; it has passed the stages in cycle `time`.
  struct Event {
    Tick time = 0;
    std::uint64_t order = 0;  ///< node, port, and turn: which of one cycle goes first
    std::uint32_t item = 0;
    bool operator>(const Event &o) const { return time != o.time ? time > o.time : order > o.order; }
  };

  Port towards(Node at, Node to) const;
  void enter(Tick time, Node at, Port port, std::uint32_t item);
  void inject(Tick time, Node from, Item item);
  void route(const Event &event);
  void fork(Node at, Tick ready, std::uint32_t item);
  void leave(Node at, Tick ready, Port port, std::uint32_t item);
  std::uint32_t newItem(const Item &item);
  int newBranch(std::vector<Node> nodes);
  void check(Tick time, Node from, std::int64_t flits) const;

  machine::Noc noc_;
  Tick worked_ = 0;
  std::vector<std::array<Tick, kPorts>> free_;  ///< by node and output: when it takes the next head
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Item> items_;
  std::vector<std::uint32_t> unusedItems_;
  std::vector<std::vector<Node>> branches_;
  std::vector<int> unusedBranches_;
  std::vector<Arrival> arrivals_;
  std::array<std::int64_t, kTraffics> flitHops_{};
  std::int64_t sent_ = 0, packets_ = 0, delivered_ = 0;
  std::uint64_t turn_ = 0;
};

}  // namespace pimento::sim::noc
