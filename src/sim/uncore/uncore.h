// What the tiles of a chip share, at work: slices of an L3 cache at the tiles of a mesh, and DRAM behind it.
//
// Whoever uses it is a client: it asks for lines, sends messages and wakes itself, each with a token, and is called
// with the token when that has happened. All happens in the order of time; what happens in one cycle goes in the order
// in which it was asked for. Lines lie in slices by their address (static NUCA): `interleave` bytes in one, then the
// next.
//
// A slice takes an access per port and cycle. A line that is not there is fetched from the memory channel's controller,
// which stands at a tile; accesses to a line on its way wait for it. Dirty lines that go are written back there. One
// that is written as a whole is not fetched first. Packets: a request is a header, a line its bytes behind one.
//
// Not here: private caches and who holds a line in them; what clients are (sim/stream).
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/cache/calendar.h"
#include "pimento/sim/cache/tags.h"
#include "pimento/sim/clocks.h"
#include "pimento/sim/dram/memory.h"
#include "pimento/sim/noc/messages.h"

namespace pimento::sim::uncore {

using noc::Node;
using noc::Tick;
using noc::Traffic;
using Token = std::uint64_t;

/// An L3 in slices, one at each tile.
struct Slices {
  Bytes size{std::int64_t{2} << 20};  ///< of a slice
  int ways = 16;
  Bytes line{64};
  Bytes interleave{1024};
  Cycles latency{20};  ///< of an access, tags included
  int ports = 1;       ///< accesses that a slice takes per cycle
  cache::Replacement replacement = cache::Replacement::kBimodalRrip;
  int longEvery = 32;             ///< of a bimodal replacement: of so many lines one is predicted for the long future
  std::vector<Node> controllers;  ///< tile of each memory channel

  /// Those of a machine, its channels' controllers at the west and east ends of its rows in turn. As above where it
  /// has no section `l3`.
  static Slices of(const machine::Machine &machine);
};

class Client {
 public:
  virtual ~Client() = default;
  /// What `token` stands for is done in cycle `now`. May ask for more, from `now` on.
  virtual void on(Token token, Tick now) = 0;
};

enum class Access : std::uint8_t {
  kRead,
  kWrite,       ///< some bytes of the line: it is fetched first
  kWriteWhole,  ///< all of them
};

class Uncore {
 public:
  struct Counts {
    std::int64_t reads = 0, writes = 0;  ///< of slices, by clients
    std::int64_t misses = 0;             ///< of them, those that brought a line in from memory
    std::int64_t merged = 0;             ///< found it on its way
    std::int64_t writeBacks = 0;
  };

  /// The machine has a mesh and DRAM, and outlives this, as does the client. A controller for each channel.
  Uncore(const machine::Machine &machine, const Slices &slices, Client &client);

  /// Wakes the client.
  void at(Tick time, Token token);
  /// A message with `data` behind its header.
  void send(Tick time, Node from, Node to, Bytes data, Traffic traffic, Token token);
  /// To each of several tiles: the token comes once per tile.
  void multicast(Tick time, Node from, const std::vector<Node> &to, Bytes data, Traffic traffic, Token token);
  /// An access in the line's slice, by somebody at its tile: done when the data are there, or taken.
  void access(Tick time, std::uint64_t address, Access what, Token token);

  /// A line that is at tile `from` goes to memory, past the slices: done when its controller has it.
  void store(Tick time, Node from, std::uint64_t address, Token token);

  /// Works until nothing is left to happen: the last cycle in which something did.
  Tick run();

  Node home(std::uint64_t address) const {
    return static_cast<Node>(address / static_cast<std::uint64_t>(slices_.interleave.value) %
                             static_cast<std::uint64_t>(tags_.size()));
  }
  /// Brings a line in without time or counts.
  void warm(std::uint64_t address, bool isDirty);
  bool holds(std::uint64_t address) const;
  /// Lines of [from, to) are in the L3: they come without memory when they are first asked for.
  void declare(std::uint64_t from, std::uint64_t to) { present_.emplace_back(from, to); }
  /// Accesses take until `when(address, cycle)`, of the cycle in which a slice has them: lines that do not lie as
  /// others do.
  void delay(std::function<Tick(std::uint64_t address, Tick cycle)> when) { delay_ = std::move(when); }
  /// Takes the line out of its slice, without time: its data are elsewhere now.
  void drop(std::uint64_t address);
  /// Only so many ways of a slice hold lines from here on, without time: addresses of dirty lines that go, rising.
  std::vector<std::uint64_t> restrict(Node slice, int ways);
  cache::Tags &tags(Node slice) { return tags_[static_cast<std::size_t>(slice)]; }

  const Counts &counts() const { return counts_; }
  const noc::Network &network() const { return messages_.network(); }
  dram::Memory::Counts memory() const { return memory_.counts(); }

 private:
  enum class Kind : std::uint8_t {
    kToken,        ///< the client's
    kLook,         ///< an access reaches its slice; `what` is an index into asked_
    kAskMemory,    ///< a request reaches a controller: `what` is a line
    kFill,         ///< a line reaches its slice
    kStoreMemory,  ///< a line that is written back reaches its controller
    kStored,       ///< one that a client has sent; `what` is an index into asked_
  };
  struct What {
    Kind kind = Kind::kToken;
    std::uint64_t what = 0;
  };
  struct Asked {
    std::uint64_t line = 0;
    Token token = 0;
    Access what = Access::kRead;
  };
  std::uint64_t keepAsked(const Asked &asked);
  Asked takeAsked(std::uint64_t place);
  void askMemory(std::uint64_t line, bool isWrite, Tick now);
  void push(Tick time, Kind kind, std::uint64_t what) { messages_.at(time, 0, {kind, what}); }
  void post(Tick time, Node from, Node to, Bytes data, Traffic traffic, Kind kind, std::uint64_t what) {
    messages_.send(time, from, to, machine_.noc->flits(data), traffic, {kind, what});
  }
  void handle(const What &what, Tick now);
  void look(const Asked &asked, Tick now);
  void fill(std::uint64_t line, Tick now);
  void keep(std::uint64_t line, bool isDirty, Tick now);
  void takeAnswers();
  std::uint64_t inSlice(std::uint64_t line) const;
  std::uint64_t lineOf(Node slice, std::uint64_t number) const;
  Node homeOfLine(std::uint64_t line) const { return home(line * static_cast<std::uint64_t>(slices_.line.value)); }
  Node controllerOf(std::uint64_t line) const;

  const machine::Machine &machine_;
  Slices slices_;
  Client &client_;
  noc::Messages<What> messages_;
  dram::Memory memory_;
  Clocks clocks_;
  std::vector<cache::Tags> tags_;  ///< by slice
  std::vector<Calendar> ports_;    ///< likewise
  std::vector<Asked> asked_;
  std::vector<std::uint64_t> unused_;                             ///< places of asked_
  std::unordered_map<std::int64_t, std::uint64_t> reading_;       ///< by request of memory: the line
  std::unordered_map<std::uint64_t, std::vector<Asked>> coming_;  ///< by line on its way: who waits for it
  dram::Tick worked_ = 0;                                         ///< memory has worked so far
  std::int64_t inMemory_ = 0;                                     ///< requests that are not answered
  Tick last_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> present_;
  std::function<Tick(std::uint64_t, Tick)> delay_;
  Counts counts_;
};

}  // namespace pimento::sim::uncore
