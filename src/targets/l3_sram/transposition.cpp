#include "pimento/targets/l3_sram/transposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pimento/base/integer.h"
#include "pimento/sim/sram/transposer.h"

namespace pimento::targets::l3_sram {

namespace {

/// Lines that a transposition is simulated with before it is sampled.
constexpr std::int64_t kTransposedLines = 1 << 14;

}  // namespace

std::int64_t memoryCycles(const machine::Machine &machine, std::int64_t bytes) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * machine.clockGHz / machine.host.memoryGBps));
}

ChipRun transposition(const kernel::Tensor &t, const lower::l3_sram::Layout &layout, const machine::Machine &machine,
                      Way way, Cache *shared) {
  const bool isOut = way == Way::kOut, isInL3 = way == Way::kInFromL3;
  const auto size = static_cast<int>(sizeOf(t.type).value);
  const std::int64_t line = machine.sharedCache->line.value;
  const std::int64_t lines = std::max<std::int64_t>(1, ceilDiv(multiplySaturated(t.elements(), size), line));
  sim::sram::LayoutTable::Region region;
  region.elementBytes = size;
  for (std::size_t d = 0; d < t.shape.size() && d < 3; ++d) region.size[d] = t.shape[t.shape.size() - 1 - d];
  for (std::size_t d = 0; d < 3; ++d) region.tile[d] = layout.tile[d];
  std::string key = fmt::format("transpose {}{}", static_cast<int>(way), size);
  for (std::size_t d = 0; d < 3; ++d) key += fmt::format(" {}/{}", region.size[d], region.tile[d]);
  return cached(shared, key, [&] {
    const auto of = [&](sim::sram::LayoutTable::Region r) -> std::optional<ChipRun> {
      std::int64_t elements = 1;
      for (const std::int64_t s : r.size) elements *= s;
      r.base = 0;
      r.end = static_cast<std::uint64_t>(ceilDiv(elements * size, line) * line);
      if (static_cast<std::int64_t>(r.end) != elements * size) return std::nullopt;
      sim::sram::LayoutTable table(*machine.sram, sim::sram::LayoutTable::Release::of(*machine.sram->control));
      const Result<int> number = table.add(r);
      if (!number) return std::nullopt;
      sim::sram::Transposer transposer(machine, sim::uncore::Slices::of(machine),
                                       {0, machine.sram->control->outstanding});
      if (isInL3) transposer.chip().declare(r.base, r.end);
      sim::sram::TransposeTime time = transposer.fetch(table, *number, 0);
      ChipRun out;
      if (isOut) {
        out.count(transposer.chip(), -1);
        time = transposer.release(table, *number, time.cycles);
      }
      out.count(transposer.chip());
      out[Spent::kMemory] = time.cycles;
      out[Count::kTransposed] = time.transposed;
      return out;
    };
    // The outermost dim that has several pieces is cut short.
    const auto unitOf = [&](std::size_t d) { return std::max<std::int64_t>(region.tile[d], 16); };
    std::size_t cut = 2;
    while (cut > 0 && region.size[cut] < 2 * unitOf(cut)) --cut;
    // A part of the region with about half of the lines that may be simulated, in whole tiles.
    const double each = static_cast<double>(lines) / static_cast<double>(region.size[cut]);
    std::optional<ChipRun> all;
    if (lines <= kTransposedLines) {
      all = of(region);
    } else {
      sim::sram::LayoutTable::Region half = region, quarter = region;
      const std::int64_t unit = unitOf(cut);
      const auto wanted = static_cast<std::int64_t>(static_cast<double>(kTransposedLines / 2) / each);
      const std::int64_t few =
          std::clamp<std::int64_t>(wanted / unit, 1, std::max<std::int64_t>(1, region.size[cut] / unit / 2)) * unit;
      half.size[cut] = std::min(region.size[cut], 2 * few);
      quarter.size[cut] = std::min(region.size[cut], few);
      const auto a = of(quarter), b = of(half);
      if (a && b && half.size[cut] > quarter.size[cut])
        all = between(*a, *b,
                      static_cast<double>(region.size[cut] - quarter.size[cut]) /
                          static_cast<double>(half.size[cut] - quarter.size[cut]));
      if (all && half.size[cut] < region.size[cut]) all->margin = all->cycles() / 20;
    }
    if (all) return *all;
    // What the table cannot have (elements that share bitlines, lines with a rest): the slower of memory and units.
    ChipRun out;
    const double units =
        static_cast<double>(lines * size * 8) / static_cast<double>(machine.sram->banks() * machine.sram->ways);
    const std::int64_t memory = isInL3 ? 0 : memoryCycles(machine, lines * line);
    out[Spent::kMemory] = std::max(static_cast<std::int64_t>(std::ceil(units)), memory);
    if (!isInL3) out[isOut ? Count::kMemoryWrites : Count::kMemoryReads] += lines;
    out[Count::kTransposed] = lines;
    return out;
  });
}

}  // namespace pimento::targets::l3_sram
