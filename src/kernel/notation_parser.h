// Syntax trees of the index notation. Internal to the room; notation.cpp gives them meaning.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// A node of a statement; children are indices of earlier nodes.
struct SyntaxNode {
  enum class Kind : std::uint8_t {
    kNumber,
    kName,     ///< a bare name: an index or a tensor without dimensions
    kElement,  ///< name[children]
    kCall,     ///< name(children)
    kUnary,    ///< "-" or "+"
    kBinary,   ///< `text` is the operator
    kChoice,   ///< children[0] ? children[1] : children[2]
  } kind = Kind::kNumber;
  std::string text;  ///< number, name or operator
  std::vector<int> children;
  int line = 1, column = 1;
  int depth = 1;
};

struct Statement {
  int target = -1;  ///< kName or kElement
  Combine combine = Combine::kAssign;
  int value = -1;
  int line = 1, column = 1;
  int assignLine = 1, assignColumn = 1;
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  std::vector<Statement> statements;
};

/// Diagnostics: unexpected-character, syntax, too-deep, empty-notation.
Result<SyntaxTree> parseSyntax(std::string_view text, const std::string &file);

}  // namespace pimento::kernel
