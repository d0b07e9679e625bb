#include "pimento/machine/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::machine {

namespace {

constexpr int kDeepest = 64;  // parentheses; formulas of datasheets need two or three
constexpr const char *kGrammarHint =
    "a formula consists of names, integers, + - * / ( ), max(a, b) and min(a, b), as in 'RL + BL/2 - max(WL, 4)'";

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool isNamePart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

}  // namespace

/// Recursive descent, depth bounded.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Location where, bool isReal)
      : text_(text), start_(std::move(where)), isReal_(isReal) {
    out_.text_ = std::string(text);
  }

  Result<Expression> run() {
    sum(0);
    skipSpace();
    if (!failure_ && at_ < text_.size()) fail("unexpected '" + std::string(1, text_[at_]) + "'");
    if (failure_) return *failure_;
    return std::move(out_);
  }

 private:
  using Op = Expression::Op;

  void sum(int depth) {
    product(depth);
    while (!failure_) {
      const Location where = here();
      if (take('+')) {
        product(depth);
        emit(Op::kAdd, 2, where);
      } else if (take('-')) {
        product(depth);
        emit(Op::kSubtract, 2, where);
      } else {
        return;
      }
    }
  }

  void product(int depth) {
    factor(depth);
    while (!failure_) {
      const Location where = here();
      if (take('*')) {
        factor(depth);
        emit(Op::kMultiply, 2, where);
      } else if (take('/')) {
        factor(depth);
        emit(Op::kDivide, 2, where);
      } else {
        return;
      }
    }
  }

  void factor(int depth) {
    if (failure_) return;
    if (depth > kDeepest) return fail("the formula nests more than " + std::to_string(kDeepest) + " levels");
    const Location where = here();
    if (take('-')) {
      factor(depth + 1);
      return emit(Op::kNegate, 1, where);
    }
    if (take('(')) {
      sum(depth + 1);
      if (!failure_ && !take(')')) fail("a ')' is missing");
      return;
    }
    skipSpace();
    if (at_ == text_.size()) return fail("the formula is incomplete");
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number(where);
    if (isNameStart(text_[at_])) return name(depth, where);
    fail("unexpected '" + std::string(1, text_[at_]) + "'");
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && isNamePart(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void number(const Location &where) {
    const std::size_t begin = at_;
    std::string_view digits = word();
    const bool hasSign = at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+');
    if (isReal_ && hasSign && digits.ends_with('e') && !digits.starts_with("0x")) {
      ++at_;
      word();
      digits = text_.substr(begin, at_ - begin);
    }
    Expression::Step step;
    step.where = where;
    step.integer = parseInteger(digits);
    const auto real = step.integer ? static_cast<double>(*step.integer) : isReal_ ? parseNumber(digits) : std::nullopt;
    if (!real) return fail("'" + std::string(digits) + "' is not " + (isReal_ ? "a number" : "an integer"));
    step.real = *real;
    out_.steps_.push_back(std::move(step));
  }

  void name(int depth, const Location &where) {
    const std::size_t begin = at_;
    const std::string_view n = word();
    const std::size_t end = at_;
    const std::optional<Op> function = functionNamed(n);
    if (!function || !take('(')) {
      const auto known = std::find(out_.operands_.begin(), out_.operands_.end(), n);
      const auto which = static_cast<std::size_t>(known - out_.operands_.begin());
      if (known == out_.operands_.end()) out_.operands_.emplace_back(n);
      out_.steps_.push_back({Op::kName, which, {}, 0, begin, end, where});
      return;
    }
    std::size_t arguments = 0;
    do {
      sum(depth + 1);
      ++arguments;
    } while (!failure_ && take(','));
    if (!failure_ && !take(')')) return fail("a ')' is missing");
    if (!failure_ && *function == Op::kCeil && arguments > 1) return fail("ceil takes one argument");
    emit(*function, arguments, where);
  }

  std::optional<Op> functionNamed(std::string_view n) const {
    if (n == "max") return Op::kMax;
    if (n == "min") return Op::kMin;
    return isReal_ && n == "ceil" ? std::optional(Op::kCeil) : std::nullopt;
  }

  void emit(Op op, std::size_t arguments, const Location &where) {
    if (!failure_) out_.steps_.push_back({op, arguments, {}, 0, 0, 0, where});
  }

  void skipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(char c) {
    skipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Location here() {
    skipSpace();
    Location l = start_;
    if (l.column > 0) l.column += static_cast<int>(at_);
    return l;
  }

  void fail(std::string message) {
    if (!failure_) failure_ = error("bad-formula", here(), std::move(message), kGrammarHint);
  }

  std::string_view text_;
  Location start_;
  bool isReal_;
  std::size_t at_ = 0;
  Expression out_;
  std::optional<Diagnostic> failure_;
};

Result<Expression> Expression::parse(std::string_view text, const Location &where) {
  return ExpressionParser(text, where, false).run();
}

Result<Expression> Expression::parseReal(std::string_view text) {
  return ExpressionParser(text, {}, true).run();
}

/// False where 64 bits cannot hold the result, and where it is no integer.
bool Expression::apply(Op op, std::int64_t &a, std::int64_t b) {
  switch (op) {
    case Op::kNegate:
      return !__builtin_sub_overflow(std::int64_t{0}, a, &a);
    case Op::kAdd:
      return !__builtin_add_overflow(a, b, &a);
    case Op::kSubtract:
      return !__builtin_sub_overflow(a, b, &a);
    case Op::kMultiply:
      return !__builtin_mul_overflow(a, b, &a);
    case Op::kDivide:
      if (b == -1) return !__builtin_sub_overflow(std::int64_t{0}, a, &a);
      if (b != 0) a /= b;
      return b != 0;
    case Op::kMax:
      a = std::max(a, b);
      return true;
    case Op::kMin:
      a = std::min(a, b);
      return true;
    default:
      return false;
  }
}

bool Expression::apply(Op op, double &a, double b) {
  switch (op) {
    case Op::kNegate:
      a = -a;
      break;
    case Op::kCeil:
      a = std::ceil(a);
      break;
    case Op::kAdd:
      a += b;
      break;
    case Op::kSubtract:
      a -= b;
      break;
    case Op::kMultiply:
      a *= b;
      break;
    case Op::kDivide:
      a /= b;
      break;
    case Op::kMax:
      a = std::max(a, b);
      break;
    default:
      a = std::min(a, b);
  }
  return true;
}

/// Steps through it. `load`: the value of a number or a name; `join`: joins an argument to those before it. Nothing
/// where one of them fails.
template <typename T, typename Load, typename Join>
std::optional<T> Expression::run(Load &&load, Join &&join) const {
  std::vector<T> stack;
  stack.reserve(steps_.size());
  for (const Step &s : steps_) {
    T x{};
    if (s.op == Op::kNumber || s.op == Op::kName) {
      if (!load(s, x)) return std::nullopt;
    } else {
      const std::size_t first = stack.size() - s.count;
      x = stack[first];
      const bool isUnary = s.op == Op::kNegate || s.op == Op::kCeil;
      if (isUnary && !join(s, x, x)) return std::nullopt;
      for (std::size_t i = first + 1; i < stack.size(); ++i)
        if (!join(s, x, stack[i])) return std::nullopt;
      stack.resize(first);
    }
    stack.push_back(x);
  }
  PIMENTO_CHECK(stack.size() == 1);
  return stack.back();
}

Result<std::int64_t> Expression::evaluate(const Lookup &lookup, const std::vector<std::string> &choices) const {
  std::optional<Diagnostic> why;
  const auto load = [&](const Step &s, std::int64_t &x) {
    const auto value = s.op == Op::kNumber ? s.integer : lookup(operands_[s.count]);
    if (value) {
      x = *value;
    } else {
      PIMENTO_CHECK(s.op == Op::kName && "a formula in integers");
      const std::string &name = operands_[s.count];
      why = error("unknown-name", s.where, "unknown number '" + name + "'", suggest(name, choices));
    }
    return value.has_value();
  };
  const auto join = [&](const Step &s, std::int64_t &a, std::int64_t b) {
    if (apply(s.op, a, b)) return true;
    if (s.op == Op::kDivide && b == 0)
      why = error("bad-formula", s.where, "division by zero", "the divisor evaluates to 0");
    else
      why = error("bad-formula", s.where, "the value does not fit in a 64-bit integer", "use smaller numbers");
    return false;
  };
  const auto value = run<std::int64_t>(load, join);
  if (why) return *why;
  return *value;
}

std::optional<std::int64_t> Expression::evaluateInteger(std::span<const std::int64_t> operands) const {
  PIMENTO_CHECK(operands.size() >= operands_.size());
  const auto load = [&](const Step &s, std::int64_t &x) {
    x = s.op == Op::kName ? operands[s.count] : s.integer.value_or(0);
    return s.op == Op::kName || s.integer.has_value();
  };
  return run<std::int64_t>(load, [](const Step &s, std::int64_t &a, std::int64_t b) { return apply(s.op, a, b); });
}

double Expression::evaluateReal(std::span<const double> operands) const {
  PIMENTO_CHECK(operands.size() >= operands_.size());
  const auto load = [&](const Step &s, double &x) {
    x = s.op == Op::kName ? operands[s.count] : s.real;
    return true;
  };
  return *run<double>(load, [](const Step &s, double &a, double b) { return apply(s.op, a, b); });
}

bool Expression::isMonotone() const {
  return std::none_of(steps_.begin(), steps_.end(), [](const Step &s) {
    return s.op == Op::kNegate || s.op == Op::kSubtract || s.op == Op::kDivide;
  });
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> all;
  for (const Step &s : steps_)
    if (s.op == Op::kName) all.push_back(operands_[s.count]);
  return all;
}

std::string Expression::substitute(const std::vector<std::string> &values) const {
  std::string out;
  std::size_t at = 0;
  for (const Step &s : steps_) {
    if (s.op != Op::kName) continue;
    out += text_.substr(at, s.begin - at) + values[s.count];
    at = s.end;
  }
  return out + text_.substr(at);
}

}  // namespace pimento::machine
