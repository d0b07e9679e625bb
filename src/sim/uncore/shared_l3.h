// The shared L3 for cores that are simulated in one pass, and must know at once when a line is there.
//
// The same slices, mesh and memory as uncore.h has, but nothing is under way: each link, port and channel keeps which
// of its cycles are taken (calendar.h, cache/main_memory.h), and a request takes the first ones that are free on its
// way. Requests come in the order of simulation, which is nearly that of time; one that comes later and is earlier
// cannot push back what was answered. Contents of slices change in the order of calls.
//
// Lines of ranges that are declared to be there are brought in without memory when they are first asked for: what
// earlier kernels, or earlier parts of this one, have left.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "pimento/base/zeroed_array.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/cache/behind.h"
#include "pimento/sim/cache/calendar.h"
#include "pimento/sim/cache/main_memory.h"
#include "pimento/sim/cache/tags.h"
#include "pimento/sim/noc/network.h"
#include "pimento/sim/uncore/uncore.h"

namespace pimento::sim::uncore {

class SharedL3 final : public cache::Behind {
 public:
  struct Counts {
    std::int64_t reads = 0, misses = 0, writeBacks = 0;  ///< by cores; to memory; by cores
  };

  /// The machine has a mesh and DRAM, and outlives this.
  SharedL3(const machine::Machine &machine, const Slices &slices);

  /// Lines of [from, to) are in the L3 already.
  void declare(std::uint64_t from, std::uint64_t to) { present_.emplace_back(from, to); }

  /// As Uncore's.
  void delay(std::function<Tick(std::uint64_t address, Tick cycle)> when) { delay_ = std::move(when); }

  /// A line was used before all that is counted.
  void warm(std::uint64_t address);

  Answer fetch(int core, std::uint64_t address, std::int64_t bytes, cache::Tick at) override;
  void writeBack(int core, std::uint64_t address, std::int64_t bytes, cache::Tick at) override;

  const Counts &counts() const { return counts_; }
  std::int64_t flitHops(Traffic traffic) const { return flitHops_[static_cast<std::size_t>(traffic)]; }
  cache::MainMemory::Counts memory() const { return memory_.counts(); }

 private:
  Tick cross(Node from, Node to, Bytes data, Traffic traffic, Tick at);
  Node home(std::uint64_t line) const;
  std::uint64_t inSlice(std::uint64_t line) const;
  bool isPresent(std::uint64_t address) const;
  void keep(std::uint64_t line, bool isDirty, Tick at);
  Node controllerOf(std::uint64_t line) const;

  const machine::Machine &machine_;
  Slices slices_;
  std::vector<cache::Tags> tags_;         ///< by slice
  std::vector<ZeroedArray<Tick>> ready_;  ///< by slice and place: the line is there
  std::vector<Calendar> ports_;           ///< by slice
  std::vector<BitCalendar> links_;        ///< by tile and direction
  cache::MainMemory memory_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> present_;
  std::function<Tick(std::uint64_t, Tick)> delay_;
  std::array<std::int64_t, noc::kTraffics> flitHops_{};
  Counts counts_;
};

}  // namespace pimento::sim::uncore
