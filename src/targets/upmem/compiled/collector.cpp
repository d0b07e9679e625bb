#include <algorithm>
#include <cstring>

#include "pimento/targets/upmem/compiled/layout.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;
using kernel::Scalar;

Collector::Collector(const Plan &plan, kernel::DataSet &data) : scheme_(plan.scheme()), data_(data) {
  for (const Operand &o : scheme_.operands)
    guards_.push_back(o.isShared() ? std::vector<kernel::Affine>{} : scheme_.guardsOf(o));
  lower::startAccumulations(*scheme_.graph, scheme_.number, data_);
}

std::int64_t Collector::carriedElement(const Operand &o) const {
  return kernel::linearize(scheme_.storeOf(o).target, scheme_.tensorOf(o), scheme_.axes.size()).constant;
}

/// Calls visit(byte in the tasklet's array, element of the tensor) for every element that is the tasklet's.
template <typename Visit>
void Collector::forEach(const Operand &o, std::int64_t tasklet, Visit &&visit) const {
  const std::size_t dims = scheme_.axes.size();
  const Reference &r = scheme_.stores[static_cast<std::size_t>(o.store)];
  std::vector<std::int64_t> first = scheme_.baseOf(dpu_);
  const auto low = scheme_.lowOf(tasklet), ranges = scheme_.sizesPerTasklet();
  for (std::size_t d = 0; d < dims; ++d) first[d] += low[d];
  kernel::Affine at{std::vector<std::int64_t>(dims, 0), 0};
  std::int64_t tables = 1;
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const Position &position = o.positions[p];
    if (position.fixedExtent > 0) {
      tables = position.fixedExtent;
      continue;
    }
    at.constant += r.delta[p] * o.mramPitch[p];
    for (std::size_t d = 0; d < dims; ++d) {
      const std::int64_t c = position.coefficient[d];
      at.coefficients[d] += c * o.mramPitch[p];
      if (c < 0) at.constant += -c * (ranges[d] - 1) * o.mramPitch[p];
    }
  }
  const kernel::Affine element =
      kernel::linearize(scheme_.storeOf(o).target, scheme_.tensorOf(o), dims, o.use == Use::kTable ? 1 : 0);
  const auto &guards = guards_[static_cast<std::size_t>(&o - scheme_.operands.data())];
  lower::forEachPoint(
      scheme_.kernel(), first, ranges, guards, at, element, [&](int d) { return o.involves(d); },
      [&](std::int64_t byte, std::int64_t e) {
        PIMENTO_SLOW_CHECK(e >= 0 && e + tables <= scheme_.tensorOf(o).elements());
        for (std::int64_t i = 0; i < tables; ++i) visit(byte + i * o.size(), e + i);
      });
}

void Collector::addWritten(const Operand &o, const Block &block) {
  kernel::TensorData &tensor = tensorOf(o);
  const auto size = static_cast<std::size_t>(o.size());
  const auto merge = [&](Combine combine, std::int64_t element, Scalar before, const std::byte *from) {
    kernel::store(tensor.type, tensor.bytes.data(), element,
                  kernel::merge(combine, tensor.type, before, kernel::load(o.type, from, 0)));
  };
  const Combine combine = scheme_.storeOf(o).combine;
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t)
    forEach(o, t, [&](std::int64_t byte, std::int64_t element) {
      const std::byte *from = block.bytes.data() + t * o.bytes + byte;
      if (o.use == Use::kWrite && combine != Combine::kAssign)
        merge(combine, element, kernel::load(tensor.type, tensor.bytes.data(), element), from);
      else if (o.hasCarry && carried_)
        merge(scheme_.storeOf(scheme_.carry()).combine, element,
              kernel::convert(scheme_.carry().type, tensor.type, *carried_), from);
      else
        std::memcpy(tensor.bytes.data() + element * o.size(), from, size);
    });
}

void Collector::addPartial(const Operand &o, const Block &block) {
  const Combine combine = scheme_.storeOf(o).combine;
  lower::PartialSums &sums = sums_
                                 .try_emplace(o.store, combine, o.type, tensorOf(o).elements(),
                                              std::vector<std::int64_t>{scheme_.ranks, scheme_.dpus / scheme_.ranks})
                                 .first->second;
  const auto valid = scheme_.validOf(dpu_);
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t) {
    const auto result = scheme_.resultOf(o, t);
    if (!result) continue;
    const bool isEmpty = isIdle(scheme_, valid, t);
    forEach(o, t, [&](std::int64_t byte, std::int64_t element) {
      sums.add(element, isEmpty ? kernel::identity(combine, o.type)
                                : kernel::load(o.type, block.bytes.data() + *result * o.bytes + byte, 0));
    });
  }
  sums.closeUnit();
}

void Collector::addSelected(const Operand &o, const Block &block, const Block &counts) {
  const auto valid = scheme_.validOf(dpu_);
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t) {
    if (isIdle(scheme_, valid, t)) continue;
    std::uint32_t kept = 0;
    std::memcpy(&kept, counts.bytes.data() + t * kUnit, sizeof kept);
    PIMENTO_CHECK(kept * o.size() <= o.bytes);
    std::memcpy(tensorOf(o).bytes.data() + selected_ * o.size(), block.bytes.data() + t * o.bytes,
                static_cast<std::size_t>(kept * o.size()));
    selected_ += kept;
  }
}

/// What the DPUs before left is part of every sum of this one.
void Collector::addScan(const std::vector<Block> &results) {
  const Operand &carry = scheme_.carry();
  if (dpu_ == 0 && hasInitial(scheme_, scheme_.storeOf(carry)))
    carried_ = kernel::load(carry.type, tensorOf(carry).bytes.data(), carriedElement(carry));
  const Block *totals = nullptr;
  std::size_t at = 0;
  for (const Operand &o : scheme_.operands) {
    if (o.isShared()) continue;
    if (&o == &carry)
      totals = &results[at];
    else
      addWritten(o, results[at]);
    ++at;
  }
  const auto valid = scheme_.validOf(dpu_);
  for (std::int64_t t = 0; t < scheme_.tasklets; ++t) {
    if (isIdle(scheme_, valid, t)) continue;
    const Scalar x = kernel::load(carry.type, totals->bytes.data() + t * carry.bytes, 0);
    carried_ = carried_ ? kernel::merge(scheme_.storeOf(carry).combine, carry.type, *carried_, x) : x;
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
    sums.finish(data_[static_cast<std::size_t>(store.target.tensor)], hasInitial(scheme_, store));
  }
  if (!scheme_.isScan || !carried_) return;
  const Operand &carry = scheme_.carry();
  kernel::TensorData &tensor = tensorOf(carry);
  kernel::store(tensor.type, tensor.bytes.data(), carriedElement(carry), *carried_);
}

}  // namespace pimento::targets::upmem::compiled
