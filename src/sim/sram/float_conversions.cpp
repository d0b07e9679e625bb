// Conversions of floating-point numbers from and to other types.
#include <algorithm>

#include "pimento/sim/sram/float_programs.h"
#include "pimento/sim/sram/integer_programs.h"

namespace pimento::sim::sram {

void FloatWriter::fromInteger(const Bits &dest, const Bits &a, bool isSigned) {
  const std::size_t n = a.size(), width = std::max(n, format_.mantissa + 3);
  const Row sign = w_.row();
  const Bits significand = w_.rows(width), exponent = w_.rows(format_.exponent + 3);
  w_.clear(slice(significand, 0, width - n));
  const Bits number = slice(significand, width - n, n);
  if (isSigned) {
    w_.write(Sense::kA, sign, a.back());
    magnitude(w_, number, a);
  } else {
    w_.write(Sense::kZero, sign);
    w_.copy(number, a);
  }
  w_.clearCarry();
  w_.addConstant(exponent, {}, n - 2 + format_.bias());
  normalise(significand, exponent, false);
  roundInto(dest, {sign, significand, exponent});
  w_.release(significand);
  w_.release(exponent);
  w_.release(sign);
}

void FloatWriter::toInteger(const Bits &dest, const Bits &a, bool isSigned) {
  const std::size_t n = dest.size(), m = format_.mantissa;
  const FloatBits x(a, format_);
  // Fixed point: the number's bits with its top one at bit m, shifted left by its exponent.
  const Bits exponent = w_.rows(format_.exponent + 1), fraction = w_.rows(m);
  w_.clearCarry();
  w_.addConstant(exponent, x.exponent, 0 - format_.bias());
  w_.copy(fraction, x.mantissa);
  w_.clear(dest);
  w_.write(Sense::kOne, dest[0]);
  const Bits fixed = joined(fraction, dest);
  constexpr std::size_t kStages = 6;  // by less than 64
  const std::size_t stages = std::min(kStages, format_.exponent);
  for (std::size_t i = 0; i < stages; ++i) {
    w_.loadTag(Sense::kA, exponent[i]);
    w_.shiftLeftTagged(fixed, std::min(std::size_t{1} << i, fixed.size()));
  }
  w_.loadTag(Sense::kA, x.sign);
  negateTagged(w_, dest, dest);
  // Outside 64 bits: from 2^63, of u64 from 2^64 up; -2^63 itself is what it saturates to.
  const Row isFar = w_.row(), isHuge = w_.row();
  w_.andOf(isHuge, x.exponent);
  if (format_.exponent > kStages)
    w_.orOf(isHuge, joined({isHuge}, slice(exponent, kStages, format_.exponent - kStages)));
  w_.andOf(isFar, slice(exponent, 0, stages));
  if (stages < kStages)
    w_.write(Sense::kA, isFar, isHuge);
  else
    w_.write(Sense::kOr, isFar, isFar, isHuge);
  const bool isWhole = n == 64;
  const Row isPositive = w_.row();
  w_.write(Sense::kNotA, isPositive, x.sign);
  w_.loadTag(Sense::kAnd, isWhole && !isSigned ? isHuge : isFar, isPositive);
  w_.fillTagged(dest);
  if (isWhole && isSigned) w_.writeTagged(Sense::kZero, dest.back());
  w_.loadTag(Sense::kAnd, isFar, x.sign);
  w_.clearTagged(dest);
  if (isWhole) w_.writeTagged(Sense::kOne, dest.back());
  // Below 1, and NaN.
  w_.loadTag(Sense::kA, exponent.back());
  w_.clearTagged(dest);
  isNan(isFar, x);
  w_.loadTag(Sense::kA, isFar);
  w_.clearTagged(dest);
  for (const Bits &used : {exponent, fraction, Bits{isFar, isHuge, isPositive}}) w_.release(used);
}

void FloatWriter::fromFloat(const Bits &dest, const Bits &a, DType type) {
  const FloatFormat from = formatOf(type);
  const FloatBits x(a, from), out(dest, format_);
  if (from.exponent == format_.exponent && from.mantissa == format_.mantissa) {
    w_.copy(dest, a);
    return quietNan(out, x);
  }
  const std::size_t width = std::max(from.mantissa + 1, format_.mantissa + 3);
  const std::size_t low = width - from.mantissa - 1;
  const Bits significand = w_.rows(width), exponent = w_.rows(std::max(from.exponent, format_.exponent) + 2);
  const Operand o = operandOf(x);
  w_.clear(slice(significand, 0, low));
  w_.copy(slice(significand, low, from.mantissa + 1), joined(x.mantissa, {o.hidden}));
  w_.clearCarry();
  w_.addConstant(exponent, normalExponent(x, o), format_.bias() - from.bias() - 1);
  const bool isWider = from.exponent < format_.exponent;
  if (hasSubnormals_ && isWider) normalise(significand, exponent, false);
  finish(dest, {x.sign, significand, exponent});
  const Row isZero = w_.row(), nan = w_.row();
  w_.write(Sense::kNotA, isZero, o.hidden);
  w_.write(Sense::kAnd, nan, o.isSpecial, o.hasMantissa);
  writeSpecials(out, hasSubnormals_ ? Row{} : isZero, o.isSpecial, nan);
  release(o);
  for (const Bits &used : {significand, exponent, Bits{isZero, nan}}) w_.release(used);
}

}  // namespace pimento::sim::sram
