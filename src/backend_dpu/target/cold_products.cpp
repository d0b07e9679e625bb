// A 32-bit product in place is 38 instructions of the 4,096 that a DPU holds. Inside an innermost loop they save the
// call and the return; elsewhere they are not worth their room, and the library is called.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "pimento/backend_dpu/target/target_machine.h"

namespace llvm {
namespace {

class ColdProducts : public FunctionPass {
 public:
  static char ID;
  ColdProducts() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "DPU products outside of loops"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<LoopInfoWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &f) override {
    const LoopInfo &loops = getAnalysis<LoopInfoWrapperPass>().getLoopInfo();
    SmallVector<BinaryOperator *, 8> products;
    for (Instruction &i : instructions(f)) {
      auto *product = dyn_cast<BinaryOperator>(&i);
      if (!product || product->getOpcode() != Instruction::Mul || !product->getType()->isIntegerTy(32)) continue;
      const Loop *loop = loops.getLoopFor(product->getParent());
      if (loop && loop->isInnermost()) continue;
      if (isa<Constant>(product->getOperand(0)) || isa<Constant>(product->getOperand(1))) continue;
      const DataLayout &layout = f.getDataLayout();
      if (!isNarrow(product->getOperand(0), layout) || !isNarrow(product->getOperand(1), layout))
        products.push_back(product);
    }
    for (BinaryOperator *product : products) {
      IRBuilder<> b(product);
      Type *word = b.getInt32Ty();
      const FunctionCallee library = f.getParent()->getOrInsertFunction("__mulsi3", word, word, word);
      CallInst *call = b.CreateCall(library, {product->getOperand(0), product->getOperand(1)});
      call->setDoesNotAccessMemory();
      product->replaceAllUsesWith(call);
      product->eraseFromParent();
    }
    return !products.empty();
  }

 private:
  /// 16 bits suffice: 8-bit products serve.
  static bool isNarrow(const Value *v, const DataLayout &layout) {
    return computeKnownBits(v, layout).countMaxActiveBits() <= 16 || ComputeMaxSignificantBits(v, layout) <= 16;
  }
};
char ColdProducts::ID = 0;

}  // namespace

FunctionPass *createDpuColdProducts() {
  return new ColdProducts();
}

}  // namespace llvm
