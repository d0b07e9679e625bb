// Arithmetic that units beside banks and the units of their channel share.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pimento/base/dtype.h"

namespace pimento::sim::pim {

/// What arithmetic gives: to nearest even, and every NaN the positive quiet one (this machine's default is negative).
inline float rounded(DType type, float x) {
  if (type == DType::kF32) return std::isnan(x) ? std::numeric_limits<float>::quiet_NaN() : x;
  return static_cast<float>(decodeFloat(type, encodeFloat(type, x)));
}

/// Of `count` values, which it changes: neighbours pairwise, then pairs of pairs, each sum rounded.
inline float treeSum(DType type, int count, float *x) {
  for (int n = count / 2; n > 0; n /= 2)
    for (int i = 0; i < n; ++i) x[i] = rounded(type, x[2 * i] + x[2 * i + 1]);
  return x[0];
}

/// visit(channel, bank) for every unit at `banks`, one bit each.
template <typename Visit>
void forEachUnit(int channels, std::uint64_t banks, const Visit &visit) {
  for (; banks != 0; banks &= banks - 1)
    for (int channel = 0; channel < channels; ++channel) visit(channel, std::countr_zero(banks));
}

}  // namespace pimento::sim::pim
