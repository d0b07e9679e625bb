#include "pimento/backend_dpu/backend.h"

#include <fmt/format.h>

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "pimento/backend_dpu/screen.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/target_machine.h"

namespace pimento::backend_dpu {
namespace {

/// Collects what LLVM reports instead of printing it.
class Collector : public llvm::DiagnosticHandler {
 public:
  explicit Collector(Diagnostics &found) : found_(found) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    std::string text;
    llvm::raw_string_ostream out(text);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    found_.push_back(unsupported("dpu-backend-unsupported", {}, text));
    return true;
  }

 private:
  Diagnostics &found_;
};

/// The functions of C's library that LLVM may know and use: those that the run-time library has.
llvm::TargetLibraryInfoImpl knownFunctions() {
  llvm::TargetLibraryInfoImpl info{llvm::Triple(llvm::StringRef(kTriple.data(), kTriple.size()))};
  info.disableAllFunctions();
  for (const llvm::LibFunc f :
       {llvm::LibFunc_memcpy, llvm::LibFunc_memmove, llvm::LibFunc_memset, llvm::LibFunc_memcmp, llvm::LibFunc_memchr,
        llvm::LibFunc_strlen, llvm::LibFunc_strcpy, llvm::LibFunc_strncpy, llvm::LibFunc_strcat, llvm::LibFunc_strncat,
        llvm::LibFunc_strcmp, llvm::LibFunc_strncmp, llvm::LibFunc_strchr, llvm::LibFunc_strrchr, llvm::LibFunc_strstr})
    info.setAvailable(f);
  return info;
}

llvm::OptimizationLevel optimizationOf(int level) {
  switch (level) {
    case 0:
      return llvm::OptimizationLevel::O0;
    case 1:
      return llvm::OptimizationLevel::O1;
    case 2:
      return llvm::OptimizationLevel::O2;
    default:
      return llvm::OptimizationLevel::O3;
  }
}

/// One module on its way through.
class Compilation {
 public:
  Compilation(std::string_view module, const Options &options) : options_(options) {
    context_.setDiagnosticHandler(std::make_unique<Collector>(found_));
    llvm::TargetOptions settings;
    // The linker leaves out sections that nobody needs.
    settings.FunctionSections = settings.DataSections = true;
    settings.BinutilsVersion = {2, 36};  // knows the flag R, retained
    settings.DisableIntegratedAS = true;
    settings.UniqueSectionNames = true;
    settings.MCOptions.AsmVerbose = false;
    machine_ = std::make_unique<llvm::DPUTargetMachine>(
        llvm::dpuTarget(), settings, options.level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default,
        options.isLikeVendor);
    llvm::SMDiagnostic problem;
    const auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(module.data(), module.size()), "module");
    module_ = llvm::parseIR(buffer->getMemBufferRef(), problem, context_);
    if (!module_) {
      found_.push_back(error(
          "dpu-backend-ir", {.file = "", .line = problem.getLineNo(), .column = problem.getColumnNo() + 1},
          "not readable as LLVM IR: " + problem.getMessage().str(), "pass a module of LLVM 19, as text or bitcode"));
      return;
    }
    prepare();
  }

  bool isOk() const { return found_.empty(); }
  Diagnostics takeFound() { return std::move(found_); }

  std::string text() const {
    std::string result;
    llvm::raw_string_ostream out(result);
    module_->print(out, nullptr);
    return result;
  }

  void optimise() {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = tuning.SLPVectorization = false;
    tuning.LoopUnrolling = true;
    llvm::PassBuilder builder(machine_.get(), tuning);
    functions.registerPass([] { return llvm::TargetLibraryAnalysis(knownFunctions()); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
    const auto level = optimizationOf(options_.level);
    auto passes = level == llvm::OptimizationLevel::O0 ? builder.buildO0DefaultPipeline(level)
                                                       : builder.buildPerModuleDefaultPipeline(level);
    passes.run(*module_, modules);
  }

  std::string assembly() {
    llvm::SmallString<0> result;
    llvm::raw_svector_ostream out(result);
    llvm::legacy::PassManager passes;
    passes.add(new llvm::TargetLibraryInfoWrapperPass(knownFunctions()));
    if (machine_->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
      found_.push_back(unsupported("dpu-backend-unsupported", {}, "the code generator cannot write assembly"));
      return {};
    }
    passes.run(*module_);
    return std::string(result);
  }

 private:
  void prepare() {
    std::string broken;
    llvm::raw_string_ostream out(broken);
    if (llvm::verifyModule(*module_, &out)) {
      found_.push_back(
          error("dpu-backend-ir", {}, "the module is invalid: " + broken, "opt-19 -passes=verify reports the same"));
      return;
    }
    if (!options_.keepsLines) llvm::StripDebugInfo(*module_);
    retainUsed();
    module_->setTargetTriple(llvm::StringRef(kTriple.data(), kTriple.size()));
    module_->setDataLayout(machine_->createDataLayout());
    screen(*module_, found_);
    if (found_.empty()) llvm::replaceMramAccesses(*module_, *machine_);
  }

  /// What is `used` may be looked up by a host, which no relocation shows: it is retained.
  void retainUsed() {
    llvm::SmallVector<llvm::GlobalValue *, 8> used;
    llvm::collectUsedGlobalVariables(*module_, used, /*CompilerUsed=*/true);
    if (!used.empty()) llvm::appendToUsed(*module_, used);
  }

  Options options_;
  Diagnostics found_;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::DPUTargetMachine> machine_;
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace

Result<std::string> optimise(std::string_view module, const Options &options) {
  Compilation c(module, options);
  if (!c.isOk()) return c.takeFound();
  c.optimise();
  if (!c.isOk()) return c.takeFound();
  return c.text();
}

Result<std::string> compile(std::string_view module, const Options &options) {
  Compilation c(module, options);
  if (!c.isOk()) return c.takeFound();
  c.optimise();
  if (!c.isOk()) return c.takeFound();
  std::string text = c.assembly();
  if (!c.isOk()) return c.takeFound();
  return text;
}

}  // namespace pimento::backend_dpu
