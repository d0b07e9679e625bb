#include "pimento/dpu/assembly_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "pimento/base/text.h"

namespace pimento::dpu {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char &c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// The length of a string or character literal at the start of `text`; 1 where it does not end.
std::size_t literalLength(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text.front()) {
      return i + 1;
    }
  }
  return 1;
}

Piece trimmed(std::string_view line, std::size_t begin, std::size_t end) {
  while (begin < end && isSpace(line[begin])) ++begin;
  while (end > begin && isSpace(line[end - 1])) --end;
  return {line.substr(begin, end - begin), static_cast<int>(begin) + 1};
}

/// What stands between commas from `at` on; nothing where there is only white space.
std::vector<Piece> splitOperands(std::string_view line, std::size_t at) {
  std::vector<Piece> operands;
  if (trimmed(line, at, line.size()).text.empty()) return operands;
  std::size_t begin = at;
  for (std::size_t i = at; i <= line.size(); ++i) {
    if (i < line.size() && (line[i] == '"' || line[i] == '\'')) {
      i += literalLength(line.substr(i)) - 1;
    } else if (i == line.size() || line[i] == ',') {
      operands.push_back(trimmed(line, begin, i));
      begin = i + 1;
    }
  }
  return operands;
}

/// Decimal or 0x. Without a sign up to 2^64 - 1: the bits of a double or of an unsigned number, taken as they are.
std::optional<std::int64_t> readWord(std::string_view digits, bool isNegative) {
  if (isNegative) return parseInteger("-" + std::string(digits));
  if (const std::optional<std::int64_t> number = parseInteger(digits)) return number;
  const int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t word = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), word, base);
  if (status != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<std::int64_t>(word);
}

}  // namespace

bool isSymbolStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
}

bool isSymbolCharacter(char c) {
  return isSymbolStart(c) || isDigit(c) || c == '@';
}

bool isLocalNumber(std::string_view label) {
  return !label.empty() && label.size() <= 9 && std::all_of(label.begin(), label.end(), isDigit);
}

bool isLocalReference(std::string_view name) {
  return name.size() > 1 && (name.back() == 'f' || name.back() == 'b') &&
         isLocalNumber(name.substr(0, name.size() - 1));
}

bool isQuotedName(std::string_view text) {
  return text.size() > 2 && text.front() == '"' && text.back() == '"';
}

std::string_view withoutQuotes(std::string_view name) {
  return isQuotedName(name) ? name.substr(1, name.size() - 2) : name;
}

std::vector<std::size_t> LineReader::blank() {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < line_.size(); ++i) {
    const std::string_view rest = std::string_view(line_).substr(i);
    if (isInComment_) {
      isInComment_ = !rest.starts_with("*/");
      if (!isInComment_) line_[i + 1] = ' ';
      line_[i] = ' ';
    } else if (rest.starts_with("//")) {
      line_.resize(i);
    } else if (rest.starts_with("/*")) {
      isInComment_ = true;
      line_[i] = line_[i + 1] = ' ';
    } else if (rest.front() == ';') {
      ends.push_back(i);
    } else if (rest.front() == '"' || rest.front() == '\'') {
      i += literalLength(rest) - 1;
    }
  }
  ends.push_back(line_.size());
  return ends;
}

namespace {

/// What stands from `at` to the end of `text`.
Statement statementIn(std::string_view text, std::size_t at) {
  Statement statement;
  auto skipSpace = [&] {
    while (at < text.size() && isSpace(text[at])) ++at;
  };
  auto word = [&] {
    const std::size_t begin = at;
    // A string is a word where a label may be: "id":
    const std::size_t quoted = text[at] == '"' ? at + literalLength(text.substr(at)) : 0;
    if (quoted != 0 && quoted < text.size() && text[quoted] == ':') at = quoted;
    while (at < text.size() && !isSpace(text[at]) && text[at] != ':' && text[at] != '=' && text[at] != '"') ++at;
    return Piece{text.substr(begin, at - begin), static_cast<int>(begin) + 1};
  };
  for (skipSpace(); at < text.size(); skipSpace()) {
    const Piece piece = word();
    const std::size_t afterWord = at;
    skipSpace();
    if (at < text.size() && text[at] == ':') {
      statement.labels.push_back(piece);
      ++at;
      continue;
    }
    statement.mnemonic = piece;
    if (at == static_cast<std::size_t>(piece.column) - 1 && at < text.size()) {
      statement.mnemonic.text = text.substr(at++, 1);  // a stray = or "
    }
    at = std::max(at, afterWord);
    break;
  }
  statement.rest = trimmed(text, at, text.size());
  statement.operands = splitOperands(text, at);
  return statement;
}

}  // namespace

std::vector<Statement> LineReader::read(std::string_view line) {
  line_ = std::string(line);
  std::size_t first = 0;
  while (first < line_.size() && isSpace(line_[first])) ++first;
  if (!isInComment_ && first < line_.size() && line_[first] == '#') return {Statement{}};
  std::vector<Statement> statements;
  std::size_t begin = 0;
  for (const std::size_t end : blank()) {
    statements.push_back(statementIn(std::string_view(line_).substr(0, end), begin));
    begin = end + 1;
  }
  return statements;
}

std::optional<RegisterName> readRegister(std::string_view text) {
  static constexpr std::string_view kNames[] = {"zero", "one", "lneg", "mneg", "id", "id2", "id4", "id8"};
  if (text.size() < 2 || text.size() > 8) return std::nullopt;
  const std::string lower = lowered(text);
  for (unsigned i = 0; i < 8; ++i) {
    if (lower == kNames[i]) return RegisterName{'r', 24 + i};
  }
  if (lower[0] != 'r' && lower[0] != 's' && lower[0] != 'd') return std::nullopt;
  for (const char c : lower.substr(1)) {
    if (!isDigit(c)) return std::nullopt;
  }
  const std::int64_t number = *parseInteger(lower.substr(1));
  const bool exists = number < (lower[0] == 's' ? 32 : 24) && (lower.size() == 2 || lower[1] != '0') &&
                      (lower[0] != 'd' || number % 2 == 0);
  return RegisterName{lower[0], exists ? static_cast<unsigned>(number) : 64};
}

Result<Expression> readExpression(Piece piece, const Location &line) {
  auto fail = [&](std::size_t at, std::string message) {
    return error("dpu-asm-expression", {line.file, line.line, piece.column + static_cast<int>(at)}, std::move(message),
                 "an expression is a sum of decimal or 0x numbers, symbols and '.', as in label + 2");
  };
  Expression sum;
  const std::string_view text = piece.text;
  bool needsTerm = true;
  for (std::size_t at = 0;;) {
    bool isNegative = false;
    bool hasSign = false;
    for (; at < text.size() && (isSpace(text[at]) || text[at] == '+' || text[at] == '-'); ++at) {
      if (isSpace(text[at])) continue;
      isNegative ^= text[at] == '-';
      hasSign = true;
    }
    if (at == text.size()) {
      if (needsTerm || hasSign) return fail(at, "an operand is missing");
      return sum;
    }
    if (!needsTerm && !hasSign) return fail(at, "'" + std::string(text.substr(at)) + "' needs a + or - before it");
    const std::size_t begin = at;
    if (text[at] == '\'') {
      const std::size_t length = literalLength(text.substr(at));
      const Result<std::string> character = readString({text.substr(at, length), piece.column}, line);
      if (!character || character->size() != 1) return fail(at, "not a character");
      at += length;
      sum.number += (isNegative ? -1 : 1) * static_cast<unsigned char>(character->front());
    } else if (isDigit(text[at])) {
      while (at < text.size() && isSymbolCharacter(text[at])) ++at;
      const std::string_view digits = text.substr(begin, at - begin);
      if (isLocalReference(digits)) {
        sum.terms.push_back({std::string(digits), isNegative, piece.column + static_cast<int>(begin)});
        needsTerm = false;
        continue;
      }
      const std::optional<std::int64_t> number = readWord(digits, isNegative);
      if (!number || __builtin_add_overflow(sum.number, *number, &sum.number)) {
        return fail(begin, "'" + std::string(digits) + "' is not a number in range");
      }
    } else if (isSymbolStart(text[at]) || text[at] == '"') {
      if (text[at] == '"') {
        at += literalLength(text.substr(at));
        if (!isQuotedName(text.substr(begin, at - begin))) return fail(begin, "not a symbol");
      }
      while (at < text.size() && isSymbolCharacter(text[at])) ++at;
      sum.terms.push_back(
          {std::string(text.substr(begin, at - begin)), isNegative, piece.column + static_cast<int>(begin)});
      if (sum.terms.size() > 16) return fail(begin, "too many symbols in one expression");
    } else {
      return fail(at, "'" + std::string(text.substr(at, 1)) + "' is not allowed in an expression");
    }
    needsTerm = false;
  }
}

Result<std::string> readString(Piece piece, const Location &line) {
  const std::string_view text = piece.text;
  const Diagnostic wrong =
      error("dpu-asm-string", {line.file, line.line, piece.column}, "'" + std::string(text) + "' is not a string",
            "put a string in double quotes; \\n, \\t, \\\\, \\\", \\123 and \\x41 are escapes");
  if (text.size() < 2 || text.front() != text.back() || literalLength(text) != text.size()) return wrong;
  std::string value;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') {
      value += text[i];
      continue;
    }
    const char escape = text[++i];
    static constexpr std::string_view kLetters = "ntrbfva\\\"'", kValues = "\n\t\r\b\f\v\a\\\"'";
    if (const std::size_t found = kLetters.find(escape); found != kLetters.npos) {
      value += kValues[found];
    } else if (escape >= '0' && escape <= '7') {
      unsigned number = 0;
      std::size_t digits = 0;
      for (; digits < 3 && text[i] >= '0' && text[i] <= '7'; ++digits) number = number * 8 + (text[i++] - '0');
      --i;
      value += static_cast<char>(number);
    } else if (escape == 'x') {
      unsigned number = 0;
      std::size_t digits = 0;
      for (; digits < 2 && std::isxdigit(static_cast<unsigned char>(text[i + 1])); ++digits) {
        number = number * 16 + static_cast<unsigned>(*parseInteger("0x" + std::string(1, text[++i])));
      }
      if (digits == 0) return wrong;
      value += static_cast<char>(number);
    } else {
      return wrong;
    }
  }
  return value;
}

}  // namespace pimento::dpu
