#include "pimento/targets/l3_sram/chip_run.h"

#include <algorithm>
#include <cmath>

#include "pimento/base/integer.h"
#include "pimento/sim/uncore/uncore.h"

namespace pimento::targets::l3_sram {

std::string_view name(Place place) {
  constexpr std::string_view kNames[kPlaces] = {"cores", "near L3", "in L3"};
  return kNames[static_cast<std::size_t>(place)];
}

const SpentInfo &infoOf(Spent spent) {
  using evaluate::Part;
  static constexpr SpentInfo kInfos[kSpents] = {{"memory", Part::kTransferIn},  {"lowering", Part::kLaunch},
                                                {"move", Part::kCompute},       {"compute", Part::kCompute},
                                                {"final reduce", Part::kMerge}, {"mix", Part::kCompute},
                                                {"near L3", Part::kCompute},    {"cores", Part::kHost}};
  return kInfos[static_cast<std::size_t>(spent)];
}

void ChipRun::add(const ChipRun &other) {
  for (std::size_t i = 0; i < spent.size(); ++i) spent[i] = addSaturated(spent[i], other.spent[i]);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = addSaturated(counts[i], other.counts[i]);
  margin = addSaturated(margin, other.margin);
}

void ChipRun::count(const sim::uncore::Uncore &chip, std::int64_t times) {
  (*this)[Count::kL3Reads] += times * chip.counts().reads;
  (*this)[Count::kL3Writes] += times * chip.counts().writes;
  (*this)[Count::kL3Misses] += times * chip.counts().misses;
  const sim::dram::Memory::Counts memory = chip.memory();
  (*this)[Count::kMemoryReads] += times * memory.reads;
  (*this)[Count::kMemoryWrites] += times * memory.writes;
  (*this)[Count::kActivates] += times * memory.activates;
  for (int k = 0; k < sim::noc::kTraffics; ++k)
    counts[static_cast<std::size_t>(Count::kControl) + static_cast<std::size_t>(k)] +=
        times * chip.network().flitHops(static_cast<sim::noc::Traffic>(k));
}

ChipRun between(const ChipRun &a, const ChipRun &b, double share) {
  ChipRun out;
  const auto line = [share](std::int64_t x, std::int64_t y) {
    return std::max<std::int64_t>(0, std::llround(static_cast<double>(x) + static_cast<double>(y - x) * share));
  };
  for (std::size_t i = 0; i < out.spent.size(); ++i) out.spent[i] = line(a.spent[i], b.spent[i]);
  for (std::size_t i = 0; i < out.counts.size(); ++i) out.counts[i] = line(a.counts[i], b.counts[i]);
  out.margin = line(a.margin, b.margin);
  return out;
}

}  // namespace pimento::targets::l3_sram
