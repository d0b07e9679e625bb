// A unit of a compute-near-memory machine, cycle by cycle, written as plainly as the rules read: the yardstick of the
// engine. One port, no refresh, whole cycles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/machine/machine.h"
#include "pimento/program/virtual.h"

namespace pimento::test {

class PlainUnit {
 public:
  PlainUnit(const program::UnitLoops &loops, const machine::Machine &machine)
      : unit_(loops.unit), machine_(machine), types_(program::registerTypes(loops)) {
    const bool isVector = machine.compute->mode == machine::Compute::Mode::kVector;
    lanes_ = isVector ? unit_.threads : 1;
    flatten(loops.nodes);
    threads_.resize(static_cast<std::size_t>(isVector ? 1 : unit_.threads), Thread{trace_, 0});
  }

  /// The cycle at which the last thread could go on.
  std::int64_t run() {
    std::int64_t end = 0, bankFree = 0, blocked = 0;
    std::size_t last = threads_.size() - 1, done = 0;
    for (std::int64_t now = 0; done < threads_.size(); ++now) {
      if (now < blocked) continue;
      // Threads whose work has ended leave when they could issue again, in turn; they take no slot.
      for (std::size_t i = 1; i <= threads_.size(); ++i) {
        const std::size_t t = (last + i) % threads_.size();
        Thread &k = threads_[t];
        if (k.isGone || k.ready > now) continue;
        last = t;
        i = 0;
        if (k.work.empty()) {
          k.isGone = true;
          ++done;
          end = std::max(end, now);
          continue;
        }
        issue(k, now, bankFree, blocked);
        break;
      }
    }
    return end;
  }

 private:
  struct Slot {
    enum class Kind { kPlain, kAccess, kWait } kind = Kind::kPlain;
    std::int64_t number = 0;  ///< kAccess: bytes; kWait: cycles
    bool isRead = true;
  };
  struct Thread {
    std::deque<Slot> work;
    std::int64_t ready = 0;
    bool isGone = false;
  };

  void issue(Thread &k, std::int64_t now, std::int64_t &bankFree, std::int64_t &blocked) {
    const Slot s = k.work.front();
    k.work.pop_front();
    k.ready = now + machine_.compute->issueInterval.value;
    if (s.kind == Slot::Kind::kWait) k.ready = std::max(k.ready, now + s.number);
    if (s.kind != Slot::Kind::kAccess) return;
    const auto &table = s.isRead ? machine_.unitMemory->reads : machine_.unitMemory->writes;
    const std::int64_t begin = std::max(now, bankFree);
    bankFree = begin + time(table, s.number, false);
    const std::int64_t until = begin + time(table, s.number, true);
    k.ready = std::max(k.ready, until);
    if (machine_.unitMemory->isBlocking) blocked = std::max(blocked, until);
  }

  /// On the line through the two sizes of the table.
  static std::int64_t time(const std::vector<machine::Dpu::Transfer> &table, std::int64_t bytes, bool isLatency) {
    const auto &a = table.front(), &b = table.back();
    const double share = static_cast<double>(bytes - a.size.value) / static_cast<double>(b.size.value - a.size.value);
    const double from = isLatency ? a.latency : a.occupancy, to = isLatency ? b.latency : b.occupancy;
    return std::llround(from + share * (to - from));
  }

  void flatten(const std::vector<program::InstructionNode> &nodes) {
    for (const program::InstructionNode &n : nodes) {
      if (!n.isLoop) {
        append(n.statement);
        continue;
      }
      for (std::int64_t i = 0; i < n.trip; ++i) {
        flatten(n.children);
        trace_.insert(trace_.end(), static_cast<std::size_t>(machine_.compute->loopSlots), Slot{});
      }
    }
  }

  void append(const program::Instruction &i) {
    using Kind = program::Instruction::Kind;
    const auto *cost = machine_.compute->costOf(program::operationName(i), program::costType(i, unit_, types_));
    const bool isAccess = i.kind == Kind::kLoad || i.kind == Kind::kStore || i.kind == Kind::kMove;
    const auto space = [&](int a) { return unit_.arrays[static_cast<std::size_t>(a)].space; };
    const bool isToBank = isAccess && space(i.array) == program::Array::Space::kBank;
    const bool isFromBank = i.kind == Kind::kMove && space(i.from) == program::Array::Space::kBank;
    if (isAccess && !isToBank && !isFromBank) {
      const std::int64_t turns = i.data.from >= 0 ? lanes_ : 1;
      trace_.insert(trace_.end(), static_cast<std::size_t>(turns * machine_.unitMemory->scratchpadSlots), Slot{});
      return;
    }
    if (isAccess) return appendAccess(i, isFromBank, cost->slots);
    const bool waits = cost->latency > machine_.compute->issueInterval;
    const std::int64_t slots = waits ? std::max<std::int64_t>(1, cost->slots) : cost->slots;
    trace_.insert(trace_.end(), static_cast<std::size_t>(slots), Slot{});
    if (waits) trace_.back() = {Slot::Kind::kWait, cost->latency.value, true};
  }

  void appendAccess(const program::Instruction &i, bool isMoveFromBank, std::int64_t slots) {
    const bool isRead = isMoveFromBank || i.kind == program::Instruction::Kind::kLoad;
    const program::Array &a = unit_.arrays[static_cast<std::size_t>(isMoveFromBank ? i.from : i.array)];
    const program::Address &at = isMoveFromBank ? i.fromAt : i.at;
    const bool isOne = a.isShared && std::count(at.parameters.begin(), at.parameters.end(), 0) ==
                                         static_cast<std::ptrdiff_t>(at.parameters.size());
    const std::int64_t unit = machine_.unitMemory->unit.value;
    if (i.data.from >= 0) {  // every lane by itself
      for (std::int64_t l = 0; l < lanes_; ++l) {
        trace_.insert(trace_.end(), static_cast<std::size_t>(slots - 1), Slot{});
        trace_.push_back({Slot::Kind::kAccess, (sizeOf(a.type).value + unit - 1) / unit * unit, isRead});
      }
      return;
    }
    std::int64_t left = i.count * sizeOf(a.type).value * (isOne ? 1 : lanes_);
    for (; left > 0; left -= machine_.unitMemory->largest.value) {
      trace_.insert(trace_.end(), static_cast<std::size_t>(slots - 1), Slot{});
      const std::int64_t bytes = std::min(left, machine_.unitMemory->largest.value);
      trace_.push_back({Slot::Kind::kAccess, (bytes + unit - 1) / unit * unit, isRead});
    }
  }

  const program::Unit &unit_;
  const machine::Machine &machine_;
  std::vector<DType> types_;
  std::deque<Slot> trace_;
  std::vector<Thread> threads_;
  std::int64_t lanes_ = 1;
};

}  // namespace pimento::test
