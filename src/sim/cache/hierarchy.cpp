#include "pimento/sim/cache/hierarchy.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace pimento::sim::cache {

namespace {

std::unique_ptr<Prefetcher> makePrefetcher(const machine::CacheLevel &m) {
  switch (m.prefetcher) {
    case machine::CacheLevel::Prefetcher::kStride:
      return std::make_unique<StridePrefetcher>(
          StridePrefetcher::Numbers{static_cast<std::size_t>(m.prefetchStreams), m.prefetchDepth});
    case machine::CacheLevel::Prefetcher::kBingo:
      return std::make_unique<Bingo>(Bingo::Numbers{.regionLines = m.prefetchRegion,
                                                    .sets = static_cast<std::size_t>(m.prefetchSets),
                                                    .ways = static_cast<std::size_t>(m.prefetchWays)});
    case machine::CacheLevel::Prefetcher::kNone:
      break;
  }
  return nullptr;
}

}  // namespace

/// A line that is there, or on its way.
struct Hierarchy::Line {
  Tick ready = 0;  ///< it is there, or on its way until then
  int from = 0;    ///< the level that had it, while it is on its way
};

struct Hierarchy::Level {
  explicit Level(const machine::CacheLevel &m)
      : shift(std::countr_zero(static_cast<std::uint64_t>(m.line.value))),
        line(m.line.value),
        next(m.next),
        latency(m.latency.value),
        writeBusy(m.writeBusy),
        tags({m.sets(), m.ways, m.replacement}),
        lines(tags.places()),
        mshrs(static_cast<std::size_t>(m.mshrs), 0),
        banks(static_cast<std::size_t>(m.banks), Calendar(m.ports)),
        prefetcher(makePrefetcher(m)) {}

  Calendar &bankOf(std::uint64_t number) { return banks[static_cast<std::size_t>(number) & (banks.size() - 1)]; }
  Tick portAt(std::uint64_t number, Tick at, bool isWrite = false) {
    return isWrite && writeBusy > 1 ? bankOf(number).take(at, writeBusy) : bankOf(number).take(at);
  }

  int shift;
  std::int64_t line;  ///< bytes
  int next;
  Tick latency, writeBusy;
  Tags tags;                ///< lines are addresses / line
  std::vector<Line> lines;  ///< by place
  std::vector<Tick> mshrs;  ///< each free from then on
  std::vector<Calendar> banks;
  std::unique_ptr<Prefetcher> prefetcher;  ///< null: none
  Counts counts;
};

Hierarchy::Hierarchy(const machine::Machine &machine, Behind *behind, int core)
    : memory_(behind == nullptr ? std::make_unique<MainMemory>(machine) : nullptr),
      behind_(behind == nullptr ? memory_.get() : behind),
      core_(core) {
  for (std::size_t i = 0; i < machine.caches.size(); ++i) {
    levels_.push_back(std::make_unique<Level>(machine.caches[i]));
    if (machine.caches[i].servesInstructions) instructionCache_ = static_cast<int>(i);
    if (machine.caches[i].servesData) dataCache_ = static_cast<int>(i);
  }
}

Hierarchy::~Hierarchy() = default;

const Counts &Hierarchy::counts(int cache) const {
  return levels_[static_cast<std::size_t>(cache)]->counts;
}

Answer Hierarchy::access(int cache, std::uint64_t address, bool isWrite, Tick at, std::uint64_t instruction) {
  instruction_ = instruction;
  return miss(cache, address, isWrite, at, false);
}

/// Brings a line in, without what it holds: the dirty one that goes for it, which is told of once it is written back.
std::optional<std::uint64_t> Hierarchy::makeRoom(Level &l, int cache, std::uint64_t number, bool isDirty) {
  const auto victim = l.tags.bringIn(number, isDirty);
  if (!victim) return std::nullopt;
  if (victim->isDirty) return victim->line << l.shift;
  leave(cache, victim->line << l.shift, false);
  return std::nullopt;
}

/// What the cache's prefetcher makes of an access to the line of `address`: lines come as far as MSHRs are free.
void Hierarchy::prefetch(int cache, std::uint64_t address, Tick at) {
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  ahead_.clear();
  l.prefetcher->saw(instruction_, address >> l.shift, ahead_);
  if (ahead_.empty()) return;
  isPrefetching_ = true;
  const std::vector<std::uint64_t> lines = std::move(ahead_);
  for (const std::uint64_t line : lines) {
    if (l.tags.has(line)) continue;
    if (*std::min_element(l.mshrs.begin(), l.mshrs.end()) > at) break;
    ++l.counts.prefetches;
    const auto dirty = makeRoom(l, cache, line, false);
    if (dirty) ++l.counts.writeBacks;
    if (dirty && l.next >= 0) miss(l.next, *dirty, true, at, true);
    if (dirty) leave(cache, *dirty, true);
    const Answer answer = fetch(l, line << l.shift, at);
    fill(cache, line << l.shift);
    if (dirty && l.next < 0) behind_->writeBack(core_, *dirty, l.line, answer.ready);
    l.lines[l.tags.placeOf(line)] = {answer.ready, answer.level};
  }
  isPrefetching_ = false;
}

void Hierarchy::touch(int cache, std::uint64_t address, bool isWrite, bool isWriteBack) {
  if (cache < 0) return;
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  const std::uint64_t number = address >> l.shift;
  if (l.tags.use(number, isWrite)) return;
  const auto dirty = makeRoom(l, cache, number, isWrite);
  l.lines[l.tags.placeOf(number)] = {0, cache};
  if (dirty) touch(l.next, *dirty, true, true);
  if (dirty) leave(cache, *dirty, true);
  if (isWriteBack) return;
  touch(l.next, address, false, false);
  fill(cache, number << l.shift);
}

/// The line for a miss that was found out in cycle `looked`, once an MSHR is free.
Answer Hierarchy::fetch(Level &l, std::uint64_t address, Tick looked) {
  const auto mshr = std::min_element(l.mshrs.begin(), l.mshrs.end());
  const Tick at = std::max(looked, *mshr);
  Answer answer;
  if (l.next < 0) {
    const Behind::Answer there = behind_->fetch(core_, address >> l.shift << l.shift, l.line, at);
    answer = {there.ready, there.isShared ? levels() : memoryLevel()};
  } else {
    answer = miss(l.next, address, false, at, false);
  }
  *mshr = answer.ready;
  return answer;
}

/// `isWriteBack`: a whole line comes from above; it is not fetched first.
Answer Hierarchy::miss(int cache, std::uint64_t address, bool isWrite, Tick at, bool isWriteBack) {
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  const std::uint64_t number = address >> l.shift;
  const Tick start = l.portAt(number, at, isWrite);
  (isWrite ? l.counts.writes : l.counts.reads) += 1;
  const Tick looked = start + l.latency;
  if (l.prefetcher != nullptr && !isPrefetching_ && !isWriteBack) prefetch(cache, address, looked);
  if (l.tags.use(number, isWrite)) {
    const Line &line = l.lines[l.tags.placeOf(number)];
    if (line.ready <= start) return {looked, cache};
    // On its way: the request joins.
    (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
    ++l.counts.merged;
    return {std::max(looked, line.ready), line.from};
  }
  (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
  return bringIn(l, cache, address, isWrite, looked, isWriteBack);
}

/// A line that is not there, found out in cycle `looked`.
Answer Hierarchy::bringIn(Level &l, int cache, std::uint64_t address, bool isWrite, Tick looked, bool isWriteBack) {
  const std::uint64_t number = address >> l.shift;
  const auto dirty = makeRoom(l, cache, number, isWrite);
  const std::size_t place = l.tags.placeOf(number);
  if (dirty) ++l.counts.writeBacks;
  if (dirty && l.next >= 0) miss(l.next, *dirty, true, looked, true);
  if (dirty) leave(cache, *dirty, true);
  const Answer answer = isWriteBack ? Answer{looked, cache} : fetch(l, address, looked);
  if (!isWriteBack) fill(cache, number << l.shift);
  if (dirty && l.next < 0) behind_->writeBack(core_, *dirty, l.line, answer.ready);
  l.lines[place] = {answer.ready, answer.level};
  return answer;
}

Tick Hierarchy::gather(int cache, std::uint64_t address, bool isWrite, Tick at) {
  instruction_ = 0;
  for (int above = dataCache_; above != cache; above = levels_[static_cast<std::size_t>(above)]->next) {
    Level &l = *levels_[static_cast<std::size_t>(above)];
    const std::uint64_t number = address >> l.shift;
    Tick looked = l.portAt(number, at) + l.latency;
    if (l.tags.has(number)) looked = std::max(looked, l.lines[l.tags.placeOf(number)].ready);
    if (const auto line = l.tags.takeOut(number)) {
      ++l.counts.forcedDown;
      if (line->isDirty) {
        ++l.counts.writeBacks;
        looked = miss(l.next, address, true, looked, true).ready;
      }
      leave(above, number << l.shift, line->isDirty, true);
    }
    at = looked;
  }
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  const std::uint64_t number = address >> l.shift;
  const Tick start = l.portAt(number, at);
  ++l.counts.gathered;
  Tick ready = 0;
  if (l.tags.use(number, isWrite)) {
    ready = std::max(start, l.lines[l.tags.placeOf(number)].ready);
  } else {
    ++l.counts.readMisses;
    ready = bringIn(l, cache, address, isWrite, start + l.latency, false).ready;
  }
  if (moves_ != nullptr) moves_->onGather(cache, address);
  return ready;
}

Tick Hierarchy::occupy(int cache, std::uint64_t address, Tick at, Tick cycles) {
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  return l.bankOf(address >> l.shift).take(at, cycles);
}

bool Hierarchy::isSameBank(int cache, std::uint64_t a, std::uint64_t b) const {
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  return &l.bankOf(a >> l.shift) == &l.bankOf(b >> l.shift);
}

}  // namespace pimento::sim::cache
