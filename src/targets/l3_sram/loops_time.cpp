#include "pimento/targets/l3_sram/loops_time.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "pimento/base/integer.h"
#include "pimento/sim/core/many_cores.h"
#include "pimento/sim/sram/transpose_units.h"
#include "pimento/sim/stream/engine.h"
#include "pimento/targets/chip/strands.h"
#include "pimento/targets/chip/vector_code.h"
#include "pimento/targets/l3_sram/transposition.h"

namespace pimento::targets::l3_sram {

using chip::ChipNest;
using chip::Window;

namespace {

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Of a window of cores' loops.
constexpr std::int64_t kColdLines = 8192;

/// Lines that lie transposed pass the unit of a way.
std::function<std::int64_t(std::uint64_t, std::int64_t)> throughUnits(const machine::Machine &machine,
                                                                      const LoopsState &state) {
  if (state.transposed.empty()) return {};
  auto units = std::make_shared<sim::sram::TransposeUnits>(*machine.sram);
  const sim::uncore::Slices slices = sim::uncore::Slices::of(machine);
  const auto banks = static_cast<std::uint64_t>(machine.sram->banks());
  return [units, all = state.transposed, slices, banks, ways = machine.sram->ways](std::uint64_t address,
                                                                                   std::int64_t cycle) {
    const auto at = std::ranges::find_if(all, [&](const auto &r) { return r.first <= address && address < r.end; });
    if (at == all.end()) return cycle;
    const std::uint64_t line = address / static_cast<std::uint64_t>(slices.line.value);
    const auto bank = static_cast<int>(address / static_cast<std::uint64_t>(slices.interleave.value) % banks);
    return units->pass(bank, static_cast<int>(line % static_cast<std::uint64_t>(ways)), at->bits, cycle);
  };
}

class Loops {
 public:
  Loops(const ChipNest &nest, const chip::Addresses &addresses, const machine::Machine &machine, Place place,
        std::int64_t threads, const LoopsState &state, chip::Sums sums)
      : nest_(nest),
        addresses_(addresses),
        machine_(machine),
        place_(place),
        threads_(threads),
        state_(state),
        sums_(sums) {
    if (place == Place::kCore)
      extents_ = chip::vectorCode(nest, addresses, machine, 0, threads, {}, sums).extents;
    else if (const auto strands = strandsOf({}); !strands.empty())
      extents_ = strands.front().front().nest.extents;
    // Groups of lanes are the iterations of streams.
    if (place != Place::kCore && !extents_.empty()) extents_.back() = ceilDiv(extents_.back(), nest.lanes);
  }

  const std::vector<std::int64_t> &extents() const { return extents_; }

  ChipRun run(const Window &window, bool isWarm) const {
    Ranges present = state_.present;
    if (isWarm)
      for (std::size_t t = 0; t < addresses_.first.size(); ++t)
        present.emplace_back(addresses_.first[t], addresses_.end[t]);
    return place_ == Place::kCore ? onCores(window, present) : nearL3(window, present);
  }

 private:
  std::vector<std::vector<sim::stream::Strand>> strandsOf(const Window &window) const {
    return chip::strandsOf(nest_, addresses_, machine_, threads_, window);
  }

  ChipRun onCores(const Window &window, const Ranges &present) const {
    std::vector<sim::core::LoopCode> codes;
    for (std::int64_t t = 0; t < nest_.threadsOf(threads_); ++t)
      codes.push_back(chip::vectorCode(nest_, addresses_, machine_, t, threads_, window, sums_));
    const sim::core::ManyCoresTime time = sim::core::ManyCores(machine_).run(
        codes, slicesOf(machine_, state_.isReserved), present, throughUnits(machine_, state_));
    ChipRun out;
    const double efficiency = nest_.lanes > 1 ? machine_.core->vectorEfficiency : 1;
    out[Spent::kCore] = std::llround(static_cast<double>(time.cycles) / efficiency);
    out[Count::kInstructions] = time.instructions;
    out[Count::kBranches] = time.branches;
    out[Count::kLoads] = time.loads;
    out[Count::kStores] = time.stores;
    out[Count::kIntegers] = time.integers;
    out[Count::kFloats] = time.floats;
    out[Count::kComplexes] = time.complexes;
    out[Count::kL1Reads] = time.l1Reads;
    out[Count::kL1Writes] = time.l1Writes;
    out[Count::kL2Reads] = time.l2Reads;
    out[Count::kL2Writes] = time.l2Writes;
    out[Count::kL3Reads] = time.l3Reads;
    out[Count::kL3Writes] = time.l3Writes;
    out[Count::kL3Misses] = time.l3Misses;
    out[Count::kMemoryReads] = time.memoryReads;
    out[Count::kMemoryWrites] = time.memoryWrites;
    out[Count::kActivates] = time.activates;
    for (std::size_t k = 0; k < sim::noc::kTraffics; ++k)
      out.counts[static_cast<std::size_t>(Count::kControl) + k] = time.flitHops[k];
    out[Count::kCores] = multiplySaturated(out[Spent::kCore], static_cast<std::int64_t>(codes.size()));
    return out;
  }

  ChipRun nearL3(const Window &window, const Ranges &present) const {
    ChipRun out;
    // Strands of one store after those of another.
    for (std::vector<sim::stream::Strand> &strands : strandsOf(window)) {
      sim::stream::StreamEngines engines(machine_, slicesOf(machine_, state_.isReserved),
                                         sim::stream::Engines::of(machine_));
      for (const auto &[from, to] : present) engines.chip().declare(from, to);
      if (auto delay = throughUnits(machine_, state_)) engines.chip().delay(std::move(delay));
      const sim::stream::StreamTimes time = engines.run(std::move(strands));
      ChipRun one;
      one[Spent::kNearL3] = time.cycles;
      one.count(engines.chip());
      one[Count::kStreamLines] = time.lines;
      const auto &m = time.messages;
      one[Count::kStreamMessages] = m.configure + m.migrate + m.flow + m.forward + m.indirect + m.partial + m.end;
      one[Count::kStreamGroups] = time.computations;
      out.add(one);
    }
    return out;
  }

  const ChipNest &nest_;
  const chip::Addresses &addresses_;
  const machine::Machine &machine_;
  Place place_;
  std::int64_t threads_;
  const LoopsState &state_;
  chip::Sums sums_;
  std::vector<std::int64_t> extents_;
};

/// A second window takes more or less than the first; and a share of it all at least.
double marginOf(const ChipRun &small, const ChipRun &large, double windows, const ChipRun &all, double least) {
  const double first = static_cast<double>(small.cycles()),
               second = static_cast<double>(large.cycles() - small.cycles());
  return least * static_cast<double>(all.cycles()) + std::abs(first - second) * std::sqrt(windows);
}

}  // namespace

sim::uncore::Slices slicesOf(const machine::Machine &machine, bool isReserved) {
  sim::uncore::Slices slices = sim::uncore::Slices::of(machine);
  if (isReserved) {
    const auto left = static_cast<int>(machine.sram->control->allWays - machine.sram->ways);
    slices.size = Bytes(slices.size.value / slices.ways * left);
    slices.ways = left;
  }
  return slices;
}

namespace {

ChipRun timeOfCode(const ChipNest &nest, const chip::Addresses &addresses, const machine::Machine &machine, Place place,
                   std::int64_t threads, const LoopsState &state, const LoopsBudget &budget, chip::Sums sums) {
  const Loops loops(nest, addresses, machine, place, threads, state, sums);
  const std::vector<std::int64_t> &extents = loops.extents();
  std::int64_t most = place == Place::kCore ? budget.core : budget.stream;
  // Lines that cores miss take longest to simulate.
  if (place == Place::kCore && state.coldLines > 0 && most < INT64_MAX) {
    const auto accesses = static_cast<std::int64_t>(nest.kernel->loads.size() + nest.kernel->stores.size());
    most = std::clamp<std::int64_t>(kColdLines / (threads * std::max<std::int64_t>(1, accesses)), 8, most);
  }
  std::int64_t all = 1;
  for (const std::int64_t e : extents) all = multiplySaturated(all, e);
  if (extents.empty() || all <= 4 || all / 4 <= most) return loops.run({}, false);
  // The level of which a few iterations are a window.
  std::int64_t inner = 1;
  std::size_t level = extents.size() - 1;
  while (level > 0 && (extents[level] == 1 || multiplySaturated(inner, extents[level]) <= most / 2))
    inner *= extents[level--];
  while (level + 1 < extents.size() && extents[level] < 2) inner /= extents[++level];
  const std::int64_t count = std::clamp<std::int64_t>(most / inner, 1, extents[level] / 2);
  const auto window = [&](std::int64_t n) {
    // Iterations of the innermost level of streams are elements.
    const bool isElements = place != Place::kCore && level + 1 == extents.size();
    return Window{level, isElements ? n * nest.lanes : n, 0.5};
  };
  const std::int64_t capacity = slicesOf(machine, state.isReserved).size.value * machine.noc->nodes();
  const bool staysThere = state.bytes <= capacity;
  const double windows = static_cast<double>(all) / static_cast<double>(count * inner);
  const ChipRun small = loops.run(window(count), false), large = loops.run(window(2 * count), false);
  ChipRun out = between(small, large, windows - 1);
  // Short windows, and lines that are missed in some iterations alone, say less of the others.
  constexpr std::int64_t kLong = 64;
  constexpr double kTenth = 0.1, kHalf = 0.5;
  double margin = marginOf(small, large, windows, out, count * inner >= kLong ? kTenth : kHalf);
  // Lines that every window misses again although they stay in the L3: what the loops do once these are there.
  const std::int64_t lines = state.coldLines;
  if (staysThere && out[Count::kL3Misses] > lines + lines / 20) {
    // Without memory windows of cores are cheap, and may be longer.
    const std::int64_t longer = std::clamp<std::int64_t>(place == Place::kCore ? 8 : 1, 1, extents[level] / 2 / count);
    const ChipRun smallWarm = loops.run(window(longer * count), true);
    const ChipRun largeWarm = loops.run(window(2 * longer * count), true);
    const double warmWindows = windows / static_cast<double>(longer);
    const ChipRun warm = between(smallWarm, largeWarm, warmWindows - 1);
    margin = marginOf(smallWarm, largeWarm, warmWindows, warm, lines > 0 ? kHalf : kTenth);
    const std::int64_t misses = large[Count::kL3Misses] - small[Count::kL3Misses];
    const std::int64_t always = out.cycles();
    out = warm;
    if (misses > 0 && lines > 0) {
      const double share = static_cast<double>(lines) / static_cast<double>(misses);
      const auto more = [&](std::int64_t coldSmall, std::int64_t coldLarge, std::int64_t warmSmall,
                            std::int64_t warmLarge) {
        return std::max(0.0, share * static_cast<double>((coldLarge - coldSmall) - (warmLarge - warmSmall)));
      };
      for (std::size_t i = 0; i < out.spent.size(); ++i) {
        const double cycles =
            more(small.spent[i], large.spent[i], smallWarm.spent[i] / longer, largeWarm.spent[i] / longer);
        out.spent[i] += std::llround(cycles);
        margin += cycles / 10;
      }
      for (std::size_t i = 0; i < out.counts.size(); ++i)
        out.counts[i] += std::llround(
            more(small.counts[i], large.counts[i], smallWarm.counts[i] / longer, largeWarm.counts[i] / longer));
    }
    // Between lines that are missed once and lines that always are.
    margin += std::abs(static_cast<double>(always - out.cycles())) * 0.3;
  }
  // Lines that come from memory once, between windows.
  const std::int64_t unseen = lines - out[Count::kL3Misses];
  if (place == Place::kCore && staysThere && unseen > 0) {
    const std::int64_t line = machine.sharedCache->line.value;
    const std::int64_t before = out.cycles(), least = memoryCycles(machine, multiplySaturated(lines, line));
    out[Spent::kCore] = std::max(before, least);
    margin += static_cast<double>(memoryCycles(machine, multiplySaturated(unseen, line))) * kHalf;
    out[Count::kL3Misses] += unseen;
    out[Count::kMemoryReads] += unseen;
  }
  if (place == Place::kCore) out[Count::kCores] = multiplySaturated(out.cycles(), nest.threadsOf(threads));
  out.margin = std::llround(margin);
  return out;
}

}  // namespace

ChipRun timeOfLoops(const ChipNest &nest, const chip::Addresses &addresses, const machine::Machine &machine,
                    Place place, std::int64_t threads, const LoopsState &state, const LoopsBudget &budget) {
  const auto with = [&](chip::Sums sums) {
    return timeOfCode(nest, addresses, machine, place, threads, state, budget, sums);
  };
  ChipRun best = with(chip::Sums::kInRegisters);
  if (place != Place::kCore || !chip::hasChoiceOfSums(nest)) return best;
  const ChipRun other = with(chip::Sums::kInMemory);
  return other.cycles() < best.cycles() ? other : best;
}

}  // namespace pimento::targets::l3_sram
