// Streams near the L3: loops whose loads, stores and sums are done by engines beside the slices (near-stream computing,
// as Infinity Stream, section 5.1, takes it up).
//
// A strand is what one core offloads: a loop nest with load streams and one consumer, a store, update or reduce stream,
// or the core itself. The core configures each stream at the slice of its first line. A stream walks its pattern by
// lines: when the next one lies in another slice, it goes there with a message. Loads run ahead of the consumer as far
// as buffers reach, and forward each line to the slice where the consumer needs it; there a group of elements is
// computed once all operands are there (a line that groups at two slices need goes to the first). A slice computes
// `inFlight` groups at a time. Every `flowLines` lines a stream tells its core, which lets it go on; it may be
// `flowLines` lines beyond what it was let. Partial results of reduce streams are added up along a binary tree of the
// strands' tiles. Load streams that several strands share are walked by the first of each `broadcast` of them, for all.
//
// Indirect accesses ask the slice of each element: to read it, or to update it there.
//
// Times and traffic; no values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pimento/sim/stream/pattern.h"
#include "pimento/sim/uncore/uncore.h"

namespace pimento::sim::stream {

using uncore::Node;
using uncore::Tick;

/// What engines can do. Sizes are those of messages' data.
struct Engines {
  Cycles computeStart{4};         ///< before the operation itself
  int inFlight = 4;               ///< groups that a slice computes at a time
  std::int64_t outstanding = 32;  ///< lines that a load stream is ahead of its consumer
  std::int64_t flowLines = 16;    ///< between two messages to the core
  std::int64_t broadcast = 8;     ///< strands that share a stream
  Bytes configuration{64}, element{8};

  /// Those of a machine with sections `streams` and `l3`.
  static Engines of(const machine::Machine &machine);
};

enum class Use : std::uint8_t {
  kLoad,
  kStore,
  kUpdate,  ///< reads, computes, writes
  kReduce,  ///< has no pattern: computed where the first load's lines are
  kCore,    ///< likewise: all goes to the core
};

struct Stream {
  Use use = Use::kLoad;
  Pattern pattern;
  bool isShared = false;  ///< a load of which all strands have the same pattern
  /// Of an indirect load or update: the address of lane `lane` of group `group`. Null: affine.
  std::function<std::uint64_t(std::int64_t group, std::int64_t lane)> indirect = {};
};

struct Strand {
  Node core = 0;
  Nest nest;
  std::vector<Stream> loads;
  Stream consumer;
  Cycles latency;  ///< of the operations on a group
};

/// Messages by what they are for.
struct Messages {
  std::int64_t configure = 0, migrate = 0, flow = 0, forward = 0, indirect = 0, partial = 0, end = 0;
};

struct StreamTimes {
  Tick cycles = 0;  ///< until the core knows that all has been done
  Messages messages;
  std::int64_t computations = 0;  ///< groups
  std::int64_t lines = 0;         ///< accesses of slices by streams
};

class StreamEngines final : public uncore::Client {
 public:
  StreamEngines(const machine::Machine &machine, const uncore::Slices &slices, const Engines &engines);

  /// The shared part of the chip, whose contents stay from run to run.
  uncore::Uncore &chip() { return chip_; }
  /// Runs the strands from cycle `start` on, no earlier than what ran before has ended.
  StreamTimes run(std::vector<Strand> strands, Tick start = 0);

  void on(uncore::Token token, Tick now) override;

 private:
  enum class What : std::uint8_t {
    kHere,      ///< a stream reaches the slice that it goes to
    kLine,      ///< a line of a load is there
    kOperand,   ///< it is where the consumer needs it
    kComputed,  ///< a group
    kWritten,   ///< a line, or an element
    kTold,      ///< the core hears how far a stream is
    kCredit,    ///< the stream hears that it may go on
    kRequest,   ///< for an element reaches its slice
    kElement,   ///< has been read there
    kReply,     ///< is where the consumer needs it
    kUpdate,    ///< of an element may begin
    kPartial,   ///< a partial result reaches the next strand of the tree
    kAdded,     ///< and has been added there
    kEnd,       ///< the core hears that a strand is done
    kWake,
  };
  /// What one stream of a strand is doing.
  struct Agent {
    std::optional<Walk>
        walk;  ///< lines to ask for; indirect: the first line of indices that the next group does not need
    std::optional<Walk> need;  ///< affine: the first line that the consumer's next group does not need
    Node at = 0;
    bool isThere = false;                 ///< at `at`, not on its way
    Tick next = 0, wake = -1;             ///< it may ask again; it will be woken
    std::int64_t asked = 0, allowed = 0;  ///< lines (indirect: groups); how far its core lets it go
    std::int64_t delivered = 0;           ///< likewise, in order: they are where they are needed
    std::vector<Visit> visits;            ///< in a ring
    std::vector<std::int64_t> missing;    ///< by line or group, in a ring: parts that are not there
  };
  struct Run {
    Strand strand;
    std::vector<Agent> loads;
    Agent consumer;
    std::int64_t groups = 0, group = 0;    ///< in all; the next to compute
    std::int64_t computed = 0;             ///< groups that are done
    std::int64_t writes = 0, written = 0;  ///< asked for; done
    std::optional<Walk> line, after;       ///< the line that is written next, and the one behind it
    std::int64_t children = 0;             ///< partial results that are missing
    bool isOver = false;
    std::size_t first = 0, last = 0;  ///< strands for which it walks shared loads: [first, last), if it is the first
  };

  uncore::Token token(What what, std::size_t strand, std::size_t stream, std::int64_t number) const;
  Agent &agentOf(Run &r, std::size_t stream) { return stream < r.loads.size() ? r.loads[stream] : r.consumer; }
  bool walksFor(const Run &r, std::size_t stream, std::size_t s) const;
  void begin(std::size_t s, Tick now);
  void migrate(std::size_t s, std::size_t stream, Node to, Tick now);
  void goOn(std::size_t s, Tick now);
  void ask(std::size_t s, std::size_t stream, Tick now);
  void askElements(std::size_t s, std::size_t stream, Tick now);
  void forward(std::size_t s, std::size_t stream, std::int64_t number, Tick now);
  void deliver(std::size_t s, std::size_t stream, std::int64_t number, Tick now);
  void compute(std::size_t s, Tick now);
  void write(std::size_t s, Tick now);
  void checkEnd(std::size_t s, Tick now);
  Tick unit(Node slice, Cycles latency, Tick now);
  Node homeOf(const Pattern &pattern, const Nest &nest, std::int64_t group) const;
  Node consumerAt(const Run &r, std::int64_t group) const;
  bool hasRoom(std::size_t s, std::size_t stream) const;
  static bool isReady(const Agent &lines, Walk &need, std::int64_t group);
  std::int64_t lastGroupOf(const Run &r) const;

  uncore::Uncore chip_;
  Engines engines_;
  std::int64_t lineBytes_;
  std::size_t ring_;
  std::vector<Run> runs_;
  std::vector<std::vector<Tick>> units_;  ///< by slice: each free from then on
  StreamTimes times_;
};

}  // namespace pimento::sim::stream
