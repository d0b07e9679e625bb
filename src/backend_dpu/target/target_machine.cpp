#include "pimento/backend_dpu/target/target_machine.h"

#include "llvm/CodeGen/BasicTTIImpl.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetLoweringObjectFileImpl.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/Transforms/Scalar.h"
#include "pimento/backend_dpu/backend.h"
#include "pimento/backend_dpu/target/function_info.h"
#include "pimento/backend_dpu/target/mc.h"

namespace llvm {
namespace {

/// Sections that a loader does not fill: MRAM that nobody initialises may be tens of megabytes. Every variable and text
/// has its own section, so that the linker leaves out those that nobody needs.
class DPUObjectFile : public TargetLoweringObjectFileELF {
 public:
  MCSection *getExplicitSectionGlobal(const GlobalObject *object, SectionKind kind,
                                      const TargetMachine &machine) const override {
    const StringRef name = object->getSection();
    if (name.starts_with(".mram.noinit") || name.starts_with(".atomic"))
      return getContext().getELFSection(name, ELF::SHT_NOBITS, ELF::SHF_ALLOC | ELF::SHF_WRITE);
    return TargetLoweringObjectFileELF::getExplicitSectionGlobal(object, kind, machine);
  }
  MCSection *SelectSectionForGlobal(const GlobalObject *object, SectionKind kind,
                                    const TargetMachine &machine) const override {
    const bool isMerged = kind.isMergeableCString() || kind.isMergeableConst();
    return TargetLoweringObjectFileELF::SelectSectionForGlobal(object, isMerged ? SectionKind::getReadOnly() : kind,
                                                               machine);
  }
};

/// What loops and calls cost, for the optimiser.
class DPUTTIImpl : public BasicTTIImplBase<DPUTTIImpl> {
  using Base = BasicTTIImplBase<DPUTTIImpl>;
  friend Base;

 public:
  DPUTTIImpl(const DPUTargetMachine *machine, const Function &f)
      : Base(machine, f.getDataLayout()),
        isLikeVendor_(machine->isLikeVendor()),
        subtarget_(machine->getSubtargetImpl(f)),
        lowering_(subtarget_->getTargetLowering()) {}

  unsigned getNumberOfRegisters(unsigned classId) const { return classId == 0 ? 20 : 0; }
  TypeSize getRegisterBitWidth(TargetTransformInfo::RegisterKind) const { return TypeSize::getFixed(32); }
  TargetTransformInfo::PopcntSupportKind getPopcntSupport(unsigned) const {
    return TargetTransformInfo::PSK_FastHardware;
  }
  bool isLSRCostLess(const TargetTransformInfo::LSRCost &a, const TargetTransformInfo::LSRCost &b) const {
    return std::tie(a.Insns, a.NumRegs, a.AddRecCost, a.NumIVMuls, a.NumBaseAdds, a.ScaleCost, a.ImmCost, a.SetupCost) <
           std::tie(b.Insns, b.NumRegs, b.AddRecCost, b.NumIVMuls, b.NumBaseAdds, b.ScaleCost, b.ImmCost, b.SetupCost);
  }
  InstructionCost getArithmeticInstrCost(
      unsigned opcode, Type *type, TargetTransformInfo::TargetCostKind kind,
      TargetTransformInfo::OperandValueInfo a = {TargetTransformInfo::OK_AnyValue, TargetTransformInfo::OP_None},
      TargetTransformInfo::OperandValueInfo b = {TargetTransformInfo::OK_AnyValue, TargetTransformInfo::OP_None},
      ArrayRef<const Value *> args = std::nullopt, const Instruction *context = nullptr) {
    // What a routine or a row of steps takes: loops around it gain nothing from more copies of it.
    if (type->isFPOrFPVectorTy()) return opcode == Instruction::FNeg ? 1 : 50;
    switch (opcode) {
      case Instruction::Mul:
        if (a.isConstant() || b.isConstant()) return 4;
        return type->getScalarSizeInBits() <= 8 ? 1 : type->getScalarSizeInBits() <= 16 ? 7 : 30;
      case Instruction::SDiv:
      case Instruction::UDiv:
      case Instruction::SRem:
      case Instruction::URem:
        return 40;
      default:
        return Base::getArithmeticInstrCost(opcode, type, kind, a, b, args, context);
    }
  }
  /// Copies to and from MRAM: as wide as both ends are aligned.
  Type *getMemcpyLoopLoweringType(LLVMContext &context, Value *, unsigned, unsigned, unsigned from, unsigned to,
                                  std::optional<std::uint32_t> = std::nullopt) const {
    return Type::getIntNTy(context, 8 * std::max(1u, std::min({from, to, 8u})));
  }
  void getUnrollingPreferences(Loop *, ScalarEvolution &, TargetTransformInfo::UnrollingPreferences &p,
                               OptimizationRemarkEmitter *) {
    if (isLikeVendor_) return;
    p.Partial = p.Runtime = p.UpperBound = true;
    p.Threshold = 120;
    p.PartialThreshold = 100;
    p.DefaultUnrollRuntimeCount = 4;
  }

 private:
  const DPUSubtarget *getST() const { return subtarget_; }
  const DPUTargetLowering *getTLI() const { return lowering_; }

  bool isLikeVendor_;
  const DPUSubtarget *subtarget_;
  const DPUTargetLowering *lowering_;
};

class DPUPassConfig : public TargetPassConfig {
 public:
  DPUPassConfig(DPUTargetMachine &machine, PassManagerBase &passes) : TargetPassConfig(machine, passes) {}

  /// Without strength reduction of loops, if as the vendor's: counters and indices stay.
  void addIRPasses() override {
    if (!getTM<DPUTargetMachine>().isLikeVendor()) return TargetPassConfig::addIRPasses();
    addPass(createUnreachableBlockEliminationPass());
    addPass(createReplaceWithVeclibLegacyPass());
    addPass(createExpandVectorPredicationPass());
    addPass(createScalarizeMaskedMemIntrinLegacyPass());
    addPass(createExpandReductionsPass());
  }
  bool addPreISel() override {
    if (getOptLevel() == CodeGenOptLevel::None) return false;
    addPass(createDpuColdProducts());
    addPass(createDpuCriticalSections());
    return false;
  }
  bool addInstSelector() override {
    addPass(createDpuSelection(getTM<DPUTargetMachine>(), getOptLevel()));
    return false;
  }
  void addPreEmitPass2() override { addPass(createDpuFinish()); }
};

}  // namespace

DPUTargetMachine::DPUTargetMachine(const Target &target, const TargetOptions &options, CodeGenOptLevel level,
                                   bool isLikeVendor)
    : LLVMTargetMachine(target, pimento::backend_dpu::kDataLayout, Triple(pimento::backend_dpu::kTriple), "dpu", "",
                        options, Reloc::Static, CodeModel::Small, level),
      objectFile_(std::make_unique<DPUObjectFile>()),
      subtarget_(getTargetTriple(), *this),
      isLikeVendor_(isLikeVendor) {
  initAsmInfo();
}

DPUTargetMachine::~DPUTargetMachine() = default;

TargetPassConfig *DPUTargetMachine::createPassConfig(PassManagerBase &passes) {
  return new DPUPassConfig(*this, passes);
}

TargetTransformInfo DPUTargetMachine::getTargetTransformInfo(const Function &f) const {
  return TargetTransformInfo(DPUTTIImpl(this, f));
}

MachineFunctionInfo *DPUTargetMachine::createMachineFunctionInfo(BumpPtrAllocator &allocator, const Function &f,
                                                                 const TargetSubtargetInfo *sti) const {
  return DPUFunctionInfo::create<DPUFunctionInfo>(allocator, f, sti);
}

}  // namespace llvm
