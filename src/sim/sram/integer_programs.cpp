#include "pimento/sim/sram/integer_programs.h"

#include <algorithm>

namespace pimento::sim::sram {

void negate(Writer &w, const Bits &dest, const Bits &a) {
  const Row ones = w.row();
  w.write(Sense::kOne, ones);
  w.clearCarry();
  w.addInverted(dest, a, Bits(dest.size(), ones));  // ~(a - 1)
  w.release(ones);
}

void negateTagged(Writer &w, const Bits &dest, const Bits &a) {
  const Row ones = w.row();
  w.write(Sense::kOne, ones);
  w.clearCarry();
  w.addInvertedTagged(dest, a, Bits(dest.size(), ones));
  w.release(ones);
}

void magnitude(Writer &w, const Bits &dest, const Bits &a) {
  w.copy(dest, a);
  w.loadTag(Sense::kA, a.back());
  negateTagged(w, dest, a);
}

void multiply(Writer &w, const Bits &dest, const Bits &a, const Bits &b) {
  const std::size_t n = dest.size();
  const std::size_t first = std::min(n, a.size());
  w.logic(Sense::kAnd, slice(dest, 0, first), slice(a, 0, first), b[0]);
  w.clear(slice(dest, first, n - first));
  for (std::size_t i = 1; i < std::min(n, b.size()); ++i) {
    w.loadTag(Sense::kA, b[i]);
    w.clearCarry();
    const std::size_t length = std::min(n - i, a.size());
    const Bits sum = slice(dest, i, length);
    w.addTagged(sum, sum, slice(a, 0, length));
    if (i + length < n) w.writeTagged(Sense::kCarry, dest[i + length]);
  }
}

void divisionStep(Writer &w, const Bits &inverse, const Bits &b, Row quotient) {
  // r - b is ~(~r + b), and the carry out of that sum says r < b.
  w.clearCarry();
  w.carryOf(inverse, b);
  if (!quotient.isNone()) w.write(Sense::kNotCarry, quotient);
  w.loadTag(Sense::kNotCarry);
  w.clearCarry();
  w.addTagged(inverse, inverse, b);
}

void divide(Writer &w, const Bits &quotient, const Bits &remainder, const Bits &a, const Bits &b) {
  Bits inverse = w.rows(b.size() + 1);
  for (const Row r : inverse) w.write(Sense::kOne, r);
  for (std::size_t i = a.size(); i-- > 0;) {
    // r becomes 2 r + a bit: r < b, so its top bit is 0.
    std::rotate(inverse.begin(), inverse.end() - 1, inverse.end());
    w.write(Sense::kNotA, inverse[0], a[i]);
    divisionStep(w, inverse, b, quotient.empty() ? Row{} : quotient[i]);
  }
  if (!remainder.empty()) w.invert(remainder, slice(inverse, 0, remainder.size()));
  w.release(inverse);
}

void divideIntegers(Writer &w, const Bits &dest, const Bits &a, const Bits &b, bool isSigned, bool isRemainder) {
  const std::size_t n = dest.size();
  const Row any = w.row();
  w.orOf(any, b);
  if (!isSigned) {
    divide(w, isRemainder ? Bits() : dest, isRemainder ? dest : Bits(), a, b);
  } else {
    const Bits y = w.rows(n);
    magnitude(w, dest, a);
    magnitude(w, y, b);
    divide(w, isRemainder ? Bits() : dest, isRemainder ? dest : Bits(), dest, y);
    if (isRemainder)
      w.loadTag(Sense::kA, a.back());
    else
      w.loadTag(Sense::kXor, a.back(), b.back());
    negateTagged(w, dest, dest);
    w.release(y);
  }
  w.loadTag(Sense::kNotA, any);
  w.clearTagged(dest);
  w.release(any);
}

void lessIntegers(Writer &w, const Bits &a, const Bits &b, bool isSigned) {
  if (!isSigned) return w.less(a, b);
  // Signs weigh the other way: both turned over.
  const std::size_t n = a.size();
  const Bits inverse = w.rows(n);
  w.invert(slice(inverse, 0, n - 1), slice(a, 0, n - 1));
  w.write(Sense::kNotA, inverse[n - 1], b[n - 1]);
  w.clearCarry();
  w.carryOf(joined(slice(inverse, 0, n - 1), {a[n - 1]}), joined(slice(b, 0, n - 1), {inverse[n - 1]}));
  w.release(inverse);
}

void differ(Writer &w, Row dest, const Bits &a, const Bits &b) {
  const Row bit = w.row();
  w.write(Sense::kXor, dest, a[0], b[0]);
  for (std::size_t i = 1; i < a.size(); ++i) {
    w.write(Sense::kXor, bit, a[i], b[i]);
    w.write(Sense::kOr, dest, dest, bit);
  }
  w.release(bit);
}

void shiftIntegers(Writer &w, const Bits &dest, const Bits &a, const Bits &count, bool isLeft, bool isSigned) {
  const std::size_t n = dest.size();
  w.copy(dest, a);
  const Row fill = isSigned && !isLeft ? a.back() : Row{};
  std::size_t stage = 0;
  for (; (std::size_t{1} << stage) < n; ++stage) {
    w.loadTag(Sense::kA, count[stage]);
    if (isLeft)
      w.shiftLeftTagged(dest, std::size_t{1} << stage);
    else
      w.shiftRightTagged(dest, std::size_t{1} << stage, fill);
  }
  const Row isFar = w.row();
  w.orOf(isFar, slice(count, stage, count.size() - stage));
  w.loadTag(Sense::kA, isFar);
  for (const Row r : dest) w.writeTagged(Sense::kA, r, fill);
  w.release(isFar);
}

}  // namespace pimento::sim::sram
