#include "pimento/sim/cache/hierarchy.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace pimento::sim::cache {

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
        tags({m.sets(), m.ways, Replacement::kLru}),
        lines(tags.places()),
        mshrs(static_cast<std::size_t>(m.mshrs), 0),
        banks(static_cast<std::size_t>(m.banks), Calendar(m.ports)) {}

  Tick portAt(std::uint64_t number, Tick at) {
    return banks[static_cast<std::size_t>(number) & (banks.size() - 1)].take(at);
  }
  /// Brings a line in: the dirty one that goes for it.
  std::optional<std::uint64_t> bringIn(std::uint64_t number, bool isDirty) {
    const auto victim = tags.bringIn(number, isDirty);
    return victim && victim->isDirty ? std::optional(victim->line << shift) : std::nullopt;
  }

  int shift;
  std::int64_t line;  ///< bytes
  int next;
  Tick latency;
  Tags tags;                ///< lines are addresses / line
  std::vector<Line> lines;  ///< by place
  std::vector<Tick> mshrs;  ///< each free from then on
  std::vector<Calendar> banks;
  Counts counts;
};

Hierarchy::Hierarchy(const machine::Machine &machine) : memory_(machine) {
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
  if (l.tags.use(number, isWrite)) return;
  const auto dirty = l.bringIn(number, isWrite);
  l.lines[l.tags.placeOf(number)] = {0, cache};
  if (dirty) touch(l.next, *dirty, true, true);
  if (!isWriteBack) touch(l.next, address, false, false);
}

/// The line for a miss that was found out in cycle `looked`, once an MSHR is free.
Answer Hierarchy::fetch(Level &l, std::uint64_t address, Tick looked) {
  const auto mshr = std::min_element(l.mshrs.begin(), l.mshrs.end());
  const Tick at = std::max(looked, *mshr);
  const Answer answer = l.next < 0 ? Answer{memory_.read(address >> l.shift << l.shift, l.line, at), levels()}
                                   : miss(l.next, address, false, at, false);
  *mshr = answer.ready;
  return answer;
}

/// `isWriteBack`: a whole line comes from above; it is not fetched first.
Answer Hierarchy::miss(int cache, std::uint64_t address, bool isWrite, Tick at, bool isWriteBack) {
  Level &l = *levels_[static_cast<std::size_t>(cache)];
  const std::uint64_t number = address >> l.shift;
  const Tick start = l.portAt(number, at);
  (isWrite ? l.counts.writes : l.counts.reads) += 1;
  const Tick looked = start + l.latency;
  if (l.tags.use(number, isWrite)) {
    const Line &line = l.lines[l.tags.placeOf(number)];
    if (line.ready <= start) return {looked, cache};
    // On its way: the request joins.
    (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
    ++l.counts.merged;
    return {std::max(looked, line.ready), line.from};
  }
  (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
  const auto dirty = l.bringIn(number, isWrite);
  Line &line = l.lines[l.tags.placeOf(number)];
  if (dirty) ++l.counts.writeBacks;
  if (dirty && l.next >= 0) miss(l.next, *dirty, true, looked, true);
  const Answer answer = isWriteBack ? Answer{looked, cache} : fetch(l, address, looked);
  if (dirty && l.next < 0) memory_.write(*dirty, l.line, answer.ready);
  line = {answer.ready, answer.level};
  return answer;
}

}  // namespace pimento::sim::cache
