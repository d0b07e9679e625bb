#include "pimento/frontend/native/jit.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "pimento/frontend/native/library.h"

namespace pimento::frontend {

namespace orc = llvm::orc;

namespace {

/// What `entry` does not need goes first: its calls need not exist.
void strip(llvm::Module &module, const std::string &entry, llvm::ModuleAnalysisManager &analyses) {
  llvm::ModulePassManager passes;
  passes.addPass(llvm::InternalizePass([&](const llvm::GlobalValue &v) { return v.getName() == entry; }));
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(module, analyses);
}

void optimise(llvm::Module &module, const std::string &entry) {
  for (llvm::Function &f : module) {
    // Large frames touch their pages one after the other, so that none gets past the stack's guard.
    f.addFnAttr("probe-stack", "inline-asm");
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  strip(module, entry, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

orc::SymbolMap symbolMap(orc::LLJIT &jit, const NativeSymbols &symbols) {
  orc::SymbolMap map;
  const auto add = [&](const std::string &name, void *address) {
    map[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  };
  for (const auto &[name, address] : libraryFunctions()) add(name, address);
  for (const auto &[name, address] : symbols) add(name, address);
  return map;
}

llvm::Expected<std::unique_ptr<orc::LLJIT>> makeJit() {
  // Once: threads may be here at the same time.
  static const bool isReady = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  if (!isReady) return llvm::createStringError("LLVM has no code generator for this machine");
  orc::JITTargetMachineBuilder machine{llvm::Triple(nativeTriple())};
  machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  machine.setRelocationModel(llvm::Reloc::PIC_);  // what is elsewhere may be far away
  if (hasHalfConversion()) machine.addFeatures({"+f16c"});
  orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(machine));
  builder.setPlatformSetUp(orc::setUpInactivePlatform);
  builder.setLinkProcessSymbolsByDefault(false);
  return builder.create();
}

}  // namespace

NativeCode::NativeCode(std::unique_ptr<orc::LLJIT> jit, void (*entry)(void **)) : jit_(std::move(jit)), entry_(entry) {}
NativeCode::NativeCode(NativeCode &&) noexcept = default;
NativeCode::~NativeCode() = default;

std::string nativeTriple() {
  return llvm::sys::getProcessTriple();
}

bool hasHalfConversion() {
  return llvm::Triple(nativeTriple()).isX86() && llvm::sys::getHostCPUFeatures().lookup("f16c");
}

std::optional<NativeCode> compileNative(NativeModule module, const std::string &entry, const NativeSymbols &symbols,
                                        std::string &why) {
  llvm::Expected<std::unique_ptr<orc::LLJIT>> jit = makeJit();
  const auto refuse = [&why](llvm::Error e) {
    const std::string last = llvm::toString(std::move(e));
    if (why.empty()) why = last;
    why = "LLVM generates no code for it: " + why;
    return std::nullopt;
  };
  if (!jit) return refuse(jit.takeError());
  // The reporter hears why, lookup() only that it failed; nothing is printed.
  (*jit)->getExecutionSession().setErrorReporter([&why](llvm::Error e) { why += llvm::toString(std::move(e)); });
  module.module->setDataLayout((*jit)->getDataLayout());
  module.module->setTargetTriple(nativeTriple());
  optimise(*module.module, entry);
  orc::JITDylib &main = (*jit)->getMainJITDylib();
  if (llvm::Error e = main.define(orc::absoluteSymbols(symbolMap(**jit, symbols)))) return refuse(std::move(e));
  orc::ThreadSafeModule code(std::move(module.module), std::move(module.context));
  if (llvm::Error e = (*jit)->addIRModule(std::move(code))) return refuse(std::move(e));
  llvm::Expected<orc::ExecutorAddr> address = (*jit)->lookup(entry);
  if (!address) return refuse(address.takeError());
  (*jit)->getExecutionSession().setErrorReporter([](llvm::Error e) { llvm::consumeError(std::move(e)); });
  auto *const function = address->toPtr<void (*)(void **)>();
  return NativeCode(std::move(*jit), function);
}

}  // namespace pimento::frontend
