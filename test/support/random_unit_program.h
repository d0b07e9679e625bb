// Random compute-near-memory machines and programs of virtual instructions for them.
//
// Draws what is hard on fast-forward: threads that share a port, loops of few and of thousands of iterations with
// coprime trip counts, moves that are split, operations with a latency, blocking and non-blocking banks, one port to
// three, both kinds of compute engine. Programs verify on their machine; what they compute is of no meaning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "pimento/program/virtual.h"

namespace pimento::test {

/// Every operation on every type, one slot; tests change what they are about.
inline machine::Machine unitMachine(machine::Compute::Mode mode, std::int64_t threads) {
  machine::Machine m;
  m.name = "units";
  m.family = "cnm";
  using enum machine::LevelRole;
  m.levels = {{"group", 4, true, "host", false, kGroup},
              {"unit", 8, true, "host", false, kUnit},
              {"thread", threads, true, "host", false, mode == machine::Compute::Mode::kVector ? kLane : kThread}};
  m.compute.emplace();
  m.compute->mode = mode;
  m.compute->threads = threads;
  m.compute->issueInterval = Cycles(mode == machine::Compute::Mode::kVector ? 1 : 5);
  m.compute->operations = {{"all", program::operationNames(), allDTypes(), 1, Cycles(0)}};
  m.unitMemory.emplace();
  m.unitMemory->size = Bytes(std::int64_t{1} << 26);
  m.unitMemory->unit = Bytes(8);
  m.unitMemory->largest = Bytes(256);
  m.unitMemory->ticksPerCycle = 4;
  m.unitMemory->reads = {{Bytes(8), 20, 10}, {Bytes(256), 90, 80}};
  m.unitMemory->writes = {{Bytes(8), 16, 8}, {Bytes(256), 85, 70}};
  m.unitMemory->scratchpad = Bytes(1 << 16);
  return m;
}

class UnitProgramMaker {
 public:
  explicit UnitProgramMaker(Rng &rng) : rng_(rng) {}

  machine::Machine machine() {
    const bool isVector = pick(4) == 0;
    machine::Machine m = unitMachine(isVector ? machine::Compute::Mode::kVector : machine::Compute::Mode::kPipeline,
                                     isVector ? 1 + pick(300) : 1 + pick(24));
    if (!isVector || pick(2) == 0) m.compute->issueInterval = Cycles(1 + pick(14));
    m.compute->loopSlots = pick(3);
    machine::Compute::Operation slow{"slow", {}, allDTypes(), 1 + pick(9), Cycles(pick(2) == 0 ? 0 : pick(60))};
    std::vector<std::string> &fast = m.compute->operations.front().operations;
    for (const char *name : {"mul", "div", "select"}) {
      slow.operations.emplace_back(name);
      fast.erase(std::find(fast.begin(), fast.end(), name));
    }
    m.compute->operations.push_back(std::move(slow));
    m.unitMemory->isBlocking = pick(3) == 0;
    m.unitMemory->ports = 1 + pick(3);
    m.unitMemory->scratchpadSlots = 1 + pick(2);
    m.unitMemory->scratchpad = Bytes(1 << 20);
    if (pick(4) == 0) {
      m.unitMemory->refreshInterval = Cycles(1009);
      m.unitMemory->refreshTime = Cycles(31);
    }
    return m;
  }

  /// `work`: about as many iterations as all loops of a thread together have.
  program::Process process(const machine::Machine &m, std::int64_t work) {
    process_ = {};
    process_.name = pick(5) == 0 ? "a \"name\"" : "unit";
    process_.instances = 1 + pick(8);
    process_.body = program::UnitLoops{};
    unit().threads = 1 + pick(m.compute->threads);
    unit().parameters = {{"first", 1 + pick(16)}, {"other", 1 + pick(3)}};
    if (pick(3) == 0) unit().parameters.clear();
    for (const DType t : {DType::kI32, DType::kF32, DType::kU8})
      for (const bool isBank : {true, false}) {
        program::Array a{isBank ? program::Array::Space::kBank : program::Array::Space::kScratchpad,
                         std::string(isBank ? "b_" : "s.") + std::string(name(t)), t, isBank ? 5000 : 64, false};
        unit().arrays.push_back(a);
        a.name += " shared";
        a.isShared = true;
        if (isBank) unit().arrays.push_back(a);
      }
    trips_.clear();
    registers_.assign(kTypes.size(), 0);
    work_ = work;
    std::get<program::UnitLoops>(process_.body).nodes = block(1);
    return process_;
  }

 private:
  static constexpr std::array<DType, 3> kTypes{DType::kI32, DType::kF32, DType::kU8};

  std::int64_t pick(std::int64_t n) { return static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(n))); }
  program::Unit &unit() { return std::get<program::UnitLoops>(process_.body).unit; }

  std::vector<program::InstructionNode> block(std::int64_t around) {
    std::vector<program::InstructionNode> out;
    const std::int64_t statements = 1 + pick(4);
    for (std::int64_t s = 0; s < statements; ++s) {
      if (trips_.size() < 4 && pick(3) != 0 && around < work_) {
        static constexpr std::array<std::int64_t, 8> kTrips{1, 2, 3, 7, 13, 64, 500, 3001};
        const std::int64_t trip =
            std::max<std::int64_t>(1, std::min(kTrips[static_cast<std::size_t>(pick(8))], work_ / around));
        trips_.push_back(trip);
        std::vector<program::InstructionNode> inside = block(around * trip);
        trips_.pop_back();
        out.push_back(program::InstructionNode::loop(pick(4) == 0 ? "a loop" : "i", trip, std::move(inside)));
        continue;
      }
      out.push_back(program::InstructionNode(instruction()));
    }
    return out;
  }

  /// Below `limit` in all iterations and threads.
  program::Address address(std::int64_t limit) {
    program::Address a;
    std::int64_t left = limit - 1;
    for (std::size_t d = 0; d < trips_.size(); ++d) {
      if (pick(2) == 0 || trips_[d] - 1 > left) continue;
      const std::int64_t stride = trips_[d] > 1 ? 1 + pick(std::min<std::int64_t>(4, left / (trips_[d] - 1))) : 1;
      a.loops.stride[d] = std::min(stride, left / std::max<std::int64_t>(1, trips_[d] - 1));
      left -= a.loops.stride[d] * (trips_[d] - 1);
    }
    for (std::size_t p = 0; p < unit().parameters.size(); ++p) {
      const bool has = pick(3) == 0 && unit().parameters[p].limit - 1 <= left;
      a.parameters.push_back(has ? 1 : 0);
      if (has) left -= unit().parameters[p].limit - 1;
    }
    a.loops.base = pick(left + 1);
    return a;
  }

  /// An element of the array, perhaps at an index from data, perhaps under a condition.
  void indexed(program::Instruction &i) {
    std::int64_t room = elements(i.array);
    const auto type = static_cast<std::size_t>(pick(2) == 0 ? 0 : 2);
    if (pick(3) == 0 && known(type) >= 0) {
      i.data.from = known(type);
      i.data.stride = 1 + pick(4);
      i.data.limit = 1 + pick(room / i.data.stride);
      room -= (i.data.limit - 1) * i.data.stride;
    }
    i.at = address(room);
    if (pick(3) == 0) i.condition = known(2);
  }

  int arrayOf(DType t, bool isBank, bool mayShare) {
    for (;;) {
      const auto i = static_cast<std::size_t>(pick(static_cast<std::int64_t>(unit().arrays.size())));
      const program::Array &a = unit().arrays[i];
      if (a.type == t && (a.space == program::Array::Space::kBank) == isBank && (mayShare || !a.isShared))
        return static_cast<int>(i);
    }
  }
  std::int64_t elements(int array) { return unit().arrays[static_cast<std::size_t>(array)].elements; }

  /// A register of the type that has been written; -1: none yet.
  int known(std::size_t t) {
    return registers_[t] == 0 ? -1
                              : static_cast<int>(kTypes.size() * static_cast<std::size_t>(pick(registers_[t])) + t);
  }
  int fresh(std::size_t t) {
    if (registers_[t] > 0 && pick(2) == 0) return known(t);
    return static_cast<int>(kTypes.size() * static_cast<std::size_t>(registers_[t]++) + t);
  }

  program::Instruction instruction() {
    using Kind = program::Instruction::Kind;
    program::Instruction i;
    const auto t = static_cast<std::size_t>(pick(3));
    i.type = kTypes[t];
    switch (pick(8)) {
      case 0:
      case 1: {
        i.kind = Kind::kMove;
        i.type = DType::kI32;
        const bool isRead = pick(2) == 0;
        i.array = arrayOf(kTypes[t], !isRead, false);
        i.from = arrayOf(kTypes[t], isRead, true);
        i.count = 1 + pick(std::min({elements(i.array), elements(i.from), std::int64_t{200}}));
        i.at = address(elements(i.array) - i.count + 1);
        i.fromAt = address(elements(i.from) - i.count + 1);
        return i;
      }
      case 2:
        i.kind = Kind::kLoad;
        i.type = DType::kI32;
        i.array = arrayOf(kTypes[t], pick(2) == 0, true);
        indexed(i);
        i.result = fresh(t);
        return i;
      case 3:
        if (known(t) < 0) break;
        i.kind = Kind::kStore;
        i.type = DType::kI32;
        i.array = arrayOf(kTypes[t], pick(2) == 0, false);
        indexed(i);
        i.arguments[0] = known(t);
        return i;
      case 4:
        i.kind = pick(2) == 0 ? Kind::kIndex : Kind::kTest;
        i.at = address(1000);
        if (pick(2) == 0) i.at.loops.base -= 500;
        if (i.kind == Kind::kTest) i.type = DType::kI32;
        i.result = fresh(i.kind == Kind::kTest ? 2 : t);
        return i;
      case 5:
      case 6:
        if (known(t) < 0 || (t != 2 && known(2) < 0)) break;
        return operation(t);
      default:
        break;
    }
    i.kind = Kind::kSet;
    static constexpr std::array<double, 6> kNumbers{0.1, -0.0, 1e300, -1e-300, 65504, 3};
    if (isFloat(i.type))
      i.constant = kNumbers[static_cast<std::size_t>(pick(6))];
    else
      i.integer = wrapInteger(i.type, pick(1 << 20) - 1000);
    i.result = fresh(t);
    return i;
  }

  program::Instruction operation(std::size_t t) {
    using kernel::Op;
    program::Instruction i;
    i.type = kTypes[t];
    static constexpr std::array<Op, 8> kOps{Op::kAdd,  Op::kMul,    Op::kMax,   Op::kDiv,
                                            Op::kRelu, Op::kSelect, Op::kCmpLt, Op::kCast};
    i.op = kOps[static_cast<std::size_t>(pick(8))];
    for (int a = 0; a < kernel::argumentCount(i.op); ++a) i.arguments[static_cast<std::size_t>(a)] = known(t);
    if (i.op == Op::kSelect) i.arguments[0] = known(2);
    if (i.op == Op::kSelect && i.arguments[0] < 0) i.op = Op::kAdd;
    if (i.op == Op::kCmpLt) i.type = DType::kU8;
    if (i.op == Op::kCast) i.type = kTypes[static_cast<std::size_t>(pick(3))];
    const auto result = static_cast<std::size_t>(std::find(kTypes.begin(), kTypes.end(), i.type) - kTypes.begin());
    i.result = fresh(result);
    return i;
  }

  Rng &rng_;
  program::Process process_;
  std::vector<std::int64_t> trips_, registers_;
  std::int64_t work_ = 0;
};

}  // namespace pimento::test
