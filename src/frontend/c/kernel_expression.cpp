#include "pimento/frontend/c/kernel_expression.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "pimento/frontend/nest.h"
#include "pimento/kernel/scalar.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::isComparison;
using kernel::Op;

namespace {

Op mirrored(Op op) {
  switch (op) {
    case Op::kCmpLt:
      return Op::kCmpGt;
    case Op::kCmpLe:
      return Op::kCmpGe;
    case Op::kCmpGt:
      return Op::kCmpLt;
    case Op::kCmpGe:
      return Op::kCmpLe;
    default:
      return op;
  }
}

Op opposite(Op op) {
  static constexpr std::array<Op, 6> kOpposite{Op::kCmpNe, Op::kCmpEq, Op::kCmpGe, Op::kCmpGt, Op::kCmpLe, Op::kCmpLt};
  return kOpposite[static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::kCmpEq)];
}

bool isPowerOfTwo(std::int64_t x) {
  return x > 0 && (x & (x - 1)) == 0;
}

}  // namespace

Affine trimmed(Affine form) {
  while (!form.coefficients.empty() && form.coefficients.back() == 0) form.coefficients.pop_back();
  return form;
}

int ExpressionPool::add(Expression node) {
  std::vector<std::int64_t> key{static_cast<std::int64_t>(node.op),
                                static_cast<std::int64_t>(node.type),
                                node.args[0],
                                node.args[1],
                                node.args[2],
                                std::bit_cast<std::int64_t>(node.real),
                                node.integer,
                                node.buffer};
  const auto append = [&](const Affine &form) {
    key.push_back(static_cast<std::int64_t>(form.coefficients.size()));
    key.insert(key.end(), form.coefficients.begin(), form.coefficients.end());
    key.push_back(form.constant);
  };
  for (const Affine &form : node.index) append(form);
  append(node.form);
  const auto [at, isNew] = known_.try_emplace(std::move(key), static_cast<int>(nodes_.size()));
  if (isNew) nodes_.push_back(std::move(node));
  return at->second;
}

int ExpressionPool::real(DType type, double x) {
  Expression e;
  e.type = type;
  e.real = decodeFloat(type, encodeFloat(type, x));
  return add(std::move(e));
}

int ExpressionPool::integer(DType type, std::int64_t x) {
  Expression e;
  e.type = type;
  e.integer = wrapInteger(type, x);
  return add(std::move(e));
}

int ExpressionPool::form(DType type, Affine form) {
  form = trimmed(std::move(form));
  if (form.coefficients.empty()) return integer(type, form.constant);
  Expression e;
  e.op = Op::kIndex;
  e.type = type;
  e.form = std::move(form);
  return add(std::move(e));
}

int ExpressionPool::load(DType type, int buffer, std::vector<Affine> index, DataIndex data, const Location &where) {
  Expression e;
  e.op = Op::kLoad;
  e.type = type;
  e.buffer = buffer;
  for (Affine &form : index) e.index.push_back(trimmed(std::move(form)));
  e.args[0] = data.value;
  e.integer = data.isThere() ? data.at : 0;
  const int made = add(std::move(e));
  places_.try_emplace(made, where);
  return made;
}

Location ExpressionPool::whereOf(int e) const {
  const auto at = places_.find(e);
  return at == places_.end() ? Location{} : at->second;
}

std::optional<Affine> ExpressionPool::formOf(int e) const {
  const Expression &node = (*this)[e];
  if (node.op == Op::kIndex) return node.form;
  if (node.op == Op::kConstant && !isFloat(node.type)) return Affine{{}, node.integer};
  return std::nullopt;
}

std::optional<std::int64_t> ExpressionPool::integerOf(int e) const {
  const Expression &node = (*this)[e];
  if (node.op != Op::kConstant || isFloat(node.type)) return std::nullopt;
  return node.integer;
}

void ExpressionPool::visit(int root, const std::function<void(int)> &see) const {
  if (root < 0) return;
  std::vector<int> pending{root};
  std::vector<bool> seen(static_cast<std::size_t>(root) + 1);  // arguments come before what uses them
  while (!pending.empty()) {
    const int e = pending.back();
    pending.pop_back();
    if (e < 0 || seen[static_cast<std::size_t>(e)]) continue;
    seen[static_cast<std::size_t>(e)] = true;
    see(e);
    for (const int a : (*this)[e].args) pending.push_back(a);
  }
}

bool ExpressionPool::contains(int root, const std::function<bool(const Expression &)> &isIt) const {
  bool isFound = false;
  visit(root, [&](int e) { isFound = isFound || isIt((*this)[e]); });
  return isFound;
}

int ExpressionPool::rewrite(int root, const std::function<std::optional<int>(int)> &change) {
  std::map<int, int> made;
  // By number: arguments come before what uses them.
  std::vector<int> order;
  visit(root, [&](int e) { order.push_back(e); });
  std::sort(order.begin(), order.end());
  for (const int e : order) {
    if (const auto other = change(e)) {
      made[e] = *other;
      continue;
    }
    const Expression node = (*this)[e];
    std::array<int, 3> args = node.args;
    for (int &a : args) a = a < 0 ? a : made.at(a);
    if (args == node.args) {
      made[e] = e;
    } else if (node.op == Op::kLoad) {
      made[e] = load(node.type, node.buffer, node.index, {node.data().at, args[0]}, whereOf(e));
    } else if (node.op == Op::kCast) {
      made[e] = cast(node.type, args[0]);
    } else {
      made[e] = op(node.op, node.type, args[0], args[1], args[2]);
    }
  }
  return made.at(root);
}

int ExpressionPool::mapForms(int root, const std::function<Affine(const Affine &)> &change) {
  return rewrite(root, [&](int e) -> std::optional<int> {
    const Expression node = (*this)[e];
    if (node.op == Op::kIndex) return form(node.type, change(node.form));
    if (node.op != Op::kLoad) return std::nullopt;
    std::vector<Affine> index;
    for (const Affine &f : node.index) index.push_back(change(f));
    DataIndex data = node.data();
    if (data.isThere()) data.value = mapForms(data.value, change);
    return load(node.type, node.buffer, std::move(index), data, whereOf(e));
  });
}

int ExpressionPool::foldConstants(Op op, DType type, int a, int b) {
  const Expression &x = (*this)[a], &y = (*this)[b < 0 ? a : b];
  if (x.op != Op::kConstant || y.op != Op::kConstant) return -1;
  const DType of = x.type;
  if (isComparison(op)) {
    return integer(type, isFloat(of) ? kernel::compare(op, x.real, y.real)
                                     : kernel::compareIntegers(op, of, x.integer, y.integer));
  }
  if (isFloat(type)) {
    if (op != Op::kAdd && op != Op::kSub && op != Op::kMul && op != Op::kDiv && op != Op::kNeg && op != Op::kAbs)
      return -1;
    if (type == DType::kF64) return real(type, kernel::floatOperation(op, x.real, y.real));
    return real(
        type, static_cast<double>(kernel::floatOperation(op, static_cast<float>(x.real), static_cast<float>(y.real))));
  }
  switch (op) {
    case Op::kShl:
    case Op::kShr:
      if (y.integer < 0 || y.integer >= 8 * sizeOf(type).value) return -1;
      break;
    case Op::kDiv:
    case Op::kRem:
      if (y.integer == 0 || y.integer == -1) return -1;
      break;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kNeg:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kMin:
    case Op::kMax:
      break;
    default:
      return -1;
  }
  return integer(type, kernel::integerOperation(op, type, x.integer, y.integer));
}

int ExpressionPool::foldForms(Op op, DType type, int a, int b) {
  const auto x = formOf(a), y = b < 0 ? x : formOf(b);
  if (!x || !y) return -1;
  std::optional<Affine> sum;
  const auto scaled = [](const Affine &f, std::int64_t factor) { return plus(Affine{}, f, factor); };
  const bool isFixed = y->coefficients.empty();
  if (op == Op::kAdd) sum = plus(*x, *y, 1);
  if (op == Op::kSub) sum = plus(*x, *y, -1);
  if (op == Op::kNeg) sum = scaled(*x, -1);
  if (op == Op::kMul && isFixed) sum = scaled(*x, y->constant);
  if (op == Op::kMul && !isFixed && x->coefficients.empty()) sum = scaled(*y, x->constant);
  if (op == Op::kShl && isFixed && y->constant >= 0 && y->constant < 31) {
    sum = scaled(*x, std::int64_t{1} << y->constant);
  }
  const bool divides = (op == Op::kDiv || op == Op::kRem) && isFixed && y->constant > 0 && fits_(*x, DType::kU64);
  if (divides) {
    // What the divisor divides goes into the quotient; the rest must stay below the divisor.
    Affine quotient, rest;
    const std::int64_t n = y->constant;
    quotient.coefficients.resize(x->coefficients.size());
    rest.coefficients.resize(x->coefficients.size());
    for (std::size_t l = 0; l < x->coefficients.size(); ++l) {
      const bool goes = x->coefficients[l] % n == 0;
      (goes ? quotient : rest).coefficients[l] = goes ? x->coefficients[l] / n : x->coefficients[l];
    }
    quotient.constant = x->constant / n;
    rest.constant = x->constant % n;
    const auto room = plus(Affine{{}, n - 1}, rest, -1);
    if (room && fits_(rest, DType::kU64) && fits_(*room, DType::kU64)) sum = op == Op::kDiv ? quotient : rest;
  }
  // Signed sums do not overflow in C; unsigned ones wrap, and are then no sums.
  if (!sum || (!isSigned(type) && !fits_(*sum, type))) return -1;
  return form(type, std::move(*sum));
}

int ExpressionPool::simplifyComparison(Op op, int a, int b) {
  const auto asNarrow = [&](DType type) -> std::optional<std::pair<int, int>> {
    const auto x = unwidened(type, a), y = unwidened(type, b);
    return x && y ? std::optional(std::pair(*x, *y)) : std::nullopt;
  };
  for (const int wide : {a, b}) {
    const Expression node = (*this)[wide];
    if (node.op != Op::kCast) continue;
    const DType type = (*this)[node.args[0]].type;
    if (!holdsAll(node.type, type)) continue;
    if (const auto narrow = asNarrow(type)) return this->op(op, DType::kU8, narrow->first, narrow->second);
  }
  const Expression x = (*this)[a];
  const auto zero = integerOf(b);
  // Even and odd: the sign of a remainder does not matter where it is compared with 0.
  if (zero && *zero == 0 && x.op == Op::kRem && (op == Op::kCmpEq || op == Op::kCmpNe)) {
    const auto n = integerOf(x.args[1]);
    if (n && isPowerOfTwo(*n)) {
      const int rest = this->op(Op::kAnd, x.type, x.args[0], integer(x.type, *n - 1));
      return this->op(op, DType::kU8, rest, b);
    }
  }
  return -1;
}

int ExpressionPool::simplifySelect(DType type, int condition, int a, int b) {
  if (const auto known = integerOf(condition)) return *known != 0 ? a : b;
  if (a == b) return a;
  const Expression c = (*this)[condition];
  if (!isComparison(c.op) || (*this)[c.args[0]].type != type) return -1;
  int l = c.args[0], r = c.args[1];
  Op how = c.op;
  if (isFloat(type)) {
    const auto isZero = [&](int e) {
      const Expression &node = (*this)[e];
      return node.op == Op::kConstant && node.real == 0;
    };
    if (isZero(l)) {
      std::swap(l, r);
      how = mirrored(how);
    }
    const auto isPlusZero = [&](int e) { return isZero(e) && !std::signbit((*this)[e].real); };
    const bool isRelu =
        isZero(r) && ((how == Op::kCmpGt && a == l && isPlusZero(b)) || (how == Op::kCmpLe && b == l && isPlusZero(a)));
    return isRelu ? op(Op::kRelu, type, l) : -1;
  }
  if (a == r && b == l) {
    std::swap(l, r);
    how = mirrored(how);
  }
  if (a != l || b != r) return -1;
  if (how == Op::kCmpGt || how == Op::kCmpGe) return op(Op::kMax, type, l, r);
  if (how == Op::kCmpLt || how == Op::kCmpLe) return op(Op::kMin, type, l, r);
  return -1;
}

int ExpressionPool::op(Op op, DType type, int a, int b, int c) {
  int simple = -1;
  if (op == Op::kSelect) {
    simple = simplifySelect(type, a, b, c);
  } else {
    simple = foldConstants(op, type, a, b);
    if (simple < 0 && !isFloat(type) && !isComparison(op)) simple = foldForms(op, type, a, b);
    if (simple < 0 && isComparison(op)) simple = simplifyComparison(op, a, b);
  }
  if (simple >= 0) return simple;
  const auto isZero = [&](int e) {
    const Expression &node = (*this)[e];
    return node.op == Op::kConstant && (isFloat(node.type) ? node.real == 0 : node.integer == 0);
  };
  if (op == Op::kMax && isFloat(type) && (isZero(a) || isZero(b))) return this->op(Op::kRelu, type, isZero(a) ? b : a);
  const bool isCommutative = op == Op::kAdd || op == Op::kMul || op == Op::kAnd || op == Op::kOr || op == Op::kXor ||
                             op == Op::kMin || op == Op::kMax || op == Op::kCmpEq || op == Op::kCmpNe;
  // Constants stand right, as the recognisers of the lowerings expect.
  if (isCommutative && isConstant(a) && !isConstant(b)) std::swap(a, b);
  Expression e;
  e.op = op;
  e.type = type;
  e.args = {a, b, c};
  return add(std::move(e));
}

int ExpressionPool::isTrue(int a) {
  const Expression node = (*this)[a];
  if (isComparison(node.op)) return a;
  if (node.op == Op::kCast && !isFloat(node.type) && (*this)[node.args[0]].type == DType::kU8 &&
      isComparison((*this)[node.args[0]].op)) {
    return node.args[0];
  }
  const bool isLogic = node.op == Op::kAnd || node.op == Op::kOr;
  if (isLogic && node.type == DType::kU8 && isTrue(node.args[0]) == node.args[0] &&
      isTrue(node.args[1]) == node.args[1]) {
    return a;
  }
  if (node.op == Op::kCast && isTrue(node.args[0]) == node.args[0]) return node.args[0];
  const int zero = isFloat(node.type) ? real(node.type, 0) : integer(node.type, 0);
  return op(Op::kCmpNe, DType::kU8, a, zero);
}

int ExpressionPool::isFalse(int a) {
  const int condition = isTrue(a);
  const Expression node = (*this)[condition];
  const bool isNot = node.op == Op::kCmpEq && (*this)[node.args[0]].type == DType::kU8 && integerOf(node.args[1]) == 0;
  if (isNot && isTrue(node.args[0]) == node.args[0]) return node.args[0];
  if (isComparison(node.op)) {
    const bool isExact = !isFloat((*this)[node.args[0]].type) || node.op <= Op::kCmpNe;
    if (isExact) return op(opposite(node.op), DType::kU8, node.args[0], node.args[1]);
  }
  if (node.op == Op::kConstant) return integer(DType::kU8, node.integer == 0);
  return op(Op::kCmpEq, DType::kU8, condition, integer(DType::kU8, 0));
}

int ExpressionPool::both(int a, int b) {
  if (a < 0 || b < 0) return a < 0 ? b : a;
  if (a == b) return a;
  for (const auto &[x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    if (const auto known = integerOf(x)) return *known != 0 ? y : x;
  }
  return op(Op::kAnd, DType::kU8, a, b);
}

}  // namespace pimento::frontend
