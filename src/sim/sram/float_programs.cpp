#include "pimento/sim/sram/float_programs.h"

#include <algorithm>

#include "pimento/sim/sram/integer_programs.h"

namespace pimento::sim::sram {

namespace {

/// -value of `bits` bits.
std::uint64_t minus(std::uint64_t value) {
  return 0 - value;
}

}  // namespace

FloatFormat formatOf(DType type) {
  switch (type) {
    case DType::kF16:
      return {5, 10};
    case DType::kBF16:
      return {8, 7};
    case DType::kF64:
      return {11, 52};
    default:
      return {8, 23};
  }
}

FloatBits::FloatBits(const Bits &bits, const FloatFormat &format)
    : mantissa(slice(bits, 0, format.mantissa)),
      exponent(slice(bits, format.mantissa, format.exponent)),
      magnitude(slice(bits, 0, format.mantissa + format.exponent)),
      sign(bits.back()) {}

// --- parts

void FloatWriter::isNan(Row dest, const FloatBits &a) const {
  const Row all = w_.row();
  w_.andOf(all, a.exponent);
  w_.orOf(dest, a.mantissa);
  w_.write(Sense::kAnd, dest, dest, all);
  w_.release(all);
}

void FloatWriter::toNormalExponent(const Bits &exponent, Row lowest, Row hidden) const {
  w_.orOf(hidden, exponent);
  w_.write(Sense::kNotA, lowest, hidden);
  w_.write(Sense::kOr, lowest, lowest, exponent[0]);
}

void FloatWriter::normalise(const Bits &significand, const Bits &exponent, bool isLimited) const {
  const std::size_t n = significand.size();
  std::size_t by = 1;
  while (2 * by < n) by *= 2;
  const Row any = w_.row();
  const Bits less = w_.rows(exponent.size());
  for (; by > 0; by /= 2) {
    w_.orOf(any, slice(significand, n - by, by));
    if (isLimited) {
      w_.clearCarry();
      w_.addConstant(less, exponent, minus(by));
      w_.loadTag(Sense::kNor, less.back(), any);
      w_.copyTagged(exponent, less);
    } else {
      w_.loadTag(Sense::kNotA, any);
      w_.clearCarry();
      w_.addConstantTagged(exponent, exponent, minus(by));
    }
    w_.shiftLeftTagged(significand, by);
  }
  w_.release(less);
  w_.release(any);
}

void FloatWriter::denormalise(const Bits &significand, const Bits &exponent) const {
  const Bits distance = w_.rows(exponent.size() - 1);
  negate(w_, distance, exponent);
  w_.loadTag(Sense::kNotA, exponent.back());
  w_.clearTagged(distance);
  w_.shiftRightSticky(significand, distance);
  w_.loadTag(Sense::kA, exponent.back());
  w_.clearTagged(exponent);
  w_.release(distance);
}

void FloatWriter::roundInto(const Bits &dest, const Unrounded &value) const {
  const FloatBits out(dest, format_);
  const std::size_t n = value.significand.size(), m = format_.mantissa;
  const Row hidden = value.significand[n - 1], guard = value.significand[n - 2 - m];
  const Bits mantissa = slice(value.significand, n - 1 - m, m);
  if (hasSubnormals_) {
    w_.loadTag(Sense::kNotA, hidden);
    w_.clearTagged(value.exponent);
  }
  // Up from more than half a unit, and from half a unit where the last bit is 1.
  const Row up = w_.row();
  w_.orOf(up, joined(slice(value.significand, 0, n - 2 - m), {mantissa[0]}));
  w_.loadCarry(Sense::kAnd, up, guard);
  w_.release(up);
  // The carry runs into the exponent; so does the top bit, of which exponents from the smallest one on lack 1.
  const Bits above = w_.rows(value.exponent.size() - format_.exponent);
  w_.add(out.mantissa, mantissa, {});
  w_.add(joined(out.exponent, above), value.exponent, {hidden});
  const Row isInfinite = w_.row();
  w_.andOf(isInfinite, out.exponent);
  w_.orOf(isInfinite, joined({isInfinite}, above));
  w_.loadTag(Sense::kA, isInfinite);
  writeInfinityTagged(out);
  w_.write(Sense::kA, out.sign, value.sign);
  w_.release(isInfinite);
  w_.release(above);
}

void FloatWriter::finish(const Bits &dest, const Unrounded &value) const {
  if (hasSubnormals_) {
    denormalise(value.significand, value.exponent);
    return roundInto(dest, value);
  }
  roundInto(dest, value);
  w_.loadTag(Sense::kA, value.exponent.back());
  w_.clearTagged(FloatBits(dest, format_).magnitude);
}

void FloatWriter::writeNanTagged(const FloatBits &dest) const {
  w_.clearTagged(slice(dest.mantissa, 0, dest.mantissa.size() - 1));
  w_.writeTagged(Sense::kOne, dest.mantissa.back());
  w_.fillTagged(dest.exponent);
  w_.writeTagged(Sense::kZero, dest.sign);
}

void FloatWriter::writeInfinityTagged(const FloatBits &dest) const {
  w_.clearTagged(dest.mantissa);
  w_.fillTagged(dest.exponent);
}

// --- sums

void FloatWriter::add(const Bits &dest, const Bits &a, const Bits &b, bool isDifference) {
  const std::size_t n = format_.bits() - 1, e = format_.exponent, m = format_.mantissa;
  const FloatBits x(a, format_), y(b, format_), out(dest, format_);
  const Row inverse = w_.row(), isOpposite = w_.row(), sign = w_.row();
  if (isDifference) w_.write(Sense::kNotA, inverse, y.sign);
  const Row signOfB = isDifference ? inverse : y.sign;
  w_.write(Sense::kXor, isOpposite, x.sign, signOfB);
  // The one of larger magnitude, and the other.
  w_.less(x.magnitude, y.magnitude);
  w_.loadTag(Sense::kCarry);
  const Bits large = w_.rows(n), small = w_.rows(n);
  w_.copy(large, x.magnitude);
  w_.copyTagged(large, y.magnitude);
  w_.copy(small, y.magnitude);
  w_.copyTagged(small, x.magnitude);
  w_.write(Sense::kA, sign, x.sign);
  w_.writeTagged(Sense::kA, sign, signOfB);
  const Bits largeMantissa = slice(large, 0, m);
  const Row ofLarge = w_.row(), ofSmall = w_.row(), lowestOfLarge = w_.row(), lowestOfSmall = w_.row();
  Bits largeExponent = slice(large, m, e), smallExponent = slice(small, m, e);
  toNormalExponent(largeExponent, lowestOfLarge, ofLarge);
  toNormalExponent(smallExponent, lowestOfSmall, ofSmall);
  largeExponent[0] = lowestOfLarge;
  smallExponent[0] = lowestOfSmall;
  const Bits distance = w_.rows(e);
  w_.subtract(distance, largeExponent, smallExponent);
  // Three bits below the last: a guard, a round and a sticky bit.
  const Bits below = w_.rows(3);
  w_.clear(below);
  const Bits sum = joined(joined(below, slice(small, 0, m)), {ofSmall});
  w_.shiftRightSticky(sum, distance);
  w_.release(distance);
  w_.logic(Sense::kXor, sum, sum, isOpposite);
  w_.loadCarry(Sense::kA, isOpposite);
  w_.add(sum, joined(joined(Bits(3), largeMantissa), {ofLarge}), sum);
  // A difference always has a carry, a sum where it needs one more bit.
  const Row isLonger = w_.row();
  w_.write(Sense::kCarry, isLonger);
  w_.write(Sense::kXor, isLonger, isLonger, isOpposite);
  w_.loadTag(Sense::kA, isLonger);
  w_.writeTagged(Sense::kOr, sum[0], sum[0], sum[1]);
  w_.shiftRightTagged(slice(sum, 1, sum.size() - 1), 1, isLonger);
  const Bits exponent = w_.rows(e + 1);
  w_.loadCarry(Sense::kA, isLonger);
  w_.addConstant(exponent, largeExponent, minus(1));
  normalise(sum, exponent, true);
  roundInto(dest, {sign, sum, exponent});
  // Infinity and NaN: of the larger one, or of infinity - infinity.
  const Row isSpecial = w_.row(), nan = w_.row();
  w_.andOf(isSpecial, largeExponent);
  w_.loadTag(Sense::kA, isSpecial);
  writeInfinityTagged(out);
  w_.andOf(nan, joined(smallExponent, {isOpposite}));
  w_.orOf(nan, joined({nan}, largeMantissa));
  w_.loadTag(Sense::kAnd, nan, isSpecial);
  writeNanTagged(out);
  // x - x is +0. No other difference is without a top bit and a mantissa.
  w_.orOf(nan, joined(out.mantissa, {sum.back()}));
  w_.write(Sense::kNotA, isSpecial, isOpposite);
  w_.loadTag(Sense::kNor, nan, isSpecial);
  w_.writeTagged(Sense::kZero, out.sign);
  for (const Bits &used :
       {large, small, below, exponent,
        Bits{inverse, isOpposite, sign, ofLarge, ofSmall, lowestOfLarge, lowestOfSmall, isLonger, isSpecial, nan}})
    w_.release(used);
}

// --- products and quotients

FloatWriter::Operand FloatWriter::operandOf(const FloatBits &a) const {
  Operand o{w_.row(), w_.row(), w_.row(), w_.row()};
  w_.andOf(o.isSpecial, a.exponent);
  w_.orOf(o.hasMantissa, a.mantissa);
  toNormalExponent(a.exponent, o.lowest, o.hidden);
  return o;
}

Row FloatWriter::notZero(const Operand &o) const {
  const Row r = w_.row();
  if (hasSubnormals_)
    w_.write(Sense::kOr, r, o.hidden, o.hasMantissa);
  else
    w_.write(Sense::kA, r, o.hidden);
  return r;
}

void FloatWriter::release(const Operand &o) const {
  w_.release({o.isSpecial, o.hasMantissa, o.hidden, o.lowest});
}

Bits FloatWriter::normalExponent(const FloatBits &a, const Operand &o) {
  return joined({o.lowest}, slice(a.exponent, 1, a.exponent.size() - 1));
}

void FloatWriter::multiply(const Bits &dest, const Bits &a, const Bits &b) {
  const std::size_t e = format_.exponent, m = format_.mantissa;
  const FloatBits x(a, format_), y(b, format_), out(dest, format_);
  const Operand ofX = operandOf(x), ofY = operandOf(y);
  const Row sign = w_.row();
  w_.write(Sense::kXor, sign, x.sign, y.sign);
  const Bits product = w_.rows(2 * m + 2);
  sram::multiply(w_, product, joined(x.mantissa, {ofX.hidden}), joined(y.mantissa, {ofY.hidden}));
  // Of the product's top bit.
  const Bits exponent = w_.rows(e + 2);
  w_.clearCarry();
  w_.add(exponent, normalExponent(x, ofX), normalExponent(y, ofY));
  w_.clearCarry();
  w_.addConstant(exponent, exponent, minus(format_.bias()));
  if (hasSubnormals_) normalise(product, exponent, true);
  // What lies below the guard bit and the one after counts together.
  const Row sticky = w_.row();
  w_.orOf(sticky, slice(product, 0, m - 1));
  const Bits significand = joined({sticky}, slice(product, m - 1, m + 3));
  if (!hasSubnormals_) oneUp(significand, exponent);
  finish(dest, {sign, significand, exponent});
  const Row isX = notZero(ofX), isY = notZero(ofY);
  const Row isZero = w_.row(), isInfinite = w_.row(), nan = w_.row();
  w_.write(Sense::kNand, isZero, isX, isY);
  w_.write(Sense::kOr, isInfinite, ofX.isSpecial, ofY.isSpecial);
  w_.write(Sense::kAnd, nan, isInfinite, isZero);
  orNan(nan, ofX);
  orNan(nan, ofY);
  writeSpecials(out, isZero, isInfinite, nan);
  release(ofX);
  release(ofY);
  for (const Bits &used : {product, exponent, Bits{sign, sticky, isX, isY, isZero, isInfinite, nan}}) w_.release(used);
}

void FloatWriter::orNan(Row dest, const Operand &o) const {
  const Row nan = w_.row();
  w_.write(Sense::kAnd, nan, o.isSpecial, o.hasMantissa);
  w_.write(Sense::kOr, dest, dest, nan);
  w_.release(nan);
}

void FloatWriter::writeSpecials(const FloatBits &out, Row isZero, Row isInfinite, Row nan) const {
  if (!isZero.isNone()) {
    w_.loadTag(Sense::kA, isZero);
    w_.clearTagged(out.magnitude);
  }
  w_.loadTag(Sense::kA, isInfinite);
  writeInfinityTagged(out);
  w_.loadTag(Sense::kA, nan);
  writeNanTagged(out);
}

void FloatWriter::oneUp(const Bits &significand, const Bits &exponent) const {
  w_.loadTag(Sense::kNotA, significand.back());
  w_.clearCarry();
  w_.addConstantTagged(exponent, exponent, minus(1));
  w_.shiftLeftTagged(significand, 1);
}

void FloatWriter::divide(const Bits &dest, const Bits &a, const Bits &b) {
  const std::size_t e = format_.exponent, m = format_.mantissa;
  const FloatBits x(a, format_), y(b, format_), out(dest, format_);
  const Operand ofX = operandOf(x), ofY = operandOf(y);
  const Row sign = w_.row();
  w_.write(Sense::kXor, sign, x.sign, y.sign);
  const Bits exponent = w_.rows(e + 3), divisor = w_.rows(m + 1);
  // The dividend as ~r, with one bit more.
  Bits inverse = w_.rows(m + 2);
  Bits dividend = slice(inverse, 0, m + 1);
  w_.copy(dividend, joined(x.mantissa, {ofX.hidden}));
  w_.copy(divisor, joined(y.mantissa, {ofY.hidden}));
  const Bits ofDivisor = w_.rows(e + 3);
  w_.copy(ofDivisor, normalExponent(y, ofY));
  w_.copy(exponent, normalExponent(x, ofX));
  if (hasSubnormals_) {
    normalise(divisor, ofDivisor, false);
    normalise(dividend, exponent, false);
  }
  w_.subtract(exponent, exponent, ofDivisor);
  w_.clearCarry();
  w_.addConstant(exponent, exponent, format_.bias() - 1);
  w_.release(ofDivisor);
  w_.invert(dividend, dividend);
  w_.write(Sense::kOne, inverse[m + 1]);
  const Bits significand = w_.rows(m + 4);
  for (std::size_t i = m + 3; i > 0; --i) {
    if (i < m + 3) {
      std::rotate(inverse.begin(), inverse.end() - 1, inverse.end());
      w_.write(Sense::kOne, inverse[0]);
    }
    divisionStep(w_, inverse, divisor, significand[i]);
  }
  w_.andOf(significand[0], inverse);
  w_.write(Sense::kNotA, significand[0], significand[0]);
  w_.release(inverse);
  w_.release(divisor);
  oneUp(significand, exponent);
  finish(dest, {sign, significand, exponent});
  const Row isX = notZero(ofX), isY = notZero(ofY);
  const Row isZero = w_.row(), isInfinite = w_.row(), nan = w_.row(), other = w_.row();
  w_.write(Sense::kNotA, other, isX);
  w_.write(Sense::kOr, isZero, other, ofY.isSpecial);
  w_.write(Sense::kNotA, nan, isY);
  w_.write(Sense::kOr, isInfinite, nan, ofX.isSpecial);
  // 0 / 0, infinity / infinity, or of a NaN.
  w_.write(Sense::kAnd, nan, isZero, isInfinite);
  w_.write(Sense::kXnor, isX, isX, isY);
  w_.write(Sense::kXnor, isY, ofX.isSpecial, ofY.isSpecial);
  w_.write(Sense::kAnd, isX, isX, isY);
  w_.write(Sense::kAnd, nan, nan, isX);
  orNan(nan, ofX);
  orNan(nan, ofY);
  writeSpecials(out, isZero, isInfinite, nan);
  release(ofX);
  release(ofY);
  for (const Bits &used : {exponent, significand, Bits{sign, isX, isY, isZero, isInfinite, nan, other}})
    w_.release(used);
}

// --- order

void FloatWriter::lessInOrder(const Bits &a, const Bits &b) const {
  // Positive numbers above negative ones, whose magnitudes count down: integers of these bits are in that order.
  const FloatBits x(a, format_), y(b, format_);
  const Bits inverse = w_.rows(x.magnitude.size()), other = w_.rows(x.magnitude.size() + 1);
  w_.logic(Sense::kXnor, inverse, x.magnitude, x.sign);
  w_.logic(Sense::kXor, slice(other, 0, inverse.size()), y.magnitude, y.sign);
  w_.write(Sense::kNotA, other.back(), y.sign);
  w_.clearCarry();
  w_.carryOf(joined(inverse, {x.sign}), other);
  w_.release(inverse);
  w_.release(other);
}

void FloatWriter::extreme(const Bits &dest, const Bits &a, const Bits &b, bool isLargest) {
  const Bits &large = isLargest ? a : b, &small = isLargest ? b : a;
  lessInOrder(a, b);
  w_.loadTag(Sense::kCarry);
  w_.copy(dest, large);
  w_.copyTagged(dest, small);
  const Row isANan = w_.row(), isBNan = w_.row();
  isNan(isANan, FloatBits(a, format_));
  isNan(isBNan, FloatBits(b, format_));
  w_.loadTag(Sense::kA, isANan);
  w_.copyTagged(dest, b);
  w_.loadTag(Sense::kA, isBNan);
  w_.copyTagged(dest, a);
  w_.loadTag(Sense::kAnd, isANan, isBNan);
  writeNanTagged(FloatBits(dest, format_));
  w_.release({isANan, isBNan});
}

void FloatWriter::compare(Row dest, const Bits &a, const Bits &b, kernel::Op op) {
  using kernel::Op;
  const FloatBits x(a, format_), y(b, format_);
  const Row nan = w_.row(), other = w_.row(), isAny = w_.row();
  isNan(nan, x);
  isNan(other, y);
  w_.write(Sense::kOr, nan, nan, other);
  w_.orOf(isAny, joined(x.magnitude, y.magnitude));  // else both are 0, and equal
  if (op == Op::kCmpEq || op == Op::kCmpNe) {
    differ(w_, dest, a, b);
    w_.write(Sense::kAnd, dest, dest, isAny);
    w_.write(Sense::kOr, dest, dest, nan);
    if (op == Op::kCmpEq) w_.write(Sense::kNotA, dest, dest);
  } else {
    const bool isSwapped = op == Op::kCmpGt || op == Op::kCmpLe;
    lessInOrder(isSwapped ? b : a, isSwapped ? a : b);
    w_.write(Sense::kCarry, dest);
    w_.write(Sense::kAnd, dest, dest, isAny);
    if (op == Op::kCmpLe || op == Op::kCmpGe) w_.write(Sense::kNotA, dest, dest);
    w_.loadTag(Sense::kA, nan);
    w_.writeTagged(Sense::kZero, dest);
  }
  w_.release({nan, other, isAny});
}

// --- signs

void FloatWriter::withSign(const Bits &dest, const Bits &a, bool isInverted) {
  const FloatBits x(a, format_), out(dest, format_);
  w_.copy(out.magnitude, x.magnitude);
  if (isInverted)
    w_.write(Sense::kNotA, out.sign, x.sign);
  else
    w_.write(Sense::kZero, out.sign);
  quietNan(out, x);
}

void FloatWriter::quietNan(const FloatBits &out, const FloatBits &a) const {
  const Row nan = w_.row();
  isNan(nan, a);
  w_.loadTag(Sense::kA, nan);
  writeNanTagged(out);
  w_.release(nan);
}

void FloatWriter::relu(const Bits &dest, const Bits &a) {
  const Row isPositive = w_.row();
  w_.write(Sense::kNotA, isPositive, a.back());
  w_.logic(Sense::kAnd, dest, a, isPositive);
  w_.release(isPositive);
}

}  // namespace pimento::sim::sram
