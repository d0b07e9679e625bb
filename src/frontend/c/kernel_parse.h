// Text of C to Clang's tree, by Clang as a library. Internal to the C front end for kernels.
//
// The text is C17 for a 64-bit Linux machine, whatever machine this is. math.h and a few other headers are our own and
// declare what kernels may call; Clang's (stdint.h, stdbool.h, ...) are part of the binary; "quoted" includes are
// looked for beside the file.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/FrontendAction.h"
#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

/// Runs `action` over the text, with `arguments` as clang -cc1 takes them besides our own. Diagnostics: as withTree();
/// c-crash leaves nothing that the action made in a state to be used.
Status runClang(std::string_view text, std::string_view file, const std::vector<const char *> &arguments,
                clang::FrontendAction &action);

/// Hands the tree to `use`, unless Clang refuses the text (c-syntax, with what Clang says) or does not survive it
/// (c-crash).
Status withTree(std::string_view text, std::string_view file, const std::function<void(clang::ASTContext &)> &use);

}  // namespace pimento::frontend
