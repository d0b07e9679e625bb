#include "pimento/targets/hbm_pim/direct_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/targets/hbm_pim/matvec_data.h"

namespace pimento::targets::hbm_pim {

namespace {

constexpr std::int64_t kTile = MatVecData::kBursts;
constexpr std::size_t kLoopsOfTile = 4;  ///< batch, tile, its rows, bursts of a row

std::int64_t coefficient(const kernel::Affine &a, int dim) {
  return a.coefficients[static_cast<std::size_t>(dim)];
}

/// Whether the guard asks that index `i` lies within the tensor.
bool isBound(const kernel::Affine &guard, const kernel::Access &access, const kernel::Tensor &tensor) {
  for (std::size_t i = 0; i < access.index.size(); ++i) {
    if (guard == access.index[i]) return true;
    kernel::Affine upper = access.index[i];
    for (std::int64_t &c : upper.coefficients) c = -c;
    upper.constant = tensor.shape[i] - 1 - upper.constant;
    if (guard == upper) return true;
  }
  return false;
}

/// Whether `dim` alone moves one index, and no other.
bool isAlone(const kernel::Kernel &kernel, const kernel::Access &access, int dim) {
  int uses = 0;
  bool isShared = false;
  for (const kernel::Affine &index : access.index) {
    if (coefficient(index, dim) == 0) continue;
    ++uses;
    for (int d = 0; d < static_cast<int>(kernel.dims.size()); ++d) isShared |= d != dim && coefficient(index, d) != 0;
  }
  return uses == 1 && !isShared;
}

}  // namespace

std::optional<MatVec> asDirect(const kernel::Graph &graph, const kernel::Kernel &kernel, const MatVec &pattern) {
  const kernel::Access &access = kernel.loads[static_cast<std::size_t>(pattern.weights)];
  const kernel::Tensor &tensor = graph.tensors[static_cast<std::size_t>(access.tensor)];
  const auto moves = [](const kernel::Affine &index, const std::vector<int> &dims) {
    return std::any_of(dims.begin(), dims.end(), [&](int d) { return coefficient(index, d) != 0; });
  };
  bool isShared = false;
  for (const kernel::Affine &index : access.index) {
    if (std::any_of(index.coefficients.begin(), index.coefficients.end(), [](auto c) { return c < 0; }))
      return std::nullopt;
    isShared |= moves(index, pattern.outputDims) && moves(index, pattern.reductionDims);
  }
  if (!isShared) return std::nullopt;
  MatVec direct = pattern;
  direct.isDirect = true;
  for (const int d : pattern.reductionDims) {
    const auto extentOf = [&](int dim) { return kernel.dims[static_cast<std::size_t>(dim)].extent; };
    if (isAlone(kernel, access, d) && (direct.burstDim < 0 || extentOf(d) > extentOf(direct.burstDim)))
      direct.burstDim = d;
  }
  if (direct.burstDim < 0) return std::nullopt;
  for (std::size_t g = 0; g < kernel.guards.size(); ++g)
    if (direct.masks[g] != Masked::kOutput &&
        (direct.masks[g] != Masked::kWeights || !isBound(kernel.guards[g], access, tensor)))
      return std::nullopt;
  return direct;
}

std::int64_t DirectLayout::outputTiles() const {
  std::int64_t tiles = 1;
  for (const Loop &l : outputs) tiles *= l.trip;
  return tiles;
}

std::int64_t DirectLayout::tilesPerBank() const {
  return bursts / (2 * kTile);
}

std::pair<std::int64_t, std::int64_t> DirectLayout::placeOf(std::int64_t output) const {
  std::int64_t tile = 0, slot = 0, stride = 1;
  for (std::size_t i = outputRanges.size(); i-- > 0; output /= outputRanges[i]) {
    std::int64_t x = output % outputRanges[i], trip = outputRanges[i];
    if (outputDims[i] == slotDim) {
      slot = x / chunk;
      x %= chunk;
      trip = chunk;
    }
    tile += x * stride;
    stride *= trip;
  }
  return {tile, slot};
}

Result<DirectLayout> directLayout(const kernel::Kernel &kernel, const MatVec &pattern, const lower::Shares &shares,
                                  const mapping::Mapping &mapping) {
  const auto illegal = [&](std::string what) {
    return error("illegal-mapping", kernel.where, fmt::format("kernel '{}': direct=1 {}", kernel.name, what),
                 "use 'reference;direct=1', or omit direct=");
  };
  DirectLayout out;
  out.burstDim = pattern.burstDim;
  out.bursts = shares.axis(pattern.burstDim).range;
  const std::string &burst = kernel.dims[static_cast<std::size_t>(pattern.burstDim)].name;
  if (!mapping.cyclic.empty()) return illegal("has no cyclic distributions");
  if (shares.isBordered()) return illegal("has no by(...)");
  if (pattern.reductionDims.back() != pattern.burstDim)
    return illegal(fmt::format("needs dim '{}' innermost in order(...)", burst));
  if (out.bursts % (2 * kTile) != 0)
    return illegal(
        fmt::format("takes a multiple of {} values of dim '{}' in a lane, not {}", 2 * kTile, burst, out.bursts));
  for (const int d : pattern.reductionDims) {
    const lower::Axis &a = shares.axis(d);
    if (d != pattern.burstDim && a.perUnit() * a.units() != a.size)
      return illegal(fmt::format("cannot pad dim '{}'", kernel.dims[static_cast<std::size_t>(d)].name));
  }
  out.outputDims = pattern.outputDims;
  for (const int d : pattern.outputDims) {
    out.outputRanges.push_back(shares.axis(d).range);
    if (out.slotDim < 0 || shares.axis(d).range > shares.axis(out.slotDim).range) out.slotDim = d;
  }
  out.chunk = ceilDiv(shares.axis(out.slotDim).range, MatVecData::kSlots);
  const auto loop = [&](int d) { return DirectLayout::Loop{d, d == out.slotDim ? out.chunk : shares.axis(d).range}; };
  for (const int d : pattern.groupDims) out.groups.push_back(loop(d));
  for (const int d : pattern.outputDims) out.outputs.push_back(loop(d));
  for (const int d : pattern.reductionDims)
    if (d != pattern.burstDim) out.terms.push_back(loop(d));
  std::size_t loops = kLoopsOfTile;
  for (const auto *all : {&out.groups, &out.outputs, &out.terms})
    for (const auto &l : *all) loops += l.trip > 1 ? 1 : 0;
  if (loops > program::kMaxDepth) return illegal(fmt::format("takes {} nested loops of commands", loops));
  out.steps.assign(kernel.dims.size(), 0);
  const kernel::Access &access = kernel.loads[static_cast<std::size_t>(pattern.weights)];
  for (std::size_t i = access.index.size(); i-- > 0;) {
    DirectLayout::Axis axis{i, 1, 0, out.positions};
    for (const auto *loops : {&out.groups, &out.outputs, &out.terms})
      for (const auto &l : *loops)
        if (l.trip > 1) axis.step = std::gcd(axis.step, coefficient(access.index[i], l.dim));
    if (axis.step == 0) continue;
    for (const auto *loops : {&out.groups, &out.outputs, &out.terms})
      for (const auto &l : *loops) {
        const std::int64_t values = coefficient(access.index[i], l.dim) / axis.step;
        axis.extent += values * (l.trip - 1);
        out.steps[static_cast<std::size_t>(l.dim)] += values * axis.stride;
      }
    out.positions = multiplySaturated(out.positions, axis.extent);
    out.axes.push_back(axis);
  }
  return out;
}

}  // namespace pimento::targets::hbm_pim
