// Calls: facts of the published compiler where they are known, ours where not (docs/decisions/0009).
//
// Arguments in r0 to r7, 64-bit ones in an even-odd pair with the high word in the even register; what does not fit
// lies from r22 upwards, where the callee's frame begins. Structures go by address of a copy. Variadic arguments lie in
// a block in the caller's frame, its address in r8. Results in r0 or d0.
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "pimento/backend_dpu/target/function_info.h"
#include "pimento/backend_dpu/target/lowering.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/subtarget.h"

namespace llvm {
namespace {

constexpr MCPhysReg kArguments[] = {DPU::R0, DPU::R1, DPU::R2, DPU::R3, DPU::R4, DPU::R5, DPU::R6, DPU::R7};
constexpr MCPhysReg kVariadic = DPU::R8;

/// Where one 32-bit piece goes: a register, or an offset from the callee's r22.
struct Place {
  MCPhysReg reg = 0;
  std::int64_t offset = 0;
};

class Assignment {
 public:
  Place single() {
    for (unsigned i = 0; i < 8; ++i)
      if (!taken_[i]) {
        taken_[i] = true;
        return {kArguments[i], 0};
      }
    end_ += 4;
    return {0, end_ - 4};
  }
  /// Low word, high word.
  std::pair<Place, Place> pair() {
    for (unsigned i = 0; i < 8; i += 2)
      if (!taken_[i] && !taken_[i + 1]) {
        taken_[i] = taken_[i + 1] = true;
        return {{kArguments[i + 1], 0}, {kArguments[i], 0}};
      }
    end_ = alignTo(end_, 8) + 8;
    return {{0, end_ - 8}, {0, end_ - 4}};
  }

 private:
  bool taken_[8] = {};
  std::int64_t end_ = 0;
};

/// Two pieces that are one 64-bit value.
template <typename Arg>
bool isPair(const SmallVectorImpl<Arg> &args, std::size_t i) {
  return args[i].Flags.isSplit() && i + 1 < args.size() && args[i + 1].Flags.isSplitEnd();
}

/// The same for results, whose pieces carry no flags.
template <typename Arg>
bool isResultPair(const SmallVectorImpl<Arg> &args, std::size_t i) {
  const std::uint64_t bits = args[i].ArgVT.getFixedSizeInBits();
  return bits > 32 && bits <= 64 && i + 1 < args.size();
}

/// One place per piece.
template <typename Arg>
SmallVector<Place, 8> assignResults(const SmallVectorImpl<Arg> &results) {
  Assignment a;
  SmallVector<Place, 8> places(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (isResultPair(results, i)) {
      std::tie(places[i], places[i + 1]) = a.pair();
      ++i;
    } else {
      places[i] = a.single();
    }
  }
  return places;
}

/// One place per piece; pieces for which skip(i) holds get none.
template <typename Arg, typename Skip>
SmallVector<Place, 8> assign(const SmallVectorImpl<Arg> &args, Skip &&skip) {
  Assignment a;
  SmallVector<Place, 8> places(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (skip(i)) continue;
    if (isPair(args, i)) {
      std::tie(places[i], places[i + 1]) = a.pair();
      ++i;
    } else {
      places[i] = a.single();
    }
  }
  return places;
}

const auto kNone = [](std::size_t) { return false; };

}  // namespace

SDValue DPUTargetLowering::LowerFormalArguments(SDValue chain, CallingConv::ID, bool isVariadic,
                                                const SmallVectorImpl<ISD::InputArg> &ins, const SDLoc &where,
                                                SelectionDAG &dag, SmallVectorImpl<SDValue> &values) const {
  MachineFunction &mf = dag.getMachineFunction();
  const auto places = assign(ins, kNone);
  for (std::size_t i = 0; i < ins.size(); ++i) {
    if (places[i].reg != 0) {
      const Register r = mf.addLiveIn(places[i].reg, &DPU::GPRRegClass);
      values.push_back(dag.getCopyFromReg(chain, where, r, MVT::i32));
    } else {
      const int index = mf.getFrameInfo().CreateFixedObject(4, places[i].offset, true);
      values.push_back(dag.getLoad(MVT::i32, where, chain, dag.getFrameIndex(index, MVT::i32),
                                   MachinePointerInfo::getFixedStack(mf, index)));
    }
  }
  if (isVariadic) mf.getInfo<DPUFunctionInfo>()->variadic = mf.addLiveIn(kVariadic, &DPU::GPRRegClass);
  return chain;
}

namespace {

/// What structures by value become: addresses of copies.
SDValue copyByValue(SDValue &chain, SDValue address, ISD::ArgFlagsTy flags, const SDLoc &where, SelectionDAG &dag) {
  MachineFrameInfo &frame = dag.getMachineFunction().getFrameInfo();
  const Align align = std::max(flags.getNonZeroByValAlign(), Align(8));
  const int index = frame.CreateStackObject(std::max(flags.getByValSize(), 1u), std::min(align, Align(8)), false);
  const SDValue copy = dag.getFrameIndex(index, MVT::i32);
  chain = dag.getMemcpy(chain, where, copy, address, dag.getConstant(flags.getByValSize(), where, MVT::i32),
                        flags.getNonZeroByValAlign(), false, true, nullptr, std::nullopt, MachinePointerInfo(),
                        MachinePointerInfo());
  return copy;
}

/// Stores the variadic arguments into a block of the caller's frame.
SDValue variadicBlock(SDValue &chain, const SmallVectorImpl<ISD::OutputArg> &outs, ArrayRef<SDValue> values,
                      const SDLoc &where, SelectionDAG &dag) {
  SmallVector<std::pair<std::size_t, std::int64_t>, 8> places;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (outs[i].IsFixed) continue;
    if (isPair(outs, i)) {
      end = alignTo(end, 8);
      places.emplace_back(i++, end);
      end += 4;
    }
    places.emplace_back(i, end);
    end += 4;
  }
  MachineFunction &mf = dag.getMachineFunction();
  const int index = mf.getFrameInfo().CreateStackObject(std::max<std::int64_t>(end, 8), Align(8), false);
  const SDValue block = dag.getFrameIndex(index, MVT::i32);
  SmallVector<SDValue, 8> stores;
  for (const auto &[i, offset] : places)
    stores.push_back(dag.getStore(chain, where, values[i],
                                  dag.getMemBasePlusOffset(block, TypeSize::getFixed(offset), where),
                                  MachinePointerInfo::getFixedStack(mf, index, offset)));
  if (!stores.empty()) chain = dag.getNode(ISD::TokenFactor, where, MVT::Other, stores);
  return block;
}

}  // namespace

namespace {

/// LLVM has no name for a routine that nobody declared to exist.
const char *nameOf(const ExternalSymbolSDNode &callee, SelectionDAG &dag, const SDLoc &where) {
  if (callee.getSymbol() != nullptr) return callee.getSymbol();
  const Function &f = dag.getMachineFunction().getFunction();
  dag.getContext()->diagnose(DiagnosticInfoUnsupported(
      f, "no library routine exists for this operation on integers wider than 64 bits", where.getDebugLoc()));
  return "__missing";
}

}  // namespace

SDValue DPUTargetLowering::LowerCall(CallLoweringInfo &info, SmallVectorImpl<SDValue> &results) const {
  SelectionDAG &dag = info.DAG;
  const SDLoc where = info.DL;
  MachineFunction &mf = dag.getMachineFunction();
  info.IsTailCall = false;
  SDValue chain = info.Chain;
  SmallVector<SDValue, 8> values(info.OutVals.begin(), info.OutVals.end());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (info.Outs[i].Flags.isByVal()) values[i] = copyByValue(chain, values[i], info.Outs[i].Flags, where, dag);
  SDValue block;
  if (info.IsVarArg) block = variadicBlock(chain, info.Outs, values, where, dag);
  const auto isInBlock = [&](std::size_t i) { return info.IsVarArg && !info.Outs[i].IsFixed; };
  const auto places = assign(info.Outs, isInBlock);

  chain = dag.getCALLSEQ_START(chain, 0, 0, where);
  SmallVector<SDValue, 8> stores;
  SDValue stack;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (isInBlock(i) || places[i].reg != 0) continue;
    if (!stack) stack = dag.getCopyFromReg(chain, where, DPU::R22, MVT::i32);
    stores.push_back(dag.getStore(chain, where, values[i],
                                  dag.getMemBasePlusOffset(stack, TypeSize::getFixed(places[i].offset), where),
                                  MachinePointerInfo::getStack(mf, places[i].offset)));
  }
  if (!stores.empty()) chain = dag.getNode(ISD::TokenFactor, where, MVT::Other, stores);

  SDValue glue;
  SmallVector<SDValue, 12> operands{chain, info.Callee};
  if (const auto *g = dyn_cast<GlobalAddressSDNode>(info.Callee))
    operands[1] = dag.getTargetGlobalAddress(g->getGlobal(), where, MVT::i32, g->getOffset());
  else if (const auto *e = dyn_cast<ExternalSymbolSDNode>(info.Callee))
    operands[1] = dag.getTargetExternalSymbol(nameOf(*e, dag, where), MVT::i32);
  const auto pass = [&](MCPhysReg r, SDValue v) {
    chain = dag.getCopyToReg(chain, where, r, v, glue);
    glue = chain.getValue(1);
    operands.push_back(dag.getRegister(r, MVT::i32));
  };
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!isInBlock(i) && places[i].reg != 0) pass(places[i].reg, values[i]);
  if (block) pass(kVariadic, block);
  operands[0] = chain;
  operands.push_back(dag.getRegisterMask(subtarget_.getRegisterInfo()->getCallPreservedMask(mf, info.CallConv)));
  if (glue) operands.push_back(glue);
  chain = dag.getNode(DPUISD::CALL, where, dag.getVTList(MVT::Other, MVT::Glue), operands);
  chain = dag.getCALLSEQ_END(chain, 0, 0, chain.getValue(1), where);
  glue = chain.getValue(1);

  const auto resultPlaces = assignResults(info.Ins);
  for (std::size_t i = 0; i < info.Ins.size(); ++i) {
    const SDValue v = dag.getCopyFromReg(chain, where, resultPlaces[i].reg, MVT::i32, glue);
    chain = v.getValue(1);
    glue = v.getValue(2);
    results.push_back(v);
  }
  return chain;
}

bool DPUTargetLowering::CanLowerReturn(CallingConv::ID, MachineFunction &, bool,
                                       const SmallVectorImpl<ISD::OutputArg> &outs, LLVMContext &) const {
  return all_of(assignResults(outs), [](const Place &p) { return p.reg != 0; });
}

SDValue DPUTargetLowering::LowerReturn(SDValue chain, CallingConv::ID, bool,
                                       const SmallVectorImpl<ISD::OutputArg> &outs,
                                       const SmallVectorImpl<SDValue> &values, const SDLoc &where,
                                       SelectionDAG &dag) const {
  const auto places = assignResults(outs);
  SDValue glue;
  SmallVector<SDValue, 4> operands{chain};
  for (std::size_t i = 0; i < outs.size(); ++i) {
    chain = dag.getCopyToReg(chain, where, places[i].reg, values[i], glue);
    glue = chain.getValue(1);
    operands.push_back(dag.getRegister(places[i].reg, MVT::i32));
  }
  operands[0] = chain;
  if (glue) operands.push_back(glue);
  return dag.getNode(DPUISD::RETURN, where, MVT::Other, operands);
}

SDValue DPUTargetLowering::lowerVaStart(SDValue op, SelectionDAG &dag) const {
  const Register r = dag.getMachineFunction().getInfo<DPUFunctionInfo>()->variadic;
  const SDLoc where(op);
  const SDValue block = dag.getCopyFromReg(op.getOperand(0), where, r, MVT::i32);
  return dag.getStore(op.getOperand(0), where, block, op.getOperand(1),
                      MachinePointerInfo(cast<SrcValueSDNode>(op.getOperand(2))->getValue()));
}

/// Slots of 4 bytes, 64-bit values at multiples of 8.
SDValue DPUTargetLowering::lowerVaArg(SDNode *node, SelectionDAG &dag) const {
  const SDLoc where(node);
  const EVT type = node->getValueType(0);
  const auto *list = cast<SrcValueSDNode>(node->getOperand(2))->getValue();
  const std::int64_t bytes = static_cast<std::int64_t>(alignTo(type.getStoreSize().getFixedValue(), 4));
  const SDValue loaded =
      dag.getLoad(MVT::i32, where, node->getOperand(0), node->getOperand(1), MachinePointerInfo(list));
  SDValue at = loaded;
  if (bytes >= 8) {
    at = dag.getNode(ISD::AND, where, MVT::i32,
                     dag.getNode(ISD::ADD, where, MVT::i32, at, dag.getConstant(7, where, MVT::i32)),
                     dag.getConstant(~7u, where, MVT::i32));
  }
  const SDValue next = dag.getNode(ISD::ADD, where, MVT::i32, at, dag.getConstant(bytes, where, MVT::i32));
  const SDValue chain = dag.getStore(loaded.getValue(1), where, next, node->getOperand(1), MachinePointerInfo(list));
  return dag.getLoad(type, where, chain, at, MachinePointerInfo());
}

}  // namespace llvm
