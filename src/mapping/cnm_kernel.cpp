#include "pimento/mapping/cnm_kernel.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/mapping/cnm_words.h"

namespace pimento::mapping {

using kernel::Affine;
using kernel::Form;
using kernel::Op;

namespace {

constexpr std::int64_t kMaxFollowed = 1 << 20;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr const char *kAffineHint =
    "use sums of terms like 16, i, 2*i and i*2 with the kernel's induction variables and sizes";
constexpr const char *kElementHint = "an element is: A[i,2*j+1]";

std::vector<std::string> statementWords() {
  std::vector<std::string> words = {"induction", "guard", "bound", "predicate", "limit", "store"};
  words.insert(words.end(), CnmSpaces::words().begin(), CnmSpaces::words().end());
  return words;
}

}  // namespace

bool CnmKernel::parse(const Location &where) {
  if (!header(where)) return false;
  text_.scan.nextLine();
  return statements(where, "kernel");
}

bool CnmKernel::parseBody(kernel::Kernel kernel, std::vector<Location> dimPlaces) {
  const Location where = kernel.where;
  kernel_ = std::move(kernel);
  places_.dims = std::move(dimPlaces);
  isPastInductions_ = isBody_ = true;
  return statements(where, "function");
}

bool CnmKernel::statements(const Location &where, std::string_view what) {
  Scanner &scan = text_.scan;
  for (scan.skipEmptyLines(); !scan.isAtEnd() && !text_.isFull(); scan.nextLine(), scan.skipEmptyLines()) {
    if (scan.takePunctuation('}')) {
      text_.lineEnd();
      scan.nextLine();
      return true;
    }
    if (!statement()) return false;
  }
  return text_.isFull() ||
         text_.report("cnm-unclosed", where, std::string(what) + " " + spellName(kernel_.name) + " is not closed",
                      "add a line with '}'");
}

bool CnmKernel::header(const Location &where) {
  kernel_.where = where;
  if (!text_.name(kernel_.name, "the kernel's name")) return false;
  if (!text_.scan.peekWord().empty()) {
    std::size_t form = 0;
    if (!text_.word(form, "a form of a kernel", formWords())) return false;
    kernel_.form = static_cast<Form>(form);
  }
  return text_.punctuation('{', "'{' must end the line that opens a block") && text_.lineEnd();
}

/// Nothing: a block was left open. A line with a mistake costs only itself.
std::optional<bool> CnmKernel::statement() {
  const Location where = text_.scan.where();
  const std::string word(text_.scan.peekWord());
  if (word == "induction" && !isBody_) {
    text_.scan.takeWord();
    return induction(where);
  }
  isPastInductions_ = true;
  if (text_.scan.takePunctuation('@')) return request(where);
  if (text_.scan.takePunctuation('%')) return value(where);
  static const std::vector<std::string> kOfKernels = statementWords(), kOfBodies = {"guard", "store"};
  const std::vector<std::string> &kWords = isBody_ ? kOfBodies : kOfKernels;
  if (std::find(kWords.begin(), kWords.end(), word) == kWords.end()) {
    std::vector<std::string> choices = kWords;
    choices.insert(choices.end(), {"@N = read", "%N = OPERATION", "}"});
    return text_.unknownWord("a statement of a kernel", choices);
  }
  text_.scan.takeWord();
  if (word == "guard") return guard(where);
  if (word == "bound") return bound(where);
  if (word == "predicate") return predicate(where);
  if (word == "limit") return limit(where);
  if (word == "store") return store(where);
  return spaces_.statement(word, where);
}

bool CnmKernel::induction(const Location &at) {
  kernel::Dim dim;
  const Location where = text_.scan.where();
  if (!text_.identifier(dim.name, "the name of an induction variable")) return false;
  if (isPastInductions_)
    return text_.report("cnm-misplaced", where, "induction variable " + spellWord(dim.name) + " is declared too late",
                        "declare induction variables first in a kernel");
  if (kernel_.dims.size() == kMaxCnmDims)
    return text_.report("cnm-too-large", where, "more than " + std::to_string(kMaxCnmDims) + " induction variables",
                        "merge some");
  const bool isNew = kernel_.dimNamed(dim.name) < 0;
  if (!isNew)
    return text_.duplicate(where, "induction variable " + spellWord(dim.name) + " already exists", "rename one");
  kernel_.dims.push_back(dim);  // with a mistake below it is known all the same
  kernel_.dims.back().extent = 1;
  places_.dims.push_back(at);
  std::size_t kind = 0;
  if (!text_.extent(dim.extent, "the extent", 1, kLargest) ||
      !text_.word(kind, "a kind of induction variable", kindWords()) || !text_.lineEnd())
    return false;
  dim.kind = static_cast<kernel::DimKind>(kind);
  kernel_.dims.back() = std::move(dim);
  return true;
}

bool CnmKernel::guard(const Location &where) {
  if (kernel_.guards.size() == kMaxCnmGuards)
    return text_.report("cnm-too-large", where, "more than " + std::to_string(kMaxCnmGuards) + " guards",
                        "split the kernel");
  Affine guard = zero();
  if (!affine(guard) || !text_.lineEnd()) return false;
  kernel_.guards.push_back(std::move(guard));
  places_.guards.push_back(where);
  return true;
}

// ---- Requests and values ----

/// "N =", where N is the next number.
bool CnmKernel::numbering(char mark, std::size_t next, std::string_view what) {
  const Location where = text_.scan.where();
  std::int64_t n = 0;
  if (!text_.number(n, std::string("the number of ") + std::string(what), 0, kLargest)) return false;
  if (n != static_cast<std::int64_t>(next))
    text_.report("cnm-numbering", where,
                 std::string("expected ") + std::string(what) + " " + mark + std::to_string(next) + ", found " + mark +
                     std::to_string(n),
                 "number them from 0, in the order written");
  return text_.punctuation('=', "a statement is: @0 = read A[i,j], or %0 = load f32 @0");
}

bool CnmKernel::request(const Location &where) {
  kernel::Access access;
  const bool isRead = numbering('@', kernel_.loads.size(), "request") &&
                      (text_.scan.takeWord("read") || text_.unknownWord("'read'", {"read"})) && element(access) &&
                      checkRank(access, where) && text_.lineEnd();
  kernel_.loads.push_back(std::move(access));  // with a mistake: what follows is numbered all the same
  places_.loads.push_back(where);
  return isRead;
}

bool CnmKernel::value(const Location &where) {
  kernel::Value v;
  const bool isRead = numbering('%', kernel_.body.size(), "value") && valueRest(v) && text_.lineEnd();
  kernel_.body.push_back(v);
  places_.values.push_back(where);
  return isRead;
}

bool CnmKernel::valueRest(kernel::Value &into) {
  std::size_t op = 0;
  if (!text_.word(op, "an operation", operationWords())) return false;
  into.op = static_cast<Op>(op);
  if (!text_.type(into.type)) return false;
  switch (into.op) {
    case Op::kConstant:
      return constant(into);
    case Op::kLoad:
      return reference(into.access, '@', kernel_.loads.size(), "request");
    case Op::kIndex:
      return variable(into.dim);
    default:
      for (int a = 0; a < kernel::argumentCount(into.op); ++a)
        if (!reference(into.args[static_cast<std::size_t>(a)], '%', kernel_.body.size(), "value")) return false;
      return true;
  }
}

bool CnmKernel::constant(kernel::Value &into) {
  if (isFloat(into.type)) return floating(into.constant);
  const Location where = text_.scan.where();
  if (!text_.extent(into.integer, "an integer", std::numeric_limits<std::int64_t>::min(), kLargest)) return false;
  return wrapInteger(into.type, into.integer) == into.integer ||
         text_.report("cnm-number", where,
                      std::to_string(into.integer) + " is out of range for " + std::string(name(into.type)),
                      "write a value of that type, or use a wider type and cast");
}

bool CnmKernel::floating(double &into) {
  Scanner &scan = text_.scan;
  const Location where = scan.where();
  const char first = scan.peekCharacter();
  std::string text = first == '"' ? "" : scan.takeName().value_or("");
  if ((text.ends_with('e') || text.ends_with('E')) && scan.takePunctuation('+')) text += scan.takeName().value_or("");
  if (text.empty()) return text_.expected("a number", "write it in decimal, or nan, inf, -inf");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::uint64_t bits = 0;
  const std::string_view payload = text.starts_with("nan:") ? std::string_view(text).substr(4) : std::string_view();
  const auto [end, status] = std::from_chars(payload.data(), payload.data() + payload.size(), bits, 16);
  const auto n = parseNumber(text);
  if (n)
    into = *n;
  else if (text == "inf" || text == "-inf")
    into = text == "inf" ? kInfinity : -kInfinity;
  else if (text == "nan")
    into = std::numeric_limits<double>::quiet_NaN();
  else if (payload.size() == 16 && status == std::errc() && end == payload.data() + payload.size() &&
           std::bit_cast<double>(bits) != std::bit_cast<double>(bits))
    into = std::bit_cast<double>(bits);
  else
    return text_.report("cnm-number", where, spellName(text.substr(0, 40)) + " is not a number, or out of range",
                        "write it in decimal, or nan, inf, -inf");
  return true;
}

/// A mark and the number of something that exists.
bool CnmKernel::reference(int &into, char mark, std::size_t known, std::string_view what) {
  const Location where = text_.scan.where();
  std::int64_t n = 0;
  if (!text_.scan.takePunctuation(mark))
    return text_.expected(std::string("a ") + std::string(what) + " (" + mark + "N)", "arguments: %N, requests: @N");
  if (!text_.number(n, std::string("the number of a ") + std::string(what), 0, kLargest)) return false;
  if (static_cast<std::uint64_t>(n) < known) {
    into = static_cast<int>(n);
    return true;
  }
  return text_.report("cnm-unknown-value", where,
                      std::string("there is no ") + std::string(what) + " " + mark + std::to_string(n) + " before this",
                      known == 0   ? std::string("none was defined before this")
                      : known == 1 ? std::string("only ") + mark + "0"
                                   : std::string("choices: ") + mark + "0 to " + mark + std::to_string(known - 1));
}

bool CnmKernel::bound(const Location &where) {
  kernel::DataBounds bounds;
  if (!variable(bounds.dim)) return false;
  if (kernel_.boundsOf(bounds.dim) != nullptr)
    return text_.duplicate(where, "the induction variable already has bounds", "remove one");
  const auto part = [&](const char *word, int &into) {
    return !text_.scan.takeWord(word) || reference(into, '%', kernel_.body.size(), "value");
  };
  if (!part("from", bounds.first) || !part("to", bounds.end)) return false;
  if (bounds.first < 0 && bounds.end < 0)
    return text_.expected("'from' or 'to'", "write, for example: bound e from %1 to %3");
  if (!text_.lineEnd()) return false;
  kernel_.bounds.push_back(bounds);
  places_.bounds.push_back(where);
  return true;
}

bool CnmKernel::predicate(const Location &where) {
  if (kernel_.predicate != -1) return text_.duplicate(where, "the kernel already has a predicate", "remove one");
  return reference(kernel_.predicate, '%', kernel_.body.size(), "value") && text_.lineEnd();
}

bool CnmKernel::limit(const Location &where) {
  if (kernel_.limit != -1) return text_.duplicate(where, "the kernel already has a limit", "remove one");
  return text_.extent(kernel_.limit, "the limit per row", 1, kLargest) && text_.lineEnd();
}

bool CnmKernel::store(const Location &where) {
  kernel::Store s;
  std::vector<std::string> words = combineWords();
  if (kernel_.form == Form::kSelect) words.emplace_back("append");  // what an assignment is in a selection
  words.emplace_back("with");                                       // what follows a minimum or maximum
  std::size_t combine = 0;
  if (!text_.word(combine, "a store kind", words)) return false;
  if (combine < combineWords().size()) s.combine = static_cast<kernel::Combine>(combine);
  if (words[combine] == "with") {
    std::int64_t followed = 0;
    if (!text_.number(followed, "the number of a store, from 0", 0, kMaxFollowed)) return false;
    s.follows = static_cast<int>(followed);
  }
  if (!element(s.target)) return false;
  if (!checkRank(s.target, where) || !reference(s.value, '%', kernel_.body.size(), "value") || !text_.lineEnd())
    return false;
  kernel_.stores.push_back(std::move(s));
  places_.stores.push_back(where);
  return true;
}

// ---- Elements ----

bool CnmKernel::operand(int &into) {
  const Location where = text_.scan.where();
  std::string name;
  if (!text_.identifier(name, "an operand")) return false;
  const auto known = operands_.find(name);
  if (known != operands_.end()) {
    into = known->second;
    return true;
  }
  constexpr std::size_t kMostNamed = 16;
  std::vector<std::string> names;
  for (const kernel::Tensor &t : module_.graph.tensors)
    if (names.size() < kMostNamed) names.push_back(isBody_ ? t.name + "_core" : t.name);
  return text_.report("cnm-unknown-operand", where, "unknown operand " + spellWord(name),
                      names.empty() ? "declare it before the kernel: operand A f32[64] input" : suggest(name, names));
}

bool CnmKernel::element(kernel::Access &into) {
  if (!operand(into.tensor) || !text_.punctuation('[', kElementHint)) return false;
  while (!text_.scan.takePunctuation(']')) {
    if (!into.index.empty() && !text_.punctuation(',', kElementHint)) return false;
    if (into.index.size() == kMaxCnmRank)
      return text_.report("cnm-too-large", text_.scan.where(), "more than " + std::to_string(kMaxCnmRank) + " indices",
                          "operands have fewer dimensions");
    into.index.push_back(zero());
    if (text_.scan.peekCharacter() != '%') {
      if (!affine(into.index.back())) return false;
      continue;
    }
    if (into.isIndirect())
      return text_.report("cnm-syntax", text_.scan.where(), "two indices are values",
                          "only one index may come from data: h[i,%3]");
    into.indirectAt = static_cast<int>(into.index.size()) - 1;
    if (!reference(into.indirectIndex, '%', kernel_.body.size(), "value")) return false;
  }
  return true;
}

bool CnmKernel::checkRank(const kernel::Access &access, const Location &where) {
  const kernel::Tensor &t = module_.graph.tensors[static_cast<std::size_t>(access.tensor)];
  if (t.shape.size() == access.index.size()) return true;
  return text_.report("cnm-rank", where,
                      spellWord(t.name) + " has " + std::to_string(t.shape.size()) + " dimensions, but gets " +
                          std::to_string(access.index.size()) + " indices",
                      "use one index per dimension");
}

bool CnmKernel::affine(Affine &into) {
  coefficients_ += kernel_.dims.size() + 1;
  if (coefficients_ > kMaxCnmCoefficients)
    return text_.report("cnm-too-large", text_.scan.where(),
                        "more than " + std::to_string(kMaxCnmCoefficients) + " coefficients", "split the graph");
  bool isNegative = text_.scan.takePunctuation('-');
  for (;;) {
    if (!term(into, isNegative)) return false;
    isNegative = text_.scan.takePunctuation('-');
    if (!isNegative && !text_.scan.takePunctuation('+')) return true;
  }
}

bool CnmKernel::term(Affine &into, bool isNegative) {
  CnmText::Term term;
  if (!text_.term(term, isNegative, "a number or an induction variable", kAffineHint)) return false;
  std::int64_t *sum = &into.constant;
  bool fits = true;
  if (!term.name.empty()) {
    const int d = kernel_.dimNamed(term.name);
    const auto size = text_.sizes.find(term.name);
    if (d >= 0)
      sum = &into.coefficients[static_cast<std::size_t>(d)];
    else if (size != text_.sizes.end())
      fits = !__builtin_mul_overflow(term.factor, size->second, &term.factor);
    else
      return unknownVariable(term.name, term.where);
  }
  return (fits && !__builtin_add_overflow(*sum, term.factor, sum)) ||
         text_.report("cnm-number", term.where, "the terms add up to too large a number",
                      "numbers are limited to 64 bits");
}

bool CnmKernel::unknownVariable(const std::string &name, const Location &where) {
  std::vector<std::string> names;
  for (const kernel::Dim &dim : kernel_.dims) names.push_back(dim.name);
  return text_.report("cnm-unknown-induction", where, "the kernel has no induction variable " + spellWord(name),
                      names.empty() ? "declare it first: induction i 64 parallel" : suggest(name, names));
}

/// Takes an induction variable as the index of a dim.
bool CnmKernel::variable(int &dim) {
  const Location where = text_.scan.where();
  std::string name;
  if (!text_.identifier(name, "an induction variable")) return false;
  dim = kernel_.dimNamed(name);
  return dim >= 0 || unknownVariable(name, where);
}

}  // namespace pimento::mapping
