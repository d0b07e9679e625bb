// DPU programs for tests, instruction by instruction, without assembler and linker; and a machine to run them on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/sim/dpu/dpu.h"

namespace pimento::test {

/// UPMEM's shape with round numbers: reads 60 + 0.5 S cycles alone and 40 + 0.5 S in a row, writes 10 less.
inline machine::Dpu handDpu() {
  machine::Dpu m;
  m.wram = Bytes(64 << 10);
  m.mram = Bytes(64 << 20);
  m.issueInterval = Cycles(11);
  m.transferUnit = Bytes(8);
  m.transferMax = Bytes(2048);
  m.ticksPerCycle = 16;
  for (std::int64_t size = 8; size <= 2048; size *= 2) {
    const double s = static_cast<double>(size) / 2;
    m.reads.push_back({Bytes(size), 60 + s, 40 + s});
    m.writes.push_back({Bytes(size), 50 + s, 30 + s});
  }
  return m;
}

class DpuBuilder {
 public:
  using Instruction = dpu::Instruction;
  using Op = dpu::Op;
  using Condition = dpu::Condition;

  int here() const { return static_cast<int>(code_.size()); }
  Instruction &add(const Instruction &i) {
    code_.push_back(i);
    return code_.back();
  }
  Instruction &reg(Op op, int dst, int a, int b) {
    Instruction i;
    i.op = op;
    i.dst = static_cast<std::uint8_t>(dst);
    i.a = static_cast<std::uint8_t>(a);
    i.b = static_cast<std::uint8_t>(b);
    return add(i);
  }
  Instruction &imm(Op op, int dst, int a, std::int32_t value) {
    Instruction &i = reg(op, dst, a, dpu::kImmediate);
    i.imm = value;
    return i;
  }
  void move(int dst, std::int32_t value) { imm(Op::kAnd, dst, dpu::kLneg, value); }
  /// dst = a << shift.
  void shifted(int dst, int a, int shift) {
    reg(Op::kLslAdd, dst, a, dpu::kZero).shift = static_cast<std::uint8_t>(shift);
  }
  static void branch(Instruction &i, Condition c, int target) {
    i.use = dpu::ConditionUse::kBranch;
    i.condition = c;
    i.target = static_cast<std::uint16_t>(target);
  }
  /// if (a - value) `c` goto target.
  Instruction &jump(Condition c, int a, std::int32_t value, int target) {
    Instruction &i = imm(Op::kSub, dpu::kZero, a, value);
    branch(i, c, target);
    return i;
  }
  /// --counter; while not zero goto target.
  void loop(int counter, int target) { branch(imm(Op::kAdd, counter, counter, -1), Condition::kNz, target); }
  void load(Op op, int dst, int base, std::int32_t offset) { imm(op, dst, base, offset).b = dpu::kZero; }
  void store(Op op, int base, std::int32_t offset, int value) {
    Instruction &i = imm(op, dpu::kZero, base, offset);
    i.b = static_cast<std::uint8_t>(value);
  }
  void transfer(Op op, int wram, int mram, int bytes) { reg(op, dpu::kZero, wram, mram).imm = bytes / 8 - 1; }
  /// acquire or release of an atomic bit; acquire tries until it succeeds.
  void lock(int bit) {
    Instruction &i = imm(Op::kAcquire, dpu::kZero, dpu::kZero, bit);
    branch(i, Condition::kNz, here() - 1);
  }
  void unlock(int bit) { imm(Op::kRelease, dpu::kZero, dpu::kZero, bit); }
  /// Tasklet `id` boots the next one, the last does not.
  void boot(int tasklets) {
    jump(Condition::kZ, dpu::kId, tasklets - 1, here() + 2);
    imm(Op::kBoot, dpu::kZero, dpu::kId, 1);
  }
  /// Meets all tasklets: those that come early count up the word at `counter` and stop, the last wakes them. Uses
  /// atomic bit `bit` and registers r20, r21.
  void barrier(int tasklets, std::int32_t counter, int bit) {
    lock(bit);
    load(Op::kLw, 20, dpu::kZero, counter);
    const int toLast = here();
    jump(Condition::kZ, 20, tasklets - 1, 0);
    imm(Op::kAdd, 20, 20, 1);
    store(Op::kSw, dpu::kZero, counter, 20);
    unlock(bit);
    stop(here() + 1);
    const int toEnd = here();
    jump(Condition::kTrue, dpu::kZero, 0, 0);
    code_[static_cast<std::size_t>(toLast)].target = static_cast<std::uint16_t>(here());
    store(Op::kSw, dpu::kZero, counter, dpu::kZero);
    move(21, 0);
    const int wake = here();
    Instruction &own = reg(Op::kSub, dpu::kZero, 21, dpu::kId);
    branch(own, Condition::kZ, here() + 1);
    Instruction &resume = imm(Op::kResume, dpu::kZero, 21, 0);
    branch(resume, Condition::kNz, here() - 1);
    imm(Op::kAdd, 21, 21, 1);
    jump(Condition::kNz, 21, tasklets, wake);
    unlock(bit);
    code_[static_cast<std::size_t>(toEnd)].target = static_cast<std::uint16_t>(here());
  }
  void stop(int target) {
    Instruction i;
    i.op = Op::kStop;
    branch(i, Condition::kTrue, target);
    add(i);
  }
  void end() { stop(here()); }

  std::shared_ptr<const sim::dpu::Image> image() const {
    auto out = std::make_shared<sim::dpu::Image>();
    out->instructions = code_;
    out->code.instructions.resize(code_.size());
    return out;
  }
  const std::vector<Instruction> &code() const { return code_; }
  std::vector<Instruction> &code() { return code_; }

 private:
  std::vector<Instruction> code_;
};

}  // namespace pimento::test
