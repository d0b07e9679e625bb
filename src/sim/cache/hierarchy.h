// Caches of a core and what lies behind them: which level serves an access, and when.
//
// Write-back, write-allocate, LRU; lines that are on their way are found (an MSHR takes more than one request), misses
// wait for a free MSHR; banks take so many accesses per cycle. What leaves the last cache is written once the line that
// takes its place is there. Contents change in the order of calls, which is the program's; times may come in any order.
// Addresses are physical.
//
// Not here: what is behind the last cache (main_memory.h), pages (pages.h), and what a core does meanwhile (sim/core).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/cache/calendar.h"
#include "pimento/sim/cache/main_memory.h"
#include "pimento/sim/cache/tags.h"

namespace pimento::sim::cache {

/// What an access met.
struct Answer {
  Tick ready = 0;  ///< the data are there
  int level = 0;   ///< index into Machine::caches of the one that had the line; their number: memory
};

/// Counts of one cache; of its misses, those that found the line on its way count as such, and as misses.
struct Counts {
  std::int64_t reads = 0, writes = 0, readMisses = 0, writeMisses = 0, merged = 0, writeBacks = 0;
};

class Hierarchy {
 public:
  /// `machine` has caches, DRAM and a section `memory`, and outlives this.
  explicit Hierarchy(const machine::Machine &machine);
  ~Hierarchy();

  int instructionCache() const { return instructionCache_; }
  int dataCache() const { return dataCache_; }
  int levels() const { return static_cast<int>(levels_.size()); }

  /// One access within a line, at `at` or later.
  Answer access(int cache, std::uint64_t address, bool isWrite, Tick at);
  /// The same of contents alone: it takes no time, and is not counted.
  void warm(int cache, std::uint64_t address, bool isWrite) { touch(cache, address, isWrite, false); }
  const Counts &counts(int cache) const;
  const MainMemory &memory() const { return memory_; }

 private:
  struct Line;
  struct Level;
  void touch(int cache, std::uint64_t address, bool isWrite, bool isWriteBack);
  Answer miss(int cache, std::uint64_t line, bool isWrite, Tick at, bool isWriteBack);
  Answer fetch(Level &level, std::uint64_t address, Tick looked);

  std::vector<std::unique_ptr<Level>> levels_;
  int instructionCache_ = 0, dataCache_ = 0;
  MainMemory memory_;
};

}  // namespace pimento::sim::cache
