#include "pimento/targets/l3_sram/chip_run.h"

#include "pimento/base/integer.h"

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

}  // namespace pimento::targets::l3_sram
