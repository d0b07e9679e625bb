// Products: by shifts and additions, by 8-bit products, by steps in place, or by the library.
#include "llvm/Support/KnownBits.h"
#include "llvm/Target/TargetMachine.h"
#include "pimento/backend_dpu/target/function_info.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/subtarget.h"
#include "pimento/backend_dpu/target/target_machine.h"

namespace llvm {
namespace {

/// As many inline products per function; the others call the library: instruction memory is small.
constexpr unsigned kMostInlineProducts = 8;
/// Non-zero digits of a constant factor up to which shifts and additions serve.
constexpr unsigned kMostDigits = 9;

/// a * constant by shifts, additions and subtractions (non-adjacent form); nothing where there are too many.
SDValue timesConstant(SDValue a, std::uint32_t factor, const SDLoc &where, SelectionDAG &dag) {
  SmallVector<std::pair<unsigned, bool>, 17> digits;  // place, is negative
  std::uint64_t rest = factor;
  for (unsigned place = 0; rest != 0 && place < 32; ++place, rest >>= 1) {
    if ((rest & 1) == 0) continue;
    const bool isNegative = (rest & 3) == 3;
    digits.emplace_back(place, isNegative);
    rest = isNegative ? rest + 1 : rest - 1;
  }
  if (digits.size() > kMostDigits) return SDValue();
  SDValue sum = dag.getConstant(0, where, MVT::i32);
  // A positive digit first: it costs no subtraction from zero.
  stable_sort(digits, [](const auto &x, const auto &y) { return x.second < y.second; });
  bool isFirst = true;
  for (const auto &[place, isNegative] : digits) {
    const SDValue term = dag.getNode(ISD::SHL, where, MVT::i32, a, dag.getConstant(place, where, MVT::i32));
    if (isFirst && !isNegative) {
      sum = term;
    } else {
      sum = dag.getNode(isNegative ? ISD::SUB : ISD::ADD, where, MVT::i32, sum, term);
    }
    isFirst = false;
  }
  return sum;
}

struct Width {
  unsigned zero, sign;  ///< bits needed where the value is read as unsigned, as signed
};

Width widthOf(SDValue v, SelectionDAG &dag) {
  const unsigned bits = static_cast<unsigned>(v.getScalarValueSizeInBits());
  return {dag.computeKnownBits(v).countMaxActiveBits(), bits + 1 - dag.ComputeNumSignBits(v)};
}

/// By 8-bit products; nothing where the factors are too wide.
SDValue narrowProduct(SDValue a, SDValue b, const SDLoc &where, SelectionDAG &dag) {
  Width wa = widthOf(a, dag), wb = widthOf(b, dag);
  const auto part = [&](unsigned opcode, SDValue x, SDValue y) { return dag.getNode(opcode, where, MVT::i32, x, y); };
  const auto add = [&](SDValue x, SDValue y, unsigned shift) {
    return dag.getNode(ISD::ADD, where, MVT::i32, x,
                       dag.getNode(ISD::SHL, where, MVT::i32, y, dag.getConstant(shift, where, MVT::i32)));
  };
  if (wa.zero <= 8 && wb.zero <= 8) return part(DPUISD::MUL_UL_UL, a, b);
  if (wa.sign <= 8 && wb.sign <= 8) return part(DPUISD::MUL_SL_SL, a, b);
  if (wa.sign <= 8 && wb.zero <= 8) return part(DPUISD::MUL_SL_UL, a, b);
  if (wb.sign <= 8 && wa.zero <= 8) return part(DPUISD::MUL_SL_UL, b, a);
  if (wb.zero > 8 && wa.zero <= 8) {
    std::swap(a, b);
    std::swap(wa, wb);
  }
  if (wb.zero <= 8 && wa.zero <= 16) return add(part(DPUISD::MUL_UL_UL, a, b), part(DPUISD::MUL_UH_UL, a, b), 8);
  if (wb.zero <= 8 && wa.sign <= 16) return add(part(DPUISD::MUL_UL_UL, a, b), part(DPUISD::MUL_SH_UL, a, b), 8);
  if (wa.zero <= 16 && wb.zero <= 16) {
    const SDValue middle =
        dag.getNode(ISD::ADD, where, MVT::i32, part(DPUISD::MUL_UH_UL, a, b), part(DPUISD::MUL_UH_UL, b, a));
    return add(add(part(DPUISD::MUL_UL_UL, a, b), middle, 8), part(DPUISD::MUL_UH_UH, a, b), 16);
  }
  const bool isSignedA = wa.zero > 16, isSignedB = wb.zero > 16;
  if ((isSignedA ? wa.sign : wa.zero) > 16 || (isSignedB ? wb.sign : wb.zero) > 16) return SDValue();
  if (isSignedB && !isSignedA) std::swap(a, b);
  // a is signed; b may be.
  const bool areBoth = isSignedA && isSignedB;
  const SDValue middle = dag.getNode(ISD::ADD, where, MVT::i32, part(DPUISD::MUL_SH_UL, a, b),
                                     part(areBoth ? DPUISD::MUL_SH_UL : DPUISD::MUL_UH_UL, b, a));
  return add(add(part(DPUISD::MUL_UL_UL, a, b), middle, 8), part(areBoth ? DPUISD::MUL_SH_SH : DPUISD::MUL_SH_UH, a, b),
             16);
}

}  // namespace

SDValue DPUTargetLowering::lowerMultiply(SDValue op, SelectionDAG &dag) const {
  const SDLoc where(op);
  const SDValue a = op.getOperand(0), b = op.getOperand(1);
  if (const auto *c = dyn_cast<ConstantSDNode>(b))
    if (const SDValue v = timesConstant(a, static_cast<std::uint32_t>(c->getZExtValue()), where, dag)) return v;
  if (const SDValue v = narrowProduct(a, b, where, dag)) return v;
  auto &info = *dag.getMachineFunction().getInfo<DPUFunctionInfo>();
  const bool isSmall = dag.shouldOptForSize() || getTargetMachine().getOptLevel() == CodeGenOptLevel::None ||
                       static_cast<const DPUTargetMachine &>(getTargetMachine()).isLikeVendor();
  if (!isSmall && info.inlineProducts < kMostInlineProducts) {
    ++info.inlineProducts;
    return dag.getNode(DPUISD::MULTIPLY, where, MVT::i32, a, b);
  }
  MakeLibCallOptions options;
  return makeLibCall(dag, RTLIB::MUL_I32, MVT::i32, {a, b}, options, where).first;
}

/// Low and high word of a product of two words: the library's long product, which takes and gives registers.
std::pair<SDValue, SDValue> DPUTargetLowering::longProduct(SDValue a, SDValue b, bool isSignedA, bool isSignedB,
                                                           const SDLoc &where, SelectionDAG &dag) const {
  MachineFunction &mf = dag.getMachineFunction();
  SDValue chain = dag.getCALLSEQ_START(dag.getEntryNode(), 0, 0, where), glue;
  for (const auto &[r, v] : {std::pair(DPU::R0, a), std::pair(DPU::R1, b)}) {
    chain = dag.getCopyToReg(chain, where, r, v, glue);
    glue = chain.getValue(1);
  }
  const SDValue operands[] = {
      chain,
      dag.getTargetExternalSymbol("__umulsidi3", MVT::i32),
      dag.getRegister(DPU::R0, MVT::i32),
      dag.getRegister(DPU::R1, MVT::i32),
      dag.getRegisterMask(subtarget_.getRegisterInfo()->getCallPreservedMask(mf, CallingConv::C)),
      glue};
  chain = dag.getNode(DPUISD::CALL, where, dag.getVTList(MVT::Other, MVT::Glue), operands);
  chain = dag.getCALLSEQ_END(chain, 0, 0, chain.getValue(1), where);
  SDValue hi = dag.getCopyFromReg(chain, where, DPU::R0, MVT::i32, chain.getValue(1));
  const SDValue lo = dag.getCopyFromReg(hi.getValue(1), where, DPU::R1, MVT::i32, hi.getValue(2));
  const auto correct = [&](SDValue factor, SDValue other) {
    const SDValue sign = dag.getNode(ISD::SRA, where, MVT::i32, factor, dag.getConstant(31, where, MVT::i32));
    hi = dag.getNode(ISD::SUB, where, MVT::i32, hi, dag.getNode(ISD::AND, where, MVT::i32, sign, other));
  };
  if (isSignedA) correct(a, b);
  if (isSignedB) correct(b, a);
  return {lo, hi};
}

/// 64-bit products: shorter where both factors fit 32 bits.
SDValue DPUTargetLowering::lowerMultiply64(SDNode *node, SelectionDAG &dag) const {
  const SDLoc where(node);
  const SDValue a = node->getOperand(0), b = node->getOperand(1);
  const Width wa = widthOf(a, dag), wb = widthOf(b, dag);
  const bool isSignedA = wa.zero > 32, isSignedB = wb.zero > 32;
  const bool isLikeVendor = static_cast<const DPUTargetMachine &>(getTargetMachine()).isLikeVendor();
  if (isLikeVendor || (isSignedA ? wa.sign : wa.zero) > 32 || (isSignedB ? wb.sign : wb.zero) > 32) {
    MakeLibCallOptions options;
    return makeLibCall(dag, RTLIB::MUL_I64, MVT::i64, {a, b}, options, where).first;
  }
  const SDValue alo = dag.getNode(ISD::TRUNCATE, where, MVT::i32, a),
                blo = dag.getNode(ISD::TRUNCATE, where, MVT::i32, b);
  if (!isSignedA && !isSignedB && wa.zero + wb.zero <= 32)
    return dag.getNode(ISD::ZERO_EXTEND, where, MVT::i64, dag.getNode(ISD::MUL, where, MVT::i32, alo, blo));
  const auto [lo, hi] = longProduct(alo, blo, isSignedA, isSignedB, where, dag);
  return dag.getNode(ISD::BUILD_PAIR, where, MVT::i64, lo, hi);
}

/// UMUL_LOHI, SMUL_LOHI, MULHU, MULHS, UMULO, SMULO of words.
SDValue DPUTargetLowering::lowerLongProduct(SDValue op, SelectionDAG &dag) const {
  const SDLoc where(op);
  const unsigned opcode = op.getOpcode();
  const bool isSigned = opcode == ISD::SMUL_LOHI || opcode == ISD::MULHS || opcode == ISD::SMULO;
  const auto [lo, hi] = longProduct(op.getOperand(0), op.getOperand(1), isSigned, isSigned, where, dag);
  if (opcode == ISD::MULHU || opcode == ISD::MULHS) return hi;
  if (opcode == ISD::UMUL_LOHI || opcode == ISD::SMUL_LOHI) return dag.getMergeValues({lo, hi}, where);
  const SDValue expected = isSigned ? dag.getNode(ISD::SRA, where, MVT::i32, lo, dag.getConstant(31, where, MVT::i32))
                                    : dag.getConstant(0, where, MVT::i32);
  return dag.getMergeValues({lo, dag.getSetCC(where, op.getNode()->getValueType(1), hi, expected, ISD::SETNE)}, where);
}

}  // namespace llvm
