#include "pimento/targets/cim/rerun.h"

#include <algorithm>

#include "pimento/targets/cim/accounts.h"

namespace pimento::targets::cim {

namespace {

using machine::CoreOperation;

std::int64_t of(const sim::core::CoreCounts &c, std::initializer_list<CoreOperation> operations) {
  std::int64_t sum = 0;
  for (const CoreOperation o : operations) sum += c.executed[static_cast<std::size_t>(o)];
  return sum;
}

}  // namespace

Totals totalsOf(std::span<const int> way, const sim::core::Core &core) {
  const sim::core::CoreCounts &c = core.counts();
  Totals totals{};
  totals[kInstructions] = c.instructions;
  totals[kBranches] = c.branches;
  totals[kWrongGuesses] = c.wrongGuesses;
  totals[kLoads] = c.loads;
  totals[kStores] = c.stores;
  totals[kForwarded] = c.forwarded;
  totals[kIntegerOperations] = of(c, {CoreOperation::kInteger, CoreOperation::kShift, CoreOperation::kBranch});
  totals[kComplexOperations] = of(c, {CoreOperation::kMultiply, CoreOperation::kDivide});
  totals[kFloatOperations] = of(c, {CoreOperation::kFloatAdd, CoreOperation::kFloatMultiply,
                                    CoreOperation::kFloatMultiplyAdd, CoreOperation::kFloatDivide,
                                    CoreOperation::kFloatSqrt, CoreOperation::kVector, CoreOperation::kVectorMultiply});
  totals[kVectorOperations] = of(c, {CoreOperation::kVector, CoreOperation::kVectorMultiply});
  const sim::cache::Hierarchy &caches = core.caches();
  totals[kL1iReads] = caches.counts(caches.instructionCache()).reads;
  for (int place = 0; place < std::min(kPlaces, static_cast<int>(way.size())); ++place) {
    const auto level = static_cast<std::size_t>(way[static_cast<std::size_t>(place)]);
    const sim::cache::Counts &counts = caches.counts(static_cast<int>(level));
    const sim::core::CimCounts::At &computed = core.computed().at[level];
    totals[readsOf(place)] = counts.reads + computed.copies;
    totals[writesOf(place)] = counts.writes + computed.copies + computed.writes;
    totals[rowOf(place, CimCount::kRead)] = computed.results;
    totals[rowOf(place, CimCount::kOr)] = computed.logicOr;
    totals[rowOf(place, CimCount::kAnd)] = computed.logicAnd;
    totals[rowOf(place, CimCount::kXor)] = computed.logicXor;
    totals[rowOf(place, CimCount::kAdd)] = computed.sums;
  }
  const sim::cache::MainMemory::Counts memory = caches.memory().counts();
  totals[kDramActivates] = memory.activates;
  totals[kDramReads] = memory.reads;
  totals[kDramWrites] = memory.writes;
  return totals;
}

Rerun::Known &Rerun::known(const trace::Block &block) {
  const auto [at, isNew] = known_.try_emplace(&block);
  Known &k = at->second;
  if (!isNew) return k;
  for (const trace::Instruction &in : block.instructions) {
    k.steps.push_back(core_.prepare(in));
    k.registerReads += in.reads.size();
    k.registerWrites += in.writes.size();
    if (meter_) k.origins.push_back(block.origins.empty() ? in.address : block.origins[k.origins.size()]);
  }
  if (meter_) k.spent.resize(k.steps.size());
  return k;
}

void Rerun::flush(std::uint64_t next) {
  if (block_ == nullptr) return;
  const std::span<const sim::core::Step> steps = std::span(block_->steps).first(static_cast<std::size_t>(count_));
  std::size_t first = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::size_t end = first;
    while (end < accesses_.size() && accesses_[end].instruction == i) ++end;
    const sim::core::Times times =
        core_.run(steps[i], std::span<const trace::Access>(accesses_).subspan(first, end - first),
                  i + 1 < steps.size() ? steps[i + 1].address : next);
    if (meter_) meter_->charge(steps[i], times, block_->spent[i]);
    first = end;
  }
  if (steps.size() == block_->steps.size()) {
    registerReads_ += block_->registerReads;
    registerWrites_ += block_->registerWrites;
  } else {
    for (const sim::core::Step &s : steps) {
      registerReads_ += s.readCount;
      registerWrites_ += s.writeCount;
    }
  }
  block_ = nullptr;
}

void Rerun::onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) {
  flush(block.instructions.front().address);
  block_ = &known(block);
  count_ = count;
  accesses_.assign(accesses.begin(), accesses.end());
}

std::unordered_map<std::uint64_t, Spent> Rerun::spent() const {
  std::unordered_map<std::uint64_t, Spent> out;
  for (const auto &[block, known] : known_)
    for (std::size_t i = 0; i < known.spent.size(); ++i) out[known.origins[i]].add(known.spent[i]);
  return out;
}

Totals Rerun::totals() const {
  Totals totals = totalsOf(dataWay(machine_), core_);
  totals[kRegisterReads] = registerReads_;
  totals[kRegisterWrites] = registerWrites_;
  return totals;
}

}  // namespace pimento::targets::cim
