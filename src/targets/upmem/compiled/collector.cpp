#include <algorithm>
#include <cmath>
#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"
#include "pimento/kernel/scalar.h"
#include "pimento/targets/upmem/compiled/layout.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;

Collector::Collector(const Plan &plan, kernel::DataSet &data) : plan_(plan), scheme_(plan.scheme()), data_(data) {
  for (const kernel::Store &s : scheme_.kernel().stores) {
    if (s.combine == Combine::kAssign || s.combine == Combine::kAdd || hasInitial(scheme_, s)) continue;
    kernel::TensorData &t = data_[static_cast<std::size_t>(s.target.tensor)];
    for (std::int64_t e = 0; e < t.elements(); ++e) save(t, e, identity(s.combine, t.type));
  }
}

Collector::Number Collector::read(DType type, const std::byte *from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<std::size_t>(sizeOf(type).value));
  Number x;
  x.isThere = true;
  if (isFloat(type))
    x.d = decodeFloat(type, bits);
  else
    x.i = wrapInteger(type, static_cast<std::int64_t>(bits));
  return x;
}

Collector::Number Collector::identity(Combine c, DType type) {
  return {isFloat(type) ? 0 : kernel::integerIdentity(c, type), isFloat(type) ? kernel::floatIdentity(c) : 0, true};
}

Collector::Number Collector::load(const kernel::TensorData &t, std::int64_t element) const {
  return read(t.type, t.bytes.data() + element * sizeOf(t.type).value);
}

void Collector::save(kernel::TensorData &t, std::int64_t element, const Number &x) const {
  const std::uint64_t bits = isFloat(t.type) ? encodeFloat(t.type, x.d) : static_cast<std::uint64_t>(x.i);
  std::memcpy(t.bytes.data() + element * sizeOf(t.type).value, &bits, static_cast<std::size_t>(sizeOf(t.type).value));
}

Collector::Number Collector::combine(Combine c, DType type, const Number &a, const Number &b) const {
  Number x;
  x.isThere = true;
  if (type == DType::kF64) {
    x.d = kernel::floatOperation(opOf(c), a.d, b.d);
  } else if (isFloat(type)) {
    const float f = kernel::floatOperation(opOf(c), static_cast<float>(a.d), static_cast<float>(b.d));
    x.d = decodeFloat(type, encodeFloat(type, static_cast<double>(f)));
  } else {
    x.i = kernel::integerOperation(opOf(c), type, wrapInteger(type, a.i), wrapInteger(type, b.i));
  }
  return x;
}

const kernel::Store &Collector::storeOf(const Operand &o) const {
  return scheme_.kernel().stores[static_cast<std::size_t>(o.store)];
}

/// Calls visit(byte in the tasklet's array, element of the tensor) for every element that is the tasklet's.
template <typename Visit>
void Collector::forEach(const Operand &o, std::int64_t tasklet, bool heedsGuards, Visit &&visit) const {
  const std::size_t dims = scheme_.axes.size();
  const auto base = scheme_.baseOf(dpu_), valid = scheme_.validOf(dpu_), low = scheme_.lowOf(tasklet);
  const auto &guards = scheme_.kernel().guards;
  const Reference &r = scheme_.stores[static_cast<std::size_t>(o.store)];
  const auto &shape = scheme_.graph->tensors[static_cast<std::size_t>(o.tensor)].shape;
  std::vector<std::int64_t> first(dims), count(dims, 1), point(dims, 0), local(dims, 0), global(dims, 0);
  std::int64_t at = 0, element = 0, tables = 1;
  for (std::size_t d = 0; d < dims; ++d) {
    const bool isGuarded =
        heedsGuards && std::any_of(guards.begin(), guards.end(), [d](auto &g) { return g.coefficients[d] != 0; });
    first[d] = base[d] + low[d];
    if (o.involves(static_cast<int>(d)) || isGuarded)
      count[d] = std::clamp<std::int64_t>(valid[d] - low[d], 0, scheme_.axes[d].range);
    if (count[d] == 0) return;
  }
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const Position &position = o.positions[p];
    std::int64_t stride = 1;
    for (std::size_t i = static_cast<std::size_t>(position.index) + 1; i < shape.size(); ++i) stride *= shape[i];
    if (position.fixedExtent > 0) {
      tables = position.fixedExtent;
      continue;
    }
    at += r.delta[p] * o.mramPitch[p];
    element += (position.origin + position.step * r.delta[p]) * stride;
    for (std::size_t d = 0; d < dims; ++d) {
      const std::int64_t c = position.coefficient[d];
      local[d] += c * o.mramPitch[p];
      global[d] += c * position.step * stride;
      element += c * position.step * stride * first[d];
      if (c < 0) at += -c * (scheme_.axes[d].range - 1) * o.mramPitch[p];
    }
  }
  const auto runs = [&] {
    std::vector<std::int64_t> x(dims);
    for (std::size_t d = 0; d < dims; ++d) x[d] = first[d] + point[d];
    return std::all_of(guards.begin(), guards.end(), [&](auto &g) { return kernel::valueAt(g, x) >= 0; });
  };
  const std::vector<std::int64_t> zero(dims, 0);
  do {
    if (heedsGuards && !guards.empty() && !runs()) continue;
    std::int64_t byte = at, e = element;
    for (std::size_t d = 0; d < dims; ++d) {
      byte += point[d] * local[d];
      e += point[d] * global[d];
    }
    for (std::int64_t i = 0; i < tables; ++i) visit(byte + i * o.size(), e + i);
  } while (kernel::advance(point, zero, count));
}

void Collector::addWritten(const Operand &o, const Block &block) {
  kernel::TensorData &tensor = data_[static_cast<std::size_t>(o.tensor)];
  const kernel::Store &store = storeOf(o);
  const bool isSum = o.use == Use::kWrite && store.combine != Combine::kAssign,
             isCarry = o.hasCarry && carried_.isThere;
  const auto size = static_cast<std::size_t>(o.size());
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t)
    forEach(o, t, o.use == Use::kWrite, [&](std::int64_t byte, std::int64_t element) {
      const std::byte *from = block.bytes.data() + t * o.bytes + byte;
      if (isSum) {
        save(tensor, element, combine(store.combine, tensor.type, load(tensor, element), read(o.type, from)));
      } else if (isCarry) {
        for (const kernel::Store &s : scheme_.kernel().stores)
          if (s.combine != Combine::kAssign)
            save(tensor, element, combine(s.combine, tensor.type, carried_, read(o.type, from)));
      } else {
        std::memcpy(tensor.bytes.data() + element * o.size(), from, size);
      }
    });
}

void Collector::addPartial(const Operand &o, const Block &block) {
  Sums &sums = sums_[o.store];
  const kernel::Store &store = storeOf(o);
  const kernel::TensorData &tensor = data_[static_cast<std::size_t>(o.tensor)];
  for (std::vector<Number> *list : {&sums.dpu, &sums.rank, &sums.all})
    list->resize(static_cast<std::size_t>(tensor.elements()));
  const auto valid = scheme_.validOf(dpu_);
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t) {
    const auto result = scheme_.resultOf(o, t);
    if (!result) continue;
    const bool isEmpty = isIdle(scheme_, valid, t);
    forEach(o, t, false, [&](std::int64_t byte, std::int64_t element) {
      const Number x =
          isEmpty ? identity(store.combine, o.type) : read(o.type, block.bytes.data() + *result * o.bytes + byte);
      Number &sum = sums.dpu[static_cast<std::size_t>(element)];
      if (!sum.isThere) sums.touchedInDpu.push_back(element);
      sum = sum.isThere ? combine(store.combine, o.type, sum, x) : x;
    });
  }
  closeDpu(sums, store, o.type);
}

void Collector::closeDpu(Sums &sums, const kernel::Store &store, DType type) {
  for (const std::int64_t e : sums.touchedInDpu) {
    const auto n = static_cast<std::size_t>(e);
    if (!sums.rank[n].isThere) sums.touchedInRank.push_back(e);
    sums.rank[n] = sums.rank[n].isThere ? combine(store.combine, type, sums.rank[n], sums.dpu[n]) : sums.dpu[n];
    sums.dpu[n] = {};
  }
  sums.touchedInDpu.clear();
  if ((dpu_ + 1) % (scheme_.dpus / scheme_.ranks) == 0) closeRank(sums, store, type);
}

void Collector::closeRank(Sums &sums, const kernel::Store &store, DType type) {
  for (const std::int64_t e : sums.touchedInRank) {
    const auto n = static_cast<std::size_t>(e);
    sums.all[n] = sums.all[n].isThere ? combine(store.combine, type, sums.all[n], sums.rank[n]) : sums.rank[n];
    sums.rank[n] = {};
  }
  sums.touchedInRank.clear();
}

void Collector::addSelected(const Operand &o, const Block &block, const Block &counts) {
  kernel::TensorData &tensor = data_[static_cast<std::size_t>(o.tensor)];
  const auto valid = scheme_.validOf(dpu_);
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t) {
    if (isIdle(scheme_, valid, t)) continue;
    std::uint32_t kept = 0;
    std::memcpy(&kept, counts.bytes.data() + t * kUnit, sizeof kept);
    PIMENTO_CHECK(kept * o.size() <= o.bytes);
    std::memcpy(tensor.bytes.data() + selected_ * o.size(), block.bytes.data() + t * o.bytes,
                static_cast<std::size_t>(kept * o.size()));
    selected_ += kept;
  }
}

/// What the DPUs before left is part of every sum of this one.
void Collector::addScan(const std::vector<Block> &results) {
  std::size_t at = 0;
  const Block *totals = nullptr;
  const Operand *carry = nullptr;
  for (const Operand &o : scheme_.operands) {
    if (o.isShared()) continue;
    if (o.use == Use::kPartial) {
      carry = &o;
      totals = &results[at];
      if (dpu_ == 0 && hasInitial(scheme_, storeOf(o)))
        carried_ = load(data_[static_cast<std::size_t>(o.tensor)],
                        kernel::linearize(storeOf(o).target, scheme_.graph->tensors[static_cast<std::size_t>(o.tensor)],
                                          scheme_.axes.size())
                            .constant);
    }
    ++at;
  }
  at = 0;
  for (const Operand &o : scheme_.operands) {
    if (o.isShared()) continue;
    if (o.use != Use::kPartial) addWritten(o, results[at]);
    ++at;
  }
  const auto valid = scheme_.validOf(dpu_);
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t) {
    if (isIdle(scheme_, valid, t)) continue;
    const Number x = read(carry->type, totals->bytes.data() + t * carry->bytes);
    carried_ = carried_.isThere ? combine(storeOf(*carry).combine, carry->type, carried_, x) : x;
  }
}

void Collector::add(const std::vector<Block> &results) {
  if (scheme_.isScan) {
    addScan(results);
  } else {
    std::size_t at = 0;
    for (const Operand &o : scheme_.operands) {
      if (o.isShared()) continue;
      const Block &block = results[at++];
      if (o.use == Use::kSelected)
        addSelected(o, block, results.back());
      else if (o.use == Use::kPartial || o.use == Use::kTable)
        addPartial(o, block);
      else
        addWritten(o, block);
    }
  }
  ++dpu_;
}

void Collector::finish() {
  for (auto &[s, sums] : sums_) {
    const kernel::Store &store = scheme_.kernel().stores[static_cast<std::size_t>(s)];
    const DType type =
        scheme_.operands[static_cast<std::size_t>(scheme_.stores[static_cast<std::size_t>(s)].operand)].type;
    kernel::TensorData &tensor = data_[static_cast<std::size_t>(store.target.tensor)];
    for (std::size_t e = 0; e < sums.all.size(); ++e) {
      if (!sums.all[e].isThere) continue;
      Number root = sums.all[e];
      if (hasInitial(scheme_, store))
        root = combine(store.combine, type, root, load(tensor, static_cast<std::int64_t>(e)));
      save(tensor, static_cast<std::int64_t>(e), root);
    }
  }
  if (!scheme_.isScan) return;
  for (const Operand &o : scheme_.operands)
    if (o.use == Use::kPartial && carried_.isThere)
      save(data_[static_cast<std::size_t>(o.tensor)],
           kernel::linearize(storeOf(o).target, scheme_.graph->tensors[static_cast<std::size_t>(o.tensor)],
                             scheme_.axes.size())
               .constant,
           carried_);
}

}  // namespace pimento::targets::upmem::compiled
