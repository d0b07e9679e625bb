// Which function of a C file is the kernel, and what the file says of its sizes. Internal to the C front end.
#pragma once

#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "pimento/base/diagnostics.h"
#include "pimento/kernel/zoo.h"

namespace pimento::frontend {

/// The wanted one. With no wish: the one with `#pragma scop` in it; else the only one that no other calls, `main`
/// aside; else the only one of those that has loops and array parameters. `file` is where a complaint belongs.
/// Diagnostics: c-function.
Result<const clang::FunctionDecl *> chooseFunction(clang::ASTContext &context, const Location &file,
                                                   const std::string &wanted);

/// `given`, and for each other integer parameter the number from 1 up that all calls in the file pass: a constant, or a
/// variable that is only ever one.
kernel::Sizes sizesOf(clang::ASTContext &context, const clang::FunctionDecl &function, const kernel::Sizes &given);

/// Integer parameters in extents of arrays and bounds of loops that sizesOf() knows nothing of, in their order.
std::vector<std::string> openSizesOf(clang::ASTContext &context, const clang::FunctionDecl &function);

}  // namespace pimento::frontend
