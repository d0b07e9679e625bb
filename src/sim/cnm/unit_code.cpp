#include "pimento/sim/cnm/unit_code.h"

#include <algorithm>

#include "pimento/base/integer.h"

namespace pimento::sim::cnm {

using program::Instruction;
using Does = program::Instruction::Kind;

Counts &Counts::add(const Counts &o, std::int64_t times) {
  const auto one = [times](std::int64_t &to, std::int64_t from) {
    to = times < 0 ? to + from * times : addSaturated(to, multiplySaturated(from, times));
  };
  one(slots, o.slots);
  one(operations, o.operations);
  one(scratchpadAccesses, o.scratchpadAccesses);
  one(bankReads, o.bankReads);
  one(bankWrites, o.bankWrites);
  one(bankReadBytes, o.bankReadBytes);
  one(bankWriteBytes, o.bankWriteBytes);
  return *this;
}

namespace {

UnitCode::Step mark(UnitCode::Kind kind, int loop) {
  UnitCode::Step s;
  s.kind = kind;
  s.loop = loop;
  return s;
}

/// An access with what it counts.
UnitCode::Step counted(UnitCode::Step s) {
  s.counts.slots = multiplySaturated(s.pieces, s.slots);
  (s.isRead ? s.counts.bankReads : s.counts.bankWrites) = s.pieces;
  (s.isRead ? s.counts.bankReadBytes : s.counts.bankWriteBytes) = (s.pieces - 1) * s.bytes + s.lastBytes;
  return s;
}

}  // namespace

UnitCode::UnitCode(const program::UnitLoops &loops, const machine::Machine &machine)
    : unit_(loops.unit),
      compute_(*machine.compute),
      memory_(*machine.unitMemory),
      registers_(program::registerTypes(loops)),
      loopSlots_(machine.compute->loopSlots) {
  const bool isVector = compute_.mode == machine::Compute::Mode::kVector;
  lanes_ = isVector ? unit_.threads : 1;
  contexts_ = isVector ? 1 : static_cast<int>(unit_.threads);
  bool isPure = true;
  total_ = flatten(loops.nodes, 0, isPure);
}

Counts UnitCode::flatten(const std::vector<program::InstructionNode> &nodes, int depth, bool &isPure) {
  Counts sum;
  for (const program::InstructionNode &n : nodes) {
    if (!n.isLoop) {
      steps_.push_back(stepOf(n.statement));
      isPure = isPure && steps_.back().kind == Kind::kSlots;
      sum.add(steps_.back().counts, 1);
      continue;
    }
    const auto l = loops_.size();
    loops_.push_back({n.trip, depth, static_cast<int>(steps_.size()) + 1, 0, true, true, {}});
    steps_.push_back(mark(Kind::kLoop, static_cast<int>(l)));
    bool isPureInside = true;
    Counts iteration = flatten(n.children, depth + 1, isPureInside);
    iteration.slots = addSaturated(iteration.slots, loopSlots_);
    loops_[l].end = static_cast<int>(steps_.size());
    loops_[l].isPure = isPureInside;
    loops_[l].counts.add(iteration, n.trip);
    steps_.push_back(mark(Kind::kEnd, static_cast<int>(l)));
    isPure = isPure && isPureInside;
    sum.add(loops_[l].counts, 1);
  }
  return sum;
}

UnitCode::Step UnitCode::access(const Instruction &i, int array, const program::Address &at, bool isRead,
                                std::int64_t slots) const {
  const program::Array &a = unit_.arrays[static_cast<std::size_t>(array)];
  const bool isSame =
      a.isShared && std::all_of(at.parameters.begin(), at.parameters.end(), [](std::int64_t c) { return c == 0; });
  const std::int64_t unit = memory_.unit.value, largest = memory_.largest.value;
  const std::int64_t bytes = multiplySaturated(i.count * sizeOf(a.type).value, isSame ? 1 : lanes_);
  Step s;
  s.kind = Kind::kAccess;
  s.isRead = isRead;
  s.slots = std::max<std::int64_t>(1, slots);
  if (i.data.from >= 0) {  // lane after lane, each at a place of its own
    const std::int64_t size = sizeOf(a.type).value;
    s.pieces = multiplySaturated(lanes_, ceilDiv(size, largest));
    s.bytes = s.lastBytes = ceilDiv(std::min(size, largest), unit) * unit;
    return counted(s);
  }
  s.pieces = ceilDiv(bytes, largest);
  s.bytes = largest;
  s.lastBytes = ceilDiv(bytes - (s.pieces - 1) * largest, unit) * unit;
  return counted(s);
}

UnitCode::Step UnitCode::stepOf(const Instruction &i) const {
  const machine::Compute::Operation *cost =
      compute_.costOf(program::operationName(i), program::costType(i, unit_, registers_));
  const std::int64_t slots = cost != nullptr ? cost->slots : 1;
  const auto isInBank = [this](int array) {
    return unit_.arrays[static_cast<std::size_t>(array)].space == program::Array::Space::kBank;
  };
  if (i.kind == Does::kMove)
    return isInBank(i.from) ? access(i, i.from, i.fromAt, true, slots) : access(i, i.array, i.at, false, slots);
  Step s;
  s.slots = slots;
  if (i.kind == Does::kLoad || i.kind == Does::kStore) {
    if (isInBank(i.array)) return access(i, i.array, i.at, i.kind == Does::kLoad, slots);
    s.slots = multiplySaturated(memory_.scratchpadSlots, i.data.from >= 0 ? lanes_ : 1);
    s.counts.scratchpadAccesses = 1;
  } else {
    s.counts.operations = i.kind == Does::kOperation ? 1 : 0;
    if (cost != nullptr && cost->latency > compute_.issueInterval) {
      s.kind = Kind::kWait;
      s.slots = std::max<std::int64_t>(1, slots);
      s.latency = cost->latency.value;
    }
  }
  s.counts.slots = s.slots;
  return s;
}

}  // namespace pimento::sim::cnm
