#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "pimento/base/integer.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

namespace {

using kernel::DimKind;
using machine::Level;

}  // namespace

void dropIdleInstances(Subspace &subspace, const kernel::Kernel &kernel, const std::vector<machine::Level> &levels) {
  for (std::size_t d = 0; d < kernel.dims.size(); ++d)
    for (std::size_t l = levels.size(); l-- > 0;) {
      if (levels[l].mustFill) continue;
      std::int64_t others = 1;
      for (std::size_t row = 0; row < subspace.factors.size(); ++row)
        if (row != l) others = multiplySaturated(others, subspace.factors[row][d]);
      std::int64_t &factor = subspace.factors[l][d];
      factor = std::min(factor, ceilDiv(kernel.dims[d].extent, others));
    }
}

MappingSpace::MappingSpace(const kernel::Kernel &kernel, const machine::Machine &machine, const Chunks &chunks)
    : kernel_(&kernel), machine_(&machine) {
  for (const Level &level : machine.levels) {
    std::vector<std::int64_t> limits;
    for (const kernel::Dim &dim : kernel.dims) {
      const bool canSplit =
          dim.kind == DimKind::kParallel || (dim.kind == DimKind::kReduction && level.splitsReduction);
      // More instances than points are padding, which only levels that must be full have reason for.
      limits.push_back(!canSplit ? 1 : level.mustFill ? level.count : std::min(level.count, dim.extent));
    }
    limits_.push_back(std::move(limits));
    chunks_.push_back({0});
    if (const auto found = chunks.find(level.name); found != chunks.end()) {
      chunks_.back().insert(chunks_.back().end(), found->second.begin(), found->second.end());
    }
  }
  reset();
}

void MappingSpace::reset() {
  isStarted_ = isDone_ = false;
  tuples_.assign(machine_->levels.size(), std::vector<std::int64_t>(kernel_->dims.size(), 1));
  chunkCounter_.assign(machine_->levels.size(), 0);
}

bool MappingSpace::firstTuple(std::size_t level) {
  std::fill(tuples_[level].begin(), tuples_[level].end(), 1);
  return !machine_->levels[level].mustFill || machine_->levels[level].count == 1 || nextTuple(level);
}

/// Lexicographic successor, last dim fastest, among tuples within the limits and the count.
bool MappingSpace::nextTuple(std::size_t level) {
  std::vector<std::int64_t> &tuple = tuples_[level];
  const std::int64_t count = machine_->levels[level].count;
  std::int64_t product = 1;
  for (const std::int64_t factor : tuple) product *= factor;
  while (true) {
    std::size_t d = tuple.size();
    for (; d > 0; --d) {
      std::int64_t &factor = tuple[d - 1];
      const std::int64_t others = product / factor;
      if (factor < limits_[level][d - 1] && others * (factor + 1) <= count) {
        product = others * ++factor;
        break;
      }
      product = others;
      factor = 1;
    }
    if (d == 0) return false;
    if (!machine_->levels[level].mustFill || product == count) return true;
  }
}

bool MappingSpace::nextChunks() {
  for (std::size_t l = chunkCounter_.size(); l-- > 0;) {
    if (++chunkCounter_[l] < chunks_[l].size()) return true;
    chunkCounter_[l] = 0;
  }
  return false;
}

bool MappingSpace::advance() {
  if (!isStarted_) {
    isStarted_ = true;
    for (std::size_t l = 0; l < tuples_.size(); ++l) {
      if (!firstTuple(l)) return false;
    }
    return true;
  }
  if (nextChunks()) return true;
  for (std::size_t l = tuples_.size(); l-- > 0;) {
    if (nextTuple(l)) return true;
    if (!firstTuple(l)) return false;
  }
  return false;
}

/// The range that is left of dim `d` under the counters, rounded up so that every chunk divides what an instance of
/// its level holds.
std::int64_t MappingSpace::rangeOf(std::size_t d) const {
  std::int64_t inside = 1, unit = 1;
  for (std::size_t l = tuples_.size(); l-- > 0;) {
    const std::int64_t chunk = chunks_[l][chunkCounter_[l]];
    if (chunk > 0 && tuples_[l][d] > 1) unit = std::lcm(unit, chunk / std::gcd(chunk, inside));
    inside = multiplySaturated(inside, tuples_[l][d]);
  }
  return multiplySaturated(ceilDiv(ceilDiv(kernel_->dims[d].extent, inside), unit), unit);
}

/// Does dim `d` pad less than a tile? Then every instance that need not run has work, however its level deals: those
/// with the last numbers hold a tile in all, the first of it at or before the extent.
bool MappingSpace::padsLessThanATile(const Subspace &subspace, std::size_t d) const {
  const std::int64_t padded = subspace.extent(static_cast<int>(d));
  std::int64_t tile = subspace.range(static_cast<int>(d));
  for (std::size_t l = 0; l < tuples_.size(); ++l) {
    if (machine_->levels[l].mustFill) tile = multiplySaturated(tile, tuples_[l][d]);
  }
  return padded <= kMaxExtent && padded - kernel_->dims[d].extent < tile;
}

/// The mapping under the counters, if it is worth giving.
bool MappingSpace::current(Mapping &out) const {
  const std::vector<Level> &levels = machine_->levels;
  out = {};
  Subspace subspace;
  subspace.factors = tuples_;
  subspace.factors.emplace_back();
  for (std::size_t d = 0; d < kernel_->dims.size(); ++d) subspace.factors.back().push_back(rangeOf(d));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const std::int64_t chunk = chunks_[l][chunkCounter_[l]];
    if (chunk == 0) continue;
    bool isContiguous = true;  // also where nothing is split: the mapping without the chunk stands for both
    for (std::size_t d = 0; d < kernel_->dims.size(); ++d) {
      const bool isOneChunk = subspace.extentInside(static_cast<int>(l), static_cast<int>(d)) == chunk;
      isContiguous = isContiguous && (tuples_[l][d] == 1 || isOneChunk);
    }
    if (isContiguous) return false;
    out.cyclic[levels[l].name] = chunk;
  }
  for (std::size_t d = 0; d < kernel_->dims.size(); ++d) {
    if (!padsLessThanATile(subspace, d)) return false;
  }
  out.subspaces.push_back(std::move(subspace));
  return true;
}

std::optional<Mapping> MappingSpace::next() {
  while (!isDone_) {
    if (!advance()) {
      isDone_ = true;
      break;
    }
    if (Mapping mapping; current(mapping)) {
      mapping.text = print(mapping);
      return mapping;
    }
  }
  return std::nullopt;
}

}  // namespace pimento::mapping
