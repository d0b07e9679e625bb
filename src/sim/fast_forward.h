// Exact fast-forward: run a simulation, skip what is proved to repeat.
//
// Four mechanisms over one notion of state (design page, "The core idea"):
//   (i)   between asynchronous events, when the state at an iteration boundary recurs, whole periods are skipped up to
//         the next event;
//   (ii)  the interval from one event to the next is memoised on full state and program positions;
//   (iii) when an event's state recurs, whole super-periods are skipped;
//   (iv)  likewise the interval from one iteration boundary to the next, where no event falls in between: iterations
//         that are too long for (i) to see two of them between events, or that are left for others and come back.
//         Of one process alone: at a boundary of one of several, others may or may not have moved in that cycle, which
//         the state does not tell.
// A simulation has one process or several, each at a position of its own. In a period each of them goes on by whole
// iterations of one of its loops, or stays where it is; as many periods are skipped as the loops of all of them allow.
// Sound because a state holds everything that can influence a future command, compared in full; loops are only shifted
// where that leaves every same-row question unchanged (program::FlatLoops, uniform loops); and a skip never lets a
// position leave the loop it is in. The result equals a plain run in time and counts; property tests compare them, and
// without any one part of the state (Weakening) they must fail.
//
// A simulation S offers
//   Checkpoint run();                    advance to the next checkpoint
//   int64 now(), nextEvent();            time; time of the next asynchronous event, which follows what else happens
//   int processes(); const Position &position(int process);
//                                        a Position is a value: step(), depth(), loopAt(depth), counter(depth),
//                                        shift(depth, iterations), code().loops()
//   Counts counts(); setCounts();        Counts::add(other, times)
//   kParts                               names of the parts of a state
//   kCountdowns                          the part with the time left until events; -1: it has none
//   void encode(StateWords &);           the state, relative to now and to the counters of uniform loops
//   void restore(const StateWords &, std::span<const Position>, time, withCountdowns);
//                                        takes up that state at those positions and that time
//   int64 completion(); setCompletion(); time of the last completion, carried over skips
//   kRememberedStates                    how many states of a loop are worth keeping
//   kMemoisesIterations                  whether (iv) pays; there is one process then
//   bool isStarved();                    at an event: it will never come to its end
// and, where iterations of a uniform loop are alike only up to some counter,
//   bool repeatsAt(int loop, from, to, at);      what happened while its counter went from one to the other does again
//   int64 stepsAlike(int loop, step, at);        how many steps of so many iterations are alike from there on
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/program/loops_cursor.h"
#include "pimento/sim/state.h"

namespace pimento::sim {

/// Why run() came back.
struct Checkpoint {
  /// kStuck: no command of the program can ever issue again (an activate that the mode refuses, say). Lowerings never
  /// cause it; a hand-written program can.
  /// kWaiting: what comes next hangs on commands that another engine has not handed in yet (dram/source.h).
  enum class Kind : std::uint8_t { kDone, kIteration, kEvent, kStuck, kWaiting } kind = Kind::kDone;
  int loop = -1;    ///< kIteration: the loop whose iteration was completed
  int process = 0;  ///< kIteration: by which process
};

/// Whether an iteration boundary of this loop is worth a checkpoint: shorter loops end before a skip pays.
inline bool isWorthCheckpoint(const program::FlatLoops::Loop &l) {
  return l.isUniform && l.trip >= 6 && l.commands >= 8;
}

struct FastForwardOptions {
  bool isEnabled = true;
  Weakening weakening = {};
};

struct FastForwardResult {
  std::int64_t skipped = 0;                  ///< time that was not simulated
  std::int64_t intervals = 0, memoised = 0;  ///< event intervals: all, and those not simulated
  std::int64_t steps = 0;                    ///< iterations that were not simulated since others were like them
  bool isStuck = false;                      ///< the program did not come to its end; counts and time are of its part
  std::int64_t memoBytes = 0;                ///< what states and intervals that were kept take
};

template <typename Sim>
class FastForward {
 public:
  FastForward(Sim &sim, const FastForwardOptions &options)
      : sim_(sim),
        isEnabled_(options.isEnabled),
        withoutCountdowns_(options.weakening.without | (Sim::kCountdowns >= 0 ? Parts{1} << Sim::kCountdowns : 0)) {
    PIMENTO_CHECK(!Sim::kMemoisesIterations || sim.processes() == 1);
    events_.without = options.weakening.without;
    steps_.without = withoutCountdowns_;
  }

  /// Runs the simulation to its end.
  FastForwardResult run() {
    for (;;) {
      const Checkpoint c = sim_.run();
      result_.isStuck = c.kind == Checkpoint::Kind::kStuck;
      if (c.kind == Checkpoint::Kind::kDone || result_.isStuck) return result_;
      if (!isEnabled_) continue;
      if (c.kind == Checkpoint::Kind::kIteration) {
        atIteration(c.process, c.loop);
        continue;
      }
      atEvent();
      if ((result_.isStuck = sim_.isStarved())) return result_;
    }
  }

 private:
  static constexpr int kRemembered = Sim::kRememberedStates;  // per loop: periods of so many iterations are found
  static constexpr std::size_t kMaxMemo = 1u << 14;           // distinct states and intervals kept
  using Counts = typename Sim::Counts;
  using Position = typename Sim::Position;
  using Counters = std::array<std::int64_t, program::kMaxDepth>;
  using Place = std::vector<Counters>;  // of all processes

  /// When and where a state was met.
  struct Met {
    Place place;
    std::int64_t time = 0, completion = 0;
    Counts counts;
  };
  /// By how many iterations of which loop a process goes on; depth -1: not at all.
  struct Shift {
    int depth = -1;
    std::int64_t iterations = 0;
  };
  /// From a state to its recurrence.
  struct Period {
    std::vector<Shift> shifts;
    std::int64_t time = 0;
    bool hasCompletion = false;  ///< something completed inside
    Counts counts;
  };
  struct Seen {
    StateWords words;
    std::uint64_t hash = 0;
    Met met;
  };
  /// A state that is known to recur after a period while no event falls.
  struct Known {
    StateWords words;
    Place place;
    Period period;
  };
  struct LoopMemory {
    std::array<Seen, kRemembered> ring;
    int size = 0, next = 0;
    Seen anchor;  ///< for longer periods: stays until as many states again have passed (Brent's search for a cycle)
    std::int64_t passed = 0, turn = 0;
    std::unordered_multimap<std::uint64_t, Known> periods;
    void forget() { size = 0, passed = turn = 0; }
  };

  /// A state at the end of an interval, kept once. Counters of `positions` mean nothing.
  struct State {
    StateWords words;
    std::uint64_t hash = 0;
    std::vector<Position> positions;
    std::vector<int> intervals;  ///< that begin with it
  };
  /// A process in an interval: it never leaves the loop at depth `scope` (-1: it stays where it is, outside of loops).
  struct Leg {
    int scope = -1;
    Counters from{}, to{};
  };
  /// A memoised interval: what changed from one event, or iteration boundary, to the next.
  struct Interval {
    int to = -1;  ///< state at its end
    std::vector<Leg> legs;
    std::int64_t time = 0;
    std::optional<std::int64_t> completion;  ///< of the last command that completed inside, before the end
    Counts counts;
    Met met;  ///< of events: the last time that it was about to begin
  };
  /// Where a run of memoised intervals has come to: `state` at `met`.
  struct Head {
    int state = -1;
    Met met;
  };

  /// States, and intervals between them.
  struct Memo {
    Parts without = 0;  ///< parts that are not compared
    std::vector<std::unique_ptr<State>> states;
    std::vector<std::unique_ptr<Interval>> intervals;
    std::unordered_multimap<std::uint64_t, int> index;  ///< states by their hash
    Head recording;                                     ///< the interval that is being simulated, if any

    State &at(int state) const { return *states[static_cast<std::size_t>(state)]; }
  };

  /// Where the simulation is.
  void look(Met &m) const {
    m.place.resize(static_cast<std::size_t>(sim_.processes()));
    for (int p = 0; p < sim_.processes(); ++p) m.place[static_cast<std::size_t>(p)] = countersOf(sim_.position(p));
    m.time = sim_.now();
    m.completion = sim_.completion();
    m.counts = sim_.counts();
  }
  auto positions() const {
    return [this](std::size_t p) -> const Position & { return sim_.position(static_cast<int>(p)); };
  }

  static Counters countersOf(const Position &p) {
    Counters c{};
    for (int d = 0; d < p.depth(); ++d) c[static_cast<std::size_t>(d)] = p.counter(d);
    return c;
  }

  static const auto &loopOf(const Position &p, int depth) {
    return p.code().loops()[static_cast<std::size_t>(p.loopAt(depth))];
  }

  /// Whether one is the other with counters of uniform loops as far as `depth` changed.
  static bool areAlike(const Position &p, int depth, const Counters &a, const Counters &b) {
    for (int d = 0; d < p.depth(); ++d)
      if (a[static_cast<std::size_t>(d)] != b[static_cast<std::size_t>(d)] && (d > depth || !loopOf(p, d).isUniform))
        return false;
    return true;
  }

  /// Whether what happened while the counter of the loop at `depth` went from `from` to `to` happens from `at` on.
  bool repeatsAt(const Position &p, int depth, std::int64_t from, std::int64_t to, std::int64_t at) const {
    if constexpr (requires { sim_.repeatsAt(0, from, to, at); }) return sim_.repeatsAt(p.loopAt(depth), from, to, at);
    return true;
  }

  /// Whether a memoised interval fits where the counters are `at`, as far as its process goes.
  bool fits(const Leg &leg, const Position &p, const Counters &at) const {
    if (!areAlike(p, leg.scope, leg.from, at)) return false;
    for (int d = 0; d <= leg.scope; ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (!repeatsAt(p, d, leg.from[i], leg.to[i], at[i])) return false;
    }
    return true;
  }

  bool fits(const Interval &i, const State &state, const Place &place) const {
    for (std::size_t p = 0; p < i.legs.size(); ++p)
      if (!fits(i.legs[p], state.positions[p], place[p])) return false;
    return true;
  }

  /// How many steps of so many iterations the loop at `depth` has left that are alike.
  std::int64_t stepsAlike(const Position &p, int depth, std::int64_t step, std::int64_t at) const {
    if constexpr (requires { sim_.stepsAlike(0, step, at); }) return sim_.stepsAlike(p.loopAt(depth), step, at);
    return (loopOf(p, depth).trip - 1 - at) / step;
  }

  /// The period from `before` to `now`, if it is one: each process has gone on in one loop, and some process has.
  template <typename PositionOf>
  bool findPeriod(const Met &before, const Met &now, const PositionOf &positionOf, Period &period) const {
    period.shifts.assign(now.place.size(), {});
    bool hasMoved = false;
    for (std::size_t p = 0; p < now.place.size(); ++p) {
      const Position &at = positionOf(p);
      const Counters &a = before.place[p], &b = now.place[p];
      int d = 0;
      while (d < at.depth() && a[static_cast<std::size_t>(d)] == b[static_cast<std::size_t>(d)]) ++d;
      if (d == at.depth()) continue;
      period.shifts[p] = {d, b[static_cast<std::size_t>(d)] - a[static_cast<std::size_t>(d)]};
      const auto i = static_cast<std::size_t>(d);
      if (period.shifts[p].iterations < 0 || !areAlike(at, d, a, b) || !repeatsAt(at, d, a[i], b[i], b[i]))
        return false;
      hasMoved = true;
    }
    period.time = now.time - before.time;
    period.hasCompletion = now.completion > before.completion;
    period.counts = now.counts;
    period.counts.add(before.counts, -1);
    return hasMoved && period.time > 0;
  }

  /// How often the period fits into the loops of all processes, from `place` on.
  template <typename PositionOf>
  std::int64_t timesOf(const Period &period, const Place &place, const PositionOf &positionOf) const {
    std::int64_t times = INT64_MAX;
    for (std::size_t p = 0; p < place.size(); ++p) {
      const Shift &s = period.shifts[p];
      if (s.depth < 0) continue;
      times = std::min(times,
                       stepsAlike(positionOf(p), s.depth, s.iterations, place[p][static_cast<std::size_t>(s.depth)]));
    }
    return times;
  }

  void skip(const Period &period, std::int64_t times, Met &met) {
    for (std::size_t p = 0; p < met.place.size(); ++p)
      if (const Shift &s = period.shifts[p]; s.depth >= 0)
        met.place[p][static_cast<std::size_t>(s.depth)] += times * s.iterations;
    met.time += times * period.time;
    if (period.hasCompletion) met.completion += times * period.time;
    met.counts.add(period.counts, times);
    result_.skipped += times * period.time;
  }

  /// Puts the simulation into a state, at `met`; the counters of `positions` are overwritten.
  void restore(const StateWords &words, std::vector<Position> &positions, const Met &met, bool withCountdowns) {
    for (std::size_t p = 0; p < positions.size(); ++p)
      for (int d = 0; d < positions[p].depth(); ++d)
        positions[p].shift(d, met.place[p][static_cast<std::size_t>(d)] - positions[p].counter(d));
    sim_.restore(words, positions, met.time, withCountdowns);
    sim_.setCounts(met.counts);
    sim_.setCompletion(met.completion);
  }

  // (i) Same state, some iterations apart, with no event in between: skip up to the next event. (iv) from there on.
  void atIteration(int process, int loop) {
    Met &now = now_;
    look(now);
    scratch_.clear();
    sim_.encode(scratch_);
    const std::uint64_t hash = scratch_.hash(withoutCountdowns_);
    Head head;
    if (Sim::kMemoisesIterations) head.state = stateHere(steps_, hash);
    head.met = now;
    if (steps_.recording.state >= 0 && head.state >= 0) finishRecording(steps_, head);
    const Period *period = periodHere(memoryOf(process, loop), hash, now);
    const bool isSkipped = period != nullptr && skipPeriods(*period, head.met);
    const std::int64_t time = head.met.time;
    while (head.state >= 0 && jump(steps_, head, sim_.nextEvent()) != nullptr) ++result_.steps;
    if (head.met.time != time) {
      takeUp(steps_, head, false);
    } else if (isSkipped) {
      positions_.clear();
      for (int p = 0; p < sim_.processes(); ++p) positions_.push_back(sim_.position(p));
      restore(scratch_, positions_, head.met, false);
    }
    if (Sim::kMemoisesIterations) steps_.recording = std::move(head);
  }

  /// The period after which the state in scratch_, which the simulation is in, recurs; null: it is not known to.
  const Period *periodHere(LoopMemory &m, std::uint64_t hash, Met &now) {
    const auto [first, last] = m.periods.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (isKnown(it->second, now)) return &it->second.period;
    const auto recurs = [&](const Seen &s) {
      return s.hash == hash && s.words.matches(scratch_, withoutCountdowns_) &&
             findPeriod(s.met, now, positions(), period_);
    };
    bool hasPeriod = false;  // a short one rather than a multiple of it
    for (int i = 0; i < m.size && !hasPeriod; ++i)
      hasPeriod = recurs(m.ring[static_cast<std::size_t>((m.next - 1 - i + kRemembered) % kRemembered)]);
    if (hasPeriod || (m.passed > 0 && recurs(m.anchor))) {
      if (m.periods.size() < kMaxMemo) m.periods.emplace(hash, Known{scratch_, now.place, period_});
      return &period_;
    }
    if (m.passed++ == m.turn) {
      m.turn = 2 * m.turn + 1;
      m.anchor = Seen{scratch_, hash, now};
    }
    Seen &s = m.ring[static_cast<std::size_t>(m.next)];
    s.words = scratch_;
    s.hash = hash;
    s.met = now;
    m.next = (m.next + 1) % kRemembered;
    m.size = std::min(m.size + 1, kRemembered);
    return nullptr;
  }

  LoopMemory &memoryOf(int process, int loop) {
    const auto p = static_cast<std::size_t>(process), l = static_cast<std::size_t>(loop);
    if (memory_.size() <= p) memory_.resize(p + 1);
    if (memory_[p].size() <= l) memory_[p].resize(l + 1);
    if (!memory_[p][l]) memory_[p][l] = std::make_unique<LoopMemory>();
    return *memory_[p][l];
  }

  bool isKnown(const Known &k, const Met &now) const {
    if (!k.words.matches(scratch_, withoutCountdowns_)) return false;
    for (std::size_t p = 0; p < now.place.size(); ++p) {
      const Position &at = sim_.position(static_cast<int>(p));
      const Shift &s = k.period.shifts[p];
      if (!areAlike(at, s.depth, k.place[p], now.place[p])) return false;
      if (s.depth < 0) continue;
      const auto d = static_cast<std::size_t>(s.depth);
      if (!repeatsAt(at, s.depth, k.place[p][d], k.place[p][d] + s.iterations, now.place[p][d])) return false;
    }
    return true;
  }

  bool skipPeriods(const Period &period, Met &met) {
    const std::int64_t times =
        std::min(timesOf(period, met.place, positions()), (sim_.nextEvent() - met.time) / period.time);
    if (times <= 0) return false;
    skip(period, times, met);
    return true;
  }

  // (ii) and (iii).
  void atEvent() {
    for (auto &loops : memory_)
      for (auto &m : loops)
        if (m) m->forget();  // a period of (i) must not span an event
    steps_.recording.state = -1;
    scratch_.clear();
    sim_.encode(scratch_);
    Head head;
    head.state = stateHere(events_, scratch_.hash(events_.without));
    look(head.met);
    if (events_.recording.state >= 0 && head.state >= 0) finishRecording(events_, head);
    bool isElsewhere = false;
    while (head.state >= 0 && (isElsewhere || !sim_.isStarved())) {
      const std::int64_t time = head.met.time;
      const Interval *done = jump(events_, head, INT64_MAX);
      isElsewhere |= head.met.time != time;
      if (done == nullptr) break;
      ++result_.memoised;
      ++result_.intervals;
      if (done->completion) continue;
      takeUp(events_, head, true);  // nothing completed: for how long already?
      isElsewhere = false;
    }
    if (isElsewhere) takeUp(events_, head, true);
    events_.recording = std::move(head);
    ++result_.intervals;
  }

  void takeUp(const Memo &memo, const Head &head, bool withCountdowns) {
    State &s = memo.at(head.state);
    restore(s.words, s.positions, head.met, withCountdowns);
  }

  /// The number of the state in scratch_, which the simulation is in; -1: it is new, and enough are kept.
  int stateHere(Memo &memo, std::uint64_t hash) {
    const auto [first, last] = memo.index.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (memo.at(it->second).words.matches(scratch_, memo.without)) return it->second;
    if (memo.states.size() >= kMaxMemo) return -1;
    const int number = static_cast<int>(memo.states.size());
    memo.states.push_back(std::make_unique<State>());
    State &s = *memo.states.back();
    s.words = scratch_;
    s.hash = hash;
    for (int p = 0; p < sim_.processes(); ++p) s.positions.push_back(sim_.position(p));
    memo.index.emplace(hash, number);
    result_.memoBytes +=
        static_cast<std::int64_t>(sizeof(State) + s.words.bytes() + s.positions.size() * sizeof(Position));
    return number;
  }

  /// Files the interval that ends here. Each process stays in the deepest loop that it never left.
  void finishRecording(Memo &memo, const Head &end) {
    if (memo.intervals.size() >= kMaxMemo) return;
    State &from = memo.at(memo.recording.state);
    const Met &before = memo.recording.met;
    // Two boundaries at one place: nothing happened, and nothing would, however often it is taken.
    if (end.met.time == before.time && end.met.place == before.place) return;
    auto interval = std::make_unique<Interval>();
    for (std::size_t p = 0; p < from.positions.size(); ++p) {
      const Position &a = from.positions[p], &b = sim_.position(static_cast<int>(p));
      Leg leg{-1, before.place[p], end.met.place[p]};
      const int depth = std::min(a.depth(), b.depth());
      int scope = 0;
      while (scope < depth && a.loopAt(scope) == b.loopAt(scope) &&
             leg.from[static_cast<std::size_t>(scope)] == leg.to[static_cast<std::size_t>(scope)])
        ++scope;
      if (scope == depth || a.loopAt(scope) != b.loopAt(scope)) --scope;
      leg.scope = scope;
      if (scope < 0 && (a.step() != b.step() || a.depth() > 0)) return;  // it never comes back
      interval->legs.push_back(leg);
    }
    interval->to = end.state;
    interval->time = end.met.time - before.time;
    if (end.met.completion > before.completion) interval->completion = end.met.time - end.met.completion;
    interval->counts = end.met.counts;
    interval->counts.add(before.counts, -1);
    interval->met = before;
    from.intervals.push_back(static_cast<int>(memo.intervals.size()));
    memo.intervals.push_back(std::move(interval));
    result_.memoBytes +=
        static_cast<std::int64_t>(sizeof(Interval) + from.positions.size() * (sizeof(Leg) + sizeof(Counters)));
  }

  /// Replaces the coming interval by a memoised one that ends at `latest` at most, if one fits; null if none does.
  const Interval *jump(Memo &memo, Head &head, std::int64_t latest) {
    const State &state = memo.at(head.state);
    for (const int number : state.intervals) {
      Interval &i = *memo.intervals[static_cast<std::size_t>(number)];
      if (i.time > latest - head.met.time) continue;
      if (!fits(i, state, head.met.place)) continue;
      // Where periods end, the loops may no longer be as they were at their beginning.
      if (latest == INT64_MAX && skipSuperPeriods(i, state, head.met) && !fits(i, state, head.met.place)) continue;
      if (apply(i, state, head)) return &i;
    }
    return nullptr;
  }

  bool skipSuperPeriods(Interval &i, const State &state, Met &met) {
    const auto positionOf = [&state](std::size_t p) -> const Position & { return state.positions[p]; };
    const std::int64_t times =
        findPeriod(i.met, met, positionOf, period_) ? timesOf(period_, met.place, positionOf) : 0;
    if (times > 0) skip(period_, times, met);
    i.met = met;
    return times > 0;
  }

  bool apply(const Interval &i, const State &from, Head &head) {
    for (std::size_t p = 0; p < i.legs.size(); ++p) {
      const Leg &leg = i.legs[p];
      if (leg.scope < 0) continue;
      const auto d = static_cast<std::size_t>(leg.scope);
      if (head.met.place[p][d] + leg.to[d] - leg.from[d] >= loopOf(from.positions[p], leg.scope).trip) return false;
    }
    for (std::size_t p = 0; p < i.legs.size(); ++p) {
      const Leg &leg = i.legs[p];
      Counters &c = head.met.place[p];
      for (std::size_t d = 0; d < c.size(); ++d)
        c[d] = static_cast<int>(d) <= leg.scope ? c[d] + leg.to[d] - leg.from[d] : leg.to[d];
    }
    head.state = i.to;
    head.met.time += i.time;
    head.met.counts.add(i.counts, 1);
    if (i.completion) head.met.completion = std::max(head.met.completion, head.met.time - *i.completion);
    result_.skipped += i.time;
    return true;
  }

  Sim &sim_;
  bool isEnabled_;
  Parts withoutCountdowns_;  // parts that are not compared at iterations
  FastForwardResult result_;
  std::vector<std::vector<std::unique_ptr<LoopMemory>>> memory_;  // by process and loop
  Memo events_, steps_;
  std::vector<Position> positions_;  // used again and again: of a skip, of a search
  Met now_;
  Period period_;
  StateWords scratch_;
};

}  // namespace pimento::sim
