// Which thread issues next: one instruction per cycle, a thread again after the issue interval, in turns.
//
// For as many threads as a machine has. Ready threads are bits; those that will be ready later wait in a ring of such
// sets, one per cycle. Threads that wait for longer (transfers) are kept apart with their times. The order is round
// robin from the thread that issued last.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "pimento/sim/state.h"

namespace pimento::sim::dpu {

/// `kWords`: 64 threads each that a set of them has room for; 0: as many as the threads need, found at run time.
template <std::size_t kWords>
class IssueOf {
 public:
  static constexpr int kRing = 64;  ///< above the longest issue interval
  static constexpr std::int64_t kNever = INT64_MAX;

  IssueOf(std::int64_t interval, int threads)
      : interval_(interval), last_(threads - 1), due_(static_cast<std::size_t>(threads)), isLong_(due_.size()) {
    const std::size_t needed = (due_.size() + 63) / 64;
    if constexpr (kWords == 0) {
      words_ = needed;
      ring_.resize(kRing * needed);
      ready_.resize(needed);
    } else {
      PIMENTO_CHECK(needed <= kWords);
    }
  }

  std::int64_t now() const { return now_; }
  std::int64_t idle() const { return idle_; }
  /// The thread may issue from `cycle` on (later than now).
  void wake(int thread, std::int64_t cycle) {
    if (cycle - now_ <= interval_)
      wakeSoon(thread, cycle);
    else
      wakeLate(thread, cycle);
  }
  /// Same, after the issue interval.
  void wakeAfterInterval(int thread) { wakeSoon(thread, now_ + interval_); }

  /// The thread that issues now or at the next cycle at which one can; moves the time there. -1: none ever will.
  [[gnu::always_inline]] int next() {
    for (;;) {
      if (nextWake_ <= now_) collectLong();
      if (((occupied_ >> index(now_)) & 1U) != 0) collect();
      if (isAnyReady()) break;
      std::int64_t at = nextWake();
      if (occupied_ != 0) at = std::min(at, now_ + untilOccupied());
      if (at == kNever) return -1;
      advance(at - now_);
    }
    last_ = readyBehind(last_);
    ready_[static_cast<std::size_t>(last_) / 64] &= ~bitOf(last_);
    return last_;
  }
  /// Ends the cycle in which next() chose a thread.
  void endCycle() { ++now_; }

  std::int64_t interval() const { return interval_; }
  /// The cycle that the last wake() of the thread named.
  std::int64_t due(int thread) const { return due_[static_cast<std::size_t>(thread)]; }

  /// Lets `cycles` pass in which nothing can issue.
  void stall(std::int64_t cycles) {
    const std::int64_t end = now_ + cycles;
    while (occupied_ != 0 && now_ + untilOccupied() < end) {
      advance(untilOccupied());
      collect();
    }
    advance(end - now_);
  }

  /// Lets `cycles` pass in which the order repeats and `idle` cycles stay empty: short waits move along. Nobody who
  /// waits for long may be due in them.
  void skip(std::int64_t cycles, std::int64_t idle) {
    const auto by = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(cycles % kRing) * words());
    std::rotate(ring_.begin(), ring_.end() - by, ring_.end());
    occupied_ = std::rotl(occupied_, static_cast<int>(cycles % kRing));
    for (std::size_t t = 0; t < due_.size(); ++t)
      if (due_[t] > now_ && !isLong_[t]) due_[t] += cycles;
    now_ += cycles;
    idle_ += idle;
  }

  /// When the first of those who wait for long is due; kNever: nobody waits.
  std::int64_t nextWake() const { return nextWake_; }

  /// How long each thread waits for its next slot, 0 if it waits no longer: with who issued last, and who never issues
  /// again, that decides the order of issue. Without long ones, a thread that waits for long is -1.
  void encodeWaits(bool withLongOnes, StateWords &out) const {
    for (std::size_t t = 0; t < due_.size(); ++t) {
      out.put(isLong_[t] && !withLongOnes ? -1 : std::max<std::int64_t>(0, due_[t] - now_));
    }
  }
  /// Takes up waits, at time `now`; who waits no longer is ready if it `isIn`. The one that issued last stays.
  template <typename IsIn>
  void restoreWaits(std::int64_t now, StateReader &in, const IsIn &isIn) {
    now_ = now;
    std::ranges::fill(ring_, 0);
    std::ranges::fill(ready_, 0);
    std::ranges::fill(isLong_, false);
    occupied_ = 0;
    long_.clear();
    nextWake_ = kNever;
    for (int t = 0; t < static_cast<int>(due_.size()); ++t) {
      if (const std::int64_t wait = in.get(); wait > 0)
        wake(t, now_ + wait);
      else if (isIn(t))
        ready_[static_cast<std::size_t>(t) / 64] |= bitOf(t);
    }
  }

 private:
  /// Sets of threads, one after the other.
  template <std::size_t kSets>
  using Sets = std::conditional_t<kWords == 0, std::vector<std::uint64_t>, std::array<std::uint64_t, kSets * kWords>>;

  std::size_t words() const { return kWords == 0 ? words_ : kWords; }
  static std::uint64_t bitOf(int thread) { return std::uint64_t{1} << (thread % 64); }
  static int index(std::int64_t cycle) { return static_cast<int>(static_cast<std::uint64_t>(cycle) % kRing); }
  std::size_t slot(std::int64_t cycle) const { return static_cast<std::size_t>(index(cycle)) * words(); }
  /// Cycles to the next one for which somebody waits in the ring.
  int untilOccupied() const { return std::countr_zero(std::rotr(occupied_, index(now_))); }

  [[gnu::always_inline]] void wakeSoon(int thread, std::int64_t cycle) {
    due_[static_cast<std::size_t>(thread)] = cycle;
    ring_[slot(cycle) + static_cast<std::size_t>(thread) / 64] |= bitOf(thread);
    occupied_ |= std::uint64_t{1} << index(cycle);
  }
  [[gnu::noinline]] void wakeLate(int thread, std::int64_t cycle) {
    due_[static_cast<std::size_t>(thread)] = cycle;
    long_.emplace_back(cycle, thread);
    std::ranges::push_heap(long_, std::greater{});
    nextWake_ = long_.front().first;
    isLong_[static_cast<std::size_t>(thread)] = true;
  }
  /// Who waited for this cycle is ready.
  void collect() {
    std::uint64_t *due = &ring_[slot(now_)];
    for (std::size_t w = 0; w < words(); ++w) ready_[w] |= std::exchange(due[w], 0);
    occupied_ &= ~(std::uint64_t{1} << index(now_));
  }
  [[gnu::noinline]] void collectLong() {
    while (!long_.empty() && long_.front().first <= now_) {
      const int thread = long_.front().second;
      ready_[static_cast<std::size_t>(thread) / 64] |= bitOf(thread);
      isLong_[static_cast<std::size_t>(thread)] = false;
      std::ranges::pop_heap(long_, std::greater{});
      long_.pop_back();
    }
    nextWake_ = long_.empty() ? kNever : long_.front().first;
  }
  bool isAnyReady() const {
    for (std::size_t w = 0; w < words(); ++w)
      if (ready_[w] != 0) return true;
    return false;
  }
  /// The first ready thread behind `thread`, in turns; there is one.
  int readyBehind(int thread) const {
    std::size_t w = static_cast<std::size_t>(thread) / 64;
    std::uint64_t threads = ready_[w] & ~((bitOf(thread) << 1) - 1);
    while (threads == 0) {
      w = w + 1 == words() ? 0 : w + 1;
      threads = ready_[w];
    }
    return static_cast<int>(64 * w) + std::countr_zero(threads);
  }
  void advance(std::int64_t cycles) {
    now_ += cycles;
    idle_ += cycles;
  }

  std::int64_t interval_, now_ = 0, idle_ = 0;
  std::size_t words_ = kWords;  // of a set of threads
  Sets<kRing> ring_{};          // sets of threads by cycle
  std::uint64_t occupied_ = 0;  // bit c: the set of cycle c of the ring is not empty
  Sets<1> ready_{};
  int last_;
  std::vector<std::int64_t> due_;                   // as last told
  std::vector<std::pair<std::int64_t, int>> long_;  // heap: long waits by their time
  std::int64_t nextWake_ = kNever;                  // of the first of them
  std::vector<std::uint8_t> isLong_;                // by thread: in the heap
};

/// Of a DPU: the instruction set knows 24 tasklets.
using Issue = IssueOf<1>;

}  // namespace pimento::sim::dpu
