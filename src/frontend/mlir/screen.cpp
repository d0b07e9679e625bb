#include "pimento/frontend/mlir/screen.h"

#include <fmt/format.h>

#include <string>

namespace pimento::frontend {
namespace {

/// Walks the text once and measures what MLIR's parser is recursive, or quadratic, in.
class Screen {
 public:
  Screen(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Status run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\0') return error("not-text", here(), "the file contains a zero byte: it is not MLIR text", kConvert);
      if (c == '"') {
        skipString();
      } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
        skipComment();
      } else {
        count(c);
        if (const char *what = excess()) {
          return unsupported(
              "too-deep", here(), fmt::format("too many {}", what),
              fmt::format("limits: brackets nested {} deep, {} terms in an affine expression, {} aliases, "
                          "{} characters in a number or name",
                          kMaxNesting, kMaxTerms, kMaxAliases, kMaxWord));
        }
        step();
      }
    }
    return okStatus();
  }

  static constexpr const char *kConvert = "pass MLIR text (mlir-opt converts bytecode to text)";

 private:
  Location here() const { return {std::string(file_), line_, column_}; }

  void step() {
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 0;
    }
    ++at_;
    ++column_;
  }

  void count(char c) {
    const char before = at_ > 0 ? text_[at_ - 1] : '\n';
    const bool arrowHead = c == '>' && before == '-';
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth_;
    if ((c == ')' || c == ']' || c == '}' || (c == '>' && !arrowHead)) && depth_ > 0) --depth_;
    if (c == '+' || c == '-') ++terms_;
    if (c == ',' || c == '=' || c == ':' || c == '{' || c == '}') terms_ = 0;
    if ((c == '!' || c == '#') && before == '\n') ++aliases_;
    const bool wordCharacter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    word_ = wordCharacter ? word_ + 1 : 0;
  }

  const char *excess() const {
    if (depth_ > kMaxNesting) return "nested brackets";
    if (terms_ > kMaxTerms) return "terms in an affine expression";
    if (aliases_ > kMaxAliases) return "type and attribute aliases";
    if (word_ > kMaxWord) return "characters in a number or name";
    return nullptr;
  }

  void skipString() {
    step();
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') step();
      step();
    }
    if (at_ < text_.size()) step();
  }

  void skipComment() {
    while (at_ < text_.size() && text_[at_] != '\n') step();
  }

  std::string_view text_, file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  int depth_ = 0, terms_ = 0, aliases_ = 0, word_ = 0;
};

}  // namespace

Status screenText(std::string_view text, std::string_view file) {
  const Location whole{std::string(file)};
  if (text.size() > kMaxTextBytes) {
    return unsupported("too-long", whole,
                       fmt::format("the file has {} bytes; the limit is {}", text.size(), kMaxTextBytes),
                       "pass large constants as function arguments");
  }
  if (text.substr(0, 4) == "ML\xefR") {
    return error("not-text", whole, "the file is MLIR bytecode", Screen::kConvert);
  }
  return Screen(text, file).run();
}

}  // namespace pimento::frontend
