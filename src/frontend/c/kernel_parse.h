// Text of C to Clang's tree, by Clang as a library. Internal to the C front end for kernels.
//
// The text is C17 for a 64-bit Linux machine, whatever machine this is. math.h and a few other headers are our own and
// declare what kernels may call; Clang's (stdint.h, stdbool.h, ...) are part of the binary; "quoted" includes are
// looked for beside the file, and all in the folders that the user names.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/FrontendAction.h"
#include "pimento/base/diagnostics.h"
#include "pimento/frontend/frontend.h"

namespace pimento::frontend {

/// Runs `action` over the text, with `arguments` as clang -cc1 takes them besides our own. Diagnostics: as
/// CTree::parse(); c-crash leaves nothing that the action made in a state to be used.
Status runClang(std::string_view text, std::string_view file, const CPreprocessing &preprocessing,
                const std::vector<const char *> &arguments, clang::FrontendAction &action);

/// A text that Clang has read. Its tree may be used any number of times, by one user after the other.
class CTree {
 public:
  /// Diagnostics: bad-define; c-syntax, with what Clang says; c-too-large; c-crash, where Clang does not survive the
  /// text.
  static Result<CTree> parse(std::string_view text, std::string_view file, const CPreprocessing &preprocessing);

  /// Hands the tree to `use`. Diagnostics: c-crash, where that ends in a crash; nothing more can be had of the tree.
  Status use(const std::function<void(clang::ASTContext &)> &use) const;

 private:
  class Reading;
  explicit CTree(std::shared_ptr<Reading> reading) : reading_(std::move(reading)) {}

  std::shared_ptr<Reading> reading_;
};

}  // namespace pimento::frontend
