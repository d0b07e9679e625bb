#include "pimento/driver/emit_drafts.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/emit/format.h"
#include "pimento/mapping/dimension_sets.h"
#include "pimento/mapping/drafts.h"

namespace pimento::driver {

namespace {

constexpr std::string_view kStages[] = {"dims", "drafts"};
constexpr std::int64_t kMostListed = 100'000;

using emit::grouped;

std::string listDrafts(const kernel::Graph &graph, const machine::Machine &machine) {
  const mapping::DimensionSets sets = mapping::dimensionSetsOf(graph);
  const mapping::DraftHardware hardware = mapping::draftHardware(machine);
  mapping::DraftSpace space(sets, hardware);
  const mapping::DraftCounts counts = space.counts();
  std::string out = fmt::format("drafts of {} on {}: {} groups of {} cores, {} elements at once\n", graph.name,
                                machine.name, grouped(hardware.groups), grouped(hardware.cores), hardware.lanes);
  out += fmt::format("{} in all; {} cut like another (rule 1), {} are no multiple of {} (rule 2),\n",
                     grouped(counts.all), grouped(counts.rule1), grouped(counts.rule2), hardware.lanes);
  out += fmt::format("{} have the largest tiles of another (rule 3); {} are left\n", grouped(counts.rule3),
                     grouped(counts.kept()));
  std::int64_t number = 0;
  while (const mapping::Draft *draft = space.next()) {
    if (++number > kMostListed) {
      out += fmt::format("... and {} more\n", grouped(counts.kept() - kMostListed));
      break;
    }
    out += fmt::format("{:>7} {}\n", number, mapping::print(*draft, sets, graph));
  }
  return out;
}

}  // namespace

std::span<const std::string_view> draftStages() {
  return kStages;
}

bool isDraftStage(std::string_view stage) {
  return std::find(std::begin(kStages), std::end(kStages), stage) != std::end(kStages);
}

std::string emitDraftStage(std::string_view stage, const kernel::Graph &graph, const machine::Machine &machine) {
  if (stage == kStages[0]) return mapping::print(mapping::dimensionSetsOf(graph), graph);
  return listDrafts(graph, machine);
}

}  // namespace pimento::driver
