#include "pimento/frontend/host_c.h"

#include <mutex>
#include <utility>

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "pimento/frontend/c/clang_messages.h"

// What llvm/Support/TargetSelect.h would ask of all targets.
extern "C" {
void LLVMInitializeRISCVTargetInfo();
void LLVMInitializeRISCVTarget();
void LLVMInitializeRISCVTargetMC();
void LLVMInitializeRISCVAsmPrinter();
void LLVMInitializeRISCVAsmParser();
}

namespace pimento::frontend {

namespace {

constexpr const char *kFile = "kernel.c";

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeRISCVAsmParser();
  });
}

/// Of Clang's compiler proper: RV64GC with its doubles in registers, no library, floating point as it stands. Sums of
/// 32 bits stay such (addw), also where the upper half counts for nothing: caches compute words.
constexpr const char *kArguments[] = {"-triple",
                                      "riscv64-unknown-elf",
                                      "-target-feature",
                                      "+m",
                                      "-target-feature",
                                      "+a",
                                      "-target-feature",
                                      "+f",
                                      "-target-feature",
                                      "+d",
                                      "-target-feature",
                                      "+c",
                                      "-target-feature",
                                      "+zicsr",
                                      "-target-feature",
                                      "+zifencei",
                                      "-target-feature",
                                      "+prefer-w-inst",
                                      "-target-abi",
                                      "lp64d",
                                      "-mcmodel=medium",
                                      "-O2",
                                      "-std=gnu11",
                                      "-ffreestanding",
                                      "-fno-builtin",
                                      "-ffp-contract=off",

                                      "-fwrapv",
                                      "-mrelocation-model",
                                      "static",
                                      "-mframe-pointer=none",
                                      "-nostdsysteminc",
                                      "-nobuiltininc",
                                      "-x",
                                      "c",
                                      kFile};

}  // namespace

Result<std::string> compileHostC(const std::string &text, HostOutput output) {
  initialise();
  ClangMessages messages("host-c", "");
  const auto failure = [&] {
    Diagnostics said = std::move(messages.errors());
    if (said.empty()) said.push_back(error("host-c", {kFile}, "Clang rejects this without a message"));
    return said;
  };
  const auto diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &messages, false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, kArguments, *diags)) return failure();
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getDiagnosticOpts().ShowCarets = 0;  // else it prints how many errors there are
  invocation->getFrontendOpts().ProgramAction =
      output == HostOutput::kObject ? clang::frontend::EmitObj : clang::frontend::EmitAssembly;
  clang::CompilerInstance clang;
  clang.setInvocation(std::move(invocation));
  clang.createDiagnostics(&messages, false);
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files(new llvm::vfs::InMemoryFileSystem);
  files->addFile(kFile, 0, llvm::MemoryBuffer::getMemBuffer(text, kFile));
  clang.setFileManager(new clang::FileManager(clang.getFileSystemOpts(), files));
  llvm::SmallVector<char, 0> made;
  clang.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(made));
  bool isDone = false;
  if (output == HostOutput::kObject) {
    clang::EmitObjAction action;
    isDone = clang.ExecuteAction(action);
  } else {
    clang::EmitAssemblyAction action;
    isDone = clang.ExecuteAction(action);
  }
  if (!isDone || !messages.errors().empty()) return failure();
  return std::string(made.data(), made.size());
}

}  // namespace pimento::frontend
