#include "pimento/frontend/c/kernel_assigned.h"

#include <functional>
#include <vector>

#include "clang/AST/Expr.h"
#include "llvm/Support/Casting.h"

namespace pimento::frontend {

using llvm::dyn_cast;

namespace {

void walk(const clang::Stmt *root, const std::function<bool(const clang::Stmt &)> &see) {
  std::vector<const clang::Stmt *> pending{root};
  while (!pending.empty()) {
    const clang::Stmt *s = pending.back();
    pending.pop_back();
    if (s == nullptr || !see(*s)) continue;
    for (const clang::Stmt *child : s->children()) pending.push_back(child);
  }
}

const clang::VarDecl *variable(const clang::Stmt &s) {
  const auto *reference = dyn_cast<clang::DeclRefExpr>(&s);
  return reference != nullptr ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

}  // namespace

std::set<const clang::VarDecl *> variablesIn(const clang::Stmt *root) {
  std::set<const clang::VarDecl *> found;
  walk(root, [&](const clang::Stmt &s) {
    if (const clang::VarDecl *v = variable(s)) found.insert(v);
    return true;
  });
  return found;
}

std::set<const clang::FunctionDecl *> functionsIn(const clang::Stmt *root) {
  std::set<const clang::FunctionDecl *> found;
  walk(root, [&](const clang::Stmt &s) {
    const auto *reference = dyn_cast<clang::DeclRefExpr>(&s);
    const auto *f = reference != nullptr ? dyn_cast<clang::FunctionDecl>(reference->getDecl()) : nullptr;
    if (f != nullptr) found.insert(f->getCanonicalDecl());
    return true;
  });
  return found;
}

std::vector<const clang::CallExpr *> callsOf(const clang::FunctionDecl &f, const clang::Stmt *root) {
  std::vector<const clang::CallExpr *> found;
  walk(root, [&](const clang::Stmt &s) {
    const auto *call = dyn_cast<clang::CallExpr>(&s);
    const clang::FunctionDecl *callee = call != nullptr ? call->getDirectCallee() : nullptr;
    if (callee != nullptr && callee->getCanonicalDecl() == f.getCanonicalDecl()) found.push_back(call);
    return true;
  });
  return found;
}

bool hasLoop(const clang::Stmt *root) {
  bool isFound = false;
  walk(root, [&](const clang::Stmt &s) {
    isFound = isFound || llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(s);
    return !isFound;
  });
  return isFound;
}

std::set<const clang::VarDecl *> variablesAssigned(const clang::Stmt *root, const clang::Stmt *skipped) {
  std::set<const clang::VarDecl *> found;
  const auto add = [&](const clang::Expr *e) {
    if (const clang::VarDecl *v = variable(*e->IgnoreParenImpCasts())) found.insert(v);
  };
  walk(root, [&](const clang::Stmt &s) {
    if (&s == skipped) return false;
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(&s); binary != nullptr && binary->isAssignmentOp()) {
      add(binary->getLHS());
    }
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(&s)) {
      if (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf) add(unary->getSubExpr());
    }
    return true;
  });
  return found;
}

}  // namespace pimento::frontend
