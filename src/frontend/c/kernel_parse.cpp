#include "pimento/frontend/c/kernel_parse.h"

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "clang/AST/ASTConsumer.h"
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

namespace pimento::frontend {

namespace {

constexpr const char *kOwnFolder = "/pimento-kernel/";

/// What kernels may call, and what files that also compile elsewhere like to include.
constexpr const char *kMath = R"(#pragma once
#define INFINITY (__builtin_inff())
#define HUGE_VALF (__builtin_inff())
#define HUGE_VAL (__builtin_inf())
#define NAN (__builtin_nanf(""))
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
double exp(double); double log(double); double sqrt(double); double tanh(double); double fabs(double);
double fmin(double, double); double fmax(double, double);
float expf(float); float logf(float); float sqrtf(float); float tanhf(float); float fabsf(float);
float fminf(float, float); float fmaxf(float, float);
double pow(double, double); double sin(double); double cos(double); double floor(double); double ceil(double);
double round(double); double fma(double, double, double); double log2(double); double exp2(double); double erf(double);
float powf(float, float); float sinf(float); float cosf(float); float floorf(float); float ceilf(float);
float roundf(float); float fmaf(float, float, float); float log2f(float); float exp2f(float); float erff(float);
)";
constexpr const char *kStdlib = R"(#pragma once
#include <stddef.h>
int abs(int); long labs(long); long long llabs(long long);
void *malloc(size_t); void *calloc(size_t, size_t); void free(void *); void exit(int);
)";
constexpr const char *kString = R"(#pragma once
#include <stddef.h>
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
)";
constexpr const char *kStdio = R"(#pragma once
#include <stddef.h>
int printf(const char *, ...); int puts(const char *);
)";
constexpr const char *kAssert = R"(#pragma once
#define assert(condition) ((void)0)
)";
constexpr const char *kInttypes = R"(#pragma once
#include <stdint.h>
)";

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesWith(const std::string &file, std::string_view text) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> all(
      new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> own(new llvm::vfs::InMemoryFileSystem);
  all->pushOverlay(own);
  const auto add = [&](const std::string &path, std::string_view contents) {
    own->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy({contents.data(), contents.size()}, path));
  };
  for (const ClangHeader &f : clangHeaders()) add(kOwnFolder + f.name, f.text);
  for (const auto &[name, contents] :
       {std::pair{"math.h", kMath}, std::pair{"stdlib.h", kStdlib}, std::pair{"string.h", kString},
        std::pair{"stdio.h", kStdio}, std::pair{"assert.h", kAssert}, std::pair{"inttypes.h", kInttypes}}) {
    add(std::string(kOwnFolder) + name, contents);
  }
  add(file, text);
  return all;
}

class UseAction final : public clang::ASTFrontendAction {
 public:
  explicit UseAction(const std::function<void(clang::ASTContext &)> &use) : use_(use) {}

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    class Consumer final : public clang::ASTConsumer {
     public:
      explicit Consumer(const std::function<void(clang::ASTContext &)> &use) : use_(use) {}
      void HandleTranslationUnit(clang::ASTContext &context) override {
        if (!context.getDiagnostics().hasErrorOccurred()) use_(context);
      }

     private:
      const std::function<void(clang::ASTContext &)> &use_;
    };
    return std::make_unique<Consumer>(use_);
  }

 private:
  const std::function<void(clang::ASTContext &)> &use_;
};

/// One file on its way through Clang, in one piece so that it can be abandoned in one piece.
class Session {
 public:
  Session(std::string_view text, std::string_view file, const std::vector<const char *> &arguments,
          clang::FrontendAction &action)
      : file_(file.empty() || file == "-" ? "input.c" : file), messages_("c-syntax", kOwnFolder), action_(action) {
    clang_.createDiagnostics(&messages_, false);
    const auto invocation = std::make_shared<clang::CompilerInvocation>();
    std::vector<const char *> all = arguments;
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

  Status result() {
    if (isDone_) return okStatus();
    Diagnostics said = std::move(messages_.errors());
    if (said.empty()) said.push_back(error("c-syntax", {file_}, "Clang does not take this and does not say why"));
    for (Diagnostic &d : said) {
      if (d.hint.empty()) d.hint = "the text must be C17, as clang-19 -std=gnu17 takes it";
    }
    return said;
  }

 private:
  std::string file_;
  ClangMessages messages_;
  clang::FrontendAction &action_;
  clang::CompilerInstance clang_;
  bool isDone_ = false;
};

}  // namespace

Status runClang(std::string_view text, std::string_view file, const std::vector<const char *> &arguments,
                clang::FrontendAction &action) {
  constexpr std::size_t kMostText = std::size_t{4} << 20;
  if (text.size() > kMostText || text.find('\0') != std::string_view::npos) {
    return unsupported("c-too-large", Location{std::string(file)},
                       text.size() > kMostText ? "the file has more than 4 MiB" : "the file contains zero bytes",
                       "a file of kernels is text, and short");
  }
  auto session = std::make_unique<Session>(text, file, arguments, action);
  bool hasThrown = false;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext guard;
  constexpr unsigned kStack = 64U << 20;
  const bool survived = guard.RunSafelyOnThread(
      [&] {
        try {
          session->run();
        } catch (const std::exception &) {
          hasThrown = true;
        }
      },
      kStack);
  llvm::CrashRecoveryContext::Disable();
  if (survived && !hasThrown) return session->result();
  (void)session.release();  // after a crash Clang's state is not safe to take apart
  return unsupported("c-crash", Location{std::string(file)}, "reading this text ended in a crash",
                     "if clang-19 -fsyntax-only survives it, the mistake is ours: please report the file");
}

Status withTree(std::string_view text, std::string_view file, const std::function<void(clang::ASTContext &)> &use) {
  UseAction action(use);
  return runClang(text, file, {"-triple", "x86_64-unknown-linux-gnu", "-fsyntax-only"}, action);
}

}  // namespace pimento::frontend
