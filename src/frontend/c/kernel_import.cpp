// A file of C as a Graph: chooses the function, and runs the steps one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "pimento/base/suggest.h"
#include "pimento/frontend/c/kernel_assigned.h"
#include "pimento/frontend/c/kernel_parse.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/c/kernel_schedule.h"
#include "pimento/frontend/frontend.h"

namespace pimento::frontend {

namespace {

std::string list(const std::vector<std::string> &names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The function the user means.
Result<const clang::FunctionDecl *> choose(clang::ASTContext &context, const Location &file,
                                           const std::string &wanted) {
  std::vector<const clang::FunctionDecl *> defined;
  std::set<const clang::FunctionDecl *> called;
  for (clang::Decl *d : context.getTranslationUnitDecl()->noload_decls()) {
    auto *f = llvm::dyn_cast<clang::FunctionDecl>(d);
    if (f == nullptr || !f->doesThisDeclarationHaveABody()) continue;
    defined.push_back(f);
    std::set<const clang::FunctionDecl *> mentioned = functionsIn(f->getBody());
    mentioned.erase(f->getCanonicalDecl());
    called.merge(mentioned);
  }
  std::vector<std::string> names, roots;
  const clang::FunctionDecl *root = nullptr;
  for (const clang::FunctionDecl *f : defined) {
    const std::string name = f->getNameAsString();
    names.push_back(name);
    if (name == wanted) return f;
    const bool isHeader =
        !context.getSourceManager().isInMainFile(context.getSourceManager().getExpansionLoc(f->getLocation()));
    if (called.contains(f->getCanonicalDecl()) || isHeader) continue;
    roots.push_back(name);
    root = f;
  }
  if (!wanted.empty()) {
    return error("c-function", file, fmt::format("the file has no function '{}'", wanted),
                 names.empty() ? "it defines none" : suggest(wanted, names));
  }
  if (roots.size() == 1) return root;
  if (roots.empty()) {
    return error("c-function", file, "the file defines no function to begin with",
                 names.empty() ? "define one: void kernel(...) { ... }" : "name one with --function: " + list(names));
  }
  return error("c-function", file, fmt::format("the file has {} functions that no other one calls", roots.size()),
               "name one with --function: " + list(roots) + "; or write one that calls the others");
}

class Import {
 public:
  Import(std::string file, const CKernelOptions &options) : file_(std::move(file)), options_(options) {}

  void operator()(clang::ASTContext &context) {
    const auto function = choose(context, Location{file_}, options_.function);
    if (!function) return found_.push_back(function.diagnostics().front());
    const clang::FunctionDecl &f = **function;
    const clang::PresumedLoc at =
        context.getSourceManager().getPresumedLoc(context.getSourceManager().getExpansionLoc(f.getLocation()));
    CProgram program(f.getNameAsString(), at.isValid() ? Location{at.getFilename(), static_cast<int>(at.getLine()),
                                                                  static_cast<int>(at.getColumn())}
                                                       : Location{file_});
    CReader reader(context, program, options_.sizes);
    if (!reader.read(f)) {
      found_ = std::move(reader.diagnostics());
      return;
    }
    if (Status s = build(program); !s) found_ = std::move(s.diagnostics());
  }

  Result<CKernels> take() {
    if (!found_.empty()) return std::move(found_);
    return std::move(made_);
  }

 private:
  Status build(CProgram &program) {
    tidy(program);
    if (Status s = shapeBuffers(program); !s) return s;
    Result<kernel::Graph> graph = emitGraph(program, schedule(program));
    if (!graph) return std::move(graph.diagnostics());
    made_ = {std::move(*graph), std::move(program.warnings)};
    return okStatus();
  }

  std::string file_;
  const CKernelOptions &options_;
  Diagnostics found_;
  CKernels made_;
};

}  // namespace

bool hasKernelC() {
  return true;
}

Result<CKernels> importC(std::string_view text, std::string_view file, const CKernelOptions &options) {
  Import import{std::string(file), options};
  if (Status s = withTree(text, file, [&](clang::ASTContext &context) { import(context); }); !s) {
    return std::move(s.diagnostics());
  }
  return import.take();
}

}  // namespace pimento::frontend
