#include "pimento/base/scanner.h"

#include <algorithm>
#include <limits>

namespace pimento {

namespace {

constexpr bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool isWordPart(char c) {
  return isWordStart(c) || isDigit(c);
}
constexpr bool isNamePart(char c) {
  return isWordPart(c) || c == '.' || c == ':' || c == '-';
}
constexpr bool isPrintable(char c) {
  return c >= ' ' && c <= '~';
}

int hexValue(char c) {
  if (isDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (isPrintable(c))
      out += c;
    else
      out += {'\\', 'x', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[static_cast<unsigned char>(c) & 15]};
  }
  return out;
}

}  // namespace

bool isIdentifier(std::string_view text) {
  return !text.empty() && isWordStart(text.front()) && std::all_of(text.begin(), text.end(), isWordPart);
}

std::string spellName(std::string_view name) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), isNamePart)) return std::string(name);
  return '"' + escaped(name) + '"';
}

std::string spellWord(std::string_view name) {
  return isIdentifier(name) ? std::string(name) : '"' + escaped(name) + '"';
}

Scanner::Scanner(std::string_view text, std::string file, int firstLine)
    : text_(text), file_(std::move(file)), line_(firstLine) {
  skipBlanks();
}

void Scanner::skipBlanks() {
  while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\r')) ++pos_;
  if (pos_ < text_.size() && (text_[pos_] == ';' || text_[pos_] == '#'))
    pos_ = std::min(text_.find('\n', pos_), text_.size());
}

void Scanner::nextLine() {
  pos_ = std::min(text_.find('\n', pos_), text_.size());
  if (isAtEnd()) return;
  lineStart_ = ++pos_;
  ++line_;
  skipBlanks();
}

void Scanner::skipEmptyLines() {
  while (!isAtEnd() && isAtLineEnd()) nextLine();
}

Location Scanner::where() const {
  return {file_, line_, static_cast<int>(pos_ - lineStart_) + 1};
}

std::string Scanner::found() const {
  constexpr std::size_t kLongest = 40;
  if (isAtEnd()) return "end of file";
  if (isAtLineEnd()) return "end of line";
  std::size_t end = pos_ + 1;
  if (isWordPart(text_[pos_]))
    while (end < text_.size() && isWordPart(text_[end]) && end - pos_ < kLongest) ++end;
  return "'" + escaped(text_.substr(pos_, end - pos_)) + "'";
}

std::string_view Scanner::peekWord() const {
  if (isAtEnd() || !isWordStart(text_[pos_])) return {};
  std::size_t end = pos_;
  while (end < text_.size() && isWordPart(text_[end])) ++end;
  return text_.substr(pos_, end - pos_);
}

std::string_view Scanner::takeWord() {
  const std::string_view word = peekWord();
  pos_ += word.size();
  skipBlanks();
  return word;
}

bool Scanner::takeWord(std::string_view word) {
  if (peekWord() != word) return false;
  takeWord();
  return true;
}

bool Scanner::takePunctuation(char c) {
  if (isAtLineEnd() || text_[pos_] != c) return false;
  ++pos_;
  skipBlanks();
  return true;
}

std::optional<std::string> Scanner::takeName() {
  if (isAtLineEnd()) return std::nullopt;
  std::string name;
  std::size_t p = pos_;
  if (text_[p] != '"') {
    while (p < text_.size() && isNamePart(text_[p])) name += text_[p++];
    if (name.empty()) return std::nullopt;
  } else {
    for (++p;; ++p) {
      if (p >= text_.size() || text_[p] == '\n') return std::nullopt;
      if (text_[p] == '"') break;
      if (text_[p] != '\\') {
        name += text_[p];
        continue;
      }
      if (++p >= text_.size()) return std::nullopt;
      if (text_[p] == '"' || text_[p] == '\\') {
        name += text_[p];
        continue;
      }
      if (text_[p] != 'x' || p + 2 >= text_.size()) return std::nullopt;
      const int high = hexValue(text_[p + 1]), low = hexValue(text_[p + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      name += static_cast<char>(high * 16 + low);
      p += 2;
    }
    ++p;
  }
  pos_ = p;
  skipBlanks();
  return name;
}

std::optional<std::string> Scanner::takeIdentifier() {
  if (peekCharacter() == '"') return takeName();
  const std::string_view word = takeWord();
  return word.empty() ? std::nullopt : std::optional<std::string>(word);
}

Scanner::Number Scanner::takeInteger(std::int64_t &value, bool isNegated) {
  if (isAtEnd() || !isDigit(text_[pos_])) return Number::kNone;
  const std::uint64_t limit =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (isNegated ? 1U : 0U);
  std::uint64_t magnitude = 0;
  std::size_t p = pos_;
  for (; p < text_.size() && isDigit(text_[p]); ++p) {
    const auto digit = static_cast<std::uint64_t>(text_[p] - '0');
    if (magnitude > (limit - digit) / 10) return Number::kOutOfRange;
    magnitude = magnitude * 10 + digit;
  }
  value = static_cast<std::int64_t>(isNegated ? 0 - magnitude : magnitude);
  pos_ = p;
  skipBlanks();
  return Number::kTaken;
}

}  // namespace pimento
