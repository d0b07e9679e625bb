#include "pimento/targets/near_bank/elements_data.h"

#include <numeric>

#include "pimento/base/dtype.h"
#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"

namespace pimento::targets::near_bank {

using sim::pim::kLanes;

ElementsData::ElementsData(const kernel::Graph &graph, int kernel, const Elements &elements,
                           const machine::Machine &machine)
    : graph_(graph),
      kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
      elements_(elements),
      unit_(*machine.nearBank),
      banksPerGroup_(machine.dram->organization.banksPerGroup),
      groups_(machine.dram->organization.ranks * machine.dram->organization.bankGroups) {
  dims_.resize(kernel_.dims.size());
  std::iota(dims_.begin(), dims_.end(), 0);
  if (!elements.isProduct && elements.hasTerm)
    banksPerMove_ =
        machine.dram->organization.banksPerNode(machine.dram->commands[static_cast<std::size_t>(unit_.result)].scope);
  else
    banksPerMove_ = machine.dram->organization.ranks * machine.dram->organization.banks();
}

std::int64_t ElementsData::columnsOf(const ElementsPart &p) const {
  return elements_.isProduct ? ceilDiv(p.shares.instances[1], groups_) * ceilDiv(p.elements, unit_.lanes) : p.elements;
}

kernel::Affine ElementsData::elementOf(const kernel::Access &access) const {
  return kernel::linearize(access, graph_.tensors[static_cast<std::size_t>(access.tensor)], kernel_.dims.size());
}

void ElementsData::put(Half *burst, std::int64_t lane, double x) const {
  const std::uint64_t bits = encodeFloat(unit_.type, x);
  putLane(burst, lane, &bits, sizeOf(unit_.type).value);
}

std::int64_t ElementsData::columnOf(const ElementsPart &p, const Spot &s) const {
  return p.firstColumn + s.instance[1] / groups_ * ceilDiv(p.elements, unit_.lanes) + s.local / unit_.lanes;
}

template <typename Visit>
void ElementsData::forEach(const ElementsPart &p, const kernel::DataSet &data, const ElementOperand &o,
                           const Visit &visit) const {
  const std::int64_t size = sizeOf(unit_.type).value;
  const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  kernel::Affine form{std::vector<std::int64_t>(kernel_.dims.size(), 0), 0};
  const kernel::TensorData *x = nullptr;
  if (o.load >= 0) {
    const kernel::Access &a = kernel_.loads[static_cast<std::size_t>(o.load)];
    form = elementOf(a);
    x = &data[static_cast<std::size_t>(a.tensor)];
  }
  const std::uint64_t same = encodeFloat(unit_.type, o.value);
  for (const Spot &s : p.shares.spots(dims_, form)) {
    std::uint64_t bits = same;
    if (x != nullptr) {
      bits = 0;
      std::memcpy(&bits, x->bytes.data() + (form.constant + s.value) * size, static_cast<std::size_t>(size));
    }
    visit(s, o.isNegated ? bits ^ sign : bits);
  }
}

void ElementsData::fillProduct(const kernel::DataSet &data, const ElementOperand &o, ImageData &image) const {
  for (const ElementsPart &p : parts)
    forEach(p, data, o, [&](const Spot &s, std::uint64_t bits) {
      const std::int64_t burst = groupOf(s) * columns + columnOf(p, s);
      putLane(&image.values[static_cast<std::size_t>((burst * channels + s.instance[0]) * kLanes)],
              s.local % unit_.lanes, &bits, sizeOf(unit_.type).value);
    });
}

void ElementsData::fillSums(const kernel::DataSet &data, const ElementOperand &o, ImageData &image,
                            bool isPreload) const {
  for (const ElementsPart &p : parts)
    forEach(p, data, o, [&](const Spot &s, std::uint64_t bits) {
      const std::int64_t burst = (isPreload ? 0 : s.instance[1] * columns) + p.firstColumn + s.local;
      putLane(&image.values[static_cast<std::size_t>((burst * channels + s.instance[0]) * kLanes)],
              isPreload ? s.instance[1] : 0, &bits, sizeOf(unit_.type).value);
    });
}

std::uint64_t ElementsData::productAt(NearBankDevice &device, const ElementsPart &p, const Spot &s) const {
  const std::int64_t column = columnOf(p, s);
  const Half *burst = device.burst(s.instance[0], static_cast<int>(groupOf(s) * banksPerGroup_ + 2),
                                   column / device.columns(), column % device.columns());
  return laneOf(burst, s.local % unit_.lanes, sizeOf(unit_.type).value);
}

std::uint64_t ElementsData::sumAt(NearBankDevice &device, const ElementsPart &p, const Spot &s) const {
  const bool isFunction = elements_.hasFunction;
  const std::int64_t perMove = isFunction ? device.banks() : banksPerMove_, moves = ceilDiv(banks, perMove);
  const Half *burst = device.result(s.instance[0], (p.firstColumn + s.local) * moves + s.instance[1] / perMove);
  const std::int64_t lane = s.instance[1] % perMove * (isFunction ? 1 : unit_.accumulators);
  return laneOf(burst, lane, sizeOf(unit_.type).value);
}

std::vector<sim::pim::ImageData> ElementsData::images(const kernel::DataSet &data) const {
  std::vector<ImageData> all;
  const auto add = [&](std::int64_t bursts) -> ImageData & {
    all.emplace_back();
    all.back().isPerChannel = true;
    all.back().values.assign(static_cast<std::size_t>(bursts * channels * kLanes), 0);
    return all.back();
  };
  if (elements_.isProduct) {
    fillProduct(data, elements_.first, add(groups_ * columns));
    fillProduct(data, elements_.second, add(groups_ * columns));
    return all;
  }
  fillSums(data, elements_.first, add(columns), true);
  if (!elements_.hasTerm) return all;
  fillSums(data, elements_.second, add(banks * columns), false);
  ImageData scale;
  scale.values.assign(kLanes, 0);
  for (std::int64_t l = 0; l < unit_.lanes; ++l) put(scale.values.data(), l, l == 0 ? elements_.scale : -0.0);
  all.push_back(std::move(scale));
  if (unit_.setColumns >= 0) {
    ImageData one;
    one.values.assign(kLanes, 0);
    one.values[0] = 1;
    all.push_back(std::move(one));
  }
  return all;
}

void ElementsData::collect(NearBankDevice &device, kernel::DataSet &data) const {
  const kernel::Access &target = kernel_.stores[0].target;
  kernel::TensorData &z = data[static_cast<std::size_t>(target.tensor)];
  const std::int64_t size = sizeOf(unit_.type).value;
  for (const ElementsPart &p : parts) {
    const kernel::Affine form = elementOf(target);
    for (const Spot &s : p.shares.spots(dims_, form)) {
      const std::uint64_t bits = elements_.isProduct ? productAt(device, p, s) : sumAt(device, p, s);
      std::memcpy(z.bytes.data() + (form.constant + s.value) * size, &bits, static_cast<std::size_t>(size));
    }
  }
}

}  // namespace pimento::targets::near_bank
