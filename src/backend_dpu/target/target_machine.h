// LLVM's entry to the target: which passes run, in which order, and what they may ask.
#pragma once

#include <memory>
#include <optional>

#include "llvm/Target/TargetMachine.h"
#include "pimento/backend_dpu/target/subtarget.h"

namespace llvm {

class DPUTargetMachine : public LLVMTargetMachine {
 public:
  DPUTargetMachine(const Target &target, const TargetOptions &options, CodeGenOptLevel level, bool isLikeVendor);
  ~DPUTargetMachine() override;

  const DPUSubtarget *getSubtargetImpl(const Function &) const override { return &subtarget_; }
  TargetPassConfig *createPassConfig(PassManagerBase &passes) override;
  TargetLoweringObjectFile *getObjFileLowering() const override { return objectFile_.get(); }
  TargetTransformInfo getTargetTransformInfo(const Function &f) const override;
  MachineFunctionInfo *createMachineFunctionInfo(BumpPtrAllocator &allocator, const Function &f,
                                                 const TargetSubtargetInfo *sti) const override;
  /// As pimento::backend_dpu::Options says.
  bool isLikeVendor() const { return isLikeVendor_; }
  bool isNoopAddrSpaceCast(unsigned, unsigned) const override { return true; }

 private:
  std::unique_ptr<TargetLoweringObjectFile> objectFile_;
  DPUSubtarget subtarget_;
  bool isLikeVendor_ = false;
};

void registerDpuAsmPrinter(Target &target);
FunctionPass *createDpuSelection(DPUTargetMachine &machine, CodeGenOptLevel level);
/// Loads, stores and copies of MRAM (address space 255) to calls of the run-time library. Before optimisation, which
/// would make copies of loops again.
void replaceMramAccesses(Module &module, const TargetMachine &machine);
/// Products outside of innermost loops to calls: instruction memory is small.
FunctionPass *createDpuColdProducts();
/// Nothing that needs no lock stands between acquire and release.
FunctionPass *createDpuCriticalSections();
/// At the very end: pseudos to instructions, and operation and branch to one instruction.
FunctionPass *createDpuFinish();

}  // namespace llvm
