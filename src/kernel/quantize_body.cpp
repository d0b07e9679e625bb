#include "pimento/kernel/quantize_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pimento::kernel {

Diagnostic BodyQuantizer::refused(const std::string &what) const {
  return unsupported("convert-quantize", kernel_.where,
                     fmt::format("kernel '{}' cannot be computed in scaled integers: {}", kernel_.name, what),
                     fmt::format("convert to a floating type: --convert {}=f16", name(all_.from_)));
}

Diagnostic BodyQuantizer::tooLarge() const {
  return unsupported("convert-range", kernel_.where,
                     fmt::format("a value of kernel '{}' may exceed 32 bits in scaled integers", kernel_.name),
                     fmt::format("convert to a floating type: --convert {}=f16", name(all_.from_)));
}

/// Whether values reach a product of two that are no constants; through sums, minima and selections as well.
void BodyQuantizer::findFactors() {
  isFactor_.assign(kernel_.body.size(), false);
  const auto isConstant = [&](int v) { return value(v).op == Op::kConstant; };
  for (std::size_t v = kernel_.body.size(); v-- > 0;) {
    const Value &x = kernel_.body[v];
    if (x.type != all_.from_) continue;
    const bool isProduct = x.op == Op::kMul && !isConstant(x.args[0]) && !isConstant(x.args[1]);
    if (!isProduct && !isFactor_[v]) continue;
    for (int a = 0; a < argumentCount(x.op); ++a) {
      const int argument = x.args[static_cast<std::size_t>(a)];
      if (isMeant(argument)) isFactor_[static_cast<std::size_t>(argument)] = true;
    }
  }
}

int BodyQuantizer::emit(Op op, DType type, int a, int b, int c) {
  Value v;
  v.op = op;
  v.type = type;
  v.args = {a, b, c};
  out_.body.push_back(v);
  return static_cast<int>(out_.body.size()) - 1;
}

int BodyQuantizer::integer(DType type, std::int64_t x) {
  Value v;
  v.type = type;
  v.integer = x;
  out_.body.push_back(v);
  return static_cast<int>(out_.body.size()) - 1;
}

Result<Quantity> BodyQuantizer::checked(Quantity q) const {
  if (!(q.bound <= kMost32)) return tooLarge();
  return q;
}

/// A constant in units of `scale`. Infinities, and the largest numbers that stand for them, are the largest integers.
Result<Quantity> BodyQuantizer::materialised(const Quantity &q, double scale) {
  const bool isInfinite = std::abs(q.constant) >= static_cast<double>(std::numeric_limits<float>::max());
  const double exact = isInfinite ? std::copysign(kMost32, q.constant) : std::nearbyint(q.constant / scale);
  if (std::isnan(q.constant)) return refused("it uses NaN");
  if (std::abs(exact) > kMost32) return tooLarge();
  Quantity out{integer(DType::kI32, static_cast<std::int64_t>(exact)), scale, isInfinite ? 0 : std::abs(exact), 0};
  return out;
}

/// round(q * factor) by a product with a 31-bit integer and a shift.
Result<Quantity> BodyQuantizer::rescaled(const Quantity &q, double scale) {
  if (q.isConstant()) return materialised(q, scale);
  const double factor = q.scale / scale;
  if (std::abs(factor - 1) < 1e-12) return q;
  const double bound = std::ceil(q.bound * factor) + 1;
  if (!(bound <= kMost32)) return tooLarge();
  const int shift = std::clamp(30 - std::ilogb(factor), 0, 62);
  const auto multiplier = static_cast<std::int64_t>(std::nearbyint(std::ldexp(factor, shift)));
  int v = emit(Op::kMul, DType::kI64, emit(Op::kCast, DType::kI64, q.value), integer(DType::kI64, multiplier));
  if (shift > 0) {
    v = emit(Op::kAdd, DType::kI64, v, integer(DType::kI64, std::int64_t{1} << (shift - 1)));
    v = emit(Op::kShr, DType::kI64, v, integer(DType::kI64, shift));
  }
  return Quantity{emit(Op::kCast, DType::kI32, v), scale, bound, 0};
}

Quantity BodyQuantizer::clamped(const Quantity &q, double most) {
  // A bound of 0 may be that of a constant which stands for infinity.
  if (q.bound <= most && q.bound > 0) return q;
  const auto limit = static_cast<std::int64_t>(most);
  const int low = emit(Op::kMax, DType::kI32, q.value, integer(DType::kI32, -limit));
  return {emit(Op::kMin, DType::kI32, low, integer(DType::kI32, limit)), q.scale, most, 0};
}

/// Brings both to one scale: the finer one where there is room.
Status BodyQuantizer::unify(Quantity &a, Quantity &b) {
  if (a.isConstant() && b.isConstant()) return okStatus();
  double scale = a.isConstant() ? b.scale : b.isConstant() ? a.scale : std::min(a.scale, b.scale);
  const double larger = a.isConstant() || b.isConstant() ? scale : std::max(a.scale, b.scale);
  const Quantity &coarse = a.scale == larger ? a : b;
  if (coarse.bound * (larger / scale) > kMost32 / 4) scale = larger;
  const auto fit = [&](Quantity &q) -> Status {
    Result<Quantity> r = rescaled(q, scale);
    if (!r) return r.diagnostics();
    q = *r;
    return okStatus();
  };
  if (Status s = fit(a); !s) return s;
  return fit(b);
}

Result<Quantity> BodyQuantizer::load(int v) {
  const Access &access = kernel_.loads[static_cast<std::size_t>(value(v).access)];
  const Stored &from = all_.stored(access.tensor);
  Value read = value(v);
  read.type = from.type;
  out_.body.push_back(read);
  int number = static_cast<int>(out_.body.size()) - 1;
  if (from.type == DType::kI8) number = emit(Op::kCast, DType::kI32, number);
  // The first pass may not know the scale yet.
  Quantity q{number, from.scale > 0 ? from.scale : 1, std::max(from.bound, 1.0), 0};
  if (from.type == DType::kI8 || !isFactor_[static_cast<std::size_t>(v)]) return q;
  const Result<double> own = all_.ownScale(access.tensor);
  if (!own) return own.diagnostics();
  Result<Quantity> narrow = rescaled(q, *own);
  if (!narrow) return narrow;
  return clamped(*narrow, kMost8);
}

/// A cast from an integer: of scale 1.
Result<Quantity> BodyQuantizer::fromInteger(int v) {
  const int argument = value(v).args[0];
  const Value &x = value(argument);
  if (isFloat(x.type)) return refused(fmt::format("it casts {} to {}", name(x.type), name(all_.from_)));
  const auto bytes = sizeOf(x.type).value;
  double bound = std::ldexp(1, static_cast<int>(8 * bytes) - (isSigned(x.type) ? 1 : 0));
  if (x.op == Op::kIndex) bound = static_cast<double>(kernel_.dims[static_cast<std::size_t>(x.dim)].extent);
  if (x.op >= Op::kCmpEq && x.op <= Op::kCmpGe) bound = 1;
  if (bound > kMost32)
    return refused(fmt::format("it casts {} to {}, without a bound", name(x.type), name(all_.from_)));
  return Quantity{emit(Op::kCast, DType::kI32, numbers_[static_cast<std::size_t>(argument)]), 1, bound, 0};
}

Result<Quantity> BodyQuantizer::unary(int v) {
  const Op op = value(v).op;
  const Quantity &a = quantity(value(v).args[0]);
  if (!a.isConstant()) return Quantity{emit(op, DType::kI32, a.value), a.scale, a.bound, 0};
  Quantity out = a;
  if (op == Op::kNeg) out.constant = -a.constant;
  if (op == Op::kAbs) out.constant = std::abs(a.constant);
  if (op == Op::kRelu) out.constant = std::max(0.0, a.constant);
  return out;
}

/// Sums, minima and maxima, selections: of operands with one scale.
Result<Quantity> BodyQuantizer::sum(int v) {
  const Value &x = value(v);
  const bool isSelection = x.op == Op::kSelect, isAddition = x.op == Op::kAdd || x.op == Op::kSub;
  Quantity a = quantity(x.args[isSelection ? 1 : 0]), b = quantity(x.args[isSelection ? 2 : 1]);
  for (const Quantity *q : {&a, &b})
    if (isAddition && q->isConstant() && !std::isfinite(q->constant))
      return refused("it adds a number that is not finite");
  if (a.isConstant() && b.isConstant() && !isSelection) {
    const double sums = x.op == Op::kAdd   ? a.constant + b.constant
                        : x.op == Op::kSub ? a.constant - b.constant
                        : x.op == Op::kMin ? std::min(a.constant, b.constant)
                                           : std::max(a.constant, b.constant);
    return Quantity{-1, 1, 0, sums};
  }
  if (a.isConstant() && b.isConstant()) {
    // Of two constants the larger one decides what 1 stands for.
    const double most = std::max(std::abs(a.constant), std::abs(b.constant));
    const double scale = most > 0 && std::isfinite(most) ? most / kMost8 : 1;
    for (Quantity *q : {&a, &b}) {
      Result<Quantity> made = materialised(*q, scale);
      if (!made) return made;
      *q = *made;
    }
  } else if (Status s = unify(a, b); !s) {
    return s.diagnostics();
  }
  const double bound = isAddition ? a.bound + b.bound : std::max(a.bound, b.bound);
  if (!isSelection) return checked({emit(x.op, DType::kI32, a.value, b.value), a.scale, bound, 0});
  const int predicate = numbers_[static_cast<std::size_t>(x.args[0])];
  return checked({emit(Op::kSelect, DType::kI32, predicate, a.value, b.value), a.scale, bound, 0});
}

Result<Quantity> BodyQuantizer::product(int v) {
  const Quantity &a = quantity(value(v).args[0]), &b = quantity(value(v).args[1]);
  if (a.isConstant() && b.isConstant()) return Quantity{-1, 1, 0, a.constant * b.constant};
  if (!a.isConstant() && !b.isConstant())
    return checked({emit(Op::kMul, DType::kI32, a.value, b.value), a.scale * b.scale, a.bound * b.bound, 0});
  // A constant factor is a matter of the scale alone.
  const Quantity &q = a.isConstant() ? b : a;
  const double factor = a.isConstant() ? a.constant : b.constant;
  if (!std::isfinite(factor)) return refused("it multiplies by a number that is not finite");
  if (factor == 0) return Quantity{-1, 1, 0, 0};
  const int number = factor < 0 ? emit(Op::kNeg, DType::kI32, q.value) : q.value;
  return Quantity{number, q.scale * std::abs(factor), q.bound, 0};
}

Result<Quantity> BodyQuantizer::quotient(int v) {
  const Quantity &a = quantity(value(v).args[0]), &b = quantity(value(v).args[1]);
  if (!b.isConstant() || b.constant == 0 || !std::isfinite(b.constant))
    return refused("it divides by something else than a constant");
  if (a.isConstant()) return Quantity{-1, 1, 0, a.constant / b.constant};
  const int number = b.constant < 0 ? emit(Op::kNeg, DType::kI32, a.value) : a.value;
  return Quantity{number, a.scale / std::abs(b.constant), a.bound, 0};
}

Result<Quantity> BodyQuantizer::quantify(int v) {
  const Value &x = value(v);
  switch (x.op) {
    case Op::kConstant:
      return Quantity{-1, 1, 0, x.constant};
    case Op::kLoad:
      return load(v);
    case Op::kCast:
      return fromInteger(v);
    case Op::kNeg:
    case Op::kAbs:
    case Op::kRelu:
      return unary(v);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMin:
    case Op::kMax:
    case Op::kSelect:
      return sum(v);
    case Op::kMul:
      return product(v);
    case Op::kDiv:
      return quotient(v);
    default:
      return refused(fmt::format("'{}' is not homogeneous", name(x.op)));
  }
}

/// A value of another type, of which operands may be comparisons of the source type.
Status BodyQuantizer::copy(int v) {
  Value x = value(v);
  const bool isComparison = x.op >= Op::kCmpEq && x.op <= Op::kCmpGe;
  if (isComparison && isMeant(x.args[0])) return compare(v);
  for (int a = 0; a < argumentCount(x.op); ++a) {
    const int argument = x.args[static_cast<std::size_t>(a)];
    if (isMeant(argument)) return refused(fmt::format("it casts {} to {}", name(all_.from_), name(x.type)));
  }
  for (int &argument : x.args) renumber(argument);
  out_.body.push_back(x);
  numbers_.push_back(static_cast<int>(out_.body.size()) - 1);
  quantities_.emplace_back();
  return okStatus();
}

Status BodyQuantizer::compare(int v) {
  const Value &x = value(v);
  Quantity a = quantity(x.args[0]), b = quantity(x.args[1]);
  if (a.isConstant() && b.isConstant()) return refused("it compares two constants");
  if (Status s = unify(a, b); !s) return s;
  numbers_.push_back(emit(x.op, DType::kU8, a.value, b.value));
  quantities_.emplace_back();
  return okStatus();
}

Status BodyQuantizer::add(int v) {
  if (!isMeant(v)) return copy(v);
  const Result<Quantity> q = quantify(v);
  if (!q) return q.diagnostics();
  numbers_.push_back(-1);
  quantities_.push_back(*q);
  return okStatus();
}

/// Into i32, or an output whose type is open.
Status BodyQuantizer::storeWide(const Store &store, const Quantity &q, Stored &to, int &value) {
  const Result<Quantity> fitting = rescaled(q, to.scale > 0 ? to.scale : q.isConstant() ? 1 : q.scale);
  if (!fitting) return fitting.diagnostics();
  double terms = 1;
  if (store.combine == Combine::kAdd)
    for (const Dim &dim : kernel_.dims)
      if (dim.kind != DimKind::kParallel || store.target.isIndirect()) terms *= static_cast<double>(dim.extent);
  to.bound = store.combine == Combine::kAdd ? to.bound + fitting->bound * terms : std::max(to.bound, fitting->bound);
  if (!(to.bound <= kMost32)) return tooLarge();
  value = fitting->value;
  if (to.type == DType::kI8) value = emit(Op::kCast, DType::kI8, clamped(*fitting, kMost8).value);
  return okStatus();
}

/// Settles the scale of a tensor of 8 bits: that of what is stored where all of that fits and has one scale.
Status BodyQuantizer::narrow(int target, const Quantity &q) {
  Stored &to = all_.stored(target);
  if (to.isOwn) return okStatus();
  if (q.isConstant()) {
    if (std::isfinite(q.constant) && std::abs(q.constant) < static_cast<double>(std::numeric_limits<float>::max()))
      to.constantBound = std::max(to.constantBound, std::abs(q.constant));
    return okStatus();
  }
  const bool isSame = to.scale == 0 || std::abs(to.scale / q.scale - 1) < 1e-12;
  if (!isSame || q.bound > kMost8) return all_.setOwn(target);
  to.scale = q.scale;
  return okStatus();
}

Status BodyQuantizer::store(Store &store) {
  const int target = store.target.tensor;
  renumber(store.target.indirectIndex);
  if (!all_.isMeant(target)) {
    renumber(store.value);
    return okStatus();
  }
  const Quantity q = quantity(store.value);
  Stored &to = all_.stored(target);
  if (store.combine == Combine::kMul) return refused("it accumulates a product");
  if (to.follows && to.scale == 0 && !q.isConstant()) to.scale = q.scale;
  if (to.follows) return storeWide(store, q, to, store.value);
  if (Status s = narrow(target, q); !s) return s;
  Result<Quantity> fitting = rescaled(q, to.scale > 0 ? to.scale : 1);
  if (!fitting) return fitting.diagnostics();
  store.value = emit(Op::kCast, DType::kI8, clamped(*fitting, kMost8).value);
  return okStatus();
}

Result<Kernel> BodyQuantizer::run() {
  for (std::size_t v = 0; v < kernel_.body.size(); ++v)
    if (Status s = add(static_cast<int>(v)); !s) return s.diagnostics();
  for (Access &load : out_.loads) renumber(load.indirectIndex);
  for (Store &s : out_.stores)
    if (Status done = store(s); !done) return done.diagnostics();
  renumber(out_.predicate);
  for (DataBounds &b : out_.bounds) {
    renumber(b.first);
    renumber(b.end);
  }
  return std::move(out_);
}

}  // namespace pimento::kernel
