// dpu_management.h: handles of ranks and DPUs.
#include <dpu_management.h>

#include "system.h"

using namespace pimento::upmem;

namespace {

constexpr std::uint32_t kPerInterface = 8;  // DPUs at one control interface, as on real modules

}  // namespace

dpu_description_t dpu_get_description(dpu_rank_t *rank) {
  const auto system = Registry::get().systemOf(rank);
  return system ? system->description() : nullptr;
}

dpu_rank_id_t dpu_get_rank_id(dpu_rank_t *rank) {
  const auto system = Registry::get().systemOf(rank);
  return system ? static_cast<dpu_rank_id_t>(rank - system->ranks.data()) : UINT32_MAX;
}

dpu_t *dpu_get(dpu_rank_t *rank, dpu_slice_id_t slice_id, dpu_member_id_t member_id) {
  const auto system = Registry::get().systemOf(rank);
  const std::uint32_t at = slice_id * kPerInterface + member_id;
  if (!system || member_id >= kPerInterface || at >= rank->dpus) return nullptr;
  return &system->dpus[rank->firstDpu + at];
}

dpu_rank_t *dpu_get_rank(dpu_t *dpu) {
  const auto system = Registry::get().systemOf(dpu);
  return system ? &system->ranks[dpu->rank] : nullptr;
}

dpu_slice_id_t dpu_get_slice_id(dpu_t *dpu) {
  return dpu_is_enabled(dpu) ? static_cast<dpu_slice_id_t>(dpu->indexInRank / kPerInterface) : 0;
}

dpu_member_id_t dpu_get_member_id(dpu_t *dpu) {
  return dpu_is_enabled(dpu) ? static_cast<dpu_member_id_t>(dpu->indexInRank % kPerInterface) : 0;
}

bool dpu_is_enabled(dpu_t *dpu) {
  return Registry::get().systemOf(dpu) != nullptr;
}

dpu_set_t dpu_set_from_rank(dpu_rank_t **rank) {
  dpu_set_t set{};
  set.kind = DPU_SET_RANKS;
  set.list.nr_ranks = 1;
  set.list.ranks = rank;
  // Sets point into the list of their allocation: the caller's pointer may be a copy of one of it.
  const auto system = rank == nullptr ? nullptr : Registry::get().systemOf(*rank);
  if (system) set.list.ranks = &system->rankList[static_cast<std::size_t>(*rank - system->ranks.data())];
  return set;
}

dpu_set_t dpu_set_from_dpu(dpu_t *dpu) {
  dpu_set_t set{};
  set.kind = DPU_SET_DPU;
  set.dpu = dpu;
  return set;
}

dpu_t *dpu_from_set(dpu_set_t set) {
  Selected s;
  if (!Registry::get().select(set, s) || s.dpus.size() != 1) return nullptr;
  return s.dpus.front();
}

dpu_rank_t *dpu_rank_from_set(dpu_set_t set) {
  Selected s;
  if (!Registry::get().select(set, s) || s.ranks.count != 1) return nullptr;
  return &s.system->ranks[s.ranks.first];
}
