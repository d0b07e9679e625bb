// Exact fast-forward: run a simulation, skip what is proved to repeat.
//
// Three nested mechanisms over one notion of state (design page, "The core idea"):
//   (i)   between asynchronous events, when the state at an iteration boundary recurs, whole iterations are skipped up
//         to the next event;
//   (ii)  the interval from one event to the next is memoised on full state and program position;
//   (iii) when an event's state recurs inside one loop, whole super-periods are skipped.
// Sound because a state holds everything that can influence a future command, compared in full; loops are only
// shifted where that leaves every same-row question unchanged (program::FlatLoops, uniform loops); and a skip never
// lets the position leave the loop it is in. The result equals a plain run in time and counts; property tests compare
// them, and a deliberately weakened state (Weakening) must fail those tests.
//
// A simulation S is copyable (a copy is a snapshot) and offers
//   Checkpoint run();                    advance to the next checkpoint
//   int64 now(), nextEvent();            time; time of the next asynchronous event
//   const Position &position();          of its process (a LoopsCursor, say); of several: of the one that is farthest
//   Counts counts(); setCounts();        Counts::add(other, times)
//   void encode(scope, withCountdowns, StateWords &);   state relative to now and to loop counters up to `scope`
//   void shift(LoopShift, time, withEvents);            move by whole iterations and by time
//   int64 completion(); setCompletion();                time of the last completion, carried over skips
//   kRememberedStates                    how many states of a loop are worth keeping
//   bool isStarved();                                   at an event: it will never come to its end
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/state.h"

namespace pimento::sim {

/// Why run() came back.
struct Checkpoint {
  /// kStuck: no command of the program can ever issue again (an activate that the mode refuses, say). Lowerings never
  /// cause it; a hand-written program can.
  /// kWaiting: what comes next hangs on commands that another engine has not handed in yet (dram/source.h).
  enum class Kind : std::uint8_t { kDone, kIteration, kEvent, kStuck, kWaiting } kind = Kind::kDone;
  int loop = -1;  ///< kIteration: the loop whose iteration was completed
};

/// Whether an iteration boundary of this loop is worth a checkpoint: shorter loops end before a skip pays.
inline bool isWorthCheckpoint(const program::FlatLoops::Loop &l) {
  return l.isUniform && l.trip >= 6 && l.commands >= 8;
}

/// Iterations to move per loop depth.
using LoopShift = std::array<std::int64_t, program::kMaxDepth>;

/// What tests may leave out of the state, to show that the tests would notice. kNoCountdowns: the time left until
/// refreshes fall due; they then move along with whatever seems to repeat.
enum class Weakening : std::uint8_t { kNone, kNoCountdowns };

struct FastForwardOptions {
  bool isEnabled = true;
  Weakening weakening = Weakening::kNone;
};

struct FastForwardResult {
  std::int64_t skipped = 0;                  ///< time that was not simulated
  std::int64_t intervals = 0, memoised = 0;  ///< event intervals: all, and those not simulated
  bool isStuck = false;                      ///< the program did not come to its end; counts and time are of its part
};

template <typename Sim>
class FastForward {
 public:
  FastForward(Sim &sim, const FastForwardOptions &options) : sim_(sim), options_(options) {}

  /// Runs the simulation to its end.
  FastForwardResult run() {
    for (;;) {
      const Checkpoint c = sim_.run();
      result_.isStuck = c.kind == Checkpoint::Kind::kStuck;
      if (c.kind == Checkpoint::Kind::kDone || result_.isStuck) return result_;
      if (!options_.isEnabled) continue;
      if (c.kind == Checkpoint::Kind::kIteration) {
        atIteration(c.loop);
        continue;
      }
      atEvent();
      if ((result_.isStuck = sim_.isStarved())) return result_;
    }
  }

 private:
  static constexpr int kRemembered = Sim::kRememberedStates;  // per loop: periods of so many iterations are found
  static constexpr std::size_t kMaxMemo = 1u << 14;           // distinct intervals kept
  using Counters = std::array<std::int64_t, program::kMaxDepth>;

  struct Seen {
    StateWords words;
    std::uint64_t hash = 0;
    Counters counters{};
    std::int64_t time = 0;
    typename Sim::Counts counts;
  };
  /// A state that is known to recur after `iterations` and `time` while no event falls.
  struct Period {
    StateWords words;
    std::int64_t iterations = 0, time = 0;
    typename Sim::Counts counts;
  };
  struct LoopMemory {
    std::array<Seen, kRemembered> ring;
    int size = 0, next = 0;
    std::unordered_multimap<std::uint64_t, Period> periods;
  };
  /// A memoised interval: the state at an event, and the simulation as it was at the next one.
  struct Interval {
    StateWords words;
    int scope = 0;
    Sim after;
    Counters fromCounters{};
    std::int64_t fromTime = 0;
    typename Sim::Counts fromCounts;
    bool hasCompletion = false;  ///< something completed inside
    // The last time this state was met.
    Counters counters{};
    std::int64_t time = 0;
    typename Sim::Counts counts;
  };

  static Counters countersOf(const Sim &sim) {
    Counters c{};
    const auto &p = sim.position();
    for (int d = 0; d < p.depth(); ++d) c[static_cast<std::size_t>(d)] = p.counter(d);
    return c;
  }

  static bool equalBelow(const Counters &a, const Counters &b, int depth) {
    return std::equal(a.begin(), a.begin() + depth, b.begin());
  }

  void encode(const Sim &sim, int scope, bool withCountdowns, StateWords &out) const {
    out.clear();
    sim.encode(scope, withCountdowns && options_.weakening != Weakening::kNoCountdowns, out);
  }

  const auto &loopAt(int depth) const {
    const auto &p = sim_.position();
    return p.code().loops()[static_cast<std::size_t>(p.loopAt(depth))];
  }

  /// Skips `times` periods: `iterations` of the loop at `depth`, `time` and `counts` each.
  void skip(int depth, std::int64_t times, std::int64_t iterations, std::int64_t time, typename Sim::Counts perPeriod,
            bool withEvents) {
    LoopShift by{};
    by[static_cast<std::size_t>(depth)] = times * iterations;
    sim_.shift(by, times * time, withEvents);
    typename Sim::Counts c = sim_.counts();
    sim_.setCounts(c.add(perPeriod, times));
    result_.skipped += times * time;
  }

  // (i) Same state, some iterations apart, with no event in between: skip up to the next event.
  void atIteration(int loop) {
    const auto &l = sim_.position().code().loops()[static_cast<std::size_t>(loop)];
    if (memory_.size() <= static_cast<std::size_t>(loop)) memory_.resize(static_cast<std::size_t>(loop) + 1);
    LoopMemory &m = memory_[static_cast<std::size_t>(loop)];
    const Counters here = countersOf(sim_);
    const auto d = static_cast<std::size_t>(l.depth);
    encode(sim_, l.depth, false, scratch_);
    const std::uint64_t hash = scratch_.hash();
    const auto [first, last] = m.periods.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (it->second.words == scratch_) return skipPeriods(l, it->second);
    for (int i = 0; i < m.size; ++i) {
      const Seen &s = m.ring[static_cast<std::size_t>((m.next - 1 - i + kRemembered) % kRemembered)];
      if (s.hash != hash || !equalBelow(s.counters, here, l.depth) || here[d] <= s.counters[d]) continue;
      if (!(s.words == scratch_)) continue;
      Period p{scratch_, here[d] - s.counters[d], sim_.now() - s.time, sim_.counts()};
      p.counts.add(s.counts, -1);
      skipPeriods(l, p);
      if (m.periods.size() < kMaxMemo) m.periods.emplace(hash, std::move(p));
      return;
    }
    Seen &s = m.ring[static_cast<std::size_t>(m.next)];
    std::swap(s.words, scratch_);
    s.hash = hash;
    s.counters = here;
    s.time = sim_.now();
    s.counts = sim_.counts();
    m.next = (m.next + 1) % kRemembered;
    m.size = std::min(m.size + 1, kRemembered);
  }

  template <typename Loop>
  void skipPeriods(const Loop &l, const Period &p) {
    const std::int64_t left = l.trip - 1 - sim_.position().counter(l.depth);
    const bool isWeak = options_.weakening == Weakening::kNoCountdowns;
    std::int64_t times = left / p.iterations;
    if (!isWeak) times = std::min(times, (sim_.nextEvent() - sim_.now()) / p.time);
    if (times > 0) skip(l.depth, times, p.iterations, p.time, p.counts, isWeak);
  }

  // (ii) and (iii).
  void atEvent() {
    for (LoopMemory &m : memory_) m.size = 0;  // a period of (i) must not span an event
    finishRecording();
    while (!sim_.isStarved() && jump()) ++result_.memoised;
    if (recording_)
      *recording_ = sim_;
    else
      recording_ = std::make_unique<Sim>(sim_);
    ++result_.intervals;
  }

  /// Files the interval that ends here under the deepest loop that the position never left.
  void finishRecording() {
    if (!recording_ || memo_.size() >= kMaxMemo) return;
    const auto &a = recording_->position(), &b = sim_.position();
    const int depth = std::min(a.depth(), b.depth());
    int scope = 0;
    while (scope < depth && a.loopAt(scope) == b.loopAt(scope) && a.counter(scope) == b.counter(scope)) ++scope;
    if (scope == depth || a.loopAt(scope) != b.loopAt(scope)) --scope;
    if (scope < 0) return;
    auto entry = std::make_unique<Interval>(Interval{.words = {}, .after = sim_, .fromCounts = {}, .counts = {}});
    entry->scope = scope;
    entry->fromCounters = entry->counters = countersOf(*recording_);
    entry->fromTime = entry->time = recording_->now();
    entry->fromCounts = entry->counts = recording_->counts();
    entry->hasCompletion = sim_.completion() > recording_->completion();
    encode(*recording_, scope, true, entry->words);
    scopes_ |= 1U << scope;
    memo_.emplace(entry->words.hash(), std::move(entry));
  }

  /// Replaces the coming interval by a memoised one, if one fits. The position is then at the next event.
  bool jump() {
    for (int scope = sim_.position().depth() - 1; scope >= 0; --scope) {
      if (!((scopes_ >> scope) & 1U)) continue;
      encode(sim_, scope, true, scratch_);
      const auto [first, last] = memo_.equal_range(scratch_.hash());
      for (auto it = first; it != last; ++it) {
        Interval &e = *it->second;
        if (e.scope != scope || !(e.words == scratch_)) continue;
        skipSuperPeriods(e);
        if (apply(e)) return true;
      }
    }
    return false;
  }

  void skipSuperPeriods(Interval &e) {
    const Counters here = countersOf(sim_);
    const auto d = static_cast<std::size_t>(e.scope);
    if (equalBelow(e.counters, here, e.scope) && here[d] > e.counters[d] && loopAt(e.scope).isUniform) {
      const std::int64_t iterations = here[d] - e.counters[d];
      const std::int64_t times = (loopAt(e.scope).trip - 1 - here[d]) / iterations;
      if (times > 0) {
        typename Sim::Counts per = sim_.counts();
        per.add(e.counts, -1);
        skip(e.scope, times, iterations, sim_.now() - e.time, per, true);
      }
    }
    e.counters = countersOf(sim_);
    e.time = sim_.now();
    e.counts = sim_.counts();
  }

  bool apply(const Interval &e) {
    const Counters here = countersOf(sim_);
    const auto last = static_cast<std::size_t>(e.scope);
    LoopShift by{};
    for (std::size_t d = 0; d <= last; ++d) by[d] = here[d] - e.fromCounters[d];
    if (e.after.position().counter(e.scope) + by[last] > loopAt(e.scope).trip - 1) return false;
    const std::int64_t time = sim_.now() - e.fromTime, completion = sim_.completion();
    typename Sim::Counts c = sim_.counts();
    c.add(e.after.counts(), 1).add(e.fromCounts, -1);
    sim_ = e.after;
    sim_.shift(by, time, true);
    sim_.setCounts(c);
    sim_.setCompletion(e.hasCompletion ? std::max(completion, sim_.completion()) : completion);
    result_.skipped += e.after.now() - e.fromTime;
    ++result_.intervals;
    return true;
  }

  Sim &sim_;
  FastForwardOptions options_;
  FastForwardResult result_;
  std::vector<LoopMemory> memory_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Interval>> memo_;
  unsigned scopes_ = 0;  // bit s: some memoised interval has scope s
  std::unique_ptr<Sim> recording_;
  StateWords scratch_;
};

}  // namespace pimento::sim
