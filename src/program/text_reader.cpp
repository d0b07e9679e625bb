#include "pimento/program/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "pimento/base/suggest.h"

namespace pimento::program {

namespace {

constexpr const char *kAffineHint = "affine operands are sums of terms like 16, j, 2*j and j*2";

}  // namespace

std::string printAffine(const Address &a, const std::vector<std::string> &variables,
                        const std::vector<Parameter> &parameters) {
  std::string out;
  const auto add = [&out](std::int64_t s, const std::string &name) {
    if (s == 0) return;
    if (!out.empty() && s > 0) out += '+';
    if (s == -1) out += '-';
    if (s != 1 && s != -1) fmt::format_to(std::back_inserter(out), "{}*", s);
    out += name;
  };
  for (std::size_t p = 0; p < a.parameters.size(); ++p)
    add(a.parameters[p], p < parameters.size() ? parameters[p].name : "?");
  for (std::size_t d = 0; d < a.loops.stride.size(); ++d)
    add(a.loops.stride[d], d < variables.size() ? variables[d] : "?");
  if (out.empty()) return fmt::format("{}", a.loops.base);
  if (a.loops.base != 0) fmt::format_to(std::back_inserter(out), "{:+}", a.loops.base);
  return out;
}

bool TextReader::report(std::string code, Location where, std::string message, std::string hint) {
  found_.push_back(error(std::move(code), std::move(where), std::move(message), std::move(hint)));
  return false;
}

bool TextReader::expected(std::string_view what, std::string hint) {
  return report("program-syntax", scan_.where(), fmt::format("expected {}, found {}", what, scan_.found()),
                std::move(hint));
}

bool TextReader::nextStatement() {
  scan_.skipEmptyLines();
  return !scan_.isAtEnd();
}

bool TextReader::lineEnd() {
  return scan_.isAtLineEnd() || expected("end of line", "write one statement per line; comments start with ';'");
}

bool TextReader::word(std::string_view text, const char *hint) {
  return scan_.takeWord(text) || expected(fmt::format("'{}'", text), hint);
}

bool TextReader::nameInto(std::string &into, std::string_view what) {
  std::optional<std::string> n = scan_.takeName();
  if (!n) return expected(what, "names have letters, digits, '_', '.', ':' and '-'; quote others: \"a b\"");
  into = std::move(*n);
  return true;
}

bool TextReader::number(std::int64_t &into, std::string_view what, std::int64_t low, std::int64_t high,
                        const char *code) {
  const Location where = scan_.where();
  const bool isNegative = scan_.takePunctuation('-');
  const Scanner::Number n = scan_.takeInteger(into, isNegative);
  if (n == Scanner::Number::kNone) return expected(what, "expected a decimal number");
  if (n == Scanner::Number::kTaken && into >= low && into <= high) return true;
  return report(code, where, fmt::format("{} is out of range", what), fmt::format("use {} to {}", low, high));
}

bool TextReader::hasVariable(std::string_view name) const {
  return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
}

bool TextReader::affine(Operand &into) {
  Address a;
  if (!affine(a, {})) return false;
  into = a.loops;
  return true;
}

bool TextReader::affine(Address &into, const std::vector<Parameter> &parameters) {
  into.parameters.assign(parameters.size(), 0);
  bool isNegative = scan_.takePunctuation('-');
  for (;;) {
    if (!term(into, parameters, isNegative)) return false;
    if (scan_.takePunctuation('-'))
      isNegative = true;
    else if (scan_.takePunctuation('+'))
      isNegative = false;
    else
      return true;
  }
}

bool TextReader::term(Address &into, const std::vector<Parameter> &parameters, bool isNegative) {
  const Location where = scan_.where();
  std::int64_t factor = isNegative ? -1 : 1;
  std::int64_t *sum = &into.loops.base;
  const auto read = [&] {
    const Scanner::Number n = scan_.takeInteger(factor, isNegative);
    if (n == Scanner::Number::kTaken) return true;
    if (n == Scanner::Number::kNone) return expected("a number or a loop variable", kAffineHint);
    return report("program-range", scan_.where(), "number is too large", "numbers are limited to 64 bits");
  };
  if (!scan_.peekWord().empty()) {
    if (!variable(into, parameters, sum)) return false;
    if (scan_.takePunctuation('*') && !read()) return false;
  } else {
    if (!read()) return false;
    if (scan_.takePunctuation('*') && !variable(into, parameters, sum)) return false;
  }
  return !__builtin_add_overflow(*sum, factor, sum) ||
         report("program-range", where, "the terms add up to too large a number", "numbers are limited to 64 bits");
}

// Takes a loop variable or a parameter; `sum` becomes its coefficient.
bool TextReader::variable(Address &into, const std::vector<Parameter> &parameters, std::int64_t *&sum) {
  const Location where = scan_.where();
  const std::string w(scan_.peekWord());
  if (w.empty()) return expected("a loop variable", kAffineHint);
  const auto known = std::find(variables_.begin(), variables_.end(), w);
  const auto parameter =
      std::find_if(parameters.begin(), parameters.end(), [&](const Parameter &p) { return p.name == w; });
  if (known == variables_.end() && parameter == parameters.end()) {
    std::vector<std::string> names = variables_;
    for (const Parameter &p : parameters) names.push_back(p.name);
    return report("program-unknown-variable", where,
                  fmt::format("no enclosing loop has the variable {}", scan_.found()),
                  names.empty() ? "there is no enclosing loop; use a number" : suggest(w, names));
  }
  scan_.takeWord();
  sum = known != variables_.end() ? &into.loops.stride[static_cast<std::size_t>(known - variables_.begin())]
                                  : &into.parameters[static_cast<std::size_t>(parameter - parameters.begin())];
  return true;
}

}  // namespace pimento::program
