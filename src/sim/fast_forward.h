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
//   const LoopsCursor &position();       position of its process
//   Counts counts(); setCounts();        Counts::add(other, times)
//   void encode(scope, withCountdowns, StateWords &);   state relative to now and to loop counters up to `scope`
//   void shift(LoopShift, time, withEvents);            move by whole iterations and by time
//   void inheritCompletion(...)          see Channel
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
  enum class Kind : std::uint8_t { kDone, kIteration, kEvent } kind = Kind::kDone;
  int loop = -1;  ///< kIteration: the loop whose iteration was completed
};

/// Whether an iteration boundary of this loop is worth a checkpoint: shorter loops end before a skip pays.
inline bool isWorthCheckpoint(const program::FlatLoops::Loop &l) {
  return l.isUniform && l.trip >= 6 && l.commands >= 8;
}

/// Iterations to move per loop depth.
using LoopShift = std::array<std::int64_t, program::kMaxDepth>;

/// What tests may leave out of the state, to show that the tests would notice.
enum class Weakening : std::uint8_t { kNone, kNoCountdowns };

struct FastForwardOptions {
  bool isEnabled = true;
  Weakening weakening = Weakening::kNone;
};

struct FastForwardResult {
  std::int64_t skipped = 0;                  ///< time that was not simulated
  std::int64_t intervals = 0, memoised = 0;  ///< event intervals: all, and those not simulated
};

template <typename Sim>
class FastForward {
 public:
  FastForward(Sim &sim, const FastForwardOptions &options) : sim_(sim), options_(options) {}

  /// Runs the simulation to its end.
  FastForwardResult run() {
    for (;;) {
      const Checkpoint c = sim_.run();
      if (c.kind == Checkpoint::Kind::kDone) return result_;
      if (!options_.isEnabled) continue;
      if (c.kind == Checkpoint::Kind::kIteration)
        atIteration(c.loop);
      else
        atEvent();
    }
  }

 private:
  static constexpr int kRemembered = 4;              // states per loop: periods of up to four iterations are found
  static constexpr std::size_t kMaxMemo = 1u << 14;  // distinct intervals kept

  struct Seen {
    StateWords words;
    std::uint64_t hash = 0;
    std::array<std::int64_t, program::kMaxDepth> counters{};
    std::int64_t time = 0;
    typename Sim::Counts counts;
  };
  struct LoopMemory {
    std::array<Seen, kRemembered> ring;
    int size = 0, next = 0;
  };
  struct Interval {
    StateWords words;
    int scope;
    Sim before, after;
    // the last time this state was met
    std::array<std::int64_t, program::kMaxDepth> counters{};
    std::int64_t time = 0;
    typename Sim::Counts counts;
  };

  std::array<std::int64_t, program::kMaxDepth> counters() const {
    std::array<std::int64_t, program::kMaxDepth> c{};
    const program::LoopsCursor &p = sim_.position();
    for (int d = 0; d < p.depth(); ++d) c[static_cast<std::size_t>(d)] = p.counter(d);
    return c;
  }

  static bool equalBelow(const std::array<std::int64_t, program::kMaxDepth> &a,
                         const std::array<std::int64_t, program::kMaxDepth> &b, int depth) {
    for (int d = 0; d < depth; ++d)
      if (a[static_cast<std::size_t>(d)] != b[static_cast<std::size_t>(d)]) return false;
    return true;
  }

  void encode(const Sim &sim, int scope, bool withCountdowns, StateWords &out) const {
    out.clear();
    sim.encode(scope, withCountdowns && options_.weakening != Weakening::kNoCountdowns, out);
  }

  const program::FlatLoops::Loop &loopAt(int depth) const {
    const program::LoopsCursor &p = sim_.position();
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
    const program::FlatLoops::Loop &l = sim_.position().code().loops()[static_cast<std::size_t>(loop)];
    if (memory_.size() <= static_cast<std::size_t>(loop)) memory_.resize(static_cast<std::size_t>(loop) + 1);
    LoopMemory &m = memory_[static_cast<std::size_t>(loop)];
    const auto here = counters();
    const auto d = static_cast<std::size_t>(l.depth);
    const std::int64_t left = l.trip - 1 - here[d];
    const std::int64_t quiet = sim_.nextEvent() - sim_.now();
    encode(sim_, l.depth, false, scratch_);
    const std::uint64_t hash = scratch_.hash();
    for (int i = 0; i < m.size; ++i) {
      Seen &s = m.ring[static_cast<std::size_t>((m.next - 1 - i + kRemembered) % kRemembered)];
      if (s.hash != hash || !equalBelow(s.counters, here, l.depth) || here[d] <= s.counters[d]) continue;
      if (!(s.words == scratch_)) continue;
      const std::int64_t iterations = here[d] - s.counters[d];
      const std::int64_t period = sim_.now() - s.time;
      const std::int64_t times = std::min(left / iterations, quiet / period);
      if (times > 0) {
        typename Sim::Counts per = sim_.counts();
        per.add(s.counts, -1);
        skip(l.depth, times, iterations, period, per, false);
        m.size = 0;
        return;
      }
      break;
    }
    Seen &s = m.ring[static_cast<std::size_t>(m.next)];
    s.words = scratch_;
    s.hash = hash;
    s.counters = here;
    s.time = sim_.now();
    s.counts = sim_.counts();
    m.next = (m.next + 1) % kRemembered;
    m.size = std::min(m.size + 1, kRemembered);
  }

  // (ii) and (iii).
  void atEvent() {
    for (LoopMemory &m : memory_) m.size = 0;  // a period must not span an event
    finishRecording();
    while (jump()) ++result_.memoised;
    recording_ = std::make_unique<Sim>(sim_);
    ++result_.intervals;
  }

  /// Files the interval that ends here under the deepest loop that the position never left.
  void finishRecording() {
    if (!recording_ || memo_.size() >= kMaxMemo) return;
    const program::LoopsCursor &a = recording_->position(), &b = sim_.position();
    int scope = 0;
    while (scope < a.depth() && scope < b.depth() && a.loopAt(scope) == b.loopAt(scope) &&
           a.counter(scope) == b.counter(scope))
      ++scope;
    if (scope == a.depth() || scope == b.depth() || a.loopAt(scope) != b.loopAt(scope)) --scope;
    if (scope < 0) return;
    auto entry =
        std::make_unique<Interval>(Interval{{}, scope, *recording_, sim_, {}, recording_->now(), recording_->counts()});
    for (int d = 0; d < a.depth(); ++d) entry->counters[static_cast<std::size_t>(d)] = a.counter(d);
    encode(*recording_, scope, true, entry->words);
    memo_.emplace(entry->words.hash(), std::move(entry));
  }

  /// Replaces the coming interval by a memoised one, if one fits. The position is then at the next event.
  bool jump() {
    for (int scope = sim_.position().depth() - 1; scope >= 0; --scope) {
      encode(sim_, scope, true, scratch_);
      const auto [first, last] = memo_.equal_range(scratch_.hash());
      for (auto it = first; it != last; ++it) {
        Interval &e = *it->second;
        if (e.scope != scope || !(e.words == scratch_)) continue;
        skipSuperPeriods(e, scope);
        if (apply(e, scope)) return true;
      }
    }
    return false;
  }

  void skipSuperPeriods(Interval &e, int scope) {
    const auto here = counters();
    const auto d = static_cast<std::size_t>(scope);
    if (equalBelow(e.counters, here, scope) && here[d] > e.counters[d] && loopAt(scope).isUniform) {
      const std::int64_t iterations = here[d] - e.counters[d];
      const std::int64_t times = (loopAt(scope).trip - 1 - here[d]) / iterations;
      if (times > 0) {
        typename Sim::Counts per = sim_.counts();
        per.add(e.counts, -1);
        skip(scope, times, iterations, sim_.now() - e.time, per, true);
      }
    }
    e.counters = counters();
    e.time = sim_.now();
    e.counts = sim_.counts();
  }

  bool apply(const Interval &e, int scope) {
    const auto here = counters();
    const program::LoopsCursor &from = e.before.position(), &to = e.after.position();
    LoopShift by{};
    for (int d = 0; d <= scope; ++d)
      by[static_cast<std::size_t>(d)] = here[static_cast<std::size_t>(d)] - from.counter(d);
    if (to.counter(scope) + by[static_cast<std::size_t>(scope)] > loopAt(scope).trip - 1) return false;
    const std::int64_t time = sim_.now() - e.before.now();
    typename Sim::Counts c = sim_.counts();
    c.add(e.after.counts(), 1).add(e.before.counts(), -1);
    const Sim current = sim_;
    sim_ = e.after;
    sim_.shift(by, time, true);
    sim_.setCounts(c);
    sim_.inheritCompletion(e.before, e.after, current, time);
    result_.skipped += e.after.now() - e.before.now();
    ++result_.intervals;
    return true;
  }

  Sim &sim_;
  FastForwardOptions options_;
  FastForwardResult result_;
  std::vector<LoopMemory> memory_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Interval>> memo_;
  std::unique_ptr<Sim> recording_;
  StateWords scratch_;
};

}  // namespace pimento::sim
