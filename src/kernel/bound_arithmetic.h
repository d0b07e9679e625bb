// Numbers that carry a bound on their error, for evaluateWithBound. Internal to the room.
//
// Running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.3): each operation
// adds what it does to its arguments' errors and half a unit in the last place of its own. The bound also covers the
// error of the double-precision evaluation itself. An infinite bound says that nothing is claimed (overflow is
// possible, a decision hangs on an inexact value, NaN).
#pragma once

#include <cstdint>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

struct Bounded {
  double value = 0;
  double bound = 0;          ///< |any evaluation - value| <= bound
  std::int64_t integer = 0;  ///< integer types with bound 0: the exact value

  static Bounded exact(double x) { return {x, 0, 0}; }
  static Bounded exactInteger(DType type, std::int64_t x);
};

/// `node` (neither load, index nor constant) of its arguments; `argumentType` as for lanes' evaluate().
Bounded evaluateBounded(const Value &node, DType argumentType, const Bounded &a, const Bounded &b, const Bounded &c);
Bounded convertBounded(DType from, DType to, const Bounded &x);

/// An accumulation whose order is unknown. Sums: |error| <= (n - 1) u * sum |terms| for any order and any n (Jeannerod
/// and Rump, Improved error bounds for inner products in floating-point arithmetic, SIMAX 34, 2013); products: relative
/// error gamma(n) (Higham, lemma 3.1).
class BoundedAccumulation {
 public:
  BoundedAccumulation() = default;
  /// Onto `initial`, in `type`, of terms of type `termType`. Partial results may be held in any floating type at least
  /// as precise as the less precise of the two.
  BoundedAccumulation(Combine combine, DType type, DType termType);

  void add(const Bounded &term);
  Bounded result() const;

 private:
  Bounded floatResult() const;

  Combine combine_ = Combine::kAdd;
  DType type_ = DType::kF64, termType_ = DType::kF64;
  std::int64_t count_ = 0;
  Bounded value_;         ///< double-precision (or exact integer) result so far
  double errors_ = 0;     ///< sum (kMin, kMax: largest; kMul: infinite or 0) of the terms' bounds
  double magnitude_ = 0;  ///< sum or product of |term| + bound
  double peak_ = 1;       ///< product of max(1, |term| + bound)
};

}  // namespace pimento::kernel
