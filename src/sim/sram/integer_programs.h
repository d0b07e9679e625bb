// Programs for integers, of any width: what operations.h asks of them, and what programs for floating-point numbers
// are made of.
#pragma once

#include "pimento/sim/sram/writer.h"

namespace pimento::sim::sram {

/// dest = -a modulo 2^bits, and the same where the tag is set. `dest` may be `a`.
void negate(Writer &w, const Bits &dest, const Bits &a);
void negateTagged(Writer &w, const Bits &dest, const Bits &a);
/// dest = |a|, as a number without sign.
void magnitude(Writer &w, const Bits &dest, const Bits &a);
/// The low bits of a * b; all of them if `dest` has as many as both.
void multiply(Writer &w, const Bits &dest, const Bits &a, const Bits &b);
/// One bit of a quotient: where r >= b, r becomes r - b. `inverse` is ~r, of one bit more than b; `quotient` may be
/// none.
void divisionStep(Writer &w, const Bits &inverse, const Bits &b, Row quotient);
/// Of numbers without sign. Both results may be empty; the quotient may be `a`, and has as many bits, the remainder as
/// many as `b`. By 0: all ones, and the low bits of a.
void divide(Writer &w, const Bits &quotient, const Bits &remainder, const Bits &a, const Bits &b);

void divideIntegers(Writer &w, const Bits &dest, const Bits &a, const Bits &b, bool isSigned, bool isRemainder);
/// The carry becomes a < b.
void lessIntegers(Writer &w, const Bits &a, const Bits &b, bool isSigned);
/// dest = whether a and b differ in any bit.
void differ(Writer &w, Row dest, const Bits &a, const Bits &b);
/// By a number of bits; the width or more gives 0, or the sign.
void shiftIntegers(Writer &w, const Bits &dest, const Bits &a, const Bits &count, bool isLeft, bool isSigned);

}  // namespace pimento::sim::sram
