// Integer arithmetic that user-given sizes cannot overflow.
#pragma once

#include <cstdint>
#include <limits>

namespace pimento {

/// Rounds up; `a` >= 0, `b` > 0.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// a * b of non-negative numbers, or the largest 64-bit number where that does not fit.
constexpr std::int64_t multiplySaturated(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

/// a + b of non-negative numbers, or the largest 64-bit number where that does not fit.
constexpr std::int64_t addSaturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

}  // namespace pimento
