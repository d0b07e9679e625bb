#include "pimento/frontend/c/kernel_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "pimento/frontend/c/clang_headers.h"
#include "pimento/frontend/c/clang_messages.h"
#include "pimento/frontend/c/kernel_headers.h"

namespace pimento::frontend {

namespace {

constexpr const char *kOwnFolder = "/pimento-kernel/";

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesWith(const std::string &file, std::string_view text) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> all(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> own(new llvm::vfs::InMemoryFileSystem);
  all->pushOverlay(own);
  const auto add = [&](const std::string &path, std::string_view contents) {
    own->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy({contents.data(), contents.size()}, path));
  };
  for (const ClangHeader &f : clangHeaders()) add(kOwnFolder + f.name, f.text);
  for (const auto &[name, contents] : kernelHeaders()) add(std::string(kOwnFolder) + std::string(name), contents);
  add(file, text);
  return all;
}

/// Keeps the tree where it is.
class KeepAction final : public clang::ASTFrontendAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<clang::ASTConsumer>();
  }
};

/// One file on its way through Clang, in one piece so that it can be abandoned in one piece.
class Session {
 public:
  Session(std::string_view text, std::string_view file, const CPreprocessing &preprocessing,
          const std::vector<const char *> &arguments, clang::FrontendAction &action)
      : file_(file.empty() || file == "-" ? "input.c" : file),
        messages_("c-syntax", kOwnFolder,
                  "add its folder with --include, or remove the include if the kernel does not need it"),
        action_(action) {
    clang_.createDiagnostics(&messages_, false);
    const auto invocation = std::make_shared<clang::CompilerInvocation>();
    std::vector<const char *> all = arguments;
    for (const std::string &folder : preprocessing.includes) all.insert(all.end(), {"-I", folder.c_str()});
    for (const std::string &macro : preprocessing.defines) all.insert(all.end(), {"-D", macro.c_str()});
    // A little under Clang's own limit, which is about its stack, not ours.
    all.insert(all.end(), {"-std=gnu17", "-ffp-contract=off", "-fbracket-depth", "200", "-disable-pragma-debug-crash",
                           "-x", "c", file_.c_str()});
    clang::CompilerInvocation::CreateFromArgs(*invocation, all, clang_.getDiagnostics());
    clang::HeaderSearchOptions &headers = invocation->getHeaderSearchOpts();
    headers.UseStandardSystemIncludes = headers.UseBuiltinIncludes = false;
    headers.AddPath(kOwnFolder, clang::frontend::System, false, true);
    invocation->getFrontendOpts().DisableFree = false;
    invocation->getDiagnosticOpts().ShowCarets = false;  // nor the count of warnings
    clang_.setInvocation(invocation);
    clang_.createDiagnostics(&messages_, false);
    clang_.setFileManager(new clang::FileManager(clang_.getFileSystemOpts(), filesWith(file_, text)));
  }

  void run() { isDone_ = clang_.ExecuteAction(action_) && messages_.errors().empty(); }

  /// run() without its end, which takes the tree away.
  void open() {
    isDone_ = action_.PrepareToExecute(clang_) && clang_.createTarget() &&
              action_.BeginSourceFile(clang_, clang_.getFrontendOpts().Inputs.front());
    isOpen_ = isDone_;
    if (!isOpen_) return;
    llvm::consumeError(action_.Execute());
    isDone_ = messages_.errors().empty();
  }
  void close() {
    if (isOpen_) action_.EndSourceFile();
    isOpen_ = false;
  }
  clang::ASTContext &tree() { return clang_.getASTContext(); }

  bool isDone() const { return isDone_; }

  Status result() {
    if (isDone_) return okStatus();
    Diagnostics said = std::move(messages_.errors());
    if (said.empty()) said.push_back(error("c-syntax", {file_}, "Clang rejects this without a message"));
    for (Diagnostic &d : said) {
      if (d.hint.empty())
        d.hint =
            "the source must be C17, as clang-19 -std=gnu17 accepts it; set macros that its build sets with --define";
    }
    return said;
  }

 private:
  std::string file_;
  ClangMessages messages_;
  clang::FrontendAction &action_;
  clang::CompilerInstance clang_;
  bool isDone_ = false, isOpen_ = false;
};

Status checkText(std::string_view text, std::string_view file) {
  constexpr std::size_t kMostText = std::size_t{4} << 20;
  if (text.size() > kMostText || text.find('\0') != std::string_view::npos) {
    return unsupported("c-too-large", Location{std::string(file)},
                       text.size() > kMostText ? "the file is larger than 4 MiB" : "the file contains zero bytes",
                       "a file of kernels is short text");
  }
  return okStatus();
}

/// How deep statements and expressions nest in all functions together, calls of one by another included.
int depthOf(const clang::ASTContext &tree) {
  int sum = 0;
  const std::function<int(const clang::Stmt *)> depth = [&](const clang::Stmt *s) {
    int deepest = 0;
    for (const clang::Stmt *child : s->children())
      if (child != nullptr) deepest = std::max(deepest, depth(child));
    return deepest + 1;
  };
  for (const clang::Decl *d : tree.getTranslationUnitDecl()->noload_decls())
    if (const auto *f = llvm::dyn_cast<clang::FunctionDecl>(d); f != nullptr && f->doesThisDeclarationHaveABody())
      sum += depth(f->getBody());
  return sum;
}

enum class Nesting : std::uint8_t { kShallow, kDeep };

/// Runs `work` where it may crash and, if it has to, nest deeply; false if it crashed.
bool survives(Nesting nesting, const std::function<void()> &work) {
  constexpr unsigned kStack = 64U << 20;
  bool hasThrown = false;
  const auto guarded = [&] {
    try {
      work();
    } catch (const std::exception &) {
      hasThrown = true;
    }
  };
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  const bool survived =
      nesting == Nesting::kShallow ? guard.RunSafely(guarded) : guard.RunSafelyOnThread(guarded, kStack);
  llvm::CrashRecoveryContext::Disable();
  return survived && !hasThrown;
}

Diagnostics crash(std::string_view file) {
  return {unsupported("c-crash", Location{std::string(file)}, "parsing this source crashed",
                      "if clang-19 -fsyntax-only accepts it, this is a bug in Pimento: please report the file")};
}

}  // namespace

Status runClang(std::string_view text, std::string_view file, const CPreprocessing &preprocessing,
                const std::vector<const char *> &arguments, clang::FrontendAction &action) {
  if (Status s = checkText(text, file); !s) return s;
  auto session = std::make_unique<Session>(text, file, preprocessing, arguments, action);
  if (survives(Nesting::kDeep, [&] { session->run(); })) return session->result();
  (void)session.release();  // after a crash Clang's state is not safe to take apart
  return crash(file);
}

class CTree::Reading {
 public:
  Reading(std::string_view text, std::string_view file, const CPreprocessing &preprocessing)
      : file_(file), state_(std::make_unique<State>(text, file, preprocessing)) {}
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;
  ~Reading() {
    if (state_) state_->session.close();
  }

  Status open() {
    constexpr int kShallow = 200;  // of the stack that any thread has left
    int depth = 0;
    const auto work = [&] {
      state_->session.open();
      if (state_->session.isDone()) depth = depthOf(state_->session.tree());
    };
    if (Status s = guarded(work); !s) return s;
    if (depth <= kShallow) nesting_ = Nesting::kShallow;
    return state_->session.result();
  }
  Status use(const std::function<void(clang::ASTContext &)> &use) {
    const std::lock_guard lock(mutex_);  // asking a tree changes what it keeps
    if (!state_) return crash(file_);
    return guarded([&] { use(state_->session.tree()); });
  }

 private:
  struct State {
    State(std::string_view text, std::string_view file, const CPreprocessing &preprocessing)
        : session(text, file, preprocessing, {"-triple", "x86_64-unknown-linux-gnu", "-fsyntax-only"}, action) {}

    KeepAction action;
    Session session;
  };

  Status guarded(const std::function<void()> &work) {
    if (survives(nesting_, work)) return okStatus();
    (void)state_.release();  // after a crash Clang's state is not safe to take apart
    return crash(file_);
  }

  std::string file_;
  Nesting nesting_ = Nesting::kDeep;
  std::mutex mutex_;
  std::unique_ptr<State> state_;
};

namespace {

Status checkDefines(const CPreprocessing &preprocessing) {
  for (const std::string &macro : preprocessing.defines) {
    const std::string_view name = std::string_view(macro).substr(0, macro.find_first_of("=("));
    const bool isName = !name.empty() && clang::isValidAsciiIdentifier({name.data(), name.size()});
    if (!isName)
      return usageError("bad-define", "--define", fmt::format("'{}' does not define a macro", macro),
                        "write NAME or NAME=VALUE, for example --define N=64");
  }
  return okStatus();
}

}  // namespace

Result<CTree> CTree::parse(std::string_view text, std::string_view file, const CPreprocessing &preprocessing) {
  if (Status s = checkDefines(preprocessing); !s) return std::move(s.diagnostics());
  if (Status s = checkText(text, file); !s) return std::move(s.diagnostics());
  const auto reading = std::make_shared<Reading>(text, file, preprocessing);
  if (Status s = reading->open(); !s) return std::move(s.diagnostics());
  return CTree(reading);
}

Status CTree::use(const std::function<void(clang::ASTContext &)> &use) const {
  return reading_->use(use);
}

}  // namespace pimento::frontend
