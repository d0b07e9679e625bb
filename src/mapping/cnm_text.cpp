#include "pimento/mapping/cnm_text.h"

#include <algorithm>

#include "pimento/base/dtype.h"
#include "pimento/base/suggest.h"
#include "pimento/mapping/cnm.h"

namespace pimento::mapping {

bool CnmText::isFull() const {
  return found.size() >= kMaxCnmDiagnostics;
}

bool CnmText::report(std::string code, Location where, std::string message, std::string hint) {
  if (!isFull()) found.push_back(error(std::move(code), std::move(where), std::move(message), std::move(hint)));
  return false;
}

bool CnmText::expected(std::string_view what, std::string hint) {
  return report("cnm-syntax", scan.where(), "expected " + std::string(what) + ", found " + scan.found(),
                std::move(hint));
}

bool CnmText::unknownWord(std::string_view what, const std::vector<std::string> &choices) {
  const std::string word(scan.peekWord());
  if (word.empty()) return expected(what, suggest("", choices));
  return report("cnm-unknown-word", scan.where(), scan.found() + " is not " + std::string(what),
                suggest(word, choices));
}

bool CnmText::duplicate(const Location &where, const std::string &what, const std::string &hint) {
  return report("cnm-duplicate", where, what, hint);
}

bool CnmText::lineEnd() {
  return scan.isAtLineEnd() || expected("end of line", "write one statement per line; comments start with ';'");
}

bool CnmText::punctuation(char c, const char *hint) {
  return scan.takePunctuation(c) || expected(std::string("'") + c + "'", hint);
}

bool CnmText::name(std::string &into, std::string_view what) {
  std::optional<std::string> n = scan.takeName();
  if (!n) return expected(what, "names have letters, digits, '_', '.', ':' and '-'; quote others: \"a b\"");
  into = std::move(*n);
  return true;
}

bool CnmText::identifier(std::string &into, std::string_view what) {
  std::optional<std::string> n = scan.takeIdentifier();
  if (!n) return expected(what, "letters, digits and '_'; quote other names: \"a b\"");
  into = std::move(*n);
  return true;
}

bool CnmText::number(std::int64_t &into, std::string_view what, std::int64_t low, std::int64_t high) {
  const Location where = scan.where();
  const bool isNegative = scan.takePunctuation('-');
  const Scanner::Number n = scan.takeInteger(into, isNegative);
  if (n == Scanner::Number::kNone) return expected(what, "expected a decimal number");
  if (n == Scanner::Number::kTaken && into >= low && into <= high) return true;
  return report("cnm-number", where, std::string(what) + " is out of range",
                "legal: " + std::to_string(low) + " to " + std::to_string(high));
}

bool CnmText::term(Term &into, bool isNegative, std::string_view what, const char *hint) {
  into = {isNegative ? -1 : 1, {}, scan.where()};
  const auto number = [&] {
    const Scanner::Number n = scan.takeInteger(into.factor, isNegative);
    if (n == Scanner::Number::kTaken) return true;
    if (n == Scanner::Number::kNone) return expected(what, hint);
    return report("cnm-number", scan.where(), "the number is too large", "numbers are limited to 64 bits");
  };
  const auto name = [&] {
    into.where = scan.where();
    std::optional<std::string> n = scan.takeIdentifier();
    if (!n) return expected(what, hint);
    into.name = std::move(*n);
    return true;
  };
  const char c = scan.peekCharacter();
  if (c >= '0' && c <= '9') return number() && (!scan.takePunctuation('*') || name());
  return name() && (!scan.takePunctuation('*') || number());
}

bool CnmText::extent(std::int64_t &into, std::string_view what, std::int64_t low, std::int64_t high) {
  const Location where = scan.where();
  std::int64_t sum = 0;
  bool isNegative = scan.takePunctuation('-');
  bool fits = true;
  for (;;) {
    Term t;
    if (!term(t, isNegative, what, "a number, or a sum of numbers and sizes: 64, n, 2*n+1")) return false;
    if (!t.name.empty()) {
      const auto size = sizes.find(t.name);
      if (size == sizes.end()) {
        std::vector<std::string> names;
        for (const auto &[each, value] : sizes) names.push_back(each);
        return report("unknown-size", t.where, "unknown size " + spellWord(t.name),
                      names.empty() ? "declare it first: size " + spellWord(t.name) + " 64" : suggest(t.name, names));
      }
      fits &= !__builtin_mul_overflow(t.factor, size->second, &t.factor);
    }
    fits &= !__builtin_add_overflow(sum, t.factor, &sum);
    isNegative = scan.takePunctuation('-');
    if (!isNegative && !scan.takePunctuation('+')) break;
  }
  into = sum;
  if (fits && sum >= low && sum <= high) return true;
  return report("cnm-number", where, std::string(what) + " is out of range" + (fits ? ": " + std::to_string(sum) : ""),
                "legal: " + std::to_string(low) + " to " + std::to_string(high));
}

bool CnmText::word(std::size_t &into, std::string_view what, const std::vector<std::string> &choices) {
  const auto at = std::find(choices.begin(), choices.end(), scan.peekWord());
  if (at == choices.end()) return unknownWord(what, choices);
  scan.takeWord();
  into = static_cast<std::size_t>(at - choices.begin());
  return true;
}

bool CnmText::type(DType &into) {
  const std::optional<DType> t = parseDType(scan.peekWord());
  if (!t) {
    std::vector<std::string> names;
    for (const DType each : allDTypes()) names.emplace_back(pimento::name(each));
    return unknownWord("an element type", names);
  }
  scan.takeWord();
  into = *t;
  return true;
}

}  // namespace pimento::mapping
