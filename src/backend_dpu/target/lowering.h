// What the DPU can do and cannot, and how LLVM's selection graph is brought to what it can.
//
// Registers are 32 bits; a 64-bit value is two of them, and its additions, subtractions and comparisons are one node
// each that two neighbouring instructions serve. Floating point is library calls. There is no 32-bit multiplication:
// products of narrow values are made of 8-bit products, others of multiplication steps or by a library call.
#pragma once

#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/CodeGen/TargetLowering.h"

namespace llvm {

class DPUSubtarget;

namespace DPUISD {
enum NodeType : unsigned {
  FIRST = ISD::BUILTIN_OP_END,
  CALL,
  RETURN,
  ADDRESS,   ///< a symbol's address as a value
  SELECT,    ///< condition, a, b, yes, no
  SET,       ///< condition, a, b: 0 or 1
  BRANCH,    ///< chain, condition, a, b, target
  MULTIPLY,  ///< by steps, inline
  MUL_SL_SL,
  MUL_SL_SH,
  MUL_SL_UL,
  MUL_SL_UH,
  MUL_SH_SL,
  MUL_SH_SH,
  MUL_SH_UL,
  MUL_SH_UH,
  MUL_UL_SL,
  MUL_UL_SH,
  MUL_UL_UL,
  MUL_UL_UH,
  MUL_UH_SL,
  MUL_UH_SH,
  MUL_UH_UL,
  MUL_UH_UH,
  // 64-bit values as low, high word each
  ADD64,  ///< results low, high
  SUB64,
  SELECT64,  ///< condition, alo, ahi, blo, bhi, yes, no
  SET64,     ///< condition, alo, ahi, blo, bhi
  BRANCH64,  ///< chain, condition, alo, ahi, blo, bhi, target
  FIRST_MEMORY = ISD::FIRST_TARGET_MEMORY_OPCODE,
  LOAD64,   ///< chain, address: low, high, chain
  STORE64,  ///< chain, low, high, address
};
}  // namespace DPUISD

class DPUTargetLowering : public TargetLowering {
 public:
  DPUTargetLowering(const TargetMachine &machine, const DPUSubtarget &subtarget);

  const char *getTargetNodeName(unsigned opcode) const override;
  SDValue LowerOperation(SDValue op, SelectionDAG &dag) const override;
  void ReplaceNodeResults(SDNode *node, SmallVectorImpl<SDValue> &results, SelectionDAG &dag) const override;
  void computeKnownBitsForTargetNode(const SDValue op, KnownBits &known, const APInt &, const SelectionDAG &,
                                     unsigned) const override;
  MachineBasicBlock *EmitInstrWithCustomInserter(MachineInstr &mi, MachineBasicBlock *block) const override;

  EVT getSetCCResultType(const DataLayout &, LLVMContext &, EVT type) const override {
    return type.isVector() ? type.changeVectorElementTypeToInteger() : EVT(MVT::i32);
  }
  bool isLegalAddressingMode(const DataLayout &layout, const AddrMode &mode, Type *type, unsigned space,
                             Instruction *instruction) const override;
  bool isLegalICmpImmediate(std::int64_t value) const override { return isInt<11>(value); }
  bool isTruncateFree(Type *from, Type *to) const override;
  bool isTruncateFree(EVT from, EVT to) const override;
  bool isZExtFree(SDValue value, EVT to) const override;
  bool isCheapToSpeculateCttz(Type *) const override { return true; }
  bool isCheapToSpeculateCtlz(Type *) const override { return true; }
  bool isOffsetFoldingLegal(const GlobalAddressSDNode *) const override { return true; }
  bool shouldReduceLoadWidth(SDNode *load, ISD::LoadExtType extension, EVT type) const override;
  bool hasAndNot(SDValue) const override { return true; }
  bool convertSetCCLogicToBitwiseLogic(EVT) const override { return true; }
  bool shouldFormOverflowOp(unsigned, EVT, bool) const override { return false; }
  bool canMergeStoresTo(unsigned, EVT type, const MachineFunction &) const override {
    return type.getSizeInBits() <= 32;
  }

  std::pair<unsigned, const TargetRegisterClass *> getRegForInlineAsmConstraint(const TargetRegisterInfo *registers,
                                                                                StringRef constraint,
                                                                                MVT type) const override;

  // calls (lowering_calls.cpp)
  SDValue LowerFormalArguments(SDValue chain, CallingConv::ID convention, bool isVariadic,
                               const SmallVectorImpl<ISD::InputArg> &ins, const SDLoc &where, SelectionDAG &dag,
                               SmallVectorImpl<SDValue> &values) const override;
  SDValue LowerCall(CallLoweringInfo &info, SmallVectorImpl<SDValue> &values) const override;
  bool CanLowerReturn(CallingConv::ID convention, MachineFunction &mf, bool isVariadic,
                      const SmallVectorImpl<ISD::OutputArg> &outs, LLVMContext &context) const override;
  SDValue LowerReturn(SDValue chain, CallingConv::ID convention, bool isVariadic,
                      const SmallVectorImpl<ISD::OutputArg> &outs, const SmallVectorImpl<SDValue> &values,
                      const SDLoc &where, SelectionDAG &dag) const override;
  SDValue lowerVaStart(SDValue op, SelectionDAG &dag) const;
  SDValue lowerVaArg(SDNode *node, SelectionDAG &dag) const;

 private:
  void declareTypes();
  void declareIntegers();
  void declareFloats();
  void declareLibrary();

  SDValue lowerAddress(SDValue op, SelectionDAG &dag) const;
  SmallVector<SDValue, 5> comparison64(ISD::CondCode code, SDValue a, SDValue b, SelectionDAG &dag) const;
  SDValue lowerBranch(SDValue op, SelectionDAG &dag) const;
  SDValue lowerSelect(SDValue op, SelectionDAG &dag) const;
  SDValue lowerSet(SDValue op, SelectionDAG &dag) const;
  // products (lowering_products.cpp)
  SDValue lowerMultiply(SDValue op, SelectionDAG &dag) const;
  SDValue lowerMultiply64(SDNode *node, SelectionDAG &dag) const;
  SDValue lowerLongProduct(SDValue op, SelectionDAG &dag) const;
  std::pair<SDValue, SDValue> longProduct(SDValue a, SDValue b, bool isSignedA, bool isSignedB, const SDLoc &where,
                                          SelectionDAG &dag) const;
  SDValue lowerDynamicAllocation(SDValue op, SelectionDAG &dag) const;
  SDValue lowerStore64(SDValue op, SelectionDAG &dag) const;
  SDValue lowerFrameAddress(SDValue op, SelectionDAG &dag) const;
  SDValue lowerReturnAddress(SDValue op, SelectionDAG &dag) const;

  const DPUSubtarget &subtarget_;
};

}  // namespace llvm
