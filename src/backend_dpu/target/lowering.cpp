#include "pimento/backend_dpu/target/lowering.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/Support/KnownBits.h"
#include "pimento/backend_dpu/target/condition.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/subtarget.h"

namespace llvm {
namespace {

SDValue conditionOperand(SelectionDAG &dag, const SDLoc &where, ISD::CondCode code) {
  return dag.getTargetConstant(static_cast<std::uint64_t>(dpu::of(code)), where, MVT::i32);
}

}  // namespace

DPUTargetLowering::DPUTargetLowering(const TargetMachine &machine, const DPUSubtarget &subtarget)
    : TargetLowering(machine), subtarget_(subtarget) {
  declareTypes();
  declareIntegers();
  declareFloats();
  declareLibrary();
}

void DPUTargetLowering::declareTypes() {
  addRegisterClass(MVT::i32, &DPU::GPRRegClass);
  addRegisterClass(MVT::Untyped, &DPU::DPairRegClass);  // two words; no operation of the graph makes one
  computeRegisterProperties(subtarget_.getRegisterInfo());
  setStackPointerRegisterToSaveRestore(DPU::R22);
  setBooleanContents(ZeroOrOneBooleanContent);
  setMinimumJumpTableEntries(6);
}

void DPUTargetLowering::declareIntegers() {
  for (const unsigned op : {ISD::GlobalAddress, ISD::BlockAddress, ISD::JumpTable, ISD::ConstantPool})
    setOperationAction(op, MVT::i32, Custom);
  for (const MVT type : {MVT::i32, MVT::i64})
    for (const unsigned op : {ISD::BR_CC, ISD::SELECT_CC, ISD::SETCC}) setOperationAction(op, type, Custom);
  for (const unsigned op : {ISD::ADD, ISD::SUB, ISD::MUL, ISD::LOAD, ISD::STORE})
    setOperationAction(op, MVT::i64, Custom);
  for (const unsigned op : {ISD::MUL, ISD::MULHS, ISD::MULHU, ISD::SMUL_LOHI, ISD::UMUL_LOHI, ISD::SMULO, ISD::UMULO})
    setOperationAction(op, MVT::i32, Custom);
  for (const unsigned op : {ISD::SELECT, ISD::SDIV, ISD::UDIV, ISD::SREM, ISD::UREM, ISD::SDIVREM, ISD::UDIVREM,
                            ISD::SHL_PARTS, ISD::SRL_PARTS, ISD::SRA_PARTS, ISD::CTTZ, ISD::CTTZ_ZERO_UNDEF,
                            ISD::CTLZ_ZERO_UNDEF, ISD::BSWAP, ISD::BITREVERSE, ISD::FSHL, ISD::FSHR})
    setOperationAction(op, MVT::i32, Expand);
  for (const unsigned op : {ISD::ROTL, ISD::ROTR, ISD::CTLZ, ISD::CTPOP}) setOperationAction(op, MVT::i32, Legal);
  setOperationAction(ISD::SIGN_EXTEND_INREG, MVT::i1, Expand);
  for (const MVT type : MVT::integer_valuetypes())
    for (const auto extension : {ISD::EXTLOAD, ISD::ZEXTLOAD, ISD::SEXTLOAD})
      setLoadExtAction(extension, type, MVT::i1, Promote);
  setOperationAction(ISD::BRCOND, MVT::Other, Expand);
  setOperationAction(ISD::BR_JT, MVT::Other, Expand);
  setOperationAction(ISD::DYNAMIC_STACKALLOC, MVT::i32, Custom);
  setOperationAction(ISD::STACKSAVE, MVT::Other, Expand);
  setOperationAction(ISD::STACKRESTORE, MVT::Other, Expand);
  setOperationAction(ISD::VASTART, MVT::Other, Custom);
  setOperationAction(ISD::VAARG, MVT::Other, Custom);
  for (const MVT type : {MVT::i32, MVT::i64, MVT::f32, MVT::f64}) setOperationAction(ISD::VAARG, type, Custom);
  setOperationAction(ISD::VACOPY, MVT::Other, Expand);
  setOperationAction(ISD::VAEND, MVT::Other, Expand);
  setOperationAction(ISD::FRAMEADDR, MVT::i32, Custom);
  setOperationAction(ISD::RETURNADDR, MVT::i32, Custom);
  setOperationAction(ISD::TRAP, MVT::Other, Legal);
  setOperationAction(ISD::DEBUGTRAP, MVT::Other, Legal);
  setOperationAction(ISD::PREFETCH, MVT::Other, Expand);
  setOperationAction(ISD::READCYCLECOUNTER, MVT::i64, Expand);
}

/// What the run-time library does not have, LLVM makes of what it has.
void DPUTargetLowering::declareLibrary() {
  for (const auto call :
       {RTLIB::MUL_I128, RTLIB::SHL_I128, RTLIB::SRL_I128, RTLIB::SRA_I128, RTLIB::SDIV_I128, RTLIB::UDIV_I128,
        RTLIB::SREM_I128, RTLIB::UREM_I128, RTLIB::MULO_I32, RTLIB::MULO_I64, RTLIB::MULO_I128})
    setLibcallName(call, nullptr);
  setMaxDivRemBitWidthSupported(64);
}

void DPUTargetLowering::declareFloats() {
  for (const MVT wide : {MVT::f32, MVT::f64})
    for (const MVT narrow : {MVT::f16, MVT::bf16, MVT::f32}) {
      setLoadExtAction(ISD::EXTLOAD, wide, narrow, Expand);
      setTruncStoreAction(wide, narrow, Expand);
    }
}

const char *DPUTargetLowering::getTargetNodeName(unsigned opcode) const {
  switch (opcode) {
    case DPUISD::CALL:
      return "DPUISD::CALL";
    case DPUISD::RETURN:
      return "DPUISD::RETURN";
    case DPUISD::ADDRESS:
      return "DPUISD::ADDRESS";
    case DPUISD::SELECT:
      return "DPUISD::SELECT";
    case DPUISD::SET:
      return "DPUISD::SET";
    case DPUISD::BRANCH:
      return "DPUISD::BRANCH";
    case DPUISD::MULTIPLY:
      return "DPUISD::MULTIPLY";
    case DPUISD::ADD64:
      return "DPUISD::ADD64";
    case DPUISD::SUB64:
      return "DPUISD::SUB64";
    case DPUISD::SELECT64:
      return "DPUISD::SELECT64";
    case DPUISD::SET64:
      return "DPUISD::SET64";
    case DPUISD::BRANCH64:
      return "DPUISD::BRANCH64";
    case DPUISD::LOAD64:
      return "DPUISD::LOAD64";
    case DPUISD::STORE64:
      return "DPUISD::STORE64";
    default:
      return opcode >= DPUISD::MUL_SL_SL && opcode <= DPUISD::MUL_UH_UH ? "DPUISD::MUL_8_8" : nullptr;
  }
}

// ---- what passes before selection ask

bool DPUTargetLowering::isLegalAddressingMode(const DataLayout &, const AddrMode &mode, Type *, unsigned space,
                                              Instruction *) const {
  if (space != 0)
    return !mode.BaseGV && mode.BaseOffs == 0 && (mode.Scale == 0 || (mode.Scale == 1 && !mode.HasBaseReg));
  if (!isInt<24>(mode.BaseOffs)) return false;
  return mode.Scale == 0 || (mode.Scale == 1 && !mode.HasBaseReg);
}

bool DPUTargetLowering::isTruncateFree(Type *from, Type *to) const {
  return from->isIntegerTy() && to->isIntegerTy() && from->getPrimitiveSizeInBits() > to->getPrimitiveSizeInBits();
}

bool DPUTargetLowering::isTruncateFree(EVT from, EVT to) const {
  return from.isScalarInteger() && to.isScalarInteger() && from.bitsGT(to);
}

bool DPUTargetLowering::isZExtFree(SDValue value, EVT to) const {
  const auto *load = dyn_cast<LoadSDNode>(value);
  if (load && load->getExtensionType() != ISD::SEXTLOAD && load->getMemoryVT().bitsLE(MVT::i16) && to == MVT::i32)
    return true;
  return TargetLowering::isZExtFree(value, to);
}

/// Two words at once beat two loads: keep a 64-bit load together where both halves are used.
bool DPUTargetLowering::shouldReduceLoadWidth(SDNode *load, ISD::LoadExtType, EVT) const {
  return !(load->getValueType(0) == MVT::i64 && !load->hasNUsesOfValue(1, 0));
}

// ---- operations

SDValue DPUTargetLowering::LowerOperation(SDValue op, SelectionDAG &dag) const {
  switch (op.getOpcode()) {
    case ISD::GlobalAddress:
    case ISD::BlockAddress:
    case ISD::JumpTable:
    case ISD::ConstantPool:
      return lowerAddress(op, dag);
    case ISD::BR_CC:
      return lowerBranch(op, dag);
    case ISD::SELECT_CC:
      return lowerSelect(op, dag);
    case ISD::SETCC:
      return lowerSet(op, dag);
    case ISD::MUL:
      return lowerMultiply(op, dag);
    case ISD::MULHS:
    case ISD::MULHU:
    case ISD::SMUL_LOHI:
    case ISD::UMUL_LOHI:
    case ISD::SMULO:
    case ISD::UMULO:
      return lowerLongProduct(op, dag);
    case ISD::STORE:
      return lowerStore64(op, dag);
    case ISD::DYNAMIC_STACKALLOC:
      return lowerDynamicAllocation(op, dag);
    case ISD::VASTART:
      return lowerVaStart(op, dag);
    case ISD::VAARG:
      return lowerVaArg(op.getNode(), dag);
    case ISD::FRAMEADDR:
      return lowerFrameAddress(op, dag);
    case ISD::RETURNADDR:
      return lowerReturnAddress(op, dag);
    default:
      llvm_unreachable("operation is not declared custom");
  }
}

/// Operations whose result has 64 bits. No results: LLVM's own way.
void DPUTargetLowering::ReplaceNodeResults(SDNode *node, SmallVectorImpl<SDValue> &results, SelectionDAG &dag) const {
  const SDLoc where(node);
  if (node->getValueType(0) != MVT::i64) return;
  switch (node->getOpcode()) {
    case ISD::ADD:
    case ISD::SUB: {
      const auto [alo, ahi] = dag.SplitScalar(node->getOperand(0), where, MVT::i32, MVT::i32);
      const auto [blo, bhi] = dag.SplitScalar(node->getOperand(1), where, MVT::i32, MVT::i32);
      const unsigned opcode = node->getOpcode() == ISD::ADD ? DPUISD::ADD64 : DPUISD::SUB64;
      const SDValue sum = dag.getNode(opcode, where, dag.getVTList(MVT::i32, MVT::i32), {alo, ahi, blo, bhi});
      results.push_back(dag.getNode(ISD::BUILD_PAIR, where, MVT::i64, sum, sum.getValue(1)));
      return;
    }
    case ISD::MUL:
      results.push_back(lowerMultiply64(node, dag));
      return;
    case ISD::LOAD: {
      auto *load = cast<LoadSDNode>(node);
      if (load->getExtensionType() != ISD::NON_EXTLOAD || !load->isUnindexed() || load->getAlign() < Align(8)) return;
      const SDValue words =
          dag.getMemIntrinsicNode(DPUISD::LOAD64, where, dag.getVTList(MVT::i32, MVT::i32, MVT::Other),
                                  {load->getChain(), load->getBasePtr()}, MVT::i64, load->getMemOperand());
      results.push_back(dag.getNode(ISD::BUILD_PAIR, where, MVT::i64, words, words.getValue(1)));
      results.push_back(words.getValue(2));
      return;
    }
    case ISD::VAARG: {
      const SDValue value = lowerVaArg(node, dag);
      results.push_back(value);
      results.push_back(value.getValue(1));
      return;
    }
    default:
      return;
  }
}

SDValue DPUTargetLowering::lowerStore64(SDValue op, SelectionDAG &dag) const {
  auto *store = cast<StoreSDNode>(op);
  if (store->isTruncatingStore() || !store->isUnindexed() || store->getAlign() < Align(8)) return SDValue();
  const SDLoc where(op);
  const auto [lo, hi] = dag.SplitScalar(store->getValue(), where, MVT::i32, MVT::i32);
  return dag.getMemIntrinsicNode(DPUISD::STORE64, where, dag.getVTList(MVT::Other),
                                 {store->getChain(), lo, hi, store->getBasePtr()}, MVT::i64, store->getMemOperand());
}

SDValue DPUTargetLowering::lowerAddress(SDValue op, SelectionDAG &dag) const {
  const SDLoc where(op);
  const auto wrap = [&](SDValue address) { return dag.getNode(DPUISD::ADDRESS, where, MVT::i32, address); };
  if (const auto *g = dyn_cast<GlobalAddressSDNode>(op)) {
    // What lies outside of memory has no address: such an offset is added in a register.
    const bool isOutside = !isUInt<26>(static_cast<std::uint64_t>(g->getOffset()));
    const SDValue address =
        wrap(dag.getTargetGlobalAddress(g->getGlobal(), where, MVT::i32, isOutside ? 0 : g->getOffset()));
    if (!isOutside) return address;
    return dag.getNode(ISD::ADD, where, MVT::i32, address, dag.getConstant(g->getOffset(), where, MVT::i32));
  }
  if (const auto *b = dyn_cast<BlockAddressSDNode>(op))
    return wrap(dag.getTargetBlockAddress(b->getBlockAddress(), MVT::i32, b->getOffset()));
  if (const auto *j = dyn_cast<JumpTableSDNode>(op)) return wrap(dag.getTargetJumpTable(j->getIndex(), MVT::i32));
  const auto *c = cast<ConstantPoolSDNode>(op);
  return wrap(dag.getTargetConstantPool(c->getConstVal(), MVT::i32, c->getAlign(), c->getOffset()));
}

/// 64-bit operands are expanded before branches and selections are lowered: then those ask whether a SET64 is 0 or not.
/// The condition and the four words of that comparison, or nothing.
SmallVector<SDValue, 5> DPUTargetLowering::comparison64(ISD::CondCode code, SDValue a, SDValue b,
                                                        SelectionDAG &dag) const {
  const auto *zero = dyn_cast<ConstantSDNode>(b);
  const bool asks = code == ISD::SETEQ || code == ISD::SETNE;
  if (a.getOpcode() == ISD::AND && isOneConstant(a.getOperand(1)) && a.hasOneUse()) a = a.getOperand(0);
  if (a.getOpcode() != DPUISD::SET64 || !a.hasOneUse() || !asks || !zero || !zero->isZero()) return {};
  SmallVector<SDValue, 5> parts(a->op_begin(), a->op_end());
  if (code == ISD::SETEQ) {
    const auto condition = static_cast<dpu::Condition>(cast<ConstantSDNode>(parts[0])->getZExtValue());
    parts[0] = dag.getTargetConstant(static_cast<std::uint64_t>(dpu::opposite(condition)), SDLoc(a), MVT::i32);
  }
  return parts;
}

SDValue DPUTargetLowering::lowerBranch(SDValue op, SelectionDAG &dag) const {
  const SDLoc where(op);
  const SDValue chain = op.getOperand(0), a = op.getOperand(2), b = op.getOperand(3), target = op.getOperand(4);
  const ISD::CondCode code = cast<CondCodeSDNode>(op.getOperand(1))->get();
  if (SmallVector<SDValue, 5> parts = comparison64(code, a, b, dag); !parts.empty()) {
    parts.insert(parts.begin(), chain);
    parts.push_back(target);
    return dag.getNode(DPUISD::BRANCH64, where, MVT::Other, parts);
  }
  const SDValue condition = conditionOperand(dag, where, code);
  if (a.getValueType() == MVT::i32)
    return dag.getNode(DPUISD::BRANCH, where, MVT::Other, {chain, condition, a, b, target});
  const auto [alo, ahi] = dag.SplitScalar(a, where, MVT::i32, MVT::i32);
  const auto [blo, bhi] = dag.SplitScalar(b, where, MVT::i32, MVT::i32);
  return dag.getNode(DPUISD::BRANCH64, where, MVT::Other, {chain, condition, alo, ahi, blo, bhi, target});
}

SDValue DPUTargetLowering::lowerSelect(SDValue op, SelectionDAG &dag) const {
  const SDLoc where(op);
  const SDValue a = op.getOperand(0), b = op.getOperand(1), yes = op.getOperand(2), no = op.getOperand(3);
  if (op.getValueType() != MVT::i32) return SDValue();
  const ISD::CondCode code = cast<CondCodeSDNode>(op.getOperand(4))->get();
  if (SmallVector<SDValue, 5> parts = comparison64(code, a, b, dag); !parts.empty()) {
    parts.append({yes, no});
    return dag.getNode(DPUISD::SELECT64, where, MVT::i32, parts);
  }
  const SDValue condition = conditionOperand(dag, where, code);
  if (a.getValueType() == MVT::i32) return dag.getNode(DPUISD::SELECT, where, MVT::i32, {condition, a, b, yes, no});
  const auto [alo, ahi] = dag.SplitScalar(a, where, MVT::i32, MVT::i32);
  const auto [blo, bhi] = dag.SplitScalar(b, where, MVT::i32, MVT::i32);
  return dag.getNode(DPUISD::SELECT64, where, MVT::i32, {condition, alo, ahi, blo, bhi, yes, no});
}

SDValue DPUTargetLowering::lowerSet(SDValue op, SelectionDAG &dag) const {
  const SDLoc where(op);
  const SDValue a = op.getOperand(0), b = op.getOperand(1);
  const SDValue condition = conditionOperand(dag, where, cast<CondCodeSDNode>(op.getOperand(2))->get());
  if (a.getValueType() == MVT::i32) return dag.getNode(DPUISD::SET, where, MVT::i32, {condition, a, b});
  if (a.getValueType() != MVT::i64) return SDValue();
  const auto [alo, ahi] = dag.SplitScalar(a, where, MVT::i32, MVT::i32);
  const ISD::CondCode code = cast<CondCodeSDNode>(op.getOperand(2))->get();
  if (isNullConstant(b) && (code == ISD::SETEQ || code == ISD::SETNE)) {
    const SDValue either = dag.getNode(ISD::OR, where, MVT::i32, alo, ahi);
    return dag.getSetCC(where, MVT::i32, either, dag.getConstant(0, where, MVT::i32), code);
  }
  const auto [blo, bhi] = dag.SplitScalar(b, where, MVT::i32, MVT::i32);
  return dag.getNode(DPUISD::SET64, where, MVT::i32, {condition, alo, ahi, blo, bhi});
}

SDValue DPUTargetLowering::lowerDynamicAllocation(SDValue op, SelectionDAG &dag) const {
  const SDLoc where(op);
  const SDValue begin = dag.getCopyFromReg(op.getOperand(0), where, DPU::R22, MVT::i32);
  const SDValue size =
      dag.getNode(ISD::AND, where, MVT::i32,
                  dag.getNode(ISD::ADD, where, MVT::i32, op.getOperand(1), dag.getConstant(7, where, MVT::i32)),
                  dag.getConstant(~7u, where, MVT::i32));
  const std::uint64_t alignment = op.getConstantOperandVal(2);
  SDValue first = begin;
  if (alignment > 8) {
    first = dag.getNode(ISD::AND, where, MVT::i32,
                        dag.getNode(ISD::ADD, where, MVT::i32, begin, dag.getConstant(alignment - 1, where, MVT::i32)),
                        dag.getConstant(-alignment, where, MVT::i32));
  }
  const SDValue end = dag.getNode(ISD::ADD, where, MVT::i32, first, size);
  const SDValue chain = dag.getCopyToReg(begin.getValue(1), where, DPU::R22, end);
  return dag.getMergeValues({first, chain}, where);
}

SDValue DPUTargetLowering::lowerFrameAddress(SDValue op, SelectionDAG &dag) const {
  dag.getMachineFunction().getFrameInfo().setFrameAddressIsTaken(true);
  if (op.getConstantOperandVal(0) != 0) return dag.getConstant(0, SDLoc(op), MVT::i32);
  return dag.getCopyFromReg(dag.getEntryNode(), SDLoc(op), DPU::R22, MVT::i32);
}

SDValue DPUTargetLowering::lowerReturnAddress(SDValue op, SelectionDAG &dag) const {
  MachineFunction &mf = dag.getMachineFunction();
  mf.getFrameInfo().setReturnAddressIsTaken(true);
  if (op.getConstantOperandVal(0) != 0) return dag.getConstant(0, SDLoc(op), MVT::i32);
  const Register r = mf.addLiveIn(DPU::R23, &DPU::GPRRegClass);
  return dag.getCopyFromReg(dag.getEntryNode(), SDLoc(op), r, MVT::i32);
}

void DPUTargetLowering::computeKnownBitsForTargetNode(const SDValue op, KnownBits &known, const APInt &,
                                                      const SelectionDAG &, unsigned) const {
  known.resetAll();
  switch (op.getOpcode()) {
    case DPUISD::SET:
    case DPUISD::SET64:
      known.Zero.setBitsFrom(1);
      break;
    case DPUISD::MUL_UL_UL:
    case DPUISD::MUL_UL_UH:
    case DPUISD::MUL_UH_UL:
    case DPUISD::MUL_UH_UH:
      known.Zero.setBitsFrom(16);
      break;
    default:
      break;
  }
}

// ---- inline assembly

std::pair<unsigned, const TargetRegisterClass *> DPUTargetLowering::getRegForInlineAsmConstraint(
    const TargetRegisterInfo *registers, StringRef constraint, MVT type) const {
  if (constraint == "r" && type.getSizeInBits() <= 32) return {0, &DPU::GPRRegClass};
  return TargetLowering::getRegForInlineAsmConstraint(registers, constraint, type);
}

// ---- selections become blocks

namespace {

/// The selection `mi` and its neighbours in the block that ask the same, so that they share the branch. Simple
/// operations between them that need none of their results go before it.
SmallVector<MachineInstr *, 4> selectionsLike(MachineInstr &mi) {
  const unsigned last = mi.getNumExplicitOperands() - 1;
  const auto sameCondition = [&](const MachineInstr &other) {
    if (other.getOpcode() != mi.getOpcode()) return false;
    for (unsigned i = 1; i + 1 < last; ++i)
      if (!other.getOperand(i).isIdenticalTo(mi.getOperand(i))) return false;
    return true;
  };
  SmallVector<MachineInstr *, 4> group{&mi};
  const auto usesGroup = [&](const MachineInstr &other) {
    return any_of(group, [&](const MachineInstr *s) { return other.readsVirtualRegister(s->getOperand(0).getReg()); });
  };
  const auto isSimple = [](const MachineInstr &other) {
    return !other.isPHI() && !other.isDebugInstr() && !other.isTerminator() && !other.mayLoadOrStore() &&
           !other.isCall() && !other.isInlineAsm() && !other.hasUnmodeledSideEffects() &&
           !other.getDesc().usesCustomInsertionHook() &&
           none_of(other.operands(), [](const MachineOperand &o) { return o.isReg() && o.getReg().isPhysical(); });
  };
  for (auto i = std::next(mi.getIterator()); i != mi.getParent()->end(); ++i) {
    if (sameCondition(*i))
      group.push_back(&*i);
    else if (!isSimple(*i) || usesGroup(*i))
      break;
  }
  return group;
}

}  // namespace

MachineBasicBlock *DPUTargetLowering::EmitInstrWithCustomInserter(MachineInstr &mi, MachineBasicBlock *block) const {
  const auto &instructions = *subtarget_.getInstrInfo();
  MachineFunction &mf = *block->getParent();
  const BasicBlock *ir = block->getBasicBlock();
  const auto next = std::next(block->getIterator());
  MachineBasicBlock *otherwise = mf.CreateMachineBasicBlock(ir), *join = mf.CreateMachineBasicBlock(ir);
  mf.insert(next, otherwise);
  mf.insert(next, join);
  const unsigned last = mi.getNumExplicitOperands() - 1;
  const SmallVector<MachineInstr *, 4> group = selectionsLike(mi);
  DenseMap<Register, std::pair<Register, Register>> chosen;
  join->splice(join->begin(), block, std::next(group.back()->getIterator()), block->end());
  join->transferSuccessorsAndUpdatePHIs(block);
  block->addSuccessor(otherwise);
  block->addSuccessor(join);
  otherwise->addSuccessor(join);

  const unsigned jump = mi.getOpcode() == DPU::SELECTrr   ? DPU::Jrr
                        : mi.getOpcode() == DPU::SELECTri ? DPU::Jri
                                                          : DPU::J64rr;
  auto branch = BuildMI(block, mi.getDebugLoc(), instructions.get(jump));
  for (unsigned i = 1; i + 1 < last; ++i) {
    MachineOperand o = mi.getOperand(i);
    if (o.isReg()) o.setIsKill(false);
    branch.add(o);
  }
  branch.addMBB(join);
  auto at = join->begin();
  for (MachineInstr *select : group) {
    Register yes = select->getOperand(last - 1).getReg(), no = select->getOperand(last).getReg();
    // A selection may choose what one before it has chosen.
    if (const auto found = chosen.find(yes); found != chosen.end()) yes = found->second.first;
    if (const auto found = chosen.find(no); found != chosen.end()) no = found->second.second;
    const Register result = select->getOperand(0).getReg();
    BuildMI(*join, at, select->getDebugLoc(), instructions.get(TargetOpcode::PHI), result)
        .addReg(yes)
        .addMBB(block)
        .addReg(no)
        .addMBB(otherwise);
    chosen[result] = {yes, no};
  }
  for (MachineInstr *select : group) select->eraseFromParent();
  mf.getProperties().reset(MachineFunctionProperties::Property::NoPHIs);
  return join;
}

}  // namespace llvm
