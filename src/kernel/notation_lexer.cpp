#include "pimento/kernel/notation_lexer.h"

#include <fmt/format.h>

#include <array>

namespace pimento::kernel {

namespace {

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string &file) : text_(text), file_(file) {}

  Result<std::vector<Token>> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        if (depth_ == 0)
          push(TokenKind::kSeparator, 1);
        else
          ++at_;
        ++line_;
        lineStart_ = at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (isLetter(c)) {
        lexName();
      } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
        lexNumber();
      } else if (!lexSymbol()) {
        return unexpected(c);
      }
    }
    push(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void push(TokenKind kind, std::size_t length) {
    tokens_.push_back({kind, text_.substr(at_, length), line_, static_cast<int>(at_ - lineStart_) + 1});
    at_ += length;
  }

  void lexName() {
    std::size_t n = 1;
    while (isLetter(peek(n)) || isDigit(peek(n))) ++n;
    const std::string_view word = text_.substr(at_, n);
    const bool isCombine = (word == "min" || word == "max" || word == "append") && peek(n) == '=' && peek(n + 1) != '=';
    push(isCombine ? TokenKind::kAssign : TokenKind::kName, isCombine ? n + 1 : n);
  }

  void lexNumber() {
    std::size_t n = 0;
    while (isDigit(peek(n))) ++n;
    if (peek(n) == '.' && peek(n + 1) != '.') {
      ++n;
      while (isDigit(peek(n))) ++n;
    }
    if (peek(n) == 'e' || peek(n) == 'E') {
      std::size_t exponent = n + 1;
      if (peek(exponent) == '+' || peek(exponent) == '-') ++exponent;
      if (isDigit(peek(exponent))) {
        n = exponent;
        while (isDigit(peek(n))) ++n;
      }
    }
    push(TokenKind::kNumber, n);
  }

  bool lexSymbol() {
    static constexpr std::array<std::string_view, 28> kSymbols{"==", "!=", "<=", ">=", "<<", ">>", "..", "[", "]", "(",
                                                               ")",  "{",  "}",  ",",  "?",  ":",  "+",  "-", "*", "/",
                                                               "%",  "<",  ">",  "&",  "|",  "^",  ";",  "="};
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("+=") || rest.starts_with("*=")) {
      push(TokenKind::kAssign, 2);
      return true;
    }
    for (const std::string_view symbol : kSymbols) {
      if (!rest.starts_with(symbol)) continue;
      if (symbol == "[" || symbol == "(") ++depth_;
      if ((symbol == "]" || symbol == ")") && depth_ > 0) --depth_;
      const TokenKind kind = symbol == ";"   ? TokenKind::kSeparator
                             : symbol == "=" ? TokenKind::kAssign
                                             : TokenKind::kSymbol;
      push(kind, symbol.size());
      return true;
    }
    return false;
  }

  Diagnostic unexpected(char c) const {
    const bool isPrintable = c > ' ' && c < '\x7f';
    const std::string shown =
        isPrintable ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", static_cast<unsigned char>(c));
    return error("unexpected-character", {file_, line_, static_cast<int>(at_ - lineStart_) + 1},
                 shown + " is not allowed here",
                 "index notation has names, numbers, brackets and + - * / % & | ^ << >> < <= > >= == != ? : = .. ;");
  }

  std::string_view text_;
  const std::string &file_;
  std::size_t at_ = 0, lineStart_ = 0;
  int line_ = 1;
  int depth_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> lexNotation(std::string_view text, const std::string &file) {
  return Lexer(text, file).run();
}

}  // namespace pimento::kernel
