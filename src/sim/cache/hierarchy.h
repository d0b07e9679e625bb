// Caches of a core and what lies behind them: which level serves an access, and when.
//
// Write-back, write-allocate; lines that are on their way are found (an MSHR takes more than one request), misses
// wait for a free MSHR; banks take so many accesses per cycle. What leaves the last cache is written once the line that
// takes its place is there. Contents change in the order of calls, which is the program's; times may come in any order.
// Addresses are physical. A cache's prefetcher sees what the core asks of it, and brings lines in as far as MSHRs are
// free.
//
// Not here: what is behind the last cache (behind.h), pages (pages.h), and what a core does meanwhile (sim/core).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/cache/behind.h"
#include "pimento/sim/cache/calendar.h"
#include "pimento/sim/cache/main_memory.h"
#include "pimento/sim/cache/prefetcher.h"
#include "pimento/sim/cache/tags.h"
#include "pimento/trace/execution.h"

namespace pimento::sim::cache {

/// What an access met.
struct Answer {
  Tick ready = 0;  ///< the data are there
  int level =
      0;  ///< index into Machine::caches of the one that had the line; memoryLevel(): memory; one between: a shared L3
};

/// Counts of one cache; of its misses, those that found the line on its way count as such, and as misses.
struct Counts {
  std::int64_t reads = 0, writes = 0, readMisses = 0, writeMisses = 0, merged = 0, writeBacks = 0, prefetches = 0;
  std::int64_t gathered = 0, forcedDown = 0;  ///< lines asked for by what it computes; of those taken out of this cache
};

class Hierarchy {
 public:
  /// `machine` has caches, and outlives this, as does `behind`, what serves the misses of core number `core`. Null:
  /// DRAM of its own, which the machine then has.
  explicit Hierarchy(const machine::Machine &machine, Behind *behind = nullptr, int core = 0);
  ~Hierarchy();

  int instructionCache() const { return instructionCache_; }
  int dataCache() const { return dataCache_; }
  int levels() const { return static_cast<int>(levels_.size()); }
  int memoryLevel() const { return levels() + (memory_ == nullptr ? 1 : 0); }

  /// One access within a line, at `at` or later, of the instruction at address `instruction`.
  Answer access(int cache, std::uint64_t address, bool isWrite, Tick at, std::uint64_t instruction = 0);
  /// The same of contents alone: it takes no time, and is not counted.
  void warm(int cache, std::uint64_t address, bool isWrite) { touch(cache, address, isWrite, false); }
  /// When the line of `address` is in `cache`, which computes with it, and in no cache between it and the core: those
  /// are asked on the way, and what they have is written back. The way of data alone. A hit takes no time beyond its
  /// port; the read is part of what the cache does. `isWrite`: the line will have changed.
  Tick gather(int cache, std::uint64_t address, bool isWrite, Tick at);
  /// The first cycle from `at` on from which the bank of `address` is free so long; then it is taken.
  Tick occupy(int cache, std::uint64_t address, Tick at, Tick cycles);
  bool isSameBank(int cache, std::uint64_t a, std::uint64_t b) const;
  const Counts &counts(int cache) const;
  /// Tells of lines from now on; `moves` outlives this.
  void tell(trace::LineMoves &moves) { moves_ = &moves; }
  /// Its own DRAM.
  const MainMemory &memory() const { return *memory_; }

 private:
  struct Line;
  struct Level;
  void touch(int cache, std::uint64_t address, bool isWrite, bool isWriteBack);
  Answer miss(int cache, std::uint64_t line, bool isWrite, Tick at, bool isWriteBack);
  std::optional<std::uint64_t> makeRoom(Level &level, int cache, std::uint64_t number, bool isDirty);
  void leave(int cache, std::uint64_t line, bool isDirty, bool isForced = false) {
    if (moves_ != nullptr) moves_->onLeave(cache, line, isDirty, isForced);
  }
  void fill(int cache, std::uint64_t line) {
    if (moves_ != nullptr) moves_->onFill(cache, line);
  }
  Answer bringIn(Level &level, int cache, std::uint64_t address, bool isWrite, Tick looked, bool isWriteBack);
  Answer fetch(Level &level, std::uint64_t address, Tick looked);
  void prefetch(int cache, std::uint64_t address, Tick at);

  std::vector<std::unique_ptr<Level>> levels_;
  int instructionCache_ = 0, dataCache_ = 0;
  std::unique_ptr<MainMemory> memory_;
  trace::LineMoves *moves_ = nullptr;  ///< null: nobody listens
  Behind *behind_;
  int core_;
  std::uint64_t instruction_ = 0;  ///< of the access in hand; prefetchers see it
  bool isPrefetching_ = false;
  std::vector<std::uint64_t> ahead_;  ///< lines that a prefetcher names
};

}  // namespace pimento::sim::cache
