// Selection: what TableGen's patterns cannot say.
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "pimento/backend_dpu/target/condition.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/target_machine.h"

#define DEBUG_TYPE "dpu-isel"
#define PASS_NAME "DPU selection"

namespace llvm {
namespace {

class DPUDAGToDAGISel : public SelectionDAGISel {
 public:
  DPUDAGToDAGISel(DPUTargetMachine &machine, CodeGenOptLevel level) : SelectionDAGISel(machine, level) {}

#include "DPUGenDAGISel.inc"

  void Select(SDNode *node) override;
  bool SelectInlineAsmMemoryOperand(const SDValue &op, InlineAsm::ConstraintCode, std::vector<SDValue> &out) override {
    SDValue base, offset;
    selectAddress(op, base, offset);
    out.push_back(base);
    out.push_back(offset);
    return false;
  }

 private:
  bool selectAddress(SDValue address, SDValue &base, SDValue &offset);
  bool selectNarrowAddress(SDValue address, SDValue &base, SDValue &offset);
  SDValue word(std::int64_t value, const SDLoc &where) {
    return CurDAG->getTargetConstant(static_cast<std::uint64_t>(value), where, MVT::i32);
  }
  /// A pair of registers from two words.
  SDValue pairOf(SDValue lo, SDValue hi, const SDLoc &where);
  SDValue half(SDNode *pair, unsigned sub, const SDLoc &where) {
    return CurDAG->getTargetExtractSubreg(sub, where, MVT::i32, SDValue(pair, 0));
  }
  void replaceByHalves(SDNode *node, SDNode *pair);
  void selectAdd64(SDNode *node);
  void selectSub64(SDNode *node);
  bool selectMultiplyAdd(SDNode *node);
  void selectMultiply(SDNode *node);
  void selectLoad64(SDNode *node);
  void selectStore64(SDNode *node);
  bool comparesNumber(MutableArrayRef<SDValue> operands, unsigned bits);
};

/// An integer constant of 32 bits, sign extended.
std::optional<std::int64_t> constantOf(SDValue v) {
  if (const auto *c = dyn_cast<ConstantSDNode>(v)) return c->getSExtValue();
  return std::nullopt;
}

bool DPUDAGToDAGISel::selectAddress(SDValue address, SDValue &base, SDValue &offset) {
  const SDLoc where(address);
  const auto registerOrFrame = [&](SDValue v) {
    if (const auto *f = dyn_cast<FrameIndexSDNode>(v)) return CurDAG->getTargetFrameIndex(f->getIndex(), MVT::i32);
    return v;
  };
  if (address.getOpcode() == DPUISD::ADDRESS) {
    base = CurDAG->getRegister(DPU::ZERO, MVT::i32);
    offset = address.getOperand(0);
    return true;
  }
  if (CurDAG->isBaseWithConstantOffset(address)) {
    const std::int64_t value = cast<ConstantSDNode>(address.getOperand(1))->getSExtValue();
    if (isInt<24>(value)) {
      base = registerOrFrame(address.getOperand(0));
      offset = word(value, where);
      return true;
    }
  }
  if (address.getOpcode() == ISD::ADD && address.getOperand(1).getOpcode() == DPUISD::ADDRESS &&
      !isa<FrameIndexSDNode>(address.getOperand(0))) {
    base = address.getOperand(0);
    offset = address.getOperand(1).getOperand(0);
    return true;
  }
  if (const auto c = constantOf(address); c && isInt<24>(*c)) {
    base = CurDAG->getRegister(DPU::ZERO, MVT::i32);
    offset = word(*c, where);
    return true;
  }
  base = registerOrFrame(address);
  offset = word(0, where);
  return true;
}

/// For stores of numbers, which have 12 bits of displacement; the place on the stack is not known yet, so that not.
bool DPUDAGToDAGISel::selectNarrowAddress(SDValue address, SDValue &base, SDValue &offset) {
  if (!selectAddress(address, base, offset)) return false;
  if (base.getOpcode() == ISD::TargetFrameIndex) return false;
  const auto *c = dyn_cast<ConstantSDNode>(offset);
  return c && isInt<12>(c->getSExtValue());
}

SDValue DPUDAGToDAGISel::pairOf(SDValue lo, SDValue hi, const SDLoc &where) {
  const SDValue operands[] = {CurDAG->getTargetConstant(DPU::DPairRegClassID, where, MVT::i32), lo,
                              CurDAG->getTargetConstant(DPU::sub_lo, where, MVT::i32), hi,
                              CurDAG->getTargetConstant(DPU::sub_hi, where, MVT::i32)};
  return SDValue(CurDAG->getMachineNode(TargetOpcode::REG_SEQUENCE, where, MVT::Untyped, operands), 0);
}

void DPUDAGToDAGISel::replaceByHalves(SDNode *node, SDNode *pair) {
  const SDLoc where(node);
  ReplaceUses(SDValue(node, 0), half(pair, DPU::sub_lo, where));
  ReplaceUses(SDValue(node, 1), half(pair, DPU::sub_hi, where));
}

void DPUDAGToDAGISel::selectAdd64(SDNode *node) {
  const SDLoc where(node);
  SDValue alo = node->getOperand(0), ahi = node->getOperand(1), blo = node->getOperand(2), bhi = node->getOperand(3);
  const auto isZero = [](SDValue v) { return constantOf(v) == 0; };
  if (isZero(ahi) && !isZero(bhi)) {
    std::swap(alo, blo);
    std::swap(ahi, bhi);
  }
  SDNode *sum = nullptr;
  const auto lo = constantOf(blo), hi = constantOf(bhi);
  if (lo && hi) {
    sum = CurDAG->getMachineNode(DPU::ADD64ri, where, MVT::Untyped,
                                 {pairOf(alo, ahi, where), word(*lo, where), word(*hi, where)});
  } else if (hi == 0) {
    sum = CurDAG->getMachineNode(DPU::ADD64rz, where, MVT::Untyped, {pairOf(alo, ahi, where), blo});
  } else {
    sum = CurDAG->getMachineNode(DPU::ADD64rr, where, MVT::Untyped, {pairOf(alo, ahi, where), pairOf(blo, bhi, where)});
  }
  replaceByHalves(node, sum);
  CurDAG->RemoveDeadNode(node);
}

void DPUDAGToDAGISel::selectSub64(SDNode *node) {
  const SDLoc where(node);
  const SDValue alo = node->getOperand(0), ahi = node->getOperand(1);
  const SDValue b = pairOf(node->getOperand(2), node->getOperand(3), where);
  const auto lo = constantOf(alo), hi = constantOf(ahi);
  SDNode *difference =
      lo && hi ? CurDAG->getMachineNode(DPU::SUB64ir, where, MVT::Untyped, {word(*lo, where), word(*hi, where), b})
               : CurDAG->getMachineNode(DPU::SUB64rr, where, MVT::Untyped, {pairOf(alo, ahi, where), b});
  replaceByHalves(node, difference);
  CurDAG->RemoveDeadNode(node);
}

/// Multiplication by steps starts from a sum, which need not be zero.
bool DPUDAGToDAGISel::selectMultiplyAdd(SDNode *node) {
  for (unsigned i = 0; i < 2; ++i) {
    const SDValue product = node->getOperand(i), sum = node->getOperand(1 - i);
    if (product.getOpcode() != DPUISD::MULTIPLY || !product.hasOneUse()) continue;
    const SDLoc where(node);
    const SDValue nothing(CurDAG->getMachineNode(TargetOpcode::IMPLICIT_DEF, where, MVT::i32), 0);
    SDNode *result =
        CurDAG->getMachineNode(DPU::MULTIPLY_ADD, where, CurDAG->getVTList(MVT::Untyped, MVT::i32),
                               {pairOf(sum, nothing, where), product.getOperand(0), product.getOperand(1)});
    ReplaceUses(SDValue(node, 0), half(result, DPU::sub_lo, where));
    CurDAG->RemoveDeadNode(node);
    return true;
  }
  return false;
}

void DPUDAGToDAGISel::selectMultiply(SDNode *node) {
  const SDLoc where(node);
  SDNode *result = CurDAG->getMachineNode(DPU::MULTIPLY, where, CurDAG->getVTList(MVT::Untyped, MVT::i32),
                                          {node->getOperand(0), node->getOperand(1)});
  ReplaceUses(SDValue(node, 0), half(result, DPU::sub_lo, where));
  CurDAG->RemoveDeadNode(node);
}

void DPUDAGToDAGISel::selectLoad64(SDNode *node) {
  const SDLoc where(node);
  SDValue base, offset;
  selectAddress(node->getOperand(1), base, offset);
  MachineSDNode *load = CurDAG->getMachineNode(DPU::LD, where, CurDAG->getVTList(MVT::Untyped, MVT::Other),
                                               {base, offset, node->getOperand(0)});
  CurDAG->setNodeMemRefs(load, {cast<MemSDNode>(node)->getMemOperand()});
  ReplaceUses(SDValue(node, 0), half(load, DPU::sub_lo, where));
  ReplaceUses(SDValue(node, 1), half(load, DPU::sub_hi, where));
  ReplaceUses(SDValue(node, 2), SDValue(load, 1));
  CurDAG->RemoveDeadNode(node);
}

void DPUDAGToDAGISel::selectStore64(SDNode *node) {
  const SDLoc where(node);
  SDValue base, offset;
  const auto lo = constantOf(node->getOperand(1)), hi = constantOf(node->getOperand(2));
  MachineSDNode *store = nullptr;
  // Whether a negative number is extended to 64 bits is not established.
  if (lo && hi && isUInt<15>(*lo) && *hi == 0 && selectNarrowAddress(node->getOperand(3), base, offset)) {
    store = CurDAG->getMachineNode(DPU::SDi, where, MVT::Other, {word(*lo, where), base, offset, node->getOperand(0)});
  } else {
    selectAddress(node->getOperand(3), base, offset);
    const SDValue pair = pairOf(node->getOperand(1), node->getOperand(2), where);
    store = CurDAG->getMachineNode(DPU::SD, where, MVT::Other, {pair, base, offset, node->getOperand(0)});
  }
  CurDAG->setNodeMemRefs(store, {cast<MemSDNode>(node)->getMemOperand()});
  ReplaceNode(node, store);
}

/// Whether the second of two words pairs that are compared is a number that the instructions take: 27 bits of the low
/// word, `bits` of the high one. It then becomes one.
bool DPUDAGToDAGISel::comparesNumber(MutableArrayRef<SDValue> operands, unsigned bits) {
  const auto lo = constantOf(operands[3]), hi = constantOf(operands[4]);
  if (!lo || !hi || !isInt<27>(*lo) || !isIntN(bits, *hi)) return false;
  operands[3] = word(*lo, SDLoc(operands[3]));
  operands[4] = word(*hi, SDLoc(operands[4]));
  return true;
}

void DPUDAGToDAGISel::Select(SDNode *node) {
  if (node->isMachineOpcode()) {
    node->setNodeId(-1);
    return;
  }
  const SDLoc where(node);
  switch (node->getOpcode()) {
    case ISD::FrameIndex: {
      const SDValue place = CurDAG->getTargetFrameIndex(cast<FrameIndexSDNode>(node)->getIndex(), MVT::i32);
      ReplaceNode(node, CurDAG->getMachineNode(DPU::LEA, where, MVT::i32, place, word(0, where)));
      return;
    }
    case ISD::ADD:
      if (selectMultiplyAdd(node)) return;
      if (const auto *f = dyn_cast<FrameIndexSDNode>(node->getOperand(0))) {
        if (const auto c = constantOf(node->getOperand(1))) {
          ReplaceNode(node,
                      CurDAG->getMachineNode(DPU::LEA, where, MVT::i32,
                                             CurDAG->getTargetFrameIndex(f->getIndex(), MVT::i32), word(*c, where)));
          return;
        }
      }
      break;
    case DPUISD::ADD64:
      return selectAdd64(node);
    case DPUISD::SUB64:
      return selectSub64(node);
    case DPUISD::MULTIPLY:
      return selectMultiply(node);
    case DPUISD::LOAD64:
      return selectLoad64(node);
    case DPUISD::STORE64:
      return selectStore64(node);
    case DPUISD::BRANCH64: {
      SmallVector<SDValue, 8> operands(node->op_begin() + 1, node->op_end());
      const bool isNumber = comparesNumber(operands, 11);
      operands.push_back(node->getOperand(0));
      ReplaceNode(node, CurDAG->getMachineNode(isNumber ? DPU::J64ri : DPU::J64rr, where, MVT::Other, operands));
      return;
    }
    case DPUISD::SET64:
    case DPUISD::SELECT64: {
      SmallVector<SDValue, 8> operands(node->op_begin(), node->op_end());
      const unsigned opcode = node->getOpcode() == DPUISD::SELECT64 ? DPU::SELECT64
                              : comparesNumber(operands, 24)        ? DPU::SET64ri
                                                                    : DPU::SET64rr;
      ReplaceNode(node, CurDAG->getMachineNode(opcode, where, MVT::i32, operands));
      return;
    }
    default:
      break;
  }
  SelectCode(node);
}

class DPUDAGToDAGISelLegacy : public SelectionDAGISelLegacy {
 public:
  static char ID;
  DPUDAGToDAGISelLegacy(DPUTargetMachine &machine, CodeGenOptLevel level)
      : SelectionDAGISelLegacy(ID, std::make_unique<DPUDAGToDAGISel>(machine, level)) {}
};
char DPUDAGToDAGISelLegacy::ID = 0;

}  // namespace

FunctionPass *createDpuSelection(DPUTargetMachine &machine, CodeGenOptLevel level) {
  return new DPUDAGToDAGISelLegacy(machine, level);
}

}  // namespace llvm
