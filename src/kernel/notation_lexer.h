// Tokens of the index notation. Internal to the room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::kernel {

enum class TokenKind : std::uint8_t {
  kName,
  kNumber,
  kSymbol,     ///< operators, brackets, commas, "?", ":"
  kAssign,     ///< = += *= min= max= append=
  kSeparator,  ///< ";" or a line end outside brackets
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  ///< part of the given text
  int line = 1, column = 1;
};

/// The tokens of `text`, the last one kEnd. '#' starts a comment. Diagnostic: unexpected-character.
Result<std::vector<Token>> lexNotation(std::string_view text, const std::string &file);

}  // namespace pimento::kernel
