// Which function of a C file is the kernel. Internal to the C front end.
#pragma once

#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

/// The function the user means: `wanted`, or the only one that no other function of the file calls. Diagnostics:
/// c-function.
Result<const clang::FunctionDecl *> chooseFunction(clang::ASTContext &context, const Location &file,
                                                   const std::string &wanted);

}  // namespace pimento::frontend
