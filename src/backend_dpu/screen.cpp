#include "pimento/backend_dpu/screen.h"

#include <fmt/format.h>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace pimento::backend_dpu {
namespace {

class Screen {
 public:
  explicit Screen(Diagnostics &found) : found_(found) {}

  void look(const llvm::Function &f) {
    if (f.hasPersonalityFn()) report(nullptr, f, "exceptions", "compile without them");
    for (const llvm::Argument &a : f.args()) checkType(nullptr, f, a.getType());
    checkType(nullptr, f, f.getReturnType());
    for (const llvm::Instruction &i : llvm::instructions(f)) look(i, f);
  }
  void look(const llvm::GlobalVariable &g) {
    if (g.getName() == "llvm.global_ctors" || g.getName() == "llvm.global_dtors") {
      found_.push_back(
          unsupported("dpu-backend-unsupported", {},
                      "functions that run before or after main (constructor, destructor): nothing calls them",
                      "call them from main, in one tasklet"));
    }
    if (!g.isThreadLocal()) return;
    found_.push_back(
        unsupported("dpu-backend-unsupported", {},
                    fmt::format("thread-local variable '{}': a DPU has no storage per tasklet", g.getName().str()),
                    "an array indexed with me()"));
  }

 private:
  void look(const llvm::Instruction &i, const llvm::Function &f) {
    if (i.isAtomic() && !llvm::isa<llvm::FenceInst>(i)) {
      report(&i, f, "an atomic operation on memory",
             "use a mutex (mutex.h): a DPU's only atomic operations are on its atomic bits");
    }
    if (llvm::isa<llvm::InvokeInst>(i) || llvm::isa<llvm::LandingPadInst>(i) || llvm::isa<llvm::ResumeInst>(i)) {
      report(&i, f, "exceptions", "compile without them");
    }
    if (llvm::isa<llvm::CallBrInst>(i)) report(&i, f, "inline assembly that jumps", "branch in C");
    checkType(&i, f, i.getType());
    for (const llvm::Use &u : i.operands())
      if (!llvm::isa<llvm::BasicBlock>(u.get())) checkType(&i, f, u->getType());
    if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&i)) look(*call, f);
  }

  void look(const llvm::CallInst &call, const llvm::Function &f) {
    if (call.isMustTailCall()) report(&call, f, "a guaranteed tail call", "an ordinary call");
    if (const auto *text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
      for (const auto &c : text->ParseConstraints()) {
        for (const std::string &code : c.Codes) {
          const bool isKnown = code == "r" || code == "i" || code == "n" || code == "m" || code == "X" ||
                               code == "{memory}" || code == "{cc}" ||
                               (code.size() == 1 && code[0] >= '0' && code[0] <= '9') ||
                               (code.size() > 2 && code[0] == '{');
          if (!isKnown) report(&call, f, fmt::format("constraint '{}' of inline assembly", code), "r, i, n or m");
        }
      }
      for (const llvm::Use &u : call.args())
        if (u->getType()->getPrimitiveSizeInBits() > 32) wideOperand(call, f);
      if (call.getType()->getPrimitiveSizeInBits() > 32) wideOperand(call, f);
    }
    if (const auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
      switch (intrinsic->getIntrinsicID()) {
        case llvm::Intrinsic::read_register:
        case llvm::Intrinsic::read_volatile_register:
        case llvm::Intrinsic::write_register:
          report(&call, f, "a global register variable", "a variable in WRAM");
          break;
        case llvm::Intrinsic::eh_sjlj_setjmp:
        case llvm::Intrinsic::eh_sjlj_longjmp:
        case llvm::Intrinsic::init_trampoline:
        case llvm::Intrinsic::get_rounding:
        case llvm::Intrinsic::set_rounding:
          report(&call, f, intrinsic->getCalledFunction()->getName().str(), "");
          break;
        default:
          break;
      }
    }
  }

  void wideOperand(const llvm::CallInst &call, const llvm::Function &f) {
    report(&call, f, "a 64-bit operand of inline assembly", "two 32-bit operands");
  }

  void checkType(const llvm::Instruction *i, const llvm::Function &f, const llvm::Type *type) {
    const llvm::Type *scalar = type->getScalarType();
    if (llvm::isa<llvm::ScalableVectorType>(type)) report(i, f, "a scalable vector", "a loop");
    if (scalar->isX86_FP80Ty() || scalar->isFP128Ty() || scalar->isPPC_FP128Ty())
      report(i, f, "a floating-point type wider than 64 bits", "double");
    if (scalar->isIntegerTy() && scalar->getIntegerBitWidth() > 128)
      report(i, f, fmt::format("an integer of {} bits", scalar->getIntegerBitWidth()), "at most 128");
    if (scalar->isTokenTy() || scalar->isX86_AMXTy()) report(i, f, "a type of another target", "");
  }

  void report(const llvm::Instruction *i, const llvm::Function &f, const std::string &what, const std::string &hint) {
    Location where;
    if (i && i->getDebugLoc()) {
      const llvm::DILocation *at = i->getDebugLoc().get();
      where.file = at->getFilename().str();
      where.line = static_cast<int>(at->getLine());
      where.column = static_cast<int>(at->getColumn());
    }
    Diagnostic d =
        unsupported("dpu-backend-unsupported", where,
                    fmt::format("function '{}' needs {}, which a DPU does not have", f.getName().str(), what), hint);
    for (const Diagnostic &other : found_)
      if (other.message == d.message && other.where.line == d.where.line) return;
    found_.push_back(std::move(d));
  }

  Diagnostics &found_;
};

}  // namespace

void screen(const llvm::Module &module, Diagnostics &found) {
  Screen s(found);
  for (const llvm::GlobalVariable &g : module.globals()) s.look(g);
  for (const llvm::Function &f : module)
    if (!f.isDeclaration()) s.look(f);
}

}  // namespace pimento::backend_dpu
