#include "pimento/targets/hbm_pim/elementwise_data.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "pimento/base/dtype.h"
#include "pimento/kernel/linear.h"
#include "pimento/targets/hbm_pim/matvec_data.h"

namespace pimento::targets::hbm_pim {

using sim::pim::Half;
using sim::pim::ImageData;
using sim::pim::kLanes;

std::vector<ImageData> ElementwiseData::images(const kernel::DataSet &) const {
  ImageData crf, scalars;
  for (const Part &p : parts) {
    const ImageData one = crfImage(p.code.crf, p.crfBursts);
    crf.values.insert(crf.values.end(), one.values.begin(), one.values.end());
    // SRF_M, then SRF_A: one constant in all entries of each.
    const auto half = [](std::optional<double> x) {
      return static_cast<Half>(encodeFloat(DType::kF16, x.value_or(0)));
    };
    scalars.values.insert(scalars.values.end(), kLanes / 2, half(p.code.factor));
    scalars.values.insert(scalars.values.end(), kLanes / 2, half(p.code.addend));
  }
  return {std::move(crf), controlImage(), std::move(scalars)};
}

namespace {

/// Does point number `point` of the box pass the guards?
bool runs(const kernel::Kernel &kernel, const lower::Shares &shares, std::int64_t point) {
  if (kernel.guards.empty()) return true;
  std::vector<std::int64_t> x(shares.axes.size());
  for (std::size_t d = x.size(); d-- > 0; point /= shares.axes[d].size)
    x[d] = shares.axes[d].lower + point % shares.axes[d].size;
  return std::all_of(kernel.guards.begin(), kernel.guards.end(), [&](auto &g) { return kernel::valueAt(g, x) >= 0; });
}

}  // namespace

void ElementwiseData::forEachPoint(const Part &p, std::size_t region, const kernel::Access &access,
                                   sim::pim::PimDevice &device,
                                   const std::function<void(Half &place, std::int64_t element)> &visit) const {
  const std::int64_t banks = machine_.pim->banksPerBlock, columns = machine_.dram->organization.columns,
                     firstRow = p.firstRow + static_cast<std::int64_t>(region) * p.regionRows;
  const auto element =
      kernel::linearize(access, graph_.tensors[static_cast<std::size_t>(access.tensor)], kernel_.dims.size());
  // Points are visited along the last dim, so only one row of spots is kept.
  std::vector<int> outer(kernel_.dims.size() - 1);
  std::iota(outer.begin(), outer.end(), 0);
  const std::vector<int> last = {static_cast<int>(outer.size())};
  const std::vector<lower::Spot> inner = p.shares.spots(last, element);
  std::int64_t point = 0;
  for (const lower::Spot &o : p.shares.spots(outer, element))
    for (const lower::Spot &i : inner) {
      const std::int64_t local = o.local * p.shares.rangeOf(last) + i.local, column = local / banks, here = point++;
      if (column / kColumns >= p.tiles || !runs(kernel_, p.shares, here)) continue;
      const int bank = static_cast<int>((o.instance[1] + i.instance[1]) * banks + local % banks);
      visit(device.burst(o.instance[0] + i.instance[0], bank, firstRow + column / columns,
                         column % columns)[o.instance[2] + i.instance[2]],
            element.constant + o.value + i.value);
    }
}

void ElementwiseData::place(const kernel::DataSet &data, sim::pim::PimDevice &device) const {
  for (const Part &p : parts)
    for (std::size_t region = 0; region < p.code.loads.size(); ++region) {
      const int load = p.code.loads[region];
      if (load < 0) {
        const auto value = static_cast<Half>(
            encodeFloat(DType::kF16, p.code.constants[static_cast<std::size_t>(ElementwiseCode::constantOf(load))]));
        forEachPoint(p, region, kernel_.stores.front().target, device, [&](Half &to, std::int64_t) { to = value; });
        continue;
      }
      const kernel::Access &access = operandAccess(kernel_, load);
      const auto *source = data[static_cast<std::size_t>(access.tensor)].bytes.data();
      forEachPoint(p, region, access, device,
                   [&](Half &to, std::int64_t element) { std::memcpy(&to, source + element * 2, 2); });
    }
}

/// Elements that no point writes hold the identity of what accumulates into them: 1 under z *= e onto nothing.
void ElementwiseData::fillUnwritten(kernel::DataSet &data) const {
  const std::vector<int> &loads = parts.front().code.loads;
  for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
    const kernel::Store &store = kernel_.stores[s];
    const bool isUpdate = std::find(loads.begin(), loads.end(), targetLoad(kernel_, s)) != loads.end();
    if (store.combine != kernel::Combine::kMul || isUpdate) continue;
    kernel::TensorData &t = data[static_cast<std::size_t>(store.target.tensor)];
    for (std::int64_t e = 0; e < t.elements(); ++e) t.setDouble(e, 1);
  }
}

void ElementwiseData::collect(sim::pim::PimDevice &device, kernel::DataSet &data) const {
  fillUnwritten(data);
  for (const Part &p : parts)
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      const kernel::Access &access = kernel_.stores[s].target;
      auto *target = data[static_cast<std::size_t>(access.tensor)].bytes.data();
      forEachPoint(p, p.code.loads.size() + s, access, device,
                   [&](const Half &from, std::int64_t element) { std::memcpy(target + element * 2, &from, 2); });
    }
}

}  // namespace pimento::targets::hbm_pim
