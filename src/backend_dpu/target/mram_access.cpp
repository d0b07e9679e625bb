// MRAM cannot be loaded from or stored to: what a program reads or writes through a pointer to MRAM becomes a call of
// the run-time library, which transfers the 8 bytes around it.
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"
#include "pimento/backend_dpu/backend.h"
#include "pimento/backend_dpu/target/target_machine.h"

namespace llvm {
namespace {

constexpr unsigned kMram = pimento::backend_dpu::kMramAddressSpace;

class MramAccess {
 public:
  explicit MramAccess(const TargetMachine &machine) : machine_(machine) {}

  void replaceIn(Function &f) {
    // Copies become loops, whose accesses are then replaced like others.
    const TargetTransformInfo costs = machine_.getTargetTransformInfo(f);
    SmallVector<MemIntrinsic *, 4> copies;
    for (Instruction &i : instructions(f))
      if (auto *m = dyn_cast<MemIntrinsic>(&i); m && touches(*m)) copies.push_back(m);
    for (MemIntrinsic *m : copies) {
      if (auto *c = dyn_cast<MemCpyInst>(m)) {
        expandMemCpyAsLoop(c, costs);
      } else if (auto *c = dyn_cast<MemMoveInst>(m)) {
        if (!expandMemMoveAsLoop(c, costs)) continue;
      } else {
        expandMemSetAsLoop(cast<MemSetInst>(m));
      }
      m->eraseFromParent();
    }
    SmallVector<Instruction *, 8> accesses;
    for (Instruction &i : instructions(f)) {
      const auto *load = dyn_cast<LoadInst>(&i);
      const auto *store = dyn_cast<StoreInst>(&i);
      if ((load && load->getPointerAddressSpace() == kMram) || (store && store->getPointerAddressSpace() == kMram))
        accesses.push_back(&i);
    }
    for (Instruction *i : accesses) {
      IRBuilder<> builder(i);
      if (auto *load = dyn_cast<LoadInst>(i)) {
        i->replaceAllUsesWith(read(builder, load->getPointerOperand(), load->getType()));
      } else {
        auto *store = cast<StoreInst>(i);
        write(builder, store->getPointerOperand(), store->getValueOperand());
      }
      i->eraseFromParent();
    }
  }

 private:
  static bool touches(const MemIntrinsic &m) {
    const auto *transfer = dyn_cast<MemTransferInst>(&m);
    return m.getDestAddressSpace() == kMram || (transfer && transfer->getSourceAddressSpace() == kMram);
  }
  static unsigned bitsOf(const DataLayout &layout, Type *type) {
    const unsigned bytes = static_cast<unsigned>(layout.getTypeStoreSize(type).getFixedValue());
    return bytes <= 1 ? 8 : bytes <= 2 ? 16 : bytes <= 4 ? 32 : 64;
  }

  /// Wide values go in pieces of 8 bytes.
  static Value *read(IRBuilder<> &b, Value *pointer, Type *type) {
    Module &m = *b.GetInsertBlock()->getModule();
    const DataLayout &layout = m.getDataLayout();
    if (layout.getTypeStoreSize(type) > 8) return readWide(b, pointer, type);
    const unsigned bits = bitsOf(layout, type);
    Type *integer = b.getIntNTy(bits);
    const FunctionCallee callee = m.getOrInsertFunction("__mram_load" + std::to_string(bits), integer, b.getInt32Ty());
    Value *v = b.CreateCall(callee, {b.CreatePtrToInt(pointer, b.getInt32Ty())});
    v = b.CreateTrunc(v, b.getIntNTy(static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue())));
    return type->isPointerTy() ? b.CreateIntToPtr(v, type) : b.CreateBitCast(v, type);
  }

  static void write(IRBuilder<> &b, Value *pointer, Value *value) {
    Module &m = *b.GetInsertBlock()->getModule();
    const DataLayout &layout = m.getDataLayout();
    Type *type = value->getType();
    if (layout.getTypeStoreSize(type) > 8) return writeWide(b, pointer, value);
    const unsigned bits = bitsOf(layout, type);
    Type *integer = b.getIntNTy(bits);
    Type *exact = b.getIntNTy(static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue()));
    Value *v = type->isPointerTy() ? b.CreatePtrToInt(value, exact) : b.CreateBitCast(value, exact);
    const FunctionCallee callee =
        m.getOrInsertFunction("__mram_store" + std::to_string(bits), b.getVoidTy(), b.getInt32Ty(), integer);
    b.CreateCall(callee, {b.CreatePtrToInt(pointer, b.getInt32Ty()), b.CreateZExt(v, integer)});
  }

  /// By way of a copy on the stack.
  static Value *readWide(IRBuilder<> &b, Value *pointer, Type *type) {
    const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
    AllocaInst *copy = slot(b, type);
    const std::uint64_t bytes = layout.getTypeStoreSize(type);
    for (std::uint64_t at = 0; at < bytes; at += 8) {
      Value *piece = read(b, b.CreatePtrAdd(pointer, b.getInt32(static_cast<unsigned>(at))), b.getInt64Ty());
      b.CreateAlignedStore(piece, b.CreatePtrAdd(copy, b.getInt32(static_cast<unsigned>(at))), Align(8));
    }
    return b.CreateAlignedLoad(type, copy, Align(8));
  }
  static void writeWide(IRBuilder<> &b, Value *pointer, Value *value) {
    const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
    AllocaInst *copy = slot(b, value->getType());
    b.CreateAlignedStore(value, copy, Align(8));
    const std::uint64_t bytes = layout.getTypeStoreSize(value->getType());
    for (std::uint64_t at = 0; at < bytes; at += 8) {
      Value *piece =
          b.CreateAlignedLoad(b.getInt64Ty(), b.CreatePtrAdd(copy, b.getInt32(static_cast<unsigned>(at))), Align(8));
      write(b, b.CreatePtrAdd(pointer, b.getInt32(static_cast<unsigned>(at))), piece);
    }
  }
  static AllocaInst *slot(IRBuilder<> &b, Type *type) {
    const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
    BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    IRBuilder<> atEntry(&entry, entry.getFirstInsertionPt());
    AllocaInst *copy = atEntry.CreateAlloca(
        ArrayType::get(atEntry.getInt8Ty(), alignTo(layout.getTypeStoreSize(type).getFixedValue(), 8)));
    copy->setAlignment(Align(8));
    return copy;
  }

  const TargetMachine &machine_;
};

}  // namespace

void replaceMramAccesses(Module &module, const TargetMachine &machine) {
  for (Function &f : module)
    if (!f.isDeclaration()) MramAccess(machine).replaceIn(f);
}

}  // namespace llvm
