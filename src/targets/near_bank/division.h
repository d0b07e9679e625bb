// A mapping of one subspace in the making: dims divided by channels, then banks; what is left of a dim is a bank's own
// range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/kernel/kernel.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::near_bank {

/// Divides what is left of dims by a level's instances, each part as large as the largest needs to be.
class Division {
 public:
  static constexpr std::size_t kChannels = 0, kBanks = 1;

  Division(const kernel::Kernel &kernel, const mapping::MapSpec &spec) : mapping_(spec.mapping) {
    factors_.assign(3, std::vector<std::int64_t>(kernel.dims.size(), 1));
    for (const kernel::Dim &d : kernel.dims) left_.push_back(d.extent);
  }

  std::int64_t left(int dim) const { return left_[static_cast<std::size_t>(dim)]; }

  /// `most`: instances, over all these dims, none of which the level has divided yet. Returns how many are used.
  std::int64_t split(std::size_t level, const std::vector<int> &dims, std::int64_t most) {
    std::int64_t used = 1;
    for (const int dim : dims) {
      const auto d = static_cast<std::size_t>(dim);
      const std::int64_t share = ceilDiv(left_[d], std::max<std::int64_t>(1, std::min(most / used, left_[d])));
      factors_[level][d] = ceilDiv(left_[d], share);
      used *= factors_[level][d];
      left_[d] = share;
    }
    return used;
  }

  mapping::Mapping take(std::string text) {
    factors_[2] = left_;
    mapping_.text = std::move(text);
    mapping::Subspace s;
    s.factors = std::move(factors_);
    mapping_.subspaces = {std::move(s)};
    return std::move(mapping_);
  }

 private:
  mapping::Mapping mapping_;
  std::vector<std::vector<std::int64_t>> factors_;
  std::vector<std::int64_t> left_;
};

}  // namespace pimento::targets::near_bank
