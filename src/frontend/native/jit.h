// LLVM IR to machine code of this process, optimised a little and without anything that changes results.
//
// The code may call a fixed list of library functions and nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace llvm::orc {
class LLJIT;
}

namespace pimento::frontend {

/// A module and what owns it; members end in this order's reverse.
struct NativeModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// Machine code; it goes with this object.
class NativeCode {
 public:
  NativeCode(std::unique_ptr<llvm::orc::LLJIT> jit, void (*entry)(void **));
  NativeCode(NativeCode &&) noexcept;
  ~NativeCode();

  void (*entry() const)(void **) { return entry_; }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  void (*entry_)(void **);
};

/// Names of the code's variables and functions that are elsewhere, and where.
using NativeSymbols = std::vector<std::pair<std::string, void *>>;

/// What Clang and LLVM are to make code for: this machine, and of its extensions only conversion of halves.
std::string nativeTriple();
bool hasHalfConversion();

/// Compiles the function `entry`, void(ptr), and what it needs of the module. Nothing: `why` says what LLVM says, a
/// function that is not on the list among it.
std::optional<NativeCode> compileNative(NativeModule module, const std::string &entry, const NativeSymbols &symbols,
                                        std::string &why);

}  // namespace pimento::frontend
