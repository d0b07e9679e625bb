#include "pimento/frontend/dpu_c.h"

#include <string_view>
#include <utility>

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "pimento/dpu/built_ins.h"
#include "pimento/dpu/include.h"
#include "pimento/frontend/c/clang_headers.h"
#include "pimento/frontend/c/clang_messages.h"
#include "pimento/frontend/c/dpu_arguments.h"
#include "pimento/frontend/c/dpu_target.h"

namespace pimento::frontend {

namespace {

/// Where headers that are part of the binary seem to lie. No such folder exists on disk.
constexpr const char *kOwnFolder = "/pimento-dpu/";
constexpr const char *kDpuIncludes = "/pimento-dpu/include";
constexpr const char *kClangIncludes = "/pimento-dpu/clang";

/// From text to a module; the passes are the back end's.
class ModuleAction final : public clang::ASTFrontendAction {
 public:
  explicit ModuleAction(llvm::LLVMContext &context) : context_(context) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &clang, llvm::StringRef file) override {
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        clang.getDiagnostics(), file, &clang.getVirtualFileSystem(), clang.getHeaderSearchOpts(),
        clang.getPreprocessorOpts(), clang.getCodeGenOpts(), context_));
    generator_ = generator.get();
    return generator;
  }
  void EndSourceFileAction() override {
    if (generator_ != nullptr) module_.reset(generator_->ReleaseModule());
    generator_ = nullptr;
  }
  std::unique_ptr<llvm::Module> takeModule() { return std::move(module_); }

 private:
  llvm::LLVMContext &context_;
  clang::CodeGenerator *generator_ = nullptr;
  std::unique_ptr<llvm::Module> module_;
};

class PreprocessAction final : public clang::PreprocessorFrontendAction {
 public:
  explicit PreprocessAction(std::string &text) : text_(text) {}

 protected:
  void ExecuteAction() override {
    llvm::raw_string_ostream out(text_);
    clang::CompilerInstance &clang = getCompilerInstance();
    clang::PreprocessorOutputOptions options = clang.getPreprocessorOutputOpts();
    options.ShowCPP = options.ShowLineMarkers = true;
    clang::DoPrintPreprocessedInput(clang.getPreprocessor(), &out, options);
  }

 private:
  std::string &text_;
};

/// Every file but ours.
class Dependencies final : public clang::DependencyCollector {
  bool needSystemDependencies() override { return true; }
  bool sawDependency(llvm::StringRef file, bool fromModule, bool isSystem, bool isModuleFile, bool isMissing) override {
    if (file.starts_with(kOwnFolder)) return false;
    (void)isSystem;  // -isystem of users
    return DependencyCollector::sawDependency(file, fromModule, false, isModuleFile, isMissing);
  }
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesWith(const std::string &file, const std::string &text) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> all(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> own(new llvm::vfs::InMemoryFileSystem);
  all->pushOverlay(own);
  auto add = [&](const std::string &path, const std::string &contents) {
    own->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(contents, path));
  };
  for (const dpu::IncludeFile &f : dpu::includeFiles()) add(std::string(kDpuIncludes) + "/" + f.name, f.text);
  add(std::string(kDpuIncludes) + "/built_ins.h", dpu::builtInsHeader());
  for (const ClangHeader &f : clangHeaders()) add(std::string(kClangIncludes) + "/" + f.name, f.text);
  add(file, text);
  return all;
}

/// "-" means standard input to Clang, and an empty name nothing.
std::string nameFor(const std::string &file) {
  return file.empty() ? "input.c" : file == "-" ? "<stdin>" : file;
}

/// Address spaces by the name that programs give them.
Diagnostics inWordsOfPrograms(Diagnostics said) {
  constexpr std::string_view kSpelled = "__attribute__((address_space(255)))";
  for (Diagnostic &d : said)
    for (std::size_t at = d.message.find(kSpelled); at != std::string::npos; at = d.message.find(kSpelled))
      d.message.replace(at, kSpelled.size(), "__mram_ptr");
  return said;
}

class Compilation {
 public:
  Compilation(const program::DpuSource &source, DpuOutput output)
      : source_(source), file_(nameFor(source.file)), output_(output), messages_("dpu-c", kOwnFolder) {}

  Result<DpuModule> run() {
    diags_ = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &messages_, false);
    Result<DpuInvocation> read = readDpuArguments(file_, source_.arguments, diags_);
    if (!read) return std::move(read.diagnostics());
    if (!read->clang || !messages_.errors().empty()) return failure();
    made_.level = read->level;
    made_.keepsLines = read->keepsLines;
    settle(*read);
    clang::CompilerInstance clang;
    clang.setInvocation(std::shared_ptr<clang::CompilerInvocation>(std::move(read->clang)));
    // Again, now that -W flags are known.
    clang.createDiagnostics(&messages_, false);
    clang.setFileManager(new clang::FileManager(clang.getFileSystemOpts(), filesWith(file_, source_.text)));
    clang.setTarget(makeDpuTarget(clang.getInvocation().TargetOpts).get());
    clang.getTarget().adjust(clang.getDiagnostics(), clang.getLangOpts());
    const auto dependencies = std::make_shared<Dependencies>();
    clang.addDependencyCollector(dependencies);
    const bool isDone = output_ == DpuOutput::kBitcode ? makeModule(clang) : preprocess(clang);
    if (!isDone || !messages_.errors().empty()) return failure();
    made_.dependencies = dependencies->getDependencies().vec();
    made_.warnings = inWordsOfPrograms(std::move(messages_.warnings()));
    return std::move(made_);
  }

 private:
  /// What is not a matter of flags.
  void settle(DpuInvocation &read) const {
    clang::CompilerInvocation &clang = *read.clang;
    clang::HeaderSearchOptions &headers = clang.getHeaderSearchOpts();
    headers.UseStandardSystemIncludes = headers.UseBuiltinIncludes = false;
    for (const char *folder : {kDpuIncludes, kClangIncludes})
      headers.AddPath(folder, clang::frontend::System, false, true);
    clang::CodeGenOptions &code = clang.getCodeGenOpts();
    code.DisableO0ImplyOptNone = true;
    code.DisableLLVMPasses = true;
    code.setFramePointer(clang::CodeGenOptions::FramePointerKind::None);
    code.RelocationModel = llvm::Reloc::Static;
    code.setDebugInfo(read.keepsLines ? llvm::codegenoptions::DebugLineTablesOnly : llvm::codegenoptions::NoDebugInfo);
    code.DwarfVersion = 4;
    // Files by the names they were given by, ours without the folder that does not exist.
    code.DebugCompilationDir = ".";
    code.DebugPrefixMap.emplace_back(kOwnFolder, "");
    clang.getLangOpts().PICLevel = clang.getLangOpts().PIE = 0;
    clang.getFrontendOpts().DisableFree = false;
  }

  /// `action` on the file. False: errors, or nothing done.
  bool execute(clang::CompilerInstance &clang, clang::FrontendAction &action) const {
    const clang::FrontendInputFile input(file_, clang::InputKind(clang::Language::C));
    if (!action.BeginSourceFile(clang, input)) return false;
    const bool isDone = !llvm::errorToBool(action.Execute());
    action.EndSourceFile();
    return isDone && !clang.getDiagnostics().hasErrorOccurred();
  }

  bool makeModule(clang::CompilerInstance &clang) {
    llvm::LLVMContext context;
    ModuleAction action(context);
    if (!execute(clang, action)) return false;
    const std::unique_ptr<llvm::Module> module = action.takeModule();
    if (!module) return false;
    PIMENTO_CHECK(module->getDataLayoutStr() == kDpuDataLayout);
    llvm::raw_string_ostream out(made_.bytes);
    llvm::WriteBitcodeToFile(*module, out);
    return true;
  }

  bool preprocess(clang::CompilerInstance &clang) {
    PreprocessAction action(made_.bytes);
    return execute(clang, action);
  }

  Diagnostics failure() {
    Diagnostics said = std::move(messages_.errors());
    if (said.empty()) {
      said.push_back(error("dpu-c", {file_}, "Clang rejects this without a message"));
      said.back().isClangs = true;
    }
    // What it warned of before may be the reason.
    for (Diagnostic &w : messages_.warnings()) said.push_back(std::move(w));
    return inWordsOfPrograms(std::move(said));
  }

  const program::DpuSource &source_;
  std::string file_;
  DpuOutput output_;
  ClangMessages messages_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diags_;
  DpuModule made_;
};

}  // namespace

bool hasDpuC() {
  return true;
}

Result<DpuModule> readDpuC(const program::DpuSource &source, DpuOutput output) {
  return Compilation(source, output).run();
}

}  // namespace pimento::frontend
