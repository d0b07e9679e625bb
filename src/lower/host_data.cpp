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

PartialSums::PartialSums(Combine combine, DType type, std::int64_t elements, std::vector<std::int64_t> instances,
                         bool isCompared)
    : combine_(combine),
      type_(type),
      instances_(std::move(instances)),
      levels_(instances_.size() + 1),
      isCompared_(isCompared) {
  for (Level &l : levels_) {
    l.parts.resize(static_cast<std::size_t>(elements));
    l.isThere.resize(static_cast<std::size_t>(elements));
  }
}

bool PartialSums::isBetter(Scalar x, Scalar held) const {
  return combine_ == Combine::kMin ? kernel::isLess(type_, x, held) : kernel::isLess(type_, held, x);
}

void PartialSums::merge(Level &into, std::int64_t element, Part part) const {
  const auto e = static_cast<std::size_t>(element);
  PIMENTO_SLOW_CHECK(e < into.parts.size());
  if (!into.isThere[e]) {
    into.touched.push_back(element);
    into.parts[e] = part;
    into.isThere[e] = true;
  } else if (!isCompared_) {
    into.parts[e].x = kernel::merge(combine_, type_, into.parts[e].x, part.x);
  } else if (isBetter(part.x, into.parts[e].x)) {
    into.parts[e] = part;
  }
}

void PartialSums::closeUnit() {
  ++units_;
  std::int64_t units = 1;
  for (std::size_t l = instances_.size(); l-- > 0;) {
    Level &inner = levels_[l + 1];
    for (const std::int64_t e : inner.touched) {
      merge(levels_[l], e, inner.parts[static_cast<std::size_t>(e)]);
      inner.isThere[static_cast<std::size_t>(e)] = false;
    }
    inner.touched.clear();
    units *= instances_[l];
    if (units_ % units != 0) break;
  }
}

void PartialSums::finish(kernel::TensorData &tensor, bool hasInitial,
                         const std::function<void(std::int64_t tag)> &taken) {
  for (const std::int64_t e : levels_.front().touched) {
    const Part &part = levels_.front().parts[static_cast<std::size_t>(e)];
    const Scalar given = kernel::convert(tensor.type, type_, kernel::load(tensor.type, tensor.bytes.data(), e));
    Scalar x = part.x;
    if (isCompared_) {
      if (!isBetter(x, given)) continue;
      taken(part.tag);
    } else if (hasInitial) {
      x = kernel::merge(combine_, type_, x, given);
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

/// The points of a share below `end` where all `guards` are >= 0; of dims that neither they nor `o` involve one.
void forEachPoint(const Operand &o, const PerDim &first, const PerDim &sizes, const PerDim &end,
                  const std::vector<kernel::Affine> &guards,
                  const std::function<void(const PerDim &fromFirst, const PerDim &point)> &visit) {
  PerDim lower(first.size(), 0), count(first.size(), 1), at = lower, point = first;
  for (std::size_t d = 0; d < first.size(); ++d) {
    const bool isGuarded = std::any_of(guards.begin(), guards.end(), [d](auto &g) { return g.coefficients[d] != 0; });
    if (!isGuarded && !o.involves(static_cast<int>(d))) continue;
    count[d] = std::clamp<std::int64_t>(end[d] - first[d], 0, sizes[d]);
    if (count[d] == 0) return;
  }
  do {
    for (std::size_t d = 0; d < first.size(); ++d) point[d] = first[d] + at[d];
    if (std::all_of(guards.begin(), guards.end(), [&](auto &g) { return valueAt(g, point) >= 0; })) visit(at, point);
  } while (kernel::advance(at, lower, count));
}

}  // namespace

void Collector::forEach(const Operand &o, const Visit &visit) const {
  const std::vector<kernel::Affine> guards = scheme_.guardsOf(o);
  const PerDim &delta = scheme_.stores[static_cast<std::size_t>(o.store)].delta;
  const PerDim sizes = scheme_.sizesOf(o), ones(sizes.size(), 1), valid = scheme_.validOf(unit_);
  PerDim end = scheme_.baseOf(unit_);
  for (std::size_t d = 0; d < end.size(); ++d) end[d] += valid[d];
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
    const bool isIdle = !scheme_.runsIdleThreads && scheme_.isIdle(valid, t);
    forEachPoint(o, scheme_.firstOf(unit_, t), sizes, end, guards, [&](const PerDim &at, const PerDim &point) {
      const std::int64_t from = *array * o.home.bytes + valueAt(byte, at), to = valueAt(element, point);
      PerDim choice = low;
      do {
        std::int64_t byteOn = from, elementOn = to;
        for (std::size_t c = 0; c < chosen.size(); ++c) {
          byteOn += choice[c] * o.home.pitch[static_cast<std::size_t>(chosen[c] - o.positions.data())];
          elementOn += choice[c] * chosen[c]->stride;
        }
        PIMENTO_SLOW_CHECK(elementOn >= 0 && elementOn < scheme_.tensorOf(o).elements());
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
                   std::vector<std::int64_t>(scheme_.instances.begin(), scheme_.instances.end() - 1),
                   scheme_.isOfExtreme(o))
      .first->second;
}

void Collector::addPartial(const Operand &o, const std::byte *arrays) {
  PartialSums &sums = sumsOf(o);
  const Scalar identity = kernel::identity(scheme_.storeOf(o).combine, o.type);
  forEach(o, [&](std::int64_t byte, std::int64_t element, bool isIdle) {
    sums.add(element, {isIdle ? identity : kernel::load(o.type, arrays + byte, 0)});
  });
}

void Collector::addExtremes(const Operand &o, const std::byte *arrays, const std::vector<Arrays> &followers) {
  const std::size_t first = followers_.size(), each = followers.size();
  const auto tagOf = [&](std::size_t n) { return first + n * each; };
  std::size_t parts = 0;
  forEach(o, [&](std::int64_t, std::int64_t, bool) { ++parts; });
  followers_.resize(tagOf(parts));
  for (std::size_t f = 0; f < each; ++f) {
    std::size_t n = 0;
    const Operand &follower = *followers[f].operand;
    forEach(follower, [&](std::int64_t byte, std::int64_t element, bool) {
      followers_[tagOf(n++) + f] = {element, kernel::load(follower.type, followers[f].bytes + byte, 0)};
    });
    PIMENTO_CHECK(n == parts);
  }
  PartialSums &sums = sumsOf(o);
  std::size_t n = 0;
  forEach(o, [&](std::int64_t byte, std::int64_t element, bool isIdle) {
    if (!isIdle) sums.add(element, {kernel::load(o.type, arrays + byte, 0), static_cast<std::int64_t>(tagOf(n))});
    ++n;
  });
}

void Collector::addSelected(const Operand &o, const List &list, const std::byte *array, std::int64_t count) {
  std::int64_t &selected = selected_[list.element];
  const std::int64_t limit = scheme_.kernel().limit;
  if (limit >= 0) count = std::min(count, limit - selected);
  std::memcpy(tensorOf(o).bytes.data() + (list.element + selected) * o.size(), array,
              static_cast<std::size_t>(count * o.size()));
  selected += count;
  if (list.count < 0) return;
  const int t = scheme_.kernel().stores[1].target.tensor;
  kernel::TensorData &counts = data_[static_cast<std::size_t>(t)];
  counts.setInteger(list.count, counts.asInteger(list.count) + count);
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
    const std::vector<int> followers = scheme_.followersOf(s);
    sums.finish(data_[static_cast<std::size_t>(store.target.tensor)], hasInitial(*scheme_.graph, scheme_.number, store),
                [&](std::int64_t tag) {
                  for (std::size_t f = 0; f < followers.size(); ++f) {
                    const Follower &found = followers_[static_cast<std::size_t>(tag) + f];
                    const int t = scheme_.kernel().stores[static_cast<std::size_t>(followers[f])].target.tensor;
                    kernel::TensorData &tensor = data_[static_cast<std::size_t>(t)];
                    kernel::store(tensor.type, tensor.bytes.data(), found.element, found.x);
                  }
                });
  }
  if (!carried_) return;
  const std::int64_t element =
      elementOf(*carry_, scheme_.stores[static_cast<std::size_t>(carry_->store)].delta, scheme_.axes.size()).constant;
  kernel::store(tensorOf(*carry_).type, tensorOf(*carry_).bytes.data(), element, *carried_);
}

}  // namespace pimento::lower
