// Which tasklet issues next: one instruction per cycle, a tasklet again after the issue interval, in turns.
//
// Ready tasklets are a bit mask; those that will be ready later wait in a ring of masks, one per cycle. Tasklets that
// wait for longer (transfers) are kept apart with their times. The order is round robin from the tasklet that issued
// last.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "pimento/sim/dpu/step.h"
#include "pimento/sim/state.h"

namespace pimento::sim::dpu {

class Issue {
 public:
  static constexpr int kRing = 64;  ///< above the longest issue interval
  static constexpr std::int64_t kNever = INT64_MAX;

  explicit Issue(std::int64_t interval) : interval_(interval) { wakes_.fill(kNever); }

  std::int64_t now() const { return now_; }
  std::int64_t idle() const { return idle_; }
  /// The tasklet may issue from `cycle` on (later than now).
  void wake(int tasklet, std::int64_t cycle) {
    due_[static_cast<std::size_t>(tasklet)] = cycle;
    if (cycle - now_ <= interval_) {
      ring_[static_cast<std::size_t>(cycle % kRing)] |= 1U << tasklet;
      waiting_ |= 1U << tasklet;
    } else {
      wakes_[static_cast<std::size_t>(tasklet)] = cycle;
      nextWake_ = std::min(nextWake_, cycle);
    }
  }
  /// Same, after the issue interval.
  void wakeAfterInterval(int tasklet) { wake(tasklet, now_ + interval_); }

  /// The tasklet that issues now or at the next cycle at which one can; moves the time there. -1: none ever will.
  int next() {
    for (;;) {
      collect();
      if (nextWake_ <= now_) wakeDue();
      if (ready_ != 0) break;
      if (waiting_ == 0) {
        if (nextWake_ == kNever) return -1;
        advance(nextWake_ - now_);
      } else {
        advance(1);
      }
    }
    const std::uint32_t behind = ready_ & ~((2U << last_) - 1U);
    last_ = std::countr_zero(behind != 0 ? behind : ready_);
    ready_ &= ~(1U << last_);
    return last_;
  }
  /// Ends the cycle in which next() chose a tasklet.
  void endCycle() { ++now_; }

  std::int64_t interval() const { return interval_; }
  /// The cycle that the last wake() of the tasklet named.
  std::int64_t due(int tasklet) const { return due_[static_cast<std::size_t>(tasklet)]; }

  /// Lets `cycles` pass in which nothing can issue.
  void stall(std::int64_t cycles) {
    for (; cycles > 0; --cycles) {
      collect();
      advance(1);
    }
  }

  /// Lets `cycles` pass in which the order repeats and `idle` cycles stay empty: short waits move along. Nobody who
  /// waits for long may be due in them.
  void skip(std::int64_t cycles, std::int64_t idle) {
    const std::array<std::uint32_t, kRing> before = ring_;
    for (std::int64_t i = 0; i < kRing; ++i)
      ring_[static_cast<std::size_t>((now_ + cycles + i) % kRing)] =
          before[static_cast<std::size_t>((now_ + i) % kRing)];
    now_ += cycles;
    idle_ += idle;
  }

  /// When the first of those who wait for long is due; kNever: nobody waits.
  std::int64_t nextWake() const { return nextWake_; }

  /// What decides the order of issue, relative to now: all of it, or without those who wait for long.
  void encodeTurn(StateWords &out) const {
    out.put(static_cast<std::int32_t>(ready_), last_);
    for (std::int64_t i = 0; i < kRing; ++i)
      if (const std::uint32_t due = ring_[static_cast<std::size_t>((now_ + i) % kRing)]; due != 0)
        out.put(static_cast<std::int32_t>(due), static_cast<std::int32_t>(i));
  }
  void encode(StateWords &out) const {
    encodeTurn(out);
    for (const std::int64_t w : wakes_) out.put(w == kNever ? kNever : w - now_);
  }
  /// All of that `cycles` later.
  void shift(std::int64_t cycles) {
    skip(cycles, 0);
    for (std::int64_t &d : due_) d += cycles;
    for (std::int64_t &w : wakes_)
      if (w != kNever) w += cycles;
    if (nextWake_ != kNever) nextWake_ += cycles;
  }

 private:
  std::size_t slot() const { return static_cast<std::size_t>(now_ % kRing); }
  void collect() {
    std::uint32_t &due = ring_[slot()];
    ready_ |= due;
    waiting_ &= ~due;
    due = 0;
  }
  void advance(std::int64_t cycles) {
    now_ += cycles;
    idle_ += cycles;
  }
  void wakeDue() {
    nextWake_ = kNever;
    for (int t = 0; t < kMaxTasklets; ++t) {
      std::int64_t &w = wakes_[static_cast<std::size_t>(t)];
      if (w <= now_) {
        ready_ |= 1U << t;
        w = kNever;
      } else {
        nextWake_ = std::min(nextWake_, w);
      }
    }
  }

  std::int64_t interval_, now_ = 0, idle_ = 0;
  std::array<std::uint32_t, kRing> ring_{};
  std::uint32_t ready_ = 0, waiting_ = 0;
  int last_ = kMaxTasklets - 1;
  std::array<std::int64_t, kMaxTasklets> due_{};    ///< as last told
  std::array<std::int64_t, kMaxTasklets> wakes_{};  ///< of long waits, else kNever
  std::int64_t nextWake_ = kNever;
};

}  // namespace pimento::sim::dpu
