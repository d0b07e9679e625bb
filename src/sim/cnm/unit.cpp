#include "pimento/sim/cnm/unit.h"

#include <algorithm>

#include "pimento/base/integer.h"

namespace pimento::sim::cnm {

namespace {

/// The bank as the DMA engine of a DPU: tables of latency and occupancy, ports.
machine::Dpu bankOf(const machine::UnitMemory &m) {
  machine::Dpu d;
  d.transferUnit = m.unit;
  d.transferMax = m.largest;
  d.ticksPerCycle = m.ticksPerCycle;
  d.transferPorts = m.ports;
  d.reads = m.reads;
  d.writes = m.writes;
  d.refreshInterval = m.refreshInterval;
  d.refreshTime = m.refreshTime;
  return d;
}

RunResult resultOf(const Unit &unit, std::int64_t skipped) {
  RunResult r;
  r.cycles = Cycles(unit.completion());
  r.cyclesSimulated = r.cycles - Cycles(skipped + unit.skippedTurns());
  r.counts = unit.counts();
  r.idleCycles = r.cycles.value - r.counts.slots;
  return r;
}

}  // namespace

RunResult simulate(const UnitCode &code, const machine::Machine &machine) {
  Unit unit(code, machine, true);
  unit.run();
  return resultOf(unit, 0);
}

RunResult estimate(const UnitCode &code, const machine::Machine &machine, const UnitWeakening &weakening) {
  Unit unit(code, machine, false, weakening.turns);
  FastForward<Unit> engine(unit, {.weakening = weakening.states});
  const FastForwardResult done = engine.run();
  return resultOf(unit, done.skipped);
}

Cycles lowerBound(const UnitCode &code, const machine::Machine &machine) {
  const machine::UnitMemory &m = *machine.unitMemory;
  const std::int64_t contexts = code.contexts(), slots = code.total().slots;
  // One slot per cycle; a thread's slots are an interval apart.
  std::int64_t bound =
      std::max(multiplySaturated(slots, contexts), multiplySaturated(slots, machine.compute->issueInterval.value));
  // Ticks per unit of bytes that no access is below; times are rounded to cycles once.
  const dpu::Dma bank(bankOf(m));
  const auto ticks = [&](bool isRead, std::int64_t bytes) {
    double least = static_cast<double>(bank.occupancy(isRead, m.largest.value)) / static_cast<double>(m.largest.value);
    for (std::int64_t size = m.unit.value; size < m.largest.value; size += m.unit.value)
      least = std::min(least, static_cast<double>(bank.occupancy(isRead, size)) / static_cast<double>(size));
    return least * static_cast<double>(bytes);
  };
  constexpr double kLargest = 9e18, kHair = 1 - 1e-9;
  const double all = static_cast<double>(contexts) *
                     (ticks(true, code.total().bankReadBytes) + ticks(false, code.total().bankWriteBytes));
  const double cycles = all * kHair / static_cast<double>(m.ports * m.ticksPerCycle) - 1;
  bound = std::max(bound, static_cast<std::int64_t>(std::clamp(cycles, 0.0, kLargest)));
  return Cycles(bound);
}

Unit::Unit(const UnitCode &code, const machine::Machine &machine, bool walksLoops, Weakening turns)
    : code_(&code),
      walksLoops_(walksLoops),
      turnsWithout_(turns.without),
      isBlocking_(machine.unitMemory->isBlocking),
      issue_(machine.compute->issueInterval.value, code.contexts()),
      bank_(bankOf(*machine.unitMemory)),
      threads_(static_cast<std::size_t>(code.contexts())),
      issued_(threads_.size()) {
  for (int t = 0; t < code.contexts(); ++t) {
    thread(t).position.code_ = code_;
    issue_.wake(t, 0);
  }
}

// To the next event, or to the end. Walking loops: one instruction. The loop whose iteration thread 0 completed, where
// that is worth a checkpoint; then walking goes on from there. Else -1.
int Unit::walk(int t) {
  Thread &k = thread(t);
  Position &p = k.position;
  const auto &steps = code_->steps();
  while (p.step_ < static_cast<int>(steps.size())) {
    const UnitCode::Step &s = steps[static_cast<std::size_t>(p.step_)];
    if (s.kind == UnitCode::Kind::kSlots) {
      k.slots += s.slots;
      counts_.add(s.counts, 1);
      ++p.step_;
      if (walksLoops_ && k.slots > 0) return -1;
    } else if (s.kind == UnitCode::Kind::kLoop) {
      const UnitCode::Loop &l = code_->loops()[static_cast<std::size_t>(s.loop)];
      if (l.isPure && !walksLoops_) {
        k.slots = addSaturated(k.slots, l.counts.slots);
        counts_.add(l.counts, 1);
        p.step_ = l.end + 1;
        continue;
      }
      p.loop_[static_cast<std::size_t>(p.depth_)] = s.loop;
      p.counter_[static_cast<std::size_t>(p.depth_++)] = 0;
      ++p.step_;
    } else if (s.kind == UnitCode::Kind::kEnd) {
      const UnitCode::Loop &l = code_->loops()[static_cast<std::size_t>(s.loop)];
      k.slots += code_->loopSlots();
      counts_.slots += code_->loopSlots();
      if (++p.counter_[static_cast<std::size_t>(l.depth)] == l.trip) {
        --p.depth_;
        ++p.step_;
      } else {
        p.step_ = l.begin;
        constexpr std::int64_t kWorthwhile = 6;
        if (!walksLoops_ && t == 0 && l.trip >= kWorthwhile) return s.loop;
      }
      if (walksLoops_ && k.slots > 0) return -1;
    } else {
      k.slots += s.slots - 1;
      k.isAtEvent = true;
      k.piece = 0;
      return -1;
    }
  }
  k.isDone = k.slots == 0;
  return -1;
}

// The slot of an event: an access starts, or a wait.
void Unit::event(int t) {
  Thread &k = thread(t);
  const UnitCode::Step &s = code_->steps()[static_cast<std::size_t>(k.position.step_)];
  const std::int64_t again = now() + issue_.interval();
  std::int64_t done = now() + s.latency;
  if (s.kind == UnitCode::Kind::kAccess) {
    const std::int64_t bytes = k.piece + 1 == s.pieces ? s.lastBytes : s.bytes;
    done = bank_.issue(now(), s.isRead, bytes, 0).done;
    if (isBlocking_) blockedUntil_ = std::max(blockedUntil_, done);
    ++k.piece;
  }
  if (s.kind == UnitCode::Kind::kAccess && k.piece < s.pieces) {
    k.slots = s.slots - 1;
  } else {
    counts_.add(s.counts, 1);
    k.isAtEvent = false;
    ++k.position.step_;
  }
  issue_.wake(t, std::max(done, again));
}

Checkpoint Unit::run() {
  for (;;) {
    if (chosen_ < 0) {
      if (blockedUntil_ > now()) issue_.stall(blockedUntil_ - now());
      chosen_ = issue_.next();
      if (chosen_ < 0) return {Checkpoint::Kind::kDone};
    }
    Thread &k = thread(chosen_);
    if (k.slots == 0 && !k.isAtEvent) {
      isTurnPure_ = false;
      const int loop = walk(chosen_);
      if (loop >= 0) return {Checkpoint::Kind::kIteration, loop, 0};
      if (k.isDone) {
        completion_ = std::max(completion_, now());
        chosen_ = -1;
        continue;
      }
    }
    if (k.slots > 0) {
      if (!walksLoops_) noteTurn(chosen_);
      --k.slots;
      issue_.wakeAfterInterval(chosen_);
    } else {
      isTurnPure_ = false;
      event(chosen_);
    }
    issue_.endCycle();
    chosen_ = -1;
  }
}

// Turns: when the order of issue is the same at two choices of the leader and only slots issued between them, it
// repeats until a thread has none left or one that waits for long comes back.
void Unit::noteTurn(int t) {
  if (leader_ < 0 || thread(leader_).slots == 0) leader_ = t;
  if (t == leader_) {
    scratch_.clear();
    scratch_.begin(0);
    issue_.encodeWaits(false, scratch_);
    if (isTurnPure_ && scratch_.matches(turnState_, turnsWithout_)) skipTurns();
    std::swap(turnState_, scratch_);
    turnStart_ = now();
    turnIdle_ = issue_.idle();
    std::ranges::fill(issued_, 0);
    isTurnPure_ = true;
  }
  ++issued_[static_cast<std::size_t>(t)];
}

void Unit::skipTurns() {
  const std::int64_t period = now() - turnStart_;
  std::int64_t times = INT64_MAX;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const std::int64_t n = issued_[i];
    if (n > 0) times = std::min(times, (threads_[i].slots - 1) / n);
  }
  if (issue_.nextWake() != dpu::IssueOf<0>::kNever) times = std::min(times, (issue_.nextWake() - 1 - now()) / period);
  if (times <= 0 || period <= 0) return;
  for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].slots -= times * issued_[i];
  const std::int64_t idle = issue_.idle() - turnIdle_;
  issue_.skip(times * period, times * idle);
  skipped_ += times * period;
}

void Unit::encode(StateWords &out) const {
  out.begin(Part::kProcesses);
  for (const Thread &k : threads_) out.put(k.position.step_, k.isAtEvent ? 1 : 0);
  out.begin(Part::kSlots);
  for (const Thread &k : threads_) out.put(k.slots);
  out.begin(Part::kPieces);
  for (const Thread &k : threads_) out.put(k.piece);
  out.begin(Part::kWaits);
  issue_.encodeWaits(true, out);
  out.begin(Part::kPorts);
  bank_.encodePorts(now(), out);
  out.begin(Part::kRefresh);
  bank_.encodeRefresh(now(), out);
}

void Unit::restore(const StateWords &words, std::span<const Position> positions, std::int64_t now,
                   bool /*withCountdowns*/) {
  StateReader in(words);
  for (std::size_t t = 0; t < threads_.size(); ++t) threads_[t].position = positions[t];
  in.begin(Part::kProcesses);
  for (Thread &k : threads_) k.isAtEvent = in.getPair().second != 0;
  in.begin(Part::kSlots);
  for (Thread &k : threads_) k.slots = in.get();
  in.begin(Part::kPieces);
  for (Thread &k : threads_) k.piece = in.get();
  in.begin(Part::kWaits);
  issue_.restoreWaits(now, in, [this](int t) { return t != chosen_ && !thread(t).isDone; });
  in.begin(Part::kPorts);
  bank_.restorePorts(now, in);
  isTurnPure_ = false;
}

}  // namespace pimento::sim::cnm
