#include "system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "description.h"
#include "pimento/base/integer.h"
#include "report.h"

namespace pimento::upmem {

System::System(Setup s, std::int64_t dpuCount)
    : setup(std::move(s)),
      dpus(static_cast<std::size_t>(dpuCount)),
      account(setup.machine, ceilDiv(dpuCount, setup.dpusPerRank), dpuCount, setup.isTimed) {
  const auto perRank = static_cast<std::uint32_t>(setup.dpusPerRank), count = static_cast<std::uint32_t>(dpuCount);
  for (std::uint32_t first = 0; first < count; first += perRank)
    ranks.push_back({first, std::min(perRank, count - first)});
  isOpen = setup.isOpen;
  for (dpu_rank_t &rank : ranks) rankList.push_back(&rank);
  for (std::uint32_t i = 0; i < count; ++i) {
    dpus[i].index = i;
    dpus[i].rank = i / perRank;
    dpus[i].indexInRank = i % perRank;
  }
}

System::~System() {
  dpu_free_description(description_);
}

dpu_description_t System::description() {
  const std::lock_guard lock(mutex_);
  if (description_ == nullptr) description_ = describe(setup);
  return description_;
}

dpu_set_t System::setOf(RankRange range) {
  dpu_set_t set{};
  set.kind = DPU_SET_RANKS;
  set.list.nr_ranks = range.count;
  set.list.ranks = rankList.data() + range.first;
  return set;
}

void System::keep(std::unique_ptr<dpu_program_t> program) {
  const std::lock_guard lock(mutex_);
  programs_.push_back(std::move(program));
}

std::string System::nameOf(const dpu_t &dpu) const {
  if (ranks.size() == 1) return fmt::format("DPU {}", dpu.index);
  return fmt::format("DPU {} (DPU {} of rank {})", dpu.index, dpu.indexInRank, dpu.rank);
}

Registry &Registry::get() {
  // Never destroyed: threads of asynchronous work may still run when the process ends.
  static auto *registry = new Registry;
  return *registry;
}

Outcome Registry::allocateDpus(Setup setup, std::optional<std::int64_t> dpus, dpu_set_t &set) {
  return allocate(std::move(setup), dpus, false, set);
}
Outcome Registry::allocateRanks(Setup setup, std::optional<std::int64_t> ranks, dpu_set_t &set) {
  return allocate(std::move(setup), ranks, true, set);
}

Outcome Registry::allocate(Setup setup, std::optional<std::int64_t> wanted, bool isRanks, dpu_set_t &set) {
  const std::lock_guard lock(mutex_);
  std::int64_t taken = 0;
  for (const auto &s : live_) taken += static_cast<std::int64_t>(s->ranks.size());
  const std::int64_t free = std::max<std::int64_t>(0, setup.ranks - taken), perRank = setup.dpusPerRank;
  const std::int64_t dpus = !wanted ? free * perRank : isRanks ? multiplySaturated(*wanted, perRank) : *wanted;
  if (dpus < 1 || dpus > free * perRank) {
    std::string what = !wanted   ? "all free DPUs"
                       : isRanks ? fmt::format("{} ranks", *wanted)
                                 : fmt::format("{} DPUs", *wanted);
    return failure(DPU_ERR_ALLOCATION,
                   fmt::format("{} requested; {} of the {} ranks of machine '{}' are free, with {} DPUs each\n  hint: "
                               "set ranks=N in the profile for a larger machine; a rank belongs to one set at a time",
                               what, free, setup.ranks, setup.machine.name, perRank));
  }
  live_.push_back(std::make_shared<System>(std::move(setup), dpus));
  if (!isReporting_ && std::getenv("PIMENTO_REPORT") != nullptr) {
    isReporting_ = true;
    // Tables that a report needs are made when first used; made before this, they outlive it.
    Totals t = freed_;
    t.add(live_.back()->account.totals());
    static_cast<void>(toJson(t));
    std::atexit([] {
      if (Registry::get().hasLive()) static_cast<void>(writeEnvironmentReport());
    });
  }
  set = live_.back()->all();
  return {};
}

Outcome Registry::release(const Selected &whole) {
  bool isLast = false;
  {
    const std::lock_guard lock(mutex_);
    const auto at = std::ranges::find(live_, whole.keeper);
    if (at == live_.end()) return failure(DPU_ERR_INVALID_DPU_SET, "the set has been freed");
    freed_.add((*at)->account.totals());
    live_.erase(at);
    isLast = live_.empty();
  }
  return isLast ? writeEnvironmentReport() : Outcome{};
}

namespace {

/// The index of what `p` points to in `v`. Pointers are compared as numbers: they may point anywhere.
template <typename T>
std::optional<std::size_t> inside(const void *p, const std::vector<T> &v) {
  const auto at = reinterpret_cast<std::uintptr_t>(p), begin = reinterpret_cast<std::uintptr_t>(v.data());
  if (at < begin || at >= begin + v.size() * sizeof(T) || (at - begin) % sizeof(T) != 0) return std::nullopt;
  return (at - begin) / sizeof(T);
}

}  // namespace

std::shared_ptr<System> Registry::systemOf(const dpu_rank_t *rank) {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(live_, [&](const auto &s) { return inside(rank, s->ranks).has_value(); });
  return at == live_.end() ? nullptr : *at;
}

std::shared_ptr<System> Registry::systemOf(const dpu_t *dpu) {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(live_, [&](const auto &s) { return inside(dpu, s->dpus).has_value(); });
  return at == live_.end() ? nullptr : *at;
}

Outcome Registry::select(const dpu_set_t &set, Selected &selected) {
  const std::lock_guard lock(mutex_);
  for (const auto &system : live_) {
    std::uint32_t first = 0, count = 0;
    if (set.kind == DPU_SET_DPU) {
      const auto at = inside(set.dpu, system->dpus);
      if (!at) continue;
      first = static_cast<std::uint32_t>(*at);
      count = 1;
      selected.ranks = {system->dpus[first].rank, 1};
    } else if (set.kind == DPU_SET_RANKS) {
      const auto at = inside(set.list.ranks, system->rankList);
      if (!at || set.list.nr_ranks < 1 || set.list.nr_ranks > system->rankList.size() - *at) continue;
      selected.ranks = {static_cast<std::uint32_t>(*at), set.list.nr_ranks};
      const dpu_rank_t &last = system->ranks[*at + set.list.nr_ranks - 1];
      first = system->ranks[*at].firstDpu;
      count = last.firstDpu + last.dpus - first;
    } else {
      break;
    }
    selected.set = set;
    selected.keeper = system;
    selected.system = system.get();
    for (std::uint32_t i = 0; i < count; ++i) selected.dpus.push_back(&system->dpus[first + i]);
    return {};
  }
  return failure(DPU_ERR_INVALID_DPU_SET, "the set was never allocated or has been freed");
}

bool Registry::hasLive() {
  const std::lock_guard lock(mutex_);
  return !live_.empty();
}

Totals Registry::totals() {
  const std::lock_guard lock(mutex_);
  Totals t = freed_;
  for (const auto &s : live_) t.add(s->account.totals());
  return t;
}

}  // namespace pimento::upmem
