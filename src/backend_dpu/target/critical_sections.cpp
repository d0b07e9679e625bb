// What happens between acquire and release of a lock keeps all others waiting, so nothing that needs no lock belongs
// there. Selection works on one block at a time and orders what has no side effects by need alone: a product made
// before the lock would be computed behind it, where its value is used. So a block ends before everything that takes a
// lock, and behind everything that gives one back. What the source itself computes inside, from values known before,
// goes before the lock.
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "pimento/backend_dpu/target/target_machine.h"

namespace llvm {
namespace {

/// Whether `call` is inline assembly with the instruction, or calls the run-time library's function.
bool isLock(const CallInst &call, StringRef instruction, StringRef function) {
  if (const auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return StringRef(text->getAsmString()).contains(instruction);
  return call.getCalledFunction() && call.getCalledFunction()->getName() == function;
}
bool takesLock(const CallInst &call) {
  return isLock(call, "acquire", "sem_take");
}
bool givesLock(const CallInst &call) {
  return isLock(call, "release", "sem_give");
}

class CriticalSections : public FunctionPass {
 public:
  static char ID;
  CriticalSections() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "DPU critical sections"; }

  bool runOnFunction(Function &f) override {
    SmallVector<CallInst *, 8> takes, gives;
    for (Instruction &i : instructions(f)) {
      auto *call = dyn_cast<CallInst>(&i);
      if (!call) continue;
      if (takesLock(*call)) takes.push_back(call);
      if (givesLock(*call)) gives.push_back(call);
    }
    for (CallInst *take : takes) {
      hoist(*take);
      if (take->getIterator() != take->getParent()->begin()) SplitBlock(take->getParent(), take);
    }
    for (CallInst *give : gives)
      if (!give->getNextNode()->isTerminator()) SplitBlock(give->getParent(), give->getNextNode());
    return !takes.empty() || !gives.empty();
  }

 private:
  /// What needs nothing of the section, from `take` to the end of its block or to where the lock is given back.
  static void hoist(CallInst &take) {
    SmallPtrSet<const Value *, 16> inside;
    inside.insert(&take);
    for (Instruction *i = take.getNextNode(), *next = nullptr; i && !i->isTerminator(); i = next) {
      next = i->getNextNode();
      const auto *call = dyn_cast<CallInst>(i);
      if (call && (givesLock(*call) || takesLock(*call))) return;
      const auto isInside = [&](const Value *v) { return inside.contains(v); };
      auto *address = dyn_cast<GetElementPtrInst>(i);
      if (any_of(i->operands(), isInside) || !isSafeToSpeculativelyExecute(i) || i->mayReadOrWriteMemory() ||
          (address && address->hasAllConstantIndices())) {
        inside.insert(i);  // a displacement costs nothing where it is used
      } else if (address && isa<Constant>(address->getPointerOperand())) {
        inside.insert(i);
        if (const Value *replaced = hoistOffset(*address, take)) inside.insert(replaced);
      } else {
        i->moveBefore(&take);
      }
    }
  }

  /// The address of a variable is a displacement of loads and stores; what is added to it goes before the section. What
  /// is now used in place of `address`, which stays inside; null where nothing changed.
  static Value *hoistOffset(GetElementPtrInst &address, CallInst &take) {
    IRBuilder<> before(&take);
    before.SetCurrentDebugLocation(address.getDebugLoc());
    APInt fixed(32, 0);
    MapVector<Value *, APInt> factors;
    if (!address.collectOffset(address.getModule()->getDataLayout(), 32, factors, fixed) || factors.size() != 1)
      return nullptr;
    const auto &[index, factor] = factors.front();
    Value *bytes = before.CreateMul(before.CreateSExtOrTrunc(index, before.getInt32Ty()), before.getInt(factor));
    IRBuilder<> here(&address);
    Value *base = here.CreateConstGEP1_32(here.getInt8Ty(), address.getPointerOperand(),
                                          static_cast<unsigned>(fixed.getZExtValue()));
    Value *sum = here.CreateGEP(here.getInt8Ty(), base, bytes);
    address.replaceAllUsesWith(sum);
    return sum;
  }
};
char CriticalSections::ID = 0;

}  // namespace

FunctionPass *createDpuCriticalSections() {
  return new CriticalSections();
}

}  // namespace llvm
