// Which variables and functions a piece of C mentions, and which variables it may assign. Internal to the C front end.
#pragma once

#include <set>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

namespace pimento::frontend {

/// Variables that occur in `s`.
std::set<const clang::VarDecl *> variablesIn(const clang::Stmt *s);

/// Functions that occur in `s`, by their first declarations.
std::set<const clang::FunctionDecl *> functionsIn(const clang::Stmt *s);

/// Calls of `f` in `s`.
std::vector<const clang::CallExpr *> callsOf(const clang::FunctionDecl &f, const clang::Stmt *s);

/// Whether `s` has a loop in it.
bool hasLoop(const clang::Stmt *s);

/// Variables that `s` assigns, or takes the address of. `skipped` is left out.
std::set<const clang::VarDecl *> variablesAssigned(const clang::Stmt *s, const clang::Stmt *skipped);

}  // namespace pimento::frontend
