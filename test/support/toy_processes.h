// The smallest simulation that fast-forward of several processes can be shown on: each process computes for some
// cycles, then has a port for some, in loops of its own; it computes on as soon as it has got one. Ports take processes
// in the order in which they ask, the first of those that ask at once. Two kinds of events, each after an interval of
// its own, close all ports for a while.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pimento/sim/fast_forward.h"

namespace pimento::test {

/// Loops of commands: the row of a command says for how many cycles the process computes before it asks, its column for
/// how many it has the port.
class ToyProcesses {
 public:
  struct Numbers {
    int ports = 1;
    std::array<std::int64_t, 2> interval{};  ///< of each kind of event; 0: none
    std::int64_t closed = 0;
  };
  struct Counts {
    std::int64_t uses = 0, waited = 0, events = 0;
    Counts &add(const Counts &o, std::int64_t times) {
      uses += o.uses * times;
      waited += o.waited * times;
      events += o.events * times;
      return *this;
    }
    bool operator==(const Counts &) const = default;
  };
  using Position = program::LoopsCursor;
  enum class Part : std::uint8_t { kProcesses, kAsking, kPorts, kCountdowns };
  static constexpr std::array<std::string_view, 4> kParts = {"processes", "asking", "ports", "countdowns"};
  static constexpr bool kMemoisesIterations = false;
  static constexpr int kCountdowns = static_cast<int>(Part::kCountdowns), kRememberedStates = 4;

  ToyProcesses(const Numbers &numbers, std::span<const program::FlatLoops> processes)
      : numbers_(numbers), free_(static_cast<std::size_t>(numbers.ports), 0) {
    for (const program::FlatLoops &p : processes) {
      positions_.emplace_back(p);
      asks_.push_back(asksAfter(positions_.back(), 0));
    }
    for (const std::int64_t i : numbers.interval)
      if (i > 0) due_.push_back(i);
  }

  sim::Checkpoint run() {
    for (;;) {
      const int p = next();
      if (p < 0) return {};
      const auto i = static_cast<std::size_t>(p);
      if (asks_[i] > nextEvent()) {
        now_ = nextEvent();
        for (std::int64_t &f : free_) f = std::max(f, now_) + numbers_.closed;
        for (std::size_t e = 0; e < due_.size(); ++e)
          if (due_[e] == now_) due_[e] += numbers_.interval[e];
        ++counts_.events;
        return {sim::Checkpoint::Kind::kEvent, -1, 0};
      }
      now_ = asks_[i];
      std::int64_t &port = *std::min_element(free_.begin(), free_.end());
      const std::int64_t begin = std::max(now_, port);
      port = begin + positions_[i].peek().column;
      completion_ = std::max(completion_, port);
      ++counts_.uses;
      counts_.waited += begin - now_;
      const int loop = positions_[i].advance();
      asks_[i] = asksAfter(positions_[i], begin);
      if (loop >= 0 && positions_[i].code().loops()[static_cast<std::size_t>(loop)].trip >= 6)
        return {sim::Checkpoint::Kind::kIteration, loop, p};
    }
  }

  std::int64_t now() const { return now_; }
  std::int64_t nextEvent() const { return due_.empty() ? kNever : *std::min_element(due_.begin(), due_.end()); }
  int processes() const { return static_cast<int>(positions_.size()); }
  const Position &position(int p) const { return positions_[static_cast<std::size_t>(p)]; }
  const Counts &counts() const { return counts_; }
  void setCounts(const Counts &c) { counts_ = c; }
  std::int64_t completion() const { return completion_; }
  void setCompletion(std::int64_t c) { completion_ = c; }
  static bool isStarved() { return false; }

  void encode(sim::StateWords &out) const {
    out.begin(Part::kProcesses);
    for (const Position &p : positions_) out.put(p.step());
    out.begin(Part::kAsking);
    for (const std::int64_t a : asks_) out.put(a == kNever ? -1 : a - now_);
    out.begin(Part::kPorts);
    for (const std::int64_t f : free_) out.put(std::max<std::int64_t>(0, f - now_));
    out.begin(Part::kCountdowns);
    for (const std::int64_t d : due_) out.put(d - now_);
  }
  void restore(const sim::StateWords &words, std::span<const Position> positions, std::int64_t now,
               bool withCountdowns) {
    std::copy(positions.begin(), positions.end(), positions_.begin());
    now_ = now;
    sim::StateReader in(words);
    in.begin(Part::kAsking);
    for (std::int64_t &a : asks_) a = in.getTime(now_, kNever);
    in.begin(Part::kPorts);
    for (std::int64_t &f : free_) f = now_ + in.get();
    in.begin(Part::kCountdowns);
    if (withCountdowns)
      for (std::int64_t &d : due_) d = now_ + in.get();
  }

 private:
  static constexpr std::int64_t kNever = INT64_MAX / 2;

  /// Who asks next; -1: all have ended.
  int next() const {
    const auto first = std::min_element(asks_.begin(), asks_.end());
    return *first == kNever ? -1 : static_cast<int>(first - asks_.begin());
  }
  static std::int64_t asksAfter(const Position &p, std::int64_t t) { return p.isDone() ? kNever : t + p.peek().row; }

  Numbers numbers_;
  std::vector<Position> positions_;
  std::vector<std::int64_t> asks_;  // when each process asks for a port
  std::vector<std::int64_t> free_;  // by port
  std::vector<std::int64_t> due_;   // by kind of event
  std::int64_t now_ = 0, completion_ = 0;
  Counts counts_;
};

}  // namespace pimento::test
