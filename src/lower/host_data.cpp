#include "pimento/lower/host_data.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"
#include "pimento/lower/accumulation.h"

namespace pimento::lower {

using kernel::Combine;
using kernel::Scalar;

void forEachRow(const Operand &o, const TensorPlace &place, const PerDim &first, const PerDim &sizes,
                const std::function<void(const Row &)> &visit) {
  if (o.positions.empty()) return visit({o.first, 1, 0, 1});
  PerDim low, high, stride;  // indices [low, high) of each side lie in the tensor
  std::int64_t element = o.first;
  for (const Position &p : o.positions) {
    std::int64_t index = p.origin;
    for (std::size_t d = 0; d < first.size(); ++d)
      index += p.step * p.coefficient[d] * (first[d] + (p.coefficient[d] < 0 ? sizes[d] - 1 : 0));
    const std::int64_t begin = p.step > 0 ? index : p.limit - 1 - index;  // from the end they come from
    const std::int64_t step = std::abs(p.step), left = p.limit - begin;
    low.push_back(begin >= 0 ? 0 : ceilDiv(-begin, step));
    high.push_back(left <= 0 ? 0 : std::min(p.extent(sizes), ceilDiv(left, step)));
    if (low.back() >= high.back()) return;
    stride.push_back(p.step * p.stride);
    element += index * p.stride;
  }
  const std::int64_t count = high.back() - low.back();
  high.back() = low.back() + 1;
  PerDim at = low;
  do {
    Row row{element, stride.back(), 0, count};
    for (std::size_t p = 0; p < at.size(); ++p) {
      row.element += at[p] * stride[p];
      row.byte += at[p] * place.pitch[p];
    }
    visit(row);
  } while (kernel::advance(at, low, high));
}

void gather(const Operand &o, const PerDim &first, const PerDim &sizes, const kernel::TensorData &tensor,
            std::byte *to) {
  const std::int64_t size = sizeOf(tensor.type).value;
  forEachRow(o, o.home, first, sizes, [&](const Row &row) {
    const std::byte *from = tensor.bytes.data() + row.element * size;
    if (row.stride == 1)
      std::memcpy(to + row.byte, from, static_cast<std::size_t>(row.count * size));
    else
      for (std::int64_t k = 0; k < row.count; ++k)
        std::memcpy(to + row.byte + k * size, from + k * row.stride * size, static_cast<std::size_t>(size));
  });
}

void startAccumulations(const kernel::Graph &graph, int kernel, kernel::DataSet &data) {
  for (const kernel::Store &s : graph.kernels[static_cast<std::size_t>(kernel)].stores) {
    if (s.combine == Combine::kAssign || s.combine == Combine::kAdd || hasInitial(graph, kernel, s)) continue;
    kernel::TensorData &t = data[static_cast<std::size_t>(s.target.tensor)];
    for (std::int64_t e = 0; e < t.elements(); ++e)
      kernel::store(t.type, t.bytes.data(), e, kernel::identity(s.combine, t.type));
  }
}

PartialSums::PartialSums(Combine combine, DType type, std::int64_t elements, std::vector<std::int64_t> instances)
    : combine_(combine), type_(type), instances_(std::move(instances)), levels_(instances_.size() + 1) {
  for (Level &l : levels_) {
    l.values.resize(static_cast<std::size_t>(elements));
    l.isThere.resize(static_cast<std::size_t>(elements));
  }
}

void PartialSums::merge(Level &into, std::int64_t element, Scalar x) const {
  const auto e = static_cast<std::size_t>(element);
  PIMENTO_SLOW_CHECK(e < into.values.size());
  if (!into.isThere[e]) into.touched.push_back(element);
  into.values[e] = into.isThere[e] ? kernel::merge(combine_, type_, into.values[e], x) : x;
  into.isThere[e] = true;
}

void PartialSums::closeUnit() {
  ++units_;
  std::int64_t units = 1;
  for (std::size_t l = instances_.size(); l-- > 0;) {
    Level &inner = levels_[l + 1];
    for (const std::int64_t e : inner.touched) {
      merge(levels_[l], e, inner.values[static_cast<std::size_t>(e)]);
      inner.isThere[static_cast<std::size_t>(e)] = false;
    }
    inner.touched.clear();
    units *= instances_[l];
    if (units_ % units != 0) break;
  }
}

void PartialSums::finish(kernel::TensorData &tensor, bool hasInitial) {
  for (const std::int64_t e : levels_.front().touched) {
    Scalar x = levels_.front().values[static_cast<std::size_t>(e)];
    if (hasInitial) {
      const Scalar given = kernel::load(tensor.type, tensor.bytes.data(), e);
      x = kernel::merge(combine_, type_, x, kernel::convert(tensor.type, type_, given));
    }
    kernel::store(tensor.type, tensor.bytes.data(), e, kernel::convert(type_, tensor.type, x));
  }
}

// ---- All units ----

Collector::Collector(const Scheme &scheme, kernel::DataSet &data, const Operand *carry)
    : scheme_(scheme), data_(data), carry_(carry) {
  startAccumulations(*scheme.graph, scheme.number, data);
  if (carry == nullptr || !hasInitial(*scheme.graph, scheme.number, scheme.storeOf(*carry))) return;
  const std::int64_t element =
      elementOf(*carry, scheme.stores[static_cast<std::size_t>(carry->store)].delta, scheme.axes.size()).constant;
  carried_ = kernel::load(carry->type, tensorOf(*carry).bytes.data(), element);
}

namespace {

/// The points of a share that exist, or (`heedsGuards`) that run; of dims that `o` does not involve one.
void forEachPoint(const kernel::Kernel &kernel, const Operand &o, const PerDim &first, const PerDim &sizes,
                  bool heedsGuards, const std::function<void(const PerDim &fromFirst, const PerDim &point)> &visit) {
  const auto &guards = kernel.guards;
  PerDim lower(first.size(), 0), count(first.size(), 1), at = lower, point = first;
  for (std::size_t d = 0; d < first.size(); ++d) {
    const bool isGuarded =
        heedsGuards && std::any_of(guards.begin(), guards.end(), [d](auto &g) { return g.coefficients[d] != 0; });
    if (!isGuarded && !o.involves(static_cast<int>(d))) continue;
    count[d] = std::clamp<std::int64_t>(kernel.dims[d].extent - first[d], 0, sizes[d]);
    if (count[d] == 0) return;
  }
  do {
    for (std::size_t d = 0; d < first.size(); ++d) point[d] = first[d] + at[d];
    if (!heedsGuards || std::all_of(guards.begin(), guards.end(), [&](auto &g) { return valueAt(g, point) >= 0; }))
      visit(at, point);
  } while (kernel::advance(at, lower, count));
}

/// Does the element of an access at a point exist? Where a guard is false it need not.
bool isInTensor(const Operand &o, const PerDim &delta, const PerDim &point) {
  for (std::size_t i = 0; i < o.positions.size(); ++i) {
    const Position &p = o.positions[i];
    const std::int64_t index = p.origin + p.step * kernel::valueAt({p.coefficient, delta[i]}, point);
    if (!p.isWhole && (index < 0 || index >= p.limit)) return false;
  }
  return true;
}

}  // namespace

void Collector::forEach(const Operand &o, const Visit &visit) const {
  const bool heedsGuards = !o.isPartial() && !o.isAnywhere(),
             mayMiss = !heedsGuards && !scheme_.kernel().guards.empty();
  const PerDim &delta = scheme_.stores[static_cast<std::size_t>(o.store)].delta;
  const PerDim sizes = scheme_.sizesOf(o), ones(sizes.size(), 1), valid = scheme_.validOf(unit_);
  const kernel::Affine byte = byteOf(o, o.home, sizes, ones, delta), element = elementOf(o, delta, sizes.size());
  PerDim low, limits;  // of what data choose
  std::vector<const Position *> chosen;
  for (const Position &p : o.positions) {
    if (!p.isWhole) continue;
    chosen.push_back(&p);
    low.push_back(0);
    limits.push_back(p.limit);
  }
  for (std::int64_t t = 0; t < scheme_.arraysOf(o); ++t) {
    const std::optional<std::int64_t> array = resultOf(scheme_, o, t);
    if (!array) continue;
    const bool isIdle = !scheme_.doIdleThreadsRun && scheme_.isIdle(valid, t);
    forEachPoint(scheme_.kernel(), o, scheme_.firstOf(unit_, t), sizes, heedsGuards,
                 [&](const PerDim &at, const PerDim &point) {
                   if (mayMiss && !isInTensor(o, delta, point)) return;
                   const std::int64_t from = *array * o.home.bytes + valueAt(byte, at), to = valueAt(element, point);
                   PerDim choice = low;
                   do {
                     std::int64_t byteOn = from, elementOn = to;
                     for (std::size_t c = 0; c < chosen.size(); ++c) {
                       byteOn += choice[c] * o.home.pitch[static_cast<std::size_t>(chosen[c] - o.positions.data())];
                       elementOn += choice[c] * chosen[c]->stride;
                     }
                     visit(byteOn, elementOn, isIdle);
                   } while (kernel::advance(choice, low, limits));
                 });
  }
}

void Collector::addWritten(const Operand &o, const std::byte *arrays) {
  kernel::TensorData &tensor = tensorOf(o);
  const Combine combine = scheme_.storeOf(o).combine;
  const bool isAdded = o.use == Use::kWrite && combine != Combine::kAssign, isCarried = o.hasCarry && carried_;
  forEach(o, [&](std::int64_t byte, std::int64_t element, bool) {
    if (!isAdded && !isCarried) {
      std::memcpy(tensor.bytes.data() + element * o.size(), arrays + byte, static_cast<std::size_t>(o.size()));
      return;
    }
    const Scalar before = isAdded ? kernel::load(tensor.type, tensor.bytes.data(), element)
                                  : kernel::convert(carry_->type, tensor.type, *carried_);
    const Combine how = isAdded ? combine : scheme_.storeOf(*carry_).combine;
    kernel::store(tensor.type, tensor.bytes.data(), element,
                  kernel::merge(how, tensor.type, before, kernel::load(o.type, arrays + byte, 0)));
  });
}

PartialSums &Collector::sumsOf(const Operand &o) {
  return sums_
      .try_emplace(o.store, scheme_.storeOf(o).combine, o.type, tensorOf(o).elements(),
                   std::vector<std::int64_t>(scheme_.instances.begin(), scheme_.instances.end() - 1))
      .first->second;
}

void Collector::addPartial(const Operand &o, const std::byte *arrays) {
  PartialSums &sums = sumsOf(o);
  const Scalar identity = kernel::identity(scheme_.storeOf(o).combine, o.type);
  forEach(o, [&](std::int64_t byte, std::int64_t element, bool isIdle) {
    sums.add(element, isIdle ? identity : kernel::load(o.type, arrays + byte, 0));
  });
}

void Collector::addSelected(const Operand &o, const std::byte *array, std::int64_t count) {
  std::memcpy(tensorOf(o).bytes.data() + selected_ * o.size(), array, static_cast<std::size_t>(count * o.size()));
  selected_ += count;
}

void Collector::carry(Scalar total) {
  carried_ = carried_ ? kernel::merge(scheme_.storeOf(*carry_).combine, carry_->type, *carried_, total) : total;
}

void Collector::closeUnit() {
  for (auto &[store, sums] : sums_) sums.closeUnit();
  ++unit_;
}

void Collector::finish() {
  for (auto &[s, sums] : sums_) {
    const kernel::Store &store = scheme_.kernel().stores[static_cast<std::size_t>(s)];
    sums.finish(data_[static_cast<std::size_t>(store.target.tensor)],
                hasInitial(*scheme_.graph, scheme_.number, store));
  }
  if (!carried_) return;
  const std::int64_t element =
      elementOf(*carry_, scheme_.stores[static_cast<std::size_t>(carry_->store)].delta, scheme_.axes.size()).constant;
  kernel::store(tensorOf(*carry_).type, tensorOf(*carry_).bytes.data(), element, *carried_);
}

}  // namespace pimento::lower
