#include "pimento/targets/hbm_pim/layout.h"

namespace pimento::targets::hbm_pim {

namespace {
constexpr int kLevels = 3;  // channel, block, lane
}

Layout::Layout(const kernel::Kernel &kernel, const machine::Machine &machine, const mapping::PlacedMapping &placed,
               int subspace)
    : placed_(placed), subspace_(static_cast<std::size_t>(subspace)), dims_(static_cast<int>(kernel.dims.size())) {
  chunk_.assign(kLevels, std::vector<std::int64_t>(static_cast<std::size_t>(dims_)));
  weight_ = chunk_;
  for (int d = 0; d < dims_; ++d) {
    std::int64_t inner = this->subspace().extent(d);
    for (int level = 0; level < kLevels; ++level) {
      inner /= factor(level, d);
      const auto it = placed.mapping.cyclic.find(machine.levels[static_cast<std::size_t>(level)].name);
      const bool isCyclic = it != placed.mapping.cyclic.end() && it->second < inner;
      chunk_[static_cast<std::size_t>(level)][static_cast<std::size_t>(d)] = isCyclic ? it->second : inner;
    }
  }
  for (int level = 0; level < kLevels; ++level) {
    std::int64_t weight = 1;
    for (int d = dims_ - 1; d >= 0; --d) {
      weight_[static_cast<std::size_t>(level)][static_cast<std::size_t>(d)] = weight;
      weight *= factor(level, d);
    }
  }
}

std::int64_t Layout::instances(int level, const std::vector<int> &dims) const {
  std::int64_t n = 1;
  for (const int d : dims) n *= factor(level, d);
  return n;
}

std::int64_t Layout::range(const std::vector<int> &dims) const {
  std::int64_t n = 1;
  for (const int d : dims) n *= subspace().range(d);
  return n;
}

Place Layout::position(int dim, std::int64_t x) const {
  Place p;
  std::int32_t *instance[kLevels] = {&p.channel, &p.block, &p.lane};
  const auto d = static_cast<std::size_t>(dim);
  for (int level = 0; level < kLevels; ++level) {
    const auto l = static_cast<std::size_t>(level);
    const std::int64_t f = factor(level, dim), c = chunk_[l][d];
    *instance[l] = static_cast<std::int32_t>(x / c % f * weight_[l][d]);
    x = x / (c * f) * c + x % c;
  }
  p.local = x;
  return p;
}

std::vector<Place> Layout::places(const std::vector<int> &dims, const std::vector<const kernel::Access *> &accesses,
                                  const std::vector<kernel::Tensor> &tensors) const {
  std::vector<Place> all(1);
  for (const int dim : dims) {
    const auto d = static_cast<std::size_t>(dim);
    std::vector<Place> next;
    next.reserve(all.size() * static_cast<std::size_t>(box().size[d]));
    std::vector<Place> own;
    for (std::int64_t x = 0; x < box().size[d]; ++x) {
      Place p = position(dim, x);
      for (std::size_t a = 0; a < accesses.size(); ++a)
        p.offsets[a] = accessStrides(*accesses[a], tensors[static_cast<std::size_t>(accesses[a]->tensor)],
                                     static_cast<std::size_t>(dims_))[d] *
                       (x + box().lower[d]);
      own.push_back(p);
    }
    const std::int64_t range = subspace().range(dim);
    for (const Place &outer : all)
      for (const Place &inner : own) {
        Place p = outer;
        p.channel += inner.channel;
        p.block += inner.block;
        p.lane += inner.lane;
        p.local = p.local * range + inner.local;
        for (std::size_t a = 0; a < accesses.size(); ++a) p.offsets[a] += inner.offsets[a];
        next.push_back(p);
      }
    all = std::move(next);
  }
  return all;
}

std::vector<std::int32_t> Layout::instanceOffsets(int level, const std::vector<int> &dims) const {
  std::vector<std::int32_t> all{0};
  for (const int dim : dims) {
    std::vector<std::int32_t> next;
    for (const std::int32_t outer : all)
      for (std::int64_t i = 0; i < factor(level, dim); ++i)
        next.push_back(outer + static_cast<std::int32_t>(
                                   i * weight_[static_cast<std::size_t>(level)][static_cast<std::size_t>(dim)]));
    all = std::move(next);
  }
  return all;
}

std::vector<std::int64_t> accessStrides(const kernel::Access &access, const kernel::Tensor &tensor, std::size_t dims) {
  std::vector<std::int64_t> out(dims, 0);
  std::int64_t stride = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    for (std::size_t d = 0; d < dims; ++d) out[d] += access.index[i].coefficients[d] * stride;
    stride *= tensor.shape[i];
  }
  return out;
}

std::int64_t accessBase(const kernel::Access &access, const kernel::Tensor &tensor) {
  std::int64_t base = 0, stride = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    base += access.index[i].constant * stride;
    stride *= tensor.shape[i];
  }
  return base;
}

}  // namespace pimento::targets::hbm_pim
