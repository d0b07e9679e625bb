#include "pimento/frontend/c/kernel_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/frontend/c/kernel_assigned.h"

namespace pimento::frontend {

using llvm::dyn_cast;

namespace {

using Functions = std::vector<const clang::FunctionDecl *>;

std::string namesOf(const Functions &functions) {
  std::vector<std::string> names;
  for (const clang::FunctionDecl *f : functions) names.push_back(f->getNameAsString());
  return fmt::format("{}", fmt::join(names, ", "));
}

Functions definedIn(const clang::ASTContext &context) {
  Functions defined;
  for (clang::Decl *d : context.getTranslationUnitDecl()->noload_decls()) {
    auto *f = dyn_cast<clang::FunctionDecl>(d);
    if (f != nullptr && f->doesThisDeclarationHaveABody()) defined.push_back(f);
  }
  return defined;
}

/// Whether the body has a line `#pragma scop`, as programs for polyhedral compilers mark what counts.
bool isMarked(const clang::ASTContext &context, const clang::FunctionDecl &f) {
  const auto range = clang::CharSourceRange::getTokenRange(f.getBody()->getSourceRange());
  const llvm::StringRef body = clang::Lexer::getSourceText(range, context.getSourceManager(), context.getLangOpts());
  for (std::string_view line : split(std::string_view(body.data(), body.size()), '\n')) {
    line = trim(line);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    constexpr std::string_view kPragma = "pragma";
    if (line.starts_with(kPragma) && trim(line.substr(kPragma.size())) == "scop") return true;
  }
  return false;
}

bool worksOnArrays(const clang::FunctionDecl &f) {
  const auto isArray = [](const clang::ParmVarDecl *p) { return p->getType()->isPointerType(); };
  return std::ranges::any_of(f.parameters(), isArray) && hasLoop(f.getBody());
}

/// Those that satisfy `isIt`, or all if none does.
template <typename Predicate>
Functions preferred(const Functions &from, Predicate isIt) {
  Functions chosen;
  std::ranges::copy_if(from, std::back_inserter(chosen), isIt);
  return chosen.empty() ? from : chosen;
}

}  // namespace

Result<const clang::FunctionDecl *> chooseFunction(clang::ASTContext &context, const Location &file,
                                                   const std::string &wanted) {
  const Functions defined = definedIn(context);
  if (!wanted.empty()) {
    std::vector<std::string> names;
    for (const clang::FunctionDecl *f : defined) {
      names.push_back(f->getNameAsString());
      if (names.back() == wanted) return f;
    }
    return error("c-function", file, fmt::format("the file has no function '{}'", wanted),
                 names.empty() ? "it defines no functions" : suggest(wanted, names));
  }
  std::set<const clang::FunctionDecl *> called;
  for (const clang::FunctionDecl *f : defined) {
    if (f->isMain()) continue;
    std::set<const clang::FunctionDecl *> mentioned = functionsIn(f->getBody());
    mentioned.erase(f->getCanonicalDecl());
    called.merge(mentioned);
  }
  const clang::SourceManager &sources = context.getSourceManager();
  Functions roots;
  for (const clang::FunctionDecl *f : defined)
    if (!called.contains(f->getCanonicalDecl()) && sources.isInMainFile(sources.getExpansionLoc(f->getLocation())))
      roots.push_back(f);
  if (roots.empty()) {
    return error(
        "c-function", file, "the file defines no function to start from",
        defined.empty() ? "define one: void kernel(...) { ... }" : "name one with --function: " + namesOf(defined));
  }
  roots = preferred(roots, [](const clang::FunctionDecl *f) { return !f->isMain(); });
  if (roots.size() > 1) roots = preferred(roots, [&](const auto *f) { return isMarked(context, *f); });
  const Functions workers = preferred(roots, [](const auto *f) { return worksOnArrays(*f); });
  if (roots.size() == 1 || workers.size() == 1) return workers.front();
  return error("c-function", file, fmt::format("the file has {} functions that no other function calls", roots.size()),
               "name one with --function: " + namesOf(roots) + "; or write one that calls the others");
}

namespace {

/// The number that an argument always is.
std::optional<std::int64_t> constantOf(const clang::ASTContext &context, const clang::FunctionDecl &caller,
                                       const clang::Expr *e) {
  clang::Expr::EvalResult known;
  if (e->EvaluateAsInt(known, context)) return known.Val.getInt().getExtValue();
  const auto *reference = dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
  const auto *v = reference != nullptr ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  if (v == nullptr || !v->hasLocalStorage() || v->getInit() == nullptr || !v->getType()->isIntegerType()) return {};
  if (variablesAssigned(caller.getBody(), nullptr).contains(v)) return {};
  if (!v->getInit()->EvaluateAsInt(known, context)) return {};
  return known.Val.getInt().getExtValue();
}

}  // namespace

kernel::Sizes sizesOf(clang::ASTContext &context, const clang::FunctionDecl &function, const kernel::Sizes &given) {
  std::map<std::string, std::optional<std::int64_t>> passed;  // nothing: not the same in all calls
  for (const clang::FunctionDecl *caller : definedIn(context)) {
    for (const clang::CallExpr *call : callsOf(function, caller->getBody())) {
      for (unsigned p = 0; p < std::min(call->getNumArgs(), function.getNumParams()); ++p) {
        const clang::ParmVarDecl *parameter = function.getParamDecl(p);
        if (!parameter->getType()->isIntegerType()) continue;
        const auto value = constantOf(context, *caller, call->getArg(p));
        const auto [at, isNew] = passed.emplace(parameter->getNameAsString(), value);
        if (!isNew && at->second != value) at->second.reset();
      }
    }
  }
  kernel::Sizes sizes = given;
  for (const auto &[name, value] : passed)
    if (value && *value >= 1) sizes.emplace(name, *value);
  return sizes;
}

std::vector<std::string> openSizesOf(clang::ASTContext &context, const clang::FunctionDecl &function) {
  std::set<const clang::VarDecl *> used;
  const auto addExtents = [&](clang::QualType type) {
    if (const auto *decayed = dyn_cast<clang::DecayedType>(type)) type = decayed->getOriginalType();
    if (type->isPointerType()) type = type->getPointeeType();
    for (const clang::ArrayType *a = context.getAsArrayType(type); a != nullptr;
         a = context.getAsArrayType(a->getElementType()))
      if (const auto *variable = dyn_cast<clang::VariableArrayType>(a);
          variable != nullptr && variable->getSizeExpr() != nullptr)
        used.merge(variablesIn(variable->getSizeExpr()));
  };
  for (const clang::ParmVarDecl *p : function.parameters()) addExtents(p->getOriginalType());
  std::vector<const clang::Stmt *> pending{function.getBody()};
  while (!pending.empty()) {
    const clang::Stmt *s = pending.back();
    pending.pop_back();
    if (s == nullptr) continue;
    if (const auto *loop = dyn_cast<clang::ForStmt>(s)) {
      if (loop->getInit() != nullptr) used.merge(variablesIn(loop->getInit()));
      if (loop->getCond() != nullptr) used.merge(variablesIn(loop->getCond()));
    }
    for (const clang::Stmt *child : s->children()) pending.push_back(child);
  }
  const kernel::Sizes known = sizesOf(context, function, {});
  std::vector<std::string> names;
  for (const clang::ParmVarDecl *p : function.parameters()) {
    const std::string name = p->getNameAsString();
    if (p->getType()->isIntegerType() && used.contains(p) && !known.contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace pimento::frontend
