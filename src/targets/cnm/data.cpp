#include "pimento/targets/cnm/data.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"

namespace pimento::targets::cnm {

using kernel::Combine;

namespace {

/// Calls visit(element of the thread's array, element of the tensor) for every element that is the thread's: of all
/// points that exist, or (`heedsGuards`) of those that run.
template <typename Visit>
void forEach(const Plan &plan, const Operand &o, const std::vector<std::int64_t> &first, bool heedsGuards,
             Visit &&visit) {
  const std::size_t dims = plan.axes.size();
  const auto &guards = plan.kernel().guards;
  std::vector<std::int64_t> lower(dims, 0), count(dims, 1), point(dims, 0), x(dims);
  for (std::size_t d = 0; d < dims; ++d) {
    const bool isGuarded = heedsGuards && std::any_of(guards.begin(), guards.end(),
                                                      [d](const kernel::Affine &g) { return g.coefficients[d] != 0; });
    const std::int64_t valid = std::clamp<std::int64_t>(plan.axes[d].extent - first[d], 0, plan.axes[d].range);
    if (o.involves(static_cast<int>(d)) || isGuarded) count[d] = valid;
    if (count[d] == 0) return;
  }
  const kernel::Affine at = o.corner(plan.threadSizes(), std::vector<std::int64_t>(dims, 1));
  const kernel::Affine element =
      kernel::linearize({o.tensor, o.index}, plan.graph->tensors[static_cast<std::size_t>(o.tensor)], dims);
  do {
    for (std::size_t d = 0; d < dims; ++d) x[d] = first[d] + point[d];
    const bool runs = !heedsGuards || std::all_of(guards.begin(), guards.end(),
                                                  [&](const kernel::Affine &g) { return kernel::valueAt(g, x) >= 0; });
    if (runs) visit(kernel::valueAt(at, point), kernel::valueAt(element, x));
  } while (kernel::advance(point, lower, count));
}

/// Copies the tensor's elements of a box, row by row; what lies outside the tensor stays as it is.
void gather(const Plan &plan, const Operand &o, const std::vector<std::int64_t> &sizes,
            const std::vector<std::int64_t> &first, const kernel::TensorData &tensor, std::byte *to) {
  const std::vector<std::int64_t> box = o.box(sizes);
  const auto &shape = plan.graph->tensors[static_cast<std::size_t>(o.tensor)].shape;
  const auto size = static_cast<std::size_t>(sizeOf(o.type).value);
  if (box.empty()) {
    std::memcpy(to, tensor.bytes.data(), size);
    return;
  }
  std::vector<std::int64_t> origin;
  for (std::size_t p = 0; p < box.size(); ++p) {
    std::int64_t x = o.index[p].constant;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const std::int64_t c = o.index[p].coefficients[d];
      x += c * (first[d] + (c < 0 ? sizes[d] - 1 : 0));
    }
    origin.push_back(x);
  }
  const std::size_t last = box.size() - 1;
  const std::int64_t begin = std::clamp<std::int64_t>(-origin[last], 0, box[last]),
                     end = std::clamp<std::int64_t>(shape[last] - origin[last], begin, box[last]);
  std::vector<std::int64_t> row(last, 0), zero(last, 0), rows(box.begin(), box.end() - 1);
  std::int64_t at = 0;
  do {
    std::int64_t element = 0;
    bool isInside = true;
    for (std::size_t p = 0; p < last; ++p) {
      const std::int64_t x = origin[p] + row[p];
      isInside = isInside && x >= 0 && x < shape[p];
      element = element * shape[p] + x;
    }
    if (isInside && end > begin)
      std::memcpy(to + static_cast<std::size_t>(at + begin) * size,
                  tensor.bytes.data() + static_cast<std::size_t>(element * shape[last] + origin[last] + begin) * size,
                  static_cast<std::size_t>(end - begin) * size);
    at += box[last];
  } while (kernel::advance(row, zero, rows));
}

std::vector<std::int64_t> sum(std::vector<std::int64_t> a, const std::vector<std::int64_t> &b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

}  // namespace

evaluate::HostWork hostWorkOf(const Plan &plan) {
  evaluate::HostWork w;
  w.ranks = 1;
  for (const Axis &a : plan.axes) w.ranks = multiplySaturated(w.ranks, a.factors.front());
  const auto add = [](Bytes &to, std::int64_t bytes) { to = Bytes(addSaturated(to.value, bytes)); };
  const kernel::Kernel &kernel = plan.kernel();
  for (const Operand &o : plan.operands) {
    const kernel::Tensor &tensor = plan.graph->tensors[static_cast<std::size_t>(o.tensor)];
    const std::int64_t elements = multiplySaturated(
        o.elements(plan.bankSizes(o)), multiplySaturated(plan.units, o.use == Use::kInput ? 1 : plan.threads));
    const std::int64_t bytes = multiplySaturated(elements, sizeOf(o.type).value);
    if (o.use == Use::kInput) {
      add(tensor.isConstant ? w.placedOnce : w.placed, bytes);
      add(tensor.isConstant ? w.rearrangedOnce : w.rearrangedIn, bytes);
      continue;
    }
    const Combine combine = kernel.stores[static_cast<std::size_t>(o.store)].combine;
    if (plan.isRead(o)) {
      add(w.placed, bytes);
      if (o.hasInitial) add(w.rearrangedIn, bytes);
    }
    add(w.readBack, bytes);
    if (o.use == Use::kPartial && combine != Combine::kAssign)
      w.merges = addSaturated(w.merges, elements);
    else
      add(w.rearrangedOut, bytes);
  }
  return w;
}

std::vector<std::vector<std::int64_t>> parametersOf(const Lowered &lowered, std::int64_t unit) {
  const Plan &plan = *lowered.plan;
  const std::vector<std::int64_t> base = plan.baseOf(unit);
  std::vector<std::vector<std::int64_t>> out(lowered.parameters.size());
  for (std::int64_t t = 0; t < plan.threads; ++t) {
    const std::vector<std::int64_t> first = plan.firstOf(t);
    for (std::size_t p = 0; p < out.size(); ++p) {
      const auto d = static_cast<std::size_t>(lowered.parameters[p].dim);
      out[p].push_back(first[d] + (lowered.parameters[p].isGlobal ? base[d] : 0));
    }
  }
  return out;
}

void place(const Plan &plan, std::int64_t unit, const kernel::DataSet &data, sim::cnm::UnitMemory &memory) {
  const std::vector<std::int64_t> base = plan.baseOf(unit);
  for (const Operand &o : plan.operands) {
    std::vector<std::byte> &bytes = memory.array(o.array);
    const kernel::TensorData &tensor = data[static_cast<std::size_t>(o.tensor)];
    if (o.use == Use::kInput) {
      gather(plan, o, plan.unitSizes(), base, tensor, bytes.data());
      continue;
    }
    const kernel::Store &store = plan.kernel().stores[static_cast<std::size_t>(o.store)];
    const std::int64_t elements = o.elements(plan.threadSizes());
    if (store.combine != Combine::kAssign && (o.use == Use::kPartial || !o.hasInitial)) {
      const kernel::Scalar identity = kernel::identity(store.combine, o.type);
      for (std::int64_t e = 0; e < elements * plan.threads; ++e) kernel::store(o.type, bytes.data(), e, identity);
    } else if (plan.isRead(o)) {
      for (std::int64_t t = 0; t < plan.threads; ++t)
        gather(plan, o, plan.threadSizes(), sum(base, plan.firstOf(t)), tensor,
               bytes.data() + t * elements * sizeOf(o.type).value);
    }
  }
}

Collector::Collector(const Plan &plan, const machine::Machine &machine, kernel::DataSet &data)
    : plan_(plan), data_(data) {
  for (std::size_t l = 0; l + 1 < machine.levels.size(); ++l) {
    instances_.push_back(1);
    for (const Axis &a : plan.axes) instances_.back() *= a.factors[l];
  }
  for (const Operand &o : plan_.operands) {
    if (o.use == Use::kInput) continue;
    const Combine c = combineOf(o);
    kernel::TensorData &t = data_[static_cast<std::size_t>(o.tensor)];
    if (c != Combine::kAssign && c != Combine::kAdd && !o.hasInitial)
      for (std::int64_t e = 0; e < t.elements(); ++e)
        kernel::store(t.type, t.bytes.data(), e, kernel::identity(c, t.type));
  }
}

Combine Collector::combineOf(const Operand &o) const {
  return plan_.kernel().stores[static_cast<std::size_t>(o.store)].combine;
}

void Collector::add(const sim::cnm::UnitMemory &memory) {
  for (const Operand &o : plan_.operands)
    if (o.use == Use::kResult)
      addResult(o, memory.array(o.array).data());
    else if (o.use == Use::kPartial)
      addPartial(o, memory.array(o.array).data());
  ++unit_;
}

void Collector::addResult(const Operand &o, const std::byte *array) {
  kernel::TensorData &tensor = data_[static_cast<std::size_t>(o.tensor)];
  const std::int64_t size = sizeOf(o.type).value, bytes = o.elements(plan_.threadSizes()) * size;
  const std::vector<std::int64_t> base = plan_.baseOf(unit_);
  for (std::int64_t t = 0; t < plan_.threads; ++t)
    forEach(plan_, o, sum(base, plan_.firstOf(t)), true, [&](std::int64_t from, std::int64_t to) {
      std::memcpy(tensor.bytes.data() + to * size, array + t * bytes + from * size, static_cast<std::size_t>(size));
    });
}

void Collector::merge(Sums &into, const Operand &o, std::int64_t element, kernel::Scalar x) const {
  const auto e = static_cast<std::size_t>(element);
  if (into.values.empty()) {
    const std::int64_t n = data_[static_cast<std::size_t>(o.tensor)].elements();
    into.values.resize(static_cast<std::size_t>(n));
    into.isThere.resize(static_cast<std::size_t>(n));
  }
  if (!into.isThere[e]) into.touched.push_back(element);
  into.values[e] = into.isThere[e] ? kernel::merge(combineOf(o), o.type, into.values[e], x) : x;
  into.isThere[e] = true;
}

void Collector::addPartial(const Operand &o, const std::byte *array) {
  std::vector<Sums> &sums = sums_[o.store];
  sums.resize(instances_.size() + 1);
  const std::int64_t bytes = o.elements(plan_.threadSizes()) * sizeOf(o.type).value;
  const std::vector<std::int64_t> base = plan_.baseOf(unit_);
  for (std::int64_t t = 0; t < plan_.threads; ++t)
    forEach(plan_, o, sum(base, plan_.firstOf(t)), false, [&](std::int64_t from, std::int64_t to) {
      merge(sums.back(), o, to, kernel::load(o.type, array + t * bytes, from));
    });
  // The unit is complete, and with it perhaps the instances around it.
  std::int64_t units = 1;
  for (std::size_t l = instances_.size(); l-- > 0;) {
    for (const std::int64_t e : sums[l + 1].touched) {
      merge(sums[l], o, e, sums[l + 1].values[static_cast<std::size_t>(e)]);
      sums[l + 1].isThere[static_cast<std::size_t>(e)] = false;
    }
    sums[l + 1].touched.clear();
    units *= instances_[l];
    if ((unit_ + 1) % units != 0) break;
  }
}

void Collector::finish() {
  for (const Operand &o : plan_.operands) {
    if (o.use != Use::kPartial) continue;
    kernel::TensorData &tensor = data_[static_cast<std::size_t>(o.tensor)];
    Sums &all = sums_[o.store].front();
    for (const std::int64_t e : all.touched) {
      kernel::Scalar x = all.values[static_cast<std::size_t>(e)];
      if (o.hasInitial)
        x = kernel::merge(combineOf(o), o.type, x,
                          kernel::convert(tensor.type, o.type, kernel::load(tensor.type, tensor.bytes.data(), e)));
      kernel::store(tensor.type, tensor.bytes.data(), e, kernel::convert(o.type, tensor.type, x));
    }
  }
}

}  // namespace pimento::targets::cnm
