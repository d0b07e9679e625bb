#include "pimento/machine/expression.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"

namespace pimento::machine {

namespace {

constexpr int kDeepest = 64;  // parentheses; formulas of datasheets need two or three
constexpr const char *kGrammarHint =
    "a formula has names, integers, + - * / ( ), max(a, b) and min(a, b), as in 'RL + BL/2 - max(WL, 4)'";

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
  ExpressionParser(std::string_view text, Location where) : text_(text), start_(std::move(where)) {}

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
        emit(Op::kAdd, where);
      } else if (take('-')) {
        product(depth);
        emit(Op::kSubtract, where);
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
        emit(Op::kMultiply, where);
      } else if (take('/')) {
        factor(depth);
        emit(Op::kDivide, where);
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
      return emit(Op::kNegate, where);
    }
    if (take('(')) {
      sum(depth + 1);
      if (!failure_ && !take(')')) fail("a ')' is missing");
      return;
    }
    skipSpace();
    if (at_ == text_.size()) return fail("the formula ends too early");
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
    const std::string_view digits = word();
    const auto value = parseInteger(digits);
    if (!value) return fail("'" + std::string(digits) + "' is not an integer");
    out_.steps_.push_back({Op::kNumber, *value, {}, where});
  }

  void name(int depth, const Location &where) {
    const std::string_view n = word();
    const bool isMax = n == "max";
    if ((!isMax && n != "min") || !take('(')) {
      out_.steps_.push_back({Op::kName, 0, std::string(n), where});
      return;
    }
    std::int64_t arguments = 0;
    do {
      sum(depth + 1);
      ++arguments;
    } while (!failure_ && take(','));
    if (!failure_ && !take(')')) return fail("a ')' is missing");
    out_.steps_.push_back({isMax ? Op::kMax : Op::kMin, arguments, {}, where});
  }

  void emit(Op op, const Location &where) {
    if (!failure_) out_.steps_.push_back({op, 0, {}, where});
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
  std::size_t at_ = 0;
  Expression out_;
  std::optional<Diagnostic> failure_;
};

Result<Expression> Expression::parse(std::string_view text, const Location &where) {
  return ExpressionParser(text, where).run();
}

Result<std::int64_t> Expression::evaluate(const Lookup &lookup, const std::vector<std::string> &choices) const {
  std::vector<std::int64_t> stack;
  for (const Step &s : steps_) {
    if (s.op == Op::kNumber) {
      stack.push_back(s.number);
      continue;
    }
    if (s.op == Op::kName) {
      const auto value = lookup(s.name);
      if (!value)
        return error("unknown-name", s.where, "there is no number '" + s.name + "'", suggest(s.name, choices));
      stack.push_back(*value);
      continue;
    }
    if (s.op == Op::kMax || s.op == Op::kMin) {
      const auto first = stack.end() - static_cast<std::ptrdiff_t>(s.number);
      const std::int64_t best =
          s.op == Op::kMax ? *std::max_element(first, stack.end()) : *std::min_element(first, stack.end());
      stack.erase(first, stack.end());
      stack.push_back(best);
      continue;
    }
    const std::int64_t b = stack.back();
    stack.pop_back();
    std::int64_t a = 0;
    if (s.op != Op::kNegate) {
      a = stack.back();
      stack.pop_back();
    }
    bool isTooLarge = false;
    switch (s.op) {
      case Op::kAdd:
        isTooLarge = __builtin_add_overflow(a, b, &a);
        break;
      case Op::kMultiply:
        isTooLarge = __builtin_mul_overflow(a, b, &a);
        break;
      case Op::kDivide:
        if (b == 0) return error("bad-formula", s.where, "division by zero", "the divisor is 0 with these numbers");
        if (b == -1) {
          isTooLarge = __builtin_sub_overflow(std::int64_t{0}, a, &a);
        } else {
          a /= b;
        }
        break;
      default:
        isTooLarge = __builtin_sub_overflow(a, b, &a);
        break;  // kSubtract; kNegate with a = 0
    }
    if (isTooLarge)
      return error("bad-formula", s.where, "a 64-bit integer cannot hold the value", "use smaller numbers");
    stack.push_back(a);
  }
  PIMENTO_CHECK(stack.size() == 1);
  return stack.back();
}

bool Expression::isMonotone() const {
  return std::none_of(steps_.begin(), steps_.end(), [](const Step &s) {
    return s.op == Op::kNegate || s.op == Op::kSubtract || s.op == Op::kDivide;
  });
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> all;
  for (const Step &s : steps_) {
    if (s.op == Op::kName) all.push_back(s.name);
  }
  return all;
}

}  // namespace pimento::machine
