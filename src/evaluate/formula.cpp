#include "pimento/evaluate/formula.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "pimento/base/diagnostics.h"
#include "pimento/base/text.h"

namespace pimento::evaluate {

namespace {
constexpr int kDeepest = 64;
constexpr std::size_t kStack = 256;
}  // namespace

class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) { out_.text_ = std::string(text); }

  std::optional<Formula> parse() {
    if (!sum(0) || !atEnd() || depthOfStack() > kStack) return std::nullopt;
    return std::move(out_);
  }

 private:
  using Op = Formula::Op;

  bool atEnd() {
    skipBlanks();
    return at_ == out_.text_.size();
  }
  void skipBlanks() {
    while (at_ < out_.text_.size() && std::isspace(static_cast<unsigned char>(out_.text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skipBlanks();
    if (at_ >= out_.text_.size() || out_.text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void emit(Op op, std::int64_t arguments = 0) { out_.steps_.push_back({op, 0, arguments, false, 0, 0}); }

  bool sum(int depth) {
    if (depth > kDeepest || !product(depth)) return false;
    for (;;) {
      const bool isMinus = take('-');
      if (!isMinus && !take('+')) return true;
      if (!product(depth)) return false;
      emit(isMinus ? Op::kSubtract : Op::kAdd);
    }
  }
  bool product(int depth) {
    if (!factor(depth)) return false;
    for (;;) {
      const bool isTimes = take('*');
      if (!isTimes && !take('/')) return true;
      if (!factor(depth)) return false;
      emit(isTimes ? Op::kMultiply : Op::kDivide);
    }
  }
  bool factor(int depth) {
    if (depth > kDeepest) return false;
    if (take('-')) {
      if (!factor(depth + 1)) return false;
      emit(Op::kNegate);
      return true;
    }
    if (take('(')) return sum(depth + 1) && take(')');
    skipBlanks();
    if (at_ >= out_.text_.size()) return false;
    const auto c = static_cast<unsigned char>(out_.text_[at_]);
    if (std::isdigit(c) != 0) return number();
    return (std::isalpha(c) != 0 || c == '_') && name(depth);
  }
  bool number() {
    const std::size_t begin = at_;
    const std::string &t = out_.text_;
    const auto isPart = [&](std::size_t i) {
      if (std::isalnum(static_cast<unsigned char>(t[i])) != 0 || t[i] == '.') return true;
      return (t[i] == '-' || t[i] == '+') && t[i - 1] == 'e' && t[begin + 1] != 'x';
    };
    while (at_ < t.size() && (at_ == begin || isPart(at_))) ++at_;
    const std::string_view text = std::string_view(t).substr(begin, at_ - begin);
    const auto integer = parseInteger(text);
    const auto real = integer ? static_cast<double>(*integer) : parseNumber(text);
    if (!real) return false;
    out_.steps_.push_back({Op::kNumber, *real, integer.value_or(0), integer.has_value(), 0, 0});
    return true;
  }
  bool name(int depth) {
    const std::size_t begin = at_;
    const std::string &t = out_.text_;
    while (at_ < t.size() && (std::isalnum(static_cast<unsigned char>(t[at_])) != 0 || t[at_] == '_' || t[at_] == '.'))
      ++at_;
    const std::string word = t.substr(begin, at_ - begin);
    const std::size_t end = at_;
    if (take('(')) return call(word, depth);
    const auto known = std::find(out_.names_.begin(), out_.names_.end(), word);
    const auto which = known - out_.names_.begin();
    if (known == out_.names_.end()) out_.names_.push_back(word);
    out_.steps_.push_back({Op::kName, 0, which, false, begin, end});
    return true;
  }
  bool call(const std::string &word, int depth) {
    std::int64_t arguments = 0;
    do {
      if (!sum(depth + 1)) return false;
      ++arguments;
    } while (take(','));
    if (!take(')')) return false;
    if (word == "ceil" && arguments == 1) {
      emit(Op::kCeil);
      return true;
    }
    if (word != "max" && word != "min") return false;
    emit(word == "max" ? Op::kMax : Op::kMin, arguments);
    return true;
  }
  std::size_t depthOfStack() const {
    std::size_t now = 0, most = 0;
    for (const Formula::Step &s : out_.steps_) {
      switch (s.op) {
        case Op::kNumber:
        case Op::kName:
          ++now;
          break;
        case Op::kNegate:
        case Op::kCeil:
          break;
        case Op::kMax:
        case Op::kMin:
          now -= static_cast<std::size_t>(s.integer - 1);
          break;
        default:
          --now;
      }
      most = std::max(most, now);
    }
    return most;
  }

  Formula out_;
  std::size_t at_ = 0;
};

std::optional<Formula> Formula::parse(std::string_view text) {
  return FormulaParser(text).parse();
}

double Formula::evaluate(std::span<const double> operands) const {
  PIMENTO_CHECK(operands.size() >= names_.size());
  std::array<double, kStack> stack;
  std::size_t n = 0;
  const auto fold = [&](std::int64_t arguments, auto &&f) {
    for (; arguments > 1; --arguments, --n) stack[n - 2] = f(stack[n - 2], stack[n - 1]);
  };
  for (const Step &s : steps_) {
    switch (s.op) {
      case Op::kNumber:
        stack[n++] = s.number;
        break;
      case Op::kName:
        stack[n++] = operands[static_cast<std::size_t>(s.integer)];
        break;
      case Op::kNegate:
        stack[n - 1] = -stack[n - 1];
        break;
      case Op::kCeil:
        stack[n - 1] = std::ceil(stack[n - 1]);
        break;
      case Op::kAdd:
        fold(2, [](double a, double b) { return a + b; });
        break;
      case Op::kSubtract:
        fold(2, [](double a, double b) { return a - b; });
        break;
      case Op::kMultiply:
        fold(2, [](double a, double b) { return a * b; });
        break;
      case Op::kDivide:
        fold(2, [](double a, double b) { return a / b; });
        break;
      case Op::kMax:
        fold(s.integer, [](double a, double b) { return std::max(a, b); });
        break;
      case Op::kMin:
        fold(s.integer, [](double a, double b) { return std::min(a, b); });
        break;
    }
  }
  return stack[0];
}

std::optional<std::int64_t> Formula::evaluateInteger(std::span<const std::int64_t> operands) const {
  PIMENTO_CHECK(operands.size() >= names_.size());
  std::array<std::int64_t, kStack> stack;
  std::size_t n = 0;
  bool isWrong = false;
  const auto fold = [&](std::int64_t arguments, auto &&f) {
    for (; arguments > 1; --arguments, --n) isWrong |= f(stack[n - 2], stack[n - 1], &stack[n - 2]);
  };
  for (const Step &s : steps_) {
    switch (s.op) {
      case Op::kNumber:
        isWrong |= !s.isInteger;
        stack[n++] = s.integer;
        break;
      case Op::kName:
        stack[n++] = operands[static_cast<std::size_t>(s.integer)];
        break;
      case Op::kNegate:
        isWrong |= __builtin_sub_overflow(std::int64_t{0}, stack[n - 1], &stack[n - 1]);
        break;
      case Op::kCeil:
        return std::nullopt;
      case Op::kAdd:
        fold(2, [](auto a, auto b, auto *r) { return __builtin_add_overflow(a, b, r); });
        break;
      case Op::kSubtract:
        fold(2, [](auto a, auto b, auto *r) { return __builtin_sub_overflow(a, b, r); });
        break;
      case Op::kMultiply:
        fold(2, [](auto a, auto b, auto *r) { return __builtin_mul_overflow(a, b, r); });
        break;
      case Op::kDivide:
        fold(2, [](auto a, auto b, auto *r) {
          if (b == 0 || (b == -1 && a == INT64_MIN)) return true;
          *r = a / b;
          return false;
        });
        break;
      case Op::kMax:
        fold(s.integer, [](auto a, auto b, auto *r) { return *r = std::max(a, b), false; });
        break;
      case Op::kMin:
        fold(s.integer, [](auto a, auto b, auto *r) { return *r = std::min(a, b), false; });
        break;
    }
    if (isWrong) return std::nullopt;
  }
  return stack[0];
}

std::string Formula::substitute(const std::vector<std::string> &values) const {
  std::vector<const Step *> names;
  for (const Step &s : steps_)
    if (s.op == Op::kName) names.push_back(&s);
  std::sort(names.begin(), names.end(), [](const Step *a, const Step *b) { return a->begin < b->begin; });
  std::string out;
  std::size_t at = 0;
  for (const Step *s : names) {
    out += text_.substr(at, s->begin - at) + values[static_cast<std::size_t>(s->integer)];
    at = s->end;
  }
  return out + text_.substr(at);
}

}  // namespace pimento::evaluate
