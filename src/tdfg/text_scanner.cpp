#include "pimento/tdfg/text_scanner.h"

#include <algorithm>
#include <limits>

#include "pimento/base/text.h"

namespace pimento::tdfg {

bool TextScanner::fail(const std::string &code, Location where, const std::string &message, const std::string &hint) {
  found_.push_back(error(code, std::move(where), message, hint));
  return false;
}

bool TextScanner::expected(const std::string &what, const std::string &hint) {
  return fail("tdfg-syntax", scan_.where(), "expected " + what + ", found " + scan_.found(), hint);
}

bool TextScanner::punctuation(char c) {
  return scan_.takePunctuation(c) || expected(std::string("'") + c + "'");
}

bool TextScanner::word(const char *text) {
  return scan_.takeWord(text) || expected(std::string("'") + text + "'");
}

bool TextScanner::number(std::int64_t &into, const char *what, std::int64_t low, std::int64_t high) {
  const Location where = scan_.where();
  const bool isNegative = scan_.takePunctuation('-');
  switch (scan_.takeInteger(into, isNegative)) {
    case Scanner::Number::kNone:
      return expected(what);
    case Scanner::Number::kOutOfRange:
      return fail("tdfg-number", where, std::string(what) + " is beyond 64 bits");
    case Scanner::Number::kTaken:
      break;
  }
  if (into >= low && into <= high) return true;
  return fail("tdfg-number", where, std::string(what) + " is " + std::to_string(into),
              "from " + std::to_string(low) + " to " + std::to_string(high));
}

bool TextScanner::numberInto(int &into, const char *what, std::int64_t low) {
  std::int64_t x = 0;
  if (!number(x, what, low, 1 << 24)) return false;
  into = static_cast<int>(x);
  return true;
}

bool TextScanner::identifier(std::string &into, const char *what) {
  auto name = scan_.takeIdentifier();
  if (!name || name->empty()) return expected(what);
  into = std::move(*name);
  return true;
}

bool TextScanner::quoted(std::string &into, const char *what) {
  if (scan_.peekCharacter() != '"') return expected(what, "put it in quotation marks");
  auto text = scan_.takeName();
  if (!text) return expected(what, "put it in quotation marks");
  into = std::move(*text);
  return true;
}

bool TextScanner::lineEnd() {
  if (!scan_.isAtLineEnd()) return expected("end of line");
  scan_.nextLine();
  return true;
}

bool TextScanner::type(DType &into) {
  const Location where = scan_.where();
  const std::string_view word = scan_.takeWord();
  const auto type = parseDType(word);
  if (!type) return fail("tdfg-syntax", where, "'" + std::string(word) + "' is no element type", dtypeNames());
  into = *type;
  return true;
}

bool TextScanner::arrayName(int &into) {
  const Location where = scan_.where();
  std::string name;
  if (!identifier(name, "an array's name")) return false;
  into = program_.arrayNamed(name);
  if (into >= 0) return true;
  std::vector<std::string> names;
  for (const Array &array : program_.arrays) names.push_back(array.name);
  return fail("tdfg-name", where, "there is no array '" + name + "'",
              names.empty() ? "declare it with 'array'" : "arrays are " + join(names, ", "));
}

bool TextScanner::sizeName(int &into, const char *what) {
  const Location where = scan_.where();
  std::string name;
  if (!identifier(name, what)) return false;
  into = program_.nameNamed(name);
  if (into >= 0) return true;
  return fail("tdfg-name", where, "there is no size, quotient or index '" + name + "'",
              "declare it with 'size', 'quotient' or 'index'");
}

/// Also of a sum of factors: what is printed must be read back.
bool TextScanner::isFactor(std::int64_t factor, const Location &where) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return (factor <= kMost && factor >= -kMost) || fail("tdfg-number", where, "a factor beyond 2^40");
}

bool TextScanner::variable(std::int64_t factor, std::vector<std::int64_t> *factors,
                           const std::vector<std::string> *dims) {
  const Location where = scan_.where();
  if (!factors) return fail("tdfg-syntax", where, "a form of names has no '$' variables");
  std::string name;
  std::int64_t lattice = 0;
  if (scan_.takeInteger(lattice) == Scanner::Number::kTaken) {
    name = std::to_string(lattice);
  } else if (!identifier(name, "a variable")) {
    return false;
  }
  for (std::size_t d = 0; d < dims->size(); ++d) {
    if ((*dims)[d] != name) continue;
    (*factors)[d] += factor;
    return isFactor((*factors)[d], where);
  }
  return fail("tdfg-name", where, "there is no variable '$" + name + "' here",
              dims->empty() ? "" : "variables are $" + join(*dims, ", $"));
}

bool TextScanner::term(Form &into, std::vector<std::int64_t> *factors, const std::vector<std::string> *dims,
                       bool isNegative) {
  std::int64_t factor = isNegative ? -1 : 1;
  const Location where = scan_.where();
  switch (scan_.takeInteger(factor, isNegative)) {
    case Scanner::Number::kOutOfRange:
      return fail("tdfg-number", where, "a number beyond 64 bits");
    case Scanner::Number::kTaken:
      if (!scan_.takePunctuation('*')) {
        into = plus(into, constantForm(factor));
        return true;
      }
      break;
    case Scanner::Number::kNone:
      break;
  }
  if (!isFactor(factor, where)) return false;
  if (scan_.takePunctuation('$')) return variable(factor, factors, dims);
  int name = -1;
  if (!sizeName(name, "a number or a name")) return false;
  into = plus(into, nameForm(name, factor));
  return std::all_of(into.terms.begin(), into.terms.end(),
                     [&](const Term &t) { return t.name != name || isFactor(t.factor, where); });
}

bool TextScanner::form(Form &into, std::vector<std::int64_t> *factors, const std::vector<std::string> *dims) {
  into = {};
  if (factors) factors->assign(dims->size(), 0);
  if (!term(into, factors, dims, scan_.takePunctuation('-'))) return false;
  while (true) {
    const bool isNegative = scan_.peekCharacter() == '-';
    if (!isNegative && scan_.peekCharacter() != '+') return true;
    scan_.takePunctuation(isNegative ? '-' : '+');
    if (!term(into, factors, dims, isNegative)) return false;
  }
}

bool TextScanner::forms(std::vector<Form> &into) {
  into.clear();
  if (!punctuation('[')) return false;
  if (scan_.takePunctuation(']')) return true;
  do {
    into.emplace_back();
    if (!form(into.back())) return false;
  } while (scan_.takePunctuation(','));
  return punctuation(']');
}

bool TextScanner::bound(std::vector<Form> &into, const char *function) {
  into.clear();
  if (scan_.peekWord() != function) {
    into.emplace_back();
    return form(into.back());
  }
  scan_.takeWord();
  if (!punctuation('(')) return false;
  do {
    into.emplace_back();
    if (!form(into.back())) return false;
  } while (scan_.takePunctuation(','));
  return punctuation(')');
}

bool TextScanner::range(Range &into) {
  if (!bound(into.lows, "max") || !punctuation(':') || !bound(into.highs, "min")) return false;
  return !scan_.takePunctuation(':') || number(into.stride, "a stride", 1, std::int64_t{1} << 32);
}

bool TextScanner::box(Box &into) {
  into.clear();
  if (!punctuation('[')) return false;
  if (scan_.takePunctuation(']')) return true;
  do {
    into.emplace_back();
    if (!range(into.back())) return false;
  } while (scan_.takePunctuation(','));
  return punctuation(']');
}

bool TextScanner::operation(kernel::Op &into) {
  const Location where = scan_.where();
  const std::string_view word = scan_.takeWord();
  for (int o = static_cast<int>(kernel::Op::kAdd); o <= static_cast<int>(kernel::Op::kCast); ++o) {
    into = static_cast<kernel::Op>(o);
    if (name(into) == word) return true;
  }
  return fail("tdfg-syntax", where, "'" + std::string(word) + "' is no operation", "add, sub, mul, ..., select, cast");
}

bool TextScanner::combine(kernel::Combine &into) {
  const Location where = scan_.where();
  const std::string_view word = scan_.takeWord();
  for (int c = 0; c <= static_cast<int>(kernel::Combine::kMax); ++c) {
    into = static_cast<kernel::Combine>(c);
    if (name(into) == word && into != kernel::Combine::kAssign) return true;
  }
  return fail("tdfg-syntax", where, "'" + std::string(word) + "' does not combine", "add, mul, min, max");
}

bool TextScanner::literal(DType type, double &constant, std::int64_t &integer) {
  if (!isFloat(type)) {
    if (!number(integer, "an integer", INT64_MIN, INT64_MAX)) return false;
    integer = wrapInteger(type, integer);
    return true;
  }
  const Location where = scan_.where();
  if (scan_.peekCharacter() != '"') {
    const bool isNegative = scan_.takePunctuation('-');
    const std::string_view word = scan_.takeWord();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (word != "inf" && (word != "nan" || isNegative)) return expected("a number in quotation marks, 'inf' or 'nan'");
    constant = word == "nan" ? std::numeric_limits<double>::quiet_NaN() : isNegative ? -kInfinity : kInfinity;
    return true;
  }
  std::string text;
  if (!quoted(text, "a number")) return false;
  const auto x = parseNumber(text);
  if (!x) return fail("tdfg-number", where, "'" + text + "' is no number");
  constant = *x;
  return true;
}

}  // namespace pimento::tdfg
