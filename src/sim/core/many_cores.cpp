#include "pimento/sim/core/many_cores.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <queue>

#include "pimento/base/integer.h"
#include "pimento/sim/uncore/shared_l3.h"

namespace pimento::sim::core {

std::int64_t LoopCode::instructions() const {
  std::int64_t all = 0, times = 1;
  for (std::size_t l = 0; l < extents.size(); ++l) {
    times = multiplySaturated(times, extents[l]);
    const std::size_t own = before[l].instructions.size() + behind[l].instructions.size();
    all = addSaturated(all, multiplySaturated(times, static_cast<std::int64_t>(own)));
  }
  return all;
}

namespace {

/// A block, prepared.
struct Prepared {
  std::vector<Step> steps;
  std::vector<std::vector<LoopAccess>> accesses;  ///< by step
};

/// One thread: where it is in its loops.
class Thread {
 public:
  Thread(const machine::Machine &machine, const LoopCode &code, uncore::SharedL3 &shared, int number)
      : code_(code),
        core_(machine, &shared, number),
        shared_(shared),
        number_(static_cast<std::uint64_t>(number)),
        from_(code.from.empty() ? std::vector<std::int64_t>(code.extents.size(), 0) : code.from),
        at_(from_) {
    for (std::size_t l = 0; l < code.extents.size(); ++l) {
      before_.push_back(prepare(code.before[l]));
      behind_.push_back(prepare(code.behind[l]));
    }
    isOver_ = std::ranges::any_of(code.extents, [](std::int64_t e) { return e <= 0; });
    if (!isOver_ && !code.whole.empty()) warm();
    if (!isOver_)
      for (std::size_t l = 0; l + 1 < at_.size(); ++l) runBlock(before_[l]);
  }
  Thread(const Thread &) = delete;

  bool isOver() const { return isOver_; }
  Tick now() const { return core_.cycles(); }
  const Core &core() const { return core_; }

  /// Iterations of the innermost level until it ends, at most so many; then the next of the levels around it.
  void advance(std::int64_t most) {
    const std::size_t inner = at_.size() - 1;
    for (std::int64_t n = 0; n < most; ++n) {
      runBlock(before_[inner]);
      if (++at_[inner] == from_[inner] + code_.extents[inner]) return carry();
    }
  }

 private:
  Prepared prepare(const LoopBlock &block) const {
    Prepared p;
    p.accesses.resize(block.instructions.size());
    for (const trace::Instruction &in : block.instructions) p.steps.push_back(core_.prepare(in));
    for (const LoopAccess &a : block.accesses) p.accesses[a.instruction].push_back(a);
    return p;
  }
  void carry() {
    std::size_t l = at_.size() - 1;
    at_[l] = from_[l];
    while (l > 0) {
      --l;
      runBlock(behind_[l]);
      if (++at_[l] < from_[l] + code_.extents[l]) break;
      at_[l] = from_[l];
      if (l == 0) {
        isOver_ = true;
        return;
      }
    }
    if (at_.size() == 1) {
      isOver_ = true;
      return;
    }
    for (; l + 1 < at_.size(); ++l) runBlock(before_[l]);
  }
  template <typename See>
  void forEachAddress(const LoopAccess &a, const See &see) const {
    std::uint64_t address = a.base;
    for (std::size_t l = 0; l < at_.size(); ++l) address += static_cast<std::uint64_t>(a.strides[l] * at_[l]);
    for (int lane = 0; lane < a.lanes; ++lane) {
      auto element = static_cast<std::uint64_t>(lane * a.laneStride);
      if (a.within > 0) element += static_cast<std::uint64_t>(somewhere(a, lane) * a.step);
      see(address + element);
    }
  }
  void runBlock(const Prepared &block) {
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      found_.clear();
      for (const LoopAccess &a : block.accesses[i])
        forEachAddress(a, [&](std::uint64_t address) { found_.push_back({address, 0, a.bytes, a.isStore, 0}); });
      const Step &s = block.steps[i];
      core_.run(s, found_, s.after);
    }
  }

  // --- What the iterations before the first one have left in caches

  /// As many of the last ones as ask for kWarmed lines.
  void warm() {
    std::vector<double> inside(at_.size() + 1, 0);  // lines of an iteration of a level
    for (std::size_t l = at_.size(); l-- > 0;) {
      for (const LoopBlock *block : {&code_.before[l], &code_.behind[l]})
        for (const LoopAccess &a : block->accesses) inside[l] += linesPerIteration(a, l);
      if (l + 1 < at_.size()) inside[l] += static_cast<double>(code_.whole[l + 1]) * inside[l + 1];
    }
    std::vector<std::int64_t> counts(at_.size(), 0);
    double left = kWarmed;
    for (std::size_t l = at_.size(); l-- > 0;) {
      const double most = std::floor(left / std::max(1e-3, inside[l]));
      counts[l] = most < static_cast<double>(from_[l]) ? static_cast<std::int64_t>(most) : from_[l];
      left -= static_cast<double>(counts[l]) * inside[l];
      if (counts[l] < from_[l]) break;
    }
    seen_.resize(at_.size());
    for (std::size_t l = 0; l < at_.size(); ++l) {
      seen_[l].assign(code_.before[l].accesses.size() + code_.behind[l].accesses.size(), ~std::uint64_t{0});
    }
    for (std::size_t l = 0; l < at_.size(); ++l) {
      at_ = from_;
      for (at_[l] = from_[l] - counts[l]; at_[l] < from_[l]; ++at_[l]) warmIteration(l);
    }
    at_ = from_;
  }
  /// New ones, of an access at its level.
  double linesPerIteration(const LoopAccess &a, std::size_t level) const {
    if (a.within > 0) return a.lanes;
    const double stride = static_cast<double>(std::abs(a.strides[level])) / static_cast<double>(kLine);
    const double lanes = static_cast<double>(std::abs(a.laneStride)) * a.lanes / static_cast<double>(kLine);
    const double once = std::max(1.0, std::min<double>(lanes, a.lanes));
    if (a.strides[level] == 0) return once / static_cast<double>(std::max<std::int64_t>(1, code_.whole[level]));
    return once * std::min(1.0, stride);
  }
  void warmIteration(std::size_t level) {
    warmBlock(level, code_.before[level], 0);
    if (level + 1 < at_.size())
      for (at_[level + 1] = 0; at_[level + 1] < code_.whole[level + 1]; ++at_[level + 1]) warmIteration(level + 1);
    warmBlock(level, code_.behind[level], code_.before[level].accesses.size());
  }
  void warmBlock(std::size_t level, const LoopBlock &block, std::size_t first) {
    for (std::size_t i = 0; i < block.accesses.size(); ++i) {
      const LoopAccess &a = block.accesses[i];
      std::uint64_t &seen = seen_[level][first + i];
      forEachAddress(a, [&](std::uint64_t address) {
        // Consecutive elements of a line.
        if (address / kLine == seen) return;
        seen = address / kLine;
        core_.warm(address, a.isStore);
        shared_.warm(address);
      });
    }
  }

  /// A number below `within` that hangs on the iteration alone.
  std::int64_t somewhere(const LoopAccess &a, int lane) const {
    std::uint64_t x = static_cast<std::uint64_t>(lane) + number_ * 0x9E3779B97F4A7C15ULL;
    const std::size_t levels = at_.size() - (a.isFixedInside ? 1 : 0);
    for (std::size_t l = 0; l < levels; ++l) {
      x = (x ^ static_cast<std::uint64_t>(at_[l])) * 0xBF58476D1CE4E5B9ULL;
      x ^= x >> 29;
    }
    return static_cast<std::int64_t>((x >> 1) % static_cast<std::uint64_t>(a.within));
  }

  /// Twice a private cache of 4,096 lines.
  static constexpr double kWarmed = 8192;
  static constexpr std::uint64_t kLine = 64;

  const LoopCode &code_;
  Core core_;
  uncore::SharedL3 &shared_;
  std::uint64_t number_;
  std::vector<std::int64_t> from_;
  std::vector<Prepared> before_, behind_;
  std::vector<std::int64_t> at_;
  std::vector<trace::Access> found_;
  std::vector<std::vector<std::uint64_t>> seen_;  ///< by level and access: its last line
  bool isOver_ = false;
};

void add(ManyCoresTime &sum, const Core &core) {
  const CoreCounts &c = core.counts();
  sum.instructions += c.instructions;
  sum.branches += c.branches;
  sum.loads += c.loads;
  sum.stores += c.stores;
  using machine::CoreOperation;
  const auto executed = [&](CoreOperation o) { return c.executed[static_cast<std::size_t>(o)]; };
  sum.integers += executed(CoreOperation::kInteger) + executed(CoreOperation::kShift);
  sum.complexes += executed(CoreOperation::kMultiply) + executed(CoreOperation::kDivide);
  for (const CoreOperation o :
       {CoreOperation::kFloatAdd, CoreOperation::kFloatMultiply, CoreOperation::kFloatMultiplyAdd,
        CoreOperation::kFloatDivide, CoreOperation::kFloatSqrt, CoreOperation::kVector, CoreOperation::kVectorMultiply})
    sum.floats += executed(o);
  const cache::Hierarchy &caches = core.caches();
  for (int l = 0; l < caches.levels(); ++l) {
    const bool isFirst = l == caches.dataCache();
    if (!isFirst && l == caches.instructionCache()) continue;
    (isFirst ? sum.l1Reads : sum.l2Reads) += caches.counts(l).reads;
    (isFirst ? sum.l1Writes : sum.l2Writes) += caches.counts(l).writes;
  }
}

}  // namespace

ManyCoresTime ManyCores::run(const std::vector<LoopCode> &threads, const uncore::Slices &slices,
                             const std::vector<std::pair<std::uint64_t, std::uint64_t>> &present,
                             std::function<Tick(std::uint64_t, Tick)> delay) const {
  // Of the innermost level, before others have their turn.
  constexpr std::int64_t kTurn = 16;
  uncore::SharedL3 shared(machine_, slices);
  if (delay) shared.delay(std::move(delay));
  for (const auto &[from, to] : present) shared.declare(from, to);
  std::vector<std::unique_ptr<Thread>> running;
  using Entry = std::pair<Tick, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    running.push_back(std::make_unique<Thread>(machine_, threads[t], shared, static_cast<int>(t)));
    if (!running.back()->isOver()) queue.emplace(0, t);
  }
  while (!queue.empty()) {
    const std::size_t t = queue.top().second;
    queue.pop();
    running[t]->advance(kTurn);
    if (!running[t]->isOver()) queue.emplace(running[t]->now(), t);
  }
  ManyCoresTime time;
  for (const auto &thread : running) {
    time.cycles = std::max(time.cycles, thread->now());
    add(time, thread->core());
  }
  if (threads.size() > 1) time.cycles += machine_.kernels->barrier.value;
  time.l3Reads = shared.counts().reads;
  time.l3Writes = shared.counts().writeBacks;
  time.l3Misses = shared.counts().misses;
  const auto memory = shared.memory();
  time.memoryReads = memory.reads;
  time.memoryWrites = memory.writes;
  time.activates = memory.activates;
  for (int k = 0; k < noc::kTraffics; ++k)
    time.flitHops[static_cast<std::size_t>(k)] = shared.flitHops(static_cast<noc::Traffic>(k));
  return time;
}

}  // namespace pimento::sim::core
