// Splits the text of `--map` into names, numbers and marks, each with its place. Internal to the room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento::mapping {

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kMark, kEnd, kBad } kind = Kind::kEnd;
  std::string_view text;  ///< kMark, kBad: one character
  Location where;

  bool isMark(char c) const { return kind == Kind::kMark && text[0] == c; }
  /// As messages name it: "'M1'", "the end of the text".
  std::string str() const;
};

/// Blanks and line ends separate tokens; columns count bytes from 1. The text outlives the lexer.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {}
  Token next();
  /// Inside expressions brackets and signs are marks, and a '-' ends a name.
  void setExpression(bool isExpression) { isExpression_ = isExpression; }

 private:
  void skipBlanks();

  std::string_view text_, file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  bool isExpression_ = false;
};

/// Does an expression take it as one name?
bool isPlainName(std::string_view text);

}  // namespace pimento::mapping
