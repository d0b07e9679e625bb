// Programs for floating-point numbers of IEEE 754 formats: round to nearest even, NaN made by arithmetic is the
// positive quiet one.
#pragma once

#include "pimento/base/dtype.h"
#include "pimento/kernel/kernel.h"
#include "pimento/sim/sram/writer.h"

namespace pimento::sim::sram {

/// Widths of a binary interchange format.
struct FloatFormat {
  std::size_t exponent = 8, mantissa = 23;

  std::size_t bits() const { return 1 + exponent + mantissa; }
  std::uint64_t bias() const { return (std::uint64_t{1} << (exponent - 1)) - 1; }
};
/// Of f16, bf16, f32, f64.
FloatFormat formatOf(DType type);

/// A number's wordlines by field.
struct FloatBits {
  Bits mantissa, exponent, magnitude;
  Row sign;

  FloatBits(const Bits &bits, const FloatFormat &format);
};

class FloatWriter {
 public:
  FloatWriter(Writer &writer, DType type, bool hasSubnormals)
      : w_(writer), format_(formatOf(type)), hasSubnormals_(hasSubnormals) {}

  /// `isDifference`: a - b.
  void add(const Bits &dest, const Bits &a, const Bits &b, bool isDifference);
  void multiply(const Bits &dest, const Bits &a, const Bits &b);
  void divide(const Bits &dest, const Bits &a, const Bits &b);
  /// The smaller or larger one; -0 < +0, and the other one where one is NaN.
  void extreme(const Bits &dest, const Bits &a, const Bits &b, bool isLargest);
  /// dest = a, with the sign inverted or cleared.
  void withSign(const Bits &dest, const Bits &a, bool isInverted);
  void relu(const Bits &dest, const Bits &a);
  /// dest = whether a `op` b.
  void compare(Row dest, const Bits &a, const Bits &b, kernel::Op op);
  void fromInteger(const Bits &dest, const Bits &a, bool isSigned);
  void toInteger(const Bits &dest, const Bits &a, bool isSigned);
  void fromFloat(const Bits &dest, const Bits &a, DType type);

 private:
  /// A value before rounding: 2^(exponent + 1 - bias) x significand, of which the top bit is the ones place, below it
  /// the format's bits, a guard bit, and a sticky bit at the bottom. `exponent` counts from the smallest one, in two's
  /// complement.
  struct Unrounded {
    Row sign;
    Bits significand, exponent;
  };

  /// What products, quotients and conversions need to know of a number.
  struct Operand {
    Row isSpecial;    ///< infinity or NaN
    Row hasMantissa;  ///< a bit below the top one
    Row hidden;       ///< the top bit of the significand: 0 of 0 and of subnormal numbers
    Row lowest;       ///< the lowest bit of the exponent, which is 1 of those
  };
  Operand operandOf(const FloatBits &a) const;
  Row notZero(const Operand &o) const;
  void release(const Operand &o) const;
  /// dest = dest or whether it is NaN.
  void orNan(Row dest, const Operand &o) const;
  static Bits normalExponent(const FloatBits &a, const Operand &o);

  void isNan(Row dest, const FloatBits &a) const;
  /// hidden = whether the exponent is not 0; lowest = its lowest bit, or 1 where it is 0, as subnormal numbers have it.
  void toNormalExponent(const Bits &exponent, Row lowest, Row hidden) const;
  /// The significand towards its top, the exponent down; `isLimited`: as far as the exponent stays at least 0.
  void normalise(const Bits &significand, const Bits &exponent, bool isLimited) const;
  /// The same by one bit, where the top bit is 0.
  void oneUp(const Bits &significand, const Bits &exponent) const;
  /// Down to exponent 0 where it is below.
  void denormalise(const Bits &significand, const Bits &exponent) const;
  /// To nearest even, to infinity where that is nearest. Exponents must be at least 0 and the value normal or at
  /// exponent 0, unless subnormal numbers become 0.
  void roundInto(const Bits &dest, const Unrounded &value) const;
  /// roundInto() of any exponent.
  void finish(const Bits &dest, const Unrounded &value) const;
  void writeNanTagged(const FloatBits &dest) const;
  /// With the sign that is there.
  void writeInfinityTagged(const FloatBits &dest) const;
  /// Later ones win.
  void writeSpecials(const FloatBits &out, Row isZero, Row isInfinite, Row nan) const;
  void quietNan(const FloatBits &out, const FloatBits &a) const;
  /// The carry becomes a < b, of numbers that are no NaN, -0 below +0.
  void lessInOrder(const Bits &a, const Bits &b) const;

  Writer &w_;
  FloatFormat format_;
  bool hasSubnormals_;
};

}  // namespace pimento::sim::sram
