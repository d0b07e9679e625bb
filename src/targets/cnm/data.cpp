#include "pimento/targets/cnm/data.h"

#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/lower/host_data.h"

namespace pimento::targets::cnm {

using kernel::Combine;

namespace {

/// Calls visit(element of the thread's array, element of the tensor) for every element that is the thread's.
template <typename Visit>
void forEach(const Plan &plan, const Operand &o, const std::vector<std::int64_t> &first, Visit &&visit) {
  const std::size_t dims = plan.axes.size();
  const kernel::Affine at = o.corner(plan.threadSizes(), std::vector<std::int64_t>(dims, 1));
  const kernel::Affine element =
      kernel::linearize({o.tensor, o.index}, plan.graph->tensors[static_cast<std::size_t>(o.tensor)], dims);
  const auto involves = [&](int d) { return o.involves(d); };
  const auto guards = lower::guardsOf(plan.kernel(), o.use == Use::kResult, involves);
  lower::forEachPoint(plan.kernel(), first, plan.threadSizes(), guards, at, element, involves, visit);
}

/// Copies what points from `first` on, so many of each dim, read of an operand.
void gather(const Operand &o, const std::vector<std::int64_t> &sizes, const std::vector<std::int64_t> &first,
            const kernel::TensorData &tensor, std::byte *to) {
  const std::vector<std::int64_t> extents = o.box(sizes);
  std::vector<lower::BoxSide> box(extents.size());
  std::int64_t pitch = sizeOf(o.type).value;
  for (std::size_t p = box.size(); p-- > 0; pitch *= extents[p]) {
    std::int64_t x = o.index[p].constant;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const std::int64_t c = o.index[p].coefficients[d];
      x += c * (first[d] + (c < 0 ? sizes[d] - 1 : 0));
    }
    box[p] = {static_cast<int>(p), x, 1, extents[p], pitch};
  }
  lower::gather(tensor, box, to);
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
      gather(o, plan.unitSizes(), base, tensor, bytes.data());
      continue;
    }
    const kernel::Store &store = plan.kernel().stores[static_cast<std::size_t>(o.store)];
    const std::int64_t elements = o.elements(plan.threadSizes());
    if (store.combine != Combine::kAssign && (o.use == Use::kPartial || !o.hasInitial)) {
      const kernel::Scalar identity = kernel::identity(store.combine, o.type);
      for (std::int64_t e = 0; e < elements * plan.threads; ++e) kernel::store(o.type, bytes.data(), e, identity);
    } else if (plan.isRead(o)) {
      for (std::int64_t t = 0; t < plan.threads; ++t)
        gather(o, plan.threadSizes(), sum(base, plan.firstOf(t)), tensor,
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
  lower::startAccumulations(*plan.graph, plan.number, data_);
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
    forEach(plan_, o, sum(base, plan_.firstOf(t)), [&](std::int64_t from, std::int64_t to) {
      PIMENTO_SLOW_CHECK(to >= 0 && to < tensor.elements());
      std::memcpy(tensor.bytes.data() + to * size, array + t * bytes + from * size, static_cast<std::size_t>(size));
    });
}

void Collector::addPartial(const Operand &o, const std::byte *array) {
  const Combine combine = plan_.kernel().stores[static_cast<std::size_t>(o.store)].combine;
  lower::PartialSums &sums =
      sums_.try_emplace(o.store, combine, o.type, data_[static_cast<std::size_t>(o.tensor)].elements(), instances_)
          .first->second;
  const std::int64_t bytes = o.elements(plan_.threadSizes()) * sizeOf(o.type).value;
  const std::vector<std::int64_t> base = plan_.baseOf(unit_);
  for (std::int64_t t = 0; t < plan_.threads; ++t)
    forEach(plan_, o, sum(base, plan_.firstOf(t)),
            [&](std::int64_t from, std::int64_t to) { sums.add(to, kernel::load(o.type, array + t * bytes, from)); });
  sums.closeUnit();
}

void Collector::finish() {
  for (const Operand &o : plan_.operands)
    if (const auto sums = sums_.find(o.store); sums != sums_.end() && o.use == Use::kPartial)
      sums->second.finish(data_[static_cast<std::size_t>(o.tensor)], o.hasInitial);
}

}  // namespace pimento::targets::cnm
