#include "pimento/targets/hbm_pim/elementwise_data.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "pimento/base/dtype.h"
#include "pimento/targets/hbm_pim/matvec_data.h"

namespace pimento::targets::hbm_pim {

using sim::pim::Half;
using sim::pim::ImageData;
using sim::pim::kLanes;

ElementwiseData::ElementwiseData(const kernel::Graph &graph, int kernel, const mapping::PlacedMapping &placed,
                                 const machine::Machine &machine)
    : graph_(graph), kernel_(graph.kernels[static_cast<std::size_t>(kernel)]), placed_(placed), machine_(machine) {}

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

bool ElementwiseData::isGuarded(std::int64_t point, const mapping::Box &box) const {
  if (kernel_.guards.empty()) return true;
  std::vector<std::int64_t> x(kernel_.dims.size());
  for (std::size_t d = x.size(); d-- > 0;) {
    x[d] = box.lower[d] + point % box.size[d];
    point /= box.size[d];
  }
  for (const kernel::Affine &g : kernel_.guards) {
    std::int64_t value = g.constant;
    for (std::size_t d = 0; d < x.size(); ++d) value += g.coefficients[d] * x[d];
    if (value < 0) return false;
  }
  return true;
}

template <typename Visit>
void ElementwiseData::forEachPoint(const Part &p, const std::vector<const kernel::Access *> &accesses,
                                   Visit visit) const {
  std::vector<int> dims(kernel_.dims.size());
  std::iota(dims.begin(), dims.end(), 0);
  const Layout layout(kernel_, machine_, placed_, p.subspace);
  const auto banks = machine_.pim->banksPerBlock;
  // Points are visited along the last dim, so only one row of places is kept.
  std::vector<int> outer(dims.begin(), dims.end() - 1), last(dims.end() - 1, dims.end());
  const std::int64_t lastRange = layout.range(last);
  const auto inner = layout.places(last, accesses, graph_.tensors);
  std::int64_t point = 0;
  for (const Place &o : layout.places(outer, accesses, graph_.tensors))
    for (const Place &i : inner) {
      const std::int64_t local = o.local * lastRange + i.local;
      const std::int64_t column = local / banks;
      const std::int64_t here = point++;
      if (column / kColumns >= p.tiles || !isGuarded(here, layout.box())) continue;
      const int bank = static_cast<int>((o.block + i.block) * banks + local % banks);
      visit(o, i, bank, column);
    }
}

void ElementwiseData::place(const kernel::DataSet &data, sim::pim::PimDevice &device) const {
  const std::int64_t columns = machine_.dram->organization.columns;
  for (const Part &p : parts)
    for (std::size_t region = 0; region < p.code.loads.size(); ++region) {
      const std::int64_t firstRow = p.firstRow + static_cast<std::int64_t>(region) * p.regionRows;
      const int load = p.code.loads[region];
      if (load < 0) {
        const auto value = static_cast<Half>(
            encodeFloat(DType::kF16, p.code.constants[static_cast<std::size_t>(ElementwiseCode::constantOf(load))]));
        forEachPoint(p, {}, [&](const Place &o, const Place &i, int bank, std::int64_t column) {
          device.burst(o.channel + i.channel, bank, firstRow + column / columns, column % columns)[o.lane + i.lane] =
              value;
        });
        continue;
      }
      const kernel::Access &access = operandAccess(kernel_, load);
      const auto *source = data[static_cast<std::size_t>(access.tensor)].bytes.data();
      const std::int64_t base = accessBase(access, graph_.tensors[static_cast<std::size_t>(access.tensor)]);
      forEachPoint(p, {&access}, [&](const Place &o, const Place &i, int bank, std::int64_t column) {
        Half *to =
            &device.burst(o.channel + i.channel, bank, firstRow + column / columns, column % columns)[o.lane + i.lane];
        std::memcpy(to, source + (base + o.offsets[0] + i.offsets[0]) * 2, 2);
      });
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
  const std::int64_t columns = machine_.dram->organization.columns;
  fillUnwritten(data);
  for (const Part &p : parts)
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      const std::int64_t firstRow = p.firstRow + static_cast<std::int64_t>(p.code.loads.size() + s) * p.regionRows;
      const kernel::Access &access = kernel_.stores[s].target;
      auto *target = data[static_cast<std::size_t>(access.tensor)].bytes.data();
      const std::int64_t base = accessBase(access, graph_.tensors[static_cast<std::size_t>(access.tensor)]);
      forEachPoint(p, {&access}, [&](const Place &o, const Place &i, int bank, std::int64_t column) {
        const Half *from =
            &device.burst(o.channel + i.channel, bank, firstRow + column / columns, column % columns)[o.lane + i.lane];
        std::memcpy(target + (base + o.offsets[0] + i.offsets[0]) * 2, from, 2);
      });
    }
}

}  // namespace pimento::targets::hbm_pim
