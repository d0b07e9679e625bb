#include "pimento/sim/cache/hierarchy.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::cache {

/// What is known of the line in a place.
struct Hierarchy::Line {
  std::uint64_t used = 0;  ///< larger: more recently
  Tick ready = 0;          ///< it is there, or on its way until then
  int from = 0;            ///< the level that had it, while it is on its way
  bool isDirty = false;
};

struct Hierarchy::Level {
  explicit Level(const machine::CacheLevel &m)
      : shift(std::countr_zero(static_cast<std::uint64_t>(m.line.value))),
        line(m.line.value),
        next(m.next),
        ways(static_cast<std::size_t>(m.ways)),
        latency(m.latency.value),
        setMask(static_cast<std::uint64_t>(m.sets()) - 1),
        numbers(static_cast<std::size_t>(m.sets() * m.ways), kNone),
        lines(numbers.size()),
        mshrs(static_cast<std::size_t>(m.mshrs), 0),
        banks(static_cast<std::size_t>(m.banks), Calendar(m.ports)) {}

  std::size_t setOf(std::uint64_t number) const { return static_cast<std::size_t>(number & setMask) * ways; }
  /// Index of its place; that of no place where it is not there.
  std::size_t find(std::uint64_t number) {
    if (numbers[last] == number) return last;
    const std::size_t begin = setOf(number);
    for (std::size_t place = begin; place < begin + ways; ++place)
      if (numbers[place] == number) return last = place;
    return lines.size();
  }
  /// The least recently used place of the set.
  std::size_t victim(std::uint64_t number) const {
    const auto set = lines.begin() + static_cast<std::ptrdiff_t>(setOf(number));
    const auto oldest = std::min_element(set, set + static_cast<std::ptrdiff_t>(ways),
                                         [](const Line &a, const Line &b) { return a.used < b.used; });
    return static_cast<std::size_t>(oldest - lines.begin());
  }
  Tick portAt(std::uint64_t number, Tick at) {
    return banks[static_cast<std::size_t>(number) & (banks.size() - 1)].take(at);
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  int shift;
  std::int64_t line;  ///< bytes
  int next;
  std::size_t ways;
  Tick latency;
  std::uint64_t setMask;
  std::vector<std::uint64_t> numbers;  ///< of the line in each place, address / line: apart, as they are searched
  std::vector<Line> lines;
  std::vector<Tick> mshrs;  ///< each free from then on
  std::vector<Calendar> banks;
  std::size_t last = 0;     ///< the place that was found last: often that of the next one, too
  std::uint64_t clock = 0;  ///< uses so far
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
  if (const std::size_t place = l.find(number); place < l.lines.size()) {
    l.lines[place].used = ++l.clock;
    l.lines[place].isDirty |= isWrite;
    return;
  }
  const std::size_t place = l.victim(number);
  if (l.numbers[place] != Level::kNone && l.lines[place].isDirty)
    touch(l.next, l.numbers[place] << l.shift, true, true);
  if (!isWriteBack) touch(l.next, address, false, false);
  l.numbers[place] = number;
  l.lines[place] = {++l.clock, 0, cache, isWrite};
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
  if (const std::size_t place = l.find(number); place < l.lines.size()) {
    Line &line = l.lines[place];
    line.used = ++l.clock;
    line.isDirty |= isWrite;
    if (line.ready <= start) return {looked, cache};
    // On its way: the request joins.
    (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
    ++l.counts.merged;
    return {std::max(looked, line.ready), line.from};
  }
  (isWrite ? l.counts.writeMisses : l.counts.readMisses) += 1;
  const std::size_t place = l.victim(number);
  const std::uint64_t victim = l.numbers[place] << l.shift;
  const bool isDirty = l.numbers[place] != Level::kNone && l.lines[place].isDirty;
  if (isDirty) ++l.counts.writeBacks;
  if (isDirty && l.next >= 0) miss(l.next, victim, true, looked, true);
  const Answer answer = isWriteBack ? Answer{looked, cache} : fetch(l, address, looked);
  if (isDirty && l.next < 0) memory_.write(victim, l.line, answer.ready);
  l.numbers[place] = number;
  l.lines[place] = {++l.clock, answer.ready, answer.level, isWrite};
  return answer;
}

}  // namespace pimento::sim::cache
