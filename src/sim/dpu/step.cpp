#include "pimento/sim/dpu/step.h"

namespace pimento::sim::dpu {

using pimento::dpu::kId;
using pimento::dpu::kId2;
using pimento::dpu::kId4;
using pimento::dpu::kId8;
using pimento::dpu::kLneg;
using pimento::dpu::kMneg;
using pimento::dpu::kOne;
using pimento::dpu::kZero;

namespace {

Class classOf(const Instruction &i) {
  if (!i.isEstablished) return Class::kEvent;
  switch (i.op) {
    case Op::kLbs:
    case Op::kLbu:
    case Op::kLhs:
    case Op::kLhu:
    case Op::kLw:
    case Op::kLd:
      return Class::kLoad;
    case Op::kSb:
    case Op::kSh:
    case Op::kSw:
    case Op::kSd:
    case Op::kSbId:
    case Op::kShId:
    case Op::kSwId:
    case Op::kSdId:
      return Class::kStore;
    case Op::kCall:
      return Class::kCall;
    case Op::kHash:
    case Op::kSats:
    case Op::kLsl1x:
    case Op::kLsr1x:
    case Op::kStop:
    case Op::kFault:
    case Op::kAcquire:
    case Op::kRelease:
    case Op::kBoot:
    case Op::kResume:
    case Op::kClrRun:
    case Op::kReadRun:
    case Op::kTime:
    case Op::kTimeCfg:
    case Op::kLdma:
    case Op::kSdma:
    case Op::kLdmai:
      return Class::kEvent;
    default:
      return Class::kAlu;
  }
}

std::uint8_t accessBytes(Op op) {
  switch (op) {
    case Op::kLbs:
    case Op::kLbu:
    case Op::kSb:
    case Op::kSbId:
      return 1;
    case Op::kLhs:
    case Op::kLhu:
    case Op::kSh:
    case Op::kShId:
      return 2;
    case Op::kLw:
    case Op::kSw:
    case Op::kSwId:
      return 4;
    case Op::kLd:
    case Op::kSd:
    case Op::kSdId:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

Step::Step(const Instruction &i)
    : op(i.op),
      kind(classOf(i)),
      extension(i.extension),
      use(i.use),
      condition(i.condition),
      dst(i.dst >= kZero ? kDiscardSlot : i.dst),
      a(i.a),
      b(i.b),
      shift(i.shift),
      bytes(accessBytes(i.op)),
      isImmediateFirst(i.isImmediateFirst),
      imm(static_cast<std::uint32_t>(i.imm)),
      value(static_cast<std::uint32_t>(i.value)),
      target(i.target) {
  readsCarry = op == Op::kAddc || op == Op::kSubc || op == Op::kRsubc;
  readsZero = condition == Condition::kXz || condition == Condition::kXnz || condition == Condition::kXles ||
              condition == Condition::kXgts || condition == Condition::kXleu || condition == Condition::kXgtu;
  keepsFlags = op == Op::kMovd || op == Op::kSwapd || op == Op::kNop || op == Op::kTell || op == Op::kDivStep;
}

void Context::reset(int id) {
  regs = {};
  z = c = false;
  pc = 0;
  const auto n = static_cast<std::uint32_t>(id);
  regs[kOne] = 1;
  regs[kLneg] = 0xffffffffU;
  regs[kMneg] = 0x80000000U;
  regs[kId] = n;
  regs[kId2] = 2 * n;
  regs[kId4] = 4 * n;
  regs[kId8] = 8 * n;
}

}  // namespace pimento::sim::dpu
