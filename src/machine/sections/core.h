// One core that runs instructions of a program: what it fetches, dispatches, issues and commits in a cycle, what it has
// room for, its branch predictor, and the units that execute. Its caches, as many as a file has, each naming the next;
// what is behind them, and the network between tiles; and what they compute, where they do.
//
// Not here: how time follows from all that (sim/core, sim/cache, sim/noc).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/units.h"

namespace pimento::machine {

/// Classes of operations that latencies tell apart.
enum class CoreOperation : std::uint8_t {
  kInteger,  ///< sums, logic, comparisons, moves, addresses
  kShift,    ///< the same with a shifted operand
  kMultiply,
  kDivide,
  kBranch,
  kLoad,   ///< the address; then the cache
  kStore,  ///< address and data
  kFloatAdd,
  kFloatMultiply,
  kFloatMultiplyAdd,
  kFloatDivide,
  kFloatSqrt,
  kVector,
  kVectorMultiply,
  kSystem,
};
inline constexpr int kCoreOperations = 15;
/// As machine files have it: "integer", "float_multiply_add".
std::string_view name(CoreOperation operation);

struct Core {
  bool isInOrder = false;                                                  ///< issues in program order
  int fetchWidth = 1, dispatchWidth = 1, issueWidth = 1, commitWidth = 1;  ///< instructions per cycle
  Cycles frontEnd;                                                         ///< from fetch to dispatch
  int robEntries = 1, issueQueue = 1, loadQueue = 1, storeQueue = 1;
  Cycles forward;  ///< from a store in the queue to a load that hits it

  enum class Predictor : std::uint8_t { kBimodal, kGshare } predictor = Predictor::kBimodal;
  int predictorEntries = 1;  ///< counters of two bits
  int historyBits = 0;
  int btbEntries = 1, btbWays = 1;
  int returnStack = 0;

  struct Unit {
    std::string name;
    int count = 1;
  };
  std::vector<Unit> units;
  struct Execution {
    int unit = 0;    ///< index into `units`
    Cycles latency;  ///< until the result can be used
    Cycles busy;     ///< until the unit takes the next operation: 1 where it is pipelined
  };
  std::array<Execution, kCoreOperations> executions;

  /// Of the speed that all other numbers give, the share that vector code of kernels reaches.
  double vectorEfficiency = 1;

  const Execution &of(CoreOperation operation) const { return executions[static_cast<std::size_t>(operation)]; }
};

/// Which line goes when another comes.
enum class Replacement : std::uint8_t { kLru, kBimodalRrip };

struct CacheLevel {
  std::string name;                                     ///< "l1d"
  bool servesInstructions = false, servesData = false;  ///< of the core itself; neither: other caches alone
  int next = -1;                                        ///< index into Machine::caches; -1: memory
  Bytes size, line;
  int ways = 1;
  Cycles latency;     ///< of a hit, tags included
  int mshrs = 1;      ///< lines that it may wait for
  int banks = 1;      ///< consecutive lines lie in consecutive ones
  int ports = 1;      ///< accesses that a bank takes per cycle
  int writeBusy = 1;  ///< cycles that a write keeps a port of its bank
  Replacement replacement = Replacement::kLru;

  enum class Prefetcher : std::uint8_t { kNone, kStride, kBingo } prefetcher = Prefetcher::kNone;
  int prefetchStreams = 0, prefetchDepth = 0;                  ///< kStride: instructions, and lines ahead of each
  int prefetchRegion = 0, prefetchSets = 0, prefetchWays = 0;  ///< kBingo: lines of a region, and of its history

  std::int64_t sets() const { return size.value / (line.value * ways); }
};

/// Translation of a core's addresses. A machine without it translates in no time.
struct Translation {
  struct Level {
    int entries = 1, ways = 1;
    Cycles latency;  ///< that a hit adds
  };
  std::vector<Level> levels;  ///< the nearest first
  Cycles walk;                ///< that a page walk adds
};

/// The way from the last cache to the machine's DRAM.
struct MainMemory {
  Cycles latency;  ///< there and back, in cycles of the core
};

/// A mesh of routers, one for each tile.
struct Noc {
  enum class Routing : std::uint8_t { kXY, kYX };  ///< the dimension that packets go along first

  int columns = 1, rows = 1;  ///< tiles from west to east, and from north to south
  Routing routing = Routing::kXY;
  Cycles router;  ///< from a head flit's arrival to its link, where nothing is in the way
  Cycles link;    ///< between two routers; a link takes a flit per cycle
  Bytes flit;     ///< what a link takes per cycle
  Bytes header;   ///< of a packet, before its data

  int nodes() const { return columns * rows; }
  /// Flits of a packet with `data` behind its header: one at least.
  std::int64_t flits(Bytes data) const {
    const std::int64_t bytes = header.value + data.value;
    return bytes <= flit.value ? 1 : (bytes + flit.value - 1) / flit.value;
  }
};

struct Cim {
  std::vector<std::string> operations;  ///< "add", "sub", "and", "or", "xor"
  int width = 32;                       ///< bits of an operation
  std::vector<int> levels;              ///< indices into Machine::caches of those that compute

  /// How near operands must lie: at one level, in one bank of it, and on the same bitlines of that bank.
  enum class Locality : std::uint8_t { kLevel, kBank, kBitline } locality = Locality::kBank;
  bool movesOperands = false;  ///< those that lie elsewhere are brought near; else nothing computes with them
  enum class Accepts : std::uint8_t { kAll, kTime, kEnergy, kBoth } accepts = Accepts::kAll;  ///< what must not rise
  Cycles addExtra;  ///< what a sum or difference takes longer than a read; logic takes as long as one
};

}  // namespace pimento::machine
