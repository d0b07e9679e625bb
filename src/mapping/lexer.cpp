#include "pimento/mapping/lexer.h"

#include <algorithm>
#include <cstdio>

namespace pimento::mapping {

namespace {

// Not <cctype>: the notation must not depend on the locale.
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isInsidePlainName(char c) {
  return isLetter(c) || isDigit(c) || c == '.';
}
bool isInsideName(char c) {
  return isInsidePlainName(c) || c == '-';
}

}  // namespace

std::string Token::str() const {
  switch (kind) {
    case Kind::kEnd:
      return "the end of the text";
    case Kind::kBad:
      if (text[0] < ' ' || text[0] > '~') {
        char buffer[16];
        std::snprintf(buffer, sizeof buffer, "byte 0x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
        return buffer;
      }
      break;
    case Kind::kName:
    case Kind::kNumber:
    case Kind::kMark:
      break;
  }
  constexpr std::size_t kShown = 40;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

void Lexer::skipBlanks() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++column_;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skipBlanks();
  Token token;
  token.where = {std::string(file_), line_, column_};
  if (at_ == text_.size()) return token;
  const char c = text_[at_];
  std::size_t end = at_ + 1;
  if (isDigit(c)) {
    token.kind = Token::Kind::kNumber;
    while (end < text_.size() && isDigit(text_[end])) ++end;
  } else if (isLetter(c)) {
    token.kind = Token::Kind::kName;
    while (end < text_.size() && (isExpression_ ? isInsidePlainName : isInsideName)(text_[end])) ++end;
  } else {
    constexpr std::string_view kMarks = "(){},:;=", kOfExpressions = "[]+-*";
    const bool isMark =
        kMarks.find(c) != std::string_view::npos || (isExpression_ && kOfExpressions.find(c) != std::string_view::npos);
    token.kind = isMark ? Token::Kind::kMark : Token::Kind::kBad;
  }
  token.text = text_.substr(at_, end - at_);
  column_ += static_cast<int>(end - at_);
  at_ = end;
  return token;
}

bool isPlainName(std::string_view text) {
  return !text.empty() && isLetter(text.front()) && std::ranges::all_of(text, isInsidePlainName);
}

}  // namespace pimento::mapping
