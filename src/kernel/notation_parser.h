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
  enum class Kind : std::uint8_t {
    kStore,
    kAppend,  ///< of a selection
    kFor,     ///< opens a loop: `name`, `low` and `high`
    kEnd,     ///< closes it
    kSwap,    ///< `name` and `other`
  } kind = Kind::kStore;
  int target = -1;  ///< kName or kElement
  Combine combine = Combine::kAssign;
  int value = -1;
  int withTarget = -1, withValue = -1;  ///< what follows a minimum or maximum
  /// Behind `for`: an index, and expressions between which it runs.
  struct Range {
    int index = -1, low = -1, high = -1;
  };
  std::vector<Range> ranges;
  std::vector<int> conditions;     ///< behind `where`
  int predicate = -1, count = -1;  ///< kAppend; `count` may be -1
  int limit = -1;                  ///< kAppend: a number, or -1
  std::string name, other;
  int low = -1, high = -1;
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
