// Random DPU programs: loops with coprime trip counts, transfers, barriers, locks and arithmetic on 1 to 24 tasklets.
//
// Unless they race, tasklets keep to their own WRAM and MRAM, but for a counter under a lock and barriers, so results
// do not depend on who is faster. Registers: r0-r5 data, r8 WRAM area, r9 MRAM area, r10-r13 loop counters, r14 moving
// pointer.
#pragma once

#include <algorithm>

#include "dpu_builder.h"
#include "pimento/base/rng.h"

namespace pimento::test {

struct RandomDpuOptions {
  int tasklets = 1;
  bool hasEvents = true;        ///< transfers, locks, barriers
  bool branchesOnData = false;  ///< on registers that hold data
  bool hasBarriers = true;      ///< tasklets may come to them different numbers of times, and wait forever
  bool races = false;           ///< tasklets read and write the same bytes, at any address, whoever comes first
  int statements = 8;
};

class RandomDpuProgram {
 public:
  static constexpr int kArea = 2048, kShared = 60000, kBarrier = 60064, kRaced = 59000, kRacedBytes = 320;

  RandomDpuProgram(Rng &rng, const RandomDpuOptions &options) : rng_(rng), options_(options) {
    using namespace dpu;
    if (options.tasklets > 1) b_.boot(options.tasklets);
    b_.shifted(8, kId, 11);
    b_.shifted(9, kId, 16);
    for (int r = 0; r < 6; ++r) b_.move(r, pick(-1000, 1000));
    for (int i = 0; i < options.statements; ++i) statement(0);
    for (int r = 0; r < 6; ++r) b_.store(Op::kSw, 8, 4 * r, r);
    b_.end();
  }
  std::shared_ptr<const sim::dpu::Image> image() const { return b_.image(); }
  const std::vector<dpu::Instruction> &code() const { return b_.code(); }

 private:
  using Op = dpu::Op;
  using Condition = dpu::Condition;

  int pick(int low, int high) { return static_cast<int>(rng_.integer(low, high)); }
  int data() { return pick(0, 5); }

  void arithmetic() {
    static constexpr Op kOps[] = {Op::kAdd,   Op::kAddc, Op::kSub,  Op::kSubc,  Op::kRsub,  Op::kAnd,     Op::kAndn,
                                  Op::kNand,  Op::kOr,   Op::kOrn,  Op::kNor,   Op::kXor,   Op::kNxor,    Op::kLsl,
                                  Op::kLslx,  Op::kLsr,  Op::kLsrx, Op::kAsr,   Op::kRol,   Op::kRor,     Op::kCao,
                                  Op::kClz,   Op::kClo,  Op::kCls,  Op::kExtsb, Op::kExtuh, Op::kMulUlUl, Op::kMulSlSh,
                                  Op::kCmpb4, Op::kLsl1, Op::kLsr1, Op::kRsubc};
    const Op op = kOps[static_cast<std::size_t>(pick(0, static_cast<int>(std::size(kOps)) - 1))];
    dpu::Instruction &i =
        pick(0, 1) == 0 ? b_.reg(op, data(), data(), data()) : b_.imm(op, data(), data(), pick(-4000, 4000));
    if (pick(0, 9) == 0) {
      i.extension = pick(0, 1) == 0 ? dpu::Extension::kSigned : dpu::Extension::kUnsigned;
      i.dst = static_cast<std::uint8_t>(2 * pick(0, 2));
    } else if (pick(0, 9) == 0) {
      static constexpr Condition kSet[] = {Condition::kZ, Condition::kNz, Condition::kXz, Condition::kXnz};
      i.use = dpu::ConditionUse::kSet;
      i.condition = kSet[static_cast<std::size_t>(pick(0, 3))];
    }
  }

  void pairs() {
    const int kind = pick(0, 3), dst = 2 * pick(0, 2), src = 2 * pick(0, 2);
    static constexpr Op kOps[] = {Op::kMulStep, Op::kDivStep, Op::kMovd, Op::kSwapd};
    dpu::Instruction &i = b_.reg(kOps[static_cast<std::size_t>(kind)], dst, data(), src);
    i.shift = static_cast<std::uint8_t>(pick(0, 31));
  }

  void memory(int base, int reach) {
    static constexpr Op kLoads[] = {Op::kLbs, Op::kLbu, Op::kLhs, Op::kLhu, Op::kLw};
    static constexpr Op kStores[] = {Op::kSb, Op::kSh, Op::kSw};
    int offset = 256 + 8 * pick(0, reach / 8);
    if (options_.races && pick(0, 2) == 0) {
      base = dpu::kZero;
      offset = kRaced + pick(0, 1) * (pick(0, 1) == 0 ? pick(0, kRacedBytes) : 8 * pick(0, kRacedBytes / 8));
    }
    switch (pick(0, 4)) {
      case 0:
        return b_.store(kStores[static_cast<std::size_t>(pick(0, 2))], base, offset, data());
      case 1:
        return b_.load(Op::kLd, 2 * pick(0, 2), base, offset);
      case 2:
        return b_.store(Op::kSd, base, offset, 2 * pick(0, 2));
      default:
        return b_.load(kLoads[static_cast<std::size_t>(pick(0, 4))], data(), base, offset);
    }
  }

  void skipOnData() {
    static constexpr Condition kConditions[] = {Condition::kZ,   Condition::kNz,   Condition::kLts,  Condition::kGes,
                                                Condition::kLeu, Condition::kGtu,  Condition::kMi,   Condition::kSz,
                                                Condition::kXz,  Condition::kXleu, Condition::kXgts, Condition::kOv,
                                                Condition::kC,   Condition::kSmi,  Condition::kGts,  Condition::kLes};
    const bool isLowCarry = pick(0, 3) == 0;
    const Op op = !isLowCarry ? Op::kSub : pick(0, 1) == 0 ? Op::kAdd : Op::kAddc;
    dpu::Instruction &i = b_.reg(op, pick(0, 1) == 0 ? data() : int{dpu::kZero}, data(), data());
    const int at = b_.here() - 1;
    DpuBuilder::branch(i,
                       isLowCarry ? static_cast<Condition>(static_cast<int>(Condition::kNc5) + pick(0, 9))
                                  : kConditions[static_cast<std::size_t>(pick(0, 15))],
                       0);
    arithmetic();
    arithmetic();
    b_.code()[static_cast<std::size_t>(at)].target = static_cast<std::uint16_t>(b_.here());
  }

  /// A loop whose trip count depends on the tasklet: c + id * s, sometimes walking a pointer.
  void loop(int depth) {
    static constexpr int kTrips[] = {2, 3, 5, 7, 11, 13, 17, 29, 61};
    const int counter = 10 + depth;
    const int trips = kTrips[static_cast<std::size_t>(pick(0, depth == 0 ? 8 : 3))];
    if (pick(0, 1) == 0) {
      b_.move(counter, trips);
    } else {
      b_.move(counter, trips);
      b_.reg(Op::kLslAdd, counter, dpu::kId, counter).shift = static_cast<std::uint8_t>(pick(0, 1));
    }
    const bool walks = pick(0, 1) == 0 && depth == 0;
    const int stride = 4 * pick(1, 2);
    if (walks) b_.reg(Op::kOr, 14, 8, dpu::kZero);
    const int top = b_.here();
    const int body = pick(1, 5);
    for (int i = 0; i < body; ++i) {
      if (walks && pick(0, 2) == 0)
        memory(14, 512);
      else
        statement(depth + 1);
    }
    if (walks) b_.imm(Op::kAdd, 14, 14, stride);
    if (pick(0, 1) == 0) {
      b_.loop(counter, top);
    } else {
      static constexpr Condition kEnds[] = {Condition::kGts, Condition::kGtu, Condition::kNz};
      b_.imm(Op::kAdd, counter, counter, -1);
      b_.jump(kEnds[static_cast<std::size_t>(pick(0, 2))], counter, 0, top);
    }
  }

  void event() {
    const int size = 8 << pick(0, 7);
    if (options_.races && pick(0, 3) == 0) {
      b_.move(15, kRaced + pick(0, kRacedBytes));
      return b_.transfer(pick(0, 1) == 0 ? Op::kSdma : Op::kLdma, 15, 9, 8 << pick(0, 4));
    }
    switch (pick(0, 5)) {
      case 0:
        b_.lock(7);
        b_.load(Op::kLw, 15, dpu::kZero, kShared);
        b_.imm(Op::kAdd, 15, 15, 1);
        b_.store(Op::kSw, dpu::kZero, kShared, 15);
        return b_.unlock(7);
      case 1:
        if (!options_.hasBarriers) return arithmetic();
        return b_.barrier(options_.tasklets, kBarrier, 9);
      case 2:
        b_.imm(Op::kAdd, 15, 8, 256);
        return b_.transfer(Op::kSdma, 15, 9, size);
      default:
        b_.imm(Op::kAdd, 15, 8, 256);
        return b_.transfer(Op::kLdma, 15, 9, size);
    }
  }

  void statement(int depth) {
    const int kind = pick(0, 9);
    if (kind == 0 && options_.hasEvents) return event();
    if (kind <= 2 && depth < 3) return loop(depth);
    if (kind <= 4) return memory(8, 1024);
    if (kind == 5) return pairs();
    if (kind == 6 && options_.branchesOnData) return skipOnData();
    arithmetic();
  }

  Rng &rng_;
  RandomDpuOptions options_;
  DpuBuilder b_;
};

}  // namespace pimento::test
