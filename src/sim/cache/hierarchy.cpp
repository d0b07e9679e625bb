#include "pimento/sim/cache/hierarchy.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::cache {

/// A place for a line.
struct Hierarchy::Line {
  std::uint64_t number = ~std::uint64_t{0};  ///< address / line; none: all ones
  std::uint64_t used = 0;                    ///< larger: more recently
  Tick ready = 0;                            ///< it is there, or on its way until then
  int from = 0;                              ///< the level that had it, while it is on its way
  bool isDirty = false;
};

struct Hierarchy::Level {
  explicit Level(const machine::CacheLevel &m)
      : machine(m),
        shift(std::countr_zero(static_cast<std::uint64_t>(m.line.value))),
        setMask(static_cast<std::uint64_t>(m.sets()) - 1),
        lines(static_cast<std::size_t>(m.sets() * m.ways)),
        mshrs(static_cast<std::size_t>(m.mshrs), 0),
        banks(static_cast<std::size_t>(m.banks), Calendar(m.ports)) {}

  Line *setOf(std::uint64_t number) {
    return &lines[static_cast<std::size_t>(number & setMask) * static_cast<std::size_t>(machine.ways)];
  }
  Line *find(std::uint64_t number) {
    Line *set = setOf(number);
    for (int w = 0; w < machine.ways; ++w)
      if (set[w].number == number) return &set[w];
    return nullptr;
  }
  /// The least recently used place of the set.
  Line *victim(std::uint64_t number) {
    Line *set = setOf(number);
    return std::min_element(set, set + machine.ways, [](const Line &a, const Line &b) { return a.used < b.used; });
  }
  Tick portAt(std::uint64_t number, Tick at) {
    return banks[static_cast<std::size_t>(number) & (banks.size() - 1)].take(at);
  }

  const machine::CacheLevel &machine;
  int shift;
  std::uint64_t setMask;
  std::vector<Line> lines;
  std::vector<Tick> mshrs;  ///< each free from then on
  std::vector<Calendar> banks;
  std::uint64_t clock = 0;  ///< uses so far
  Counts counts;
};

Hierarchy::Hierarchy(const machine::Machine &machine) : machine_(machine), memory_(1) {
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

Answer Hierarchy::access(int cache, std::uint64_t address, bool isWrite, Tick at) {
  return miss(cache, address, isWrite, at, false);
}

void Hierarchy::touch(int cache, std::uint64_t address, bool isWrite, bool isWriteBack) {
  if (cache < 0) return;
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  const std::uint64_t number = address >> l.shift;
  Line *line = l.find(number);
  if (line != nullptr) {
    line->used = ++l.clock;
    line->isDirty |= isWrite;
    return;
  }
  line = l.victim(number);
  if (line->number != ~std::uint64_t{0} && line->isDirty) touch(l.machine.next, line->number << l.shift, true, true);
  if (!isWriteBack) touch(l.machine.next, address, false, false);
  *line = {number, ++l.clock, 0, cache, isWrite};
}

/// `isWriteBack`: a whole line comes from above; it is not fetched first.
Answer Hierarchy::miss(int cache, std::uint64_t address, bool isWrite, Tick at, bool isWriteBack) {
  if (cache < 0) {
    const machine::MainMemory &m = *machine_.memory;
    (isWrite ? memoryWrites_ : memoryReads_) += 1;
    const Tick start = memory_.take(at, m.interval.value);
    return {start + m.latency.value, levels()};
  }
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  const std::uint64_t number = address >> l.shift;
  const Tick start = l.portAt(number, at);
  (isWrite ? l.counts.writes : l.counts.reads) += 1;
  const Tick looked = start + l.machine.latency.value;
  Line *line = l.find(number);
  if (line != nullptr) {
    line->used = ++l.clock;
    line->isDirty |= isWrite;
    if (line->ready <= start) return {looked, cache};
    // On its way: the request joins.
    (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
    ++l.counts.merged;
    return {std::max(looked, line->ready), line->from};
  }
  (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
  line = l.victim(number);
  if (line->number != ~std::uint64_t{0} && line->isDirty) {
    ++l.counts.writeBacks;
    miss(l.machine.next, line->number << l.shift, true, looked, true);
  }
  Answer answer{looked, cache};
  if (!isWriteBack) {
    const auto mshr = std::min_element(l.mshrs.begin(), l.mshrs.end());
    answer = miss(l.machine.next, address, false, std::max(looked, *mshr), false);
    *mshr = answer.ready;
  }
  *line = {number, ++l.clock, answer.ready, answer.level, isWrite};
  return answer;
}

}  // namespace pimento::sim::cache
