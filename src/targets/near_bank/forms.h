// What recognisers ask of kernels and their accesses.
#pragma once

#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::targets::near_bank {

/// Affine, with one store and nothing that data or conditions decide.
inline bool isPlain(const kernel::Kernel &k) {
  return k.form == kernel::Form::kAffine && k.guards.empty() && k.bounds.empty() && k.stores.size() == 1;
}

/// The dim that an index is, or -1.
inline int dimOf(const kernel::Affine &a, std::size_t dims) {
  for (std::size_t d = 0; d < dims; ++d) {
    std::vector<std::int64_t> one(dims, 0);
    one[d] = 1;
    if (a == kernel::Affine{one, 0}) return static_cast<int>(d);
  }
  return -1;
}

/// The dims of an access, in the order of its indices; empty: one of them is no dim.
inline std::vector<int> dimsOf(const kernel::Access &a, std::size_t dims) {
  std::vector<int> out;
  for (const kernel::Affine &i : a.index) {
    out.push_back(dimOf(i, dims));
    if (out.back() < 0) return {};
  }
  return out;
}

}  // namespace pimento::targets::near_bank
