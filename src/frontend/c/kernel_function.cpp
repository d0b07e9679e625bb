#include "pimento/frontend/c/kernel_function.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "pimento/base/suggest.h"
#include "pimento/frontend/c/kernel_assigned.h"

namespace pimento::frontend {

namespace {

std::string list(const std::vector<std::string> &names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<const clang::FunctionDecl *> chooseFunction(clang::ASTContext &context, const Location &file,
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
                 names.empty() ? "it defines no functions" : suggest(wanted, names));
  }
  if (roots.size() == 1) return root;
  if (roots.empty()) {
    return error("c-function", file, "the file defines no function to start from",
                 names.empty() ? "define one: void kernel(...) { ... }" : "name one with --function: " + list(names));
  }
  return error("c-function", file, fmt::format("the file has {} functions that no other function calls", roots.size()),
               "name one with --function: " + list(roots) + "; or write one that calls the others");
}

}  // namespace pimento::frontend
