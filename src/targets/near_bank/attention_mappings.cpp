#include <algorithm>

#include "pimento/targets/near_bank/attention.h"
#include "pimento/targets/near_bank/division.h"

namespace pimento::targets::near_bank {

using mapping::Mapping;
using mapping::MapSpec;

Mapping attentionReference(const kernel::Graph &graph, const Attention &attention, const machine::Machine &machine,
                           const MapSpec &spec) {
  constexpr std::int64_t kDepthBanks = 4;
  Division division(graph.kernels[static_cast<std::size_t>(attention.first)], spec);
  division.split(0, attention.groupDims, machine.levels[0].count);
  const bool merges = machine.dram->organization.banksPerNode(machine.nearBank->softmax->merges) >= kDepthBanks;
  const std::int64_t used = merges ? division.split(1, {attention.depthDim}, kDepthBanks) : 1;
  division.split(1, {attention.lengthDim}, machine.levels[1].count / used);
  return division.take("reference");
}

std::vector<Mapping> attentionMappings(const kernel::Graph &graph, const Attention &attention,
                                       const machine::Machine &machine, const MapSpec &spec) {
  const kernel::Kernel &kernel = graph.kernels[static_cast<std::size_t>(attention.first)];
  const std::int64_t banks = machine.levels[1].count;
  std::vector<Mapping> found;
  for (std::int64_t groups = 1; groups <= banks; groups *= 2)
    for (std::int64_t depths = 1; groups * depths <= banks; depths *= 2) {
      Division division(kernel, spec);
      division.split(0, attention.groupDims, machine.levels[0].count);
      std::int64_t used = division.split(1, attention.groupDims, groups);
      used *= division.split(1, {attention.depthDim}, depths);
      division.split(1, {attention.lengthDim}, banks / used);
      Mapping m = division.take({});
      const bool isNew = std::ranges::none_of(
          found, [&](const Mapping &other) { return other.subspaces.front().factors == m.subspaces.front().factors; });
      if (isNew) found.push_back(std::move(m));
    }
  return found;
}

}  // namespace pimento::targets::near_bank
