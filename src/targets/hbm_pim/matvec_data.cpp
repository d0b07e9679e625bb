#include "pimento/targets/hbm_pim/matvec_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "pimento/base/dtype.h"
#include "pimento/kernel/linear.h"
#include "pimento/targets/hbm_pim/merge_tree.h"

namespace pimento::targets::hbm_pim {

using lower::Spot;
using sim::pim::Half;
using sim::pim::ImageData;
using sim::pim::kLanes;

namespace {

Half halfAt(const kernel::TensorData &t, std::int64_t element) {
  Half h;
  std::memcpy(&h, t.bytes.data() + element * 2, 2);
  return h;
}

/// Which points run of those that three lists of dims span, as far as guards of one kind say.
class Masks {
 public:
  using Three = std::array<const std::vector<int> *, 3>;

  Masks(const kernel::Kernel &kernel, const MatVec &pattern, Masked kind, const lower::Shares &shares,
        const Three &dims) {
    for (std::size_t i = 0; i < kernel.guards.size(); ++i) {
      if (pattern.masks[i] != kind) continue;
      Guard &g = guards_.emplace_back();
      g.constant = kernel.guards[i].constant;
      for (std::size_t k = 0; k < dims.size(); ++k)
        for (const Spot &s : shares.spots(*dims[k], kernel.guards[i])) g.values[k].push_back(s.value);
    }
  }

  bool runs(const std::array<std::size_t, 3> &at) const {
    return std::all_of(guards_.begin(), guards_.end(), [&](const Guard &g) {
      return g.constant + g.values[0][at[0]] + g.values[1][at[1]] + g.values[2][at[2]] >= 0;
    });
  }

 private:
  struct Guard {
    std::int64_t constant = 0;
    std::array<std::vector<std::int64_t>, 3> values;
  };
  std::vector<Guard> guards_;
};

}  // namespace

ImageData crfImage(const std::vector<program::hbm_pim::Instruction> &code, std::int64_t bursts) {
  ImageData image;
  image.values.assign(static_cast<std::size_t>(bursts * kLanes), 0);
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::uint32_t word = program::hbm_pim::encode(code[i]);
    std::memcpy(&image.values[i * 2], &word, 4);
  }
  return image;
}

ImageData controlImage() {
  ImageData image;
  image.values.assign(2 * kLanes, 0);
  auto *on = reinterpret_cast<std::uint8_t *>(&image.values[kLanes]);
  on[0] = 1;   // PIM execution on
  on[21] = 1;  // clear GRF_B
  return image;
}

kernel::Affine MatVecData::elementOf(const kernel::Access &access) const {
  return kernel::linearize(access, graph_.tensors[static_cast<std::size_t>(access.tensor)], kernel_.dims.size());
}

std::vector<ImageData> MatVecData::images(const kernel::DataSet &data) const {
  ImageData crf;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ImageData one = crfImage(microkernels[i], parts[i].crfBursts);
    crf.values.insert(crf.values.end(), one.values.begin(), one.values.end());
  }
  const std::int64_t channels = machine_.dram->organization.channels;
  const std::int64_t copies = isInputPerChannel ? channels : 1;
  ImageData input;
  input.isPerChannel = isInputPerChannel;
  input.values.assign(static_cast<std::size_t>(inputBursts * copies * kLanes), 0);
  const kernel::Access &access = load(pattern_.input);
  const kernel::Affine element = elementOf(access);
  const kernel::TensorData &x = data[static_cast<std::size_t>(access.tensor)];
  for (const Part &p : parts) {
    const auto groups = p.shares.spots(pattern_.groupDims, element),
               batches = p.shares.spots(pattern_.batchDims, element),
               inputs = p.shares.spots(pattern_.reductionDims, element);
    const Masks masks(kernel_, pattern_, Masked::kInput, p.shares,
                      {&pattern_.groupDims, &pattern_.batchDims, &pattern_.reductionDims});
    // Every lane that serves some output needs the input of its reduction lane.
    const auto outputLanes = p.shares.numbers(2, pattern_.outputDims);
    const auto outputChannels =
        isInputPerChannel ? p.shares.numbers(0, pattern_.outputDims) : std::vector<std::int32_t>{0};
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t b = 0; b < batches.size(); ++b)
        for (std::size_t n = 0; n < inputs.size(); ++n) {
          if (!masks.runs({g, b, n})) continue;
          const Half value = halfAt(x, element.constant + groups[g].value + batches[b].value + inputs[n].value);
          const std::int64_t vector = groups[g].local * p.batch + batches[b].local;
          const std::int64_t burst = p.inputBurst + vector * p.inputTiles * kBursts + inputs[n].local;
          const std::int64_t first =
              isInputPerChannel ? groups[g].instance[0] + batches[b].instance[0] + inputs[n].instance[0] : 0;
          for (const std::int32_t c : outputChannels)
            for (const std::int32_t lane : outputLanes)
              input.values[static_cast<std::size_t>((burst * copies + c + first) * kLanes + lane +
                                                    groups[g].instance[2] + inputs[n].instance[2])] = value;
        }
  }
  ImageData zero;
  zero.values.assign(kLanes, 0);
  return {std::move(crf), controlImage(), std::move(input), std::move(zero)};
}

void MatVecData::place(const kernel::DataSet &data, sim::pim::PimDevice &device) const {
  const kernel::Access &access = load(pattern_.weights);
  const kernel::Affine element = elementOf(access);
  const kernel::TensorData &w = data[static_cast<std::size_t>(access.tensor)];
  for (const Part &p : parts) p.direct ? placeDirect(p, w, device) : placePart(p, w, element, device);
}

// Every lane of every unit and every slot has a box of the tensor of its own.
void MatVecData::placeDirect(const Part &p, const kernel::TensorData &w, sim::pim::PimDevice &device) const {
  const DirectLayout &layout = *p.direct;
  const kernel::Access &access = load(pattern_.weights);
  const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
  const lower::Axis &burstAxis = p.shares.axis(layout.burstDim);
  const auto box = [&](std::int64_t unit, std::int64_t lane, std::int64_t slot) {
    lower::PerDim point = p.shares.firstOf(unit, lane);
    for (std::size_t d = 0; d < point.size(); ++d) point[d] += p.shares.axes[d].lower;
    point[static_cast<std::size_t>(layout.slotDim)] += slot * layout.chunk;
    std::int64_t &x = point[static_cast<std::size_t>(layout.burstDim)];
    const std::int64_t first = x, end = std::min(first + layout.bursts, burstAxis.lower + burstAxis.size);
    for (std::int64_t position = 0; position < layout.positions; ++position)
      for (x = first; x < end; ++x) {
        std::vector<std::int64_t> index;
        for (const kernel::Affine &form : access.index) index.push_back(kernel::valueAt(form, point));
        for (const DirectLayout::Axis &a : layout.axes) index[a.index] += position / a.stride % a.extent * a.step;
        std::int64_t element = 0;
        bool isInside = true;
        for (std::size_t i = 0; i < index.size(); ++i) {
          isInside &= index[i] >= 0 && index[i] < tensor.shape[i];
          element = element * tensor.shape[i] + index[i];
        }
        if (isInside) placeOne(p, {unit, lane, slot}, position, x - first, halfAt(w, element), device);
      }
  };
  for (std::int64_t unit = 0; unit < p.shares.units; ++unit)
    for (std::int64_t lane = 0; lane < p.shares.threads; ++lane)
      for (std::int64_t slot = 0; slot < kSlots; ++slot) box(unit, lane, slot);
}

void MatVecData::placeOne(const Part &p, const std::array<std::int64_t, 3> &at, std::int64_t position,
                          std::int64_t burst, Half value, sim::pim::PimDevice &device) const {
  const auto &[unit, lane, slot] = at;
  const std::int64_t columns = machine_.dram->organization.columns, blocks = p.shares.instances[1];
  const std::int64_t tile = burst / kBursts, column = burst % kBursts * kSlots + slot;
  const std::int64_t row = p.weightRow + 2 * (position * p.direct->tilesPerBank() + tile / 2) + column / columns;
  const auto bank = static_cast<int>(unit % blocks * machine_.pim->banksPerBlock + tile % 2);
  device.burst(static_cast<int>(unit / blocks), bank, row, column % columns)[lane] = value;
}

void MatVecData::placePart(const Part &p, const kernel::TensorData &w, const kernel::Affine &element,
                           sim::pim::PimDevice &device) const {
  const std::int64_t columns = machine_.dram->organization.columns;
  const auto groups = p.shares.spots(pattern_.groupDims, element),
             outputs = p.shares.spots(pattern_.outputDims, element),
             inputs = p.shares.spots(pattern_.reductionDims, element);
  const Masks masks(kernel_, pattern_, Masked::kWeights, p.shares,
                    {&pattern_.groupDims, &pattern_.outputDims, &pattern_.reductionDims});
  const auto batchChannels = p.shares.numbers(0, pattern_.batchDims);  // each needs its own copy
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      const Spot &g = groups[i], &m = outputs[j];
      const std::int64_t tile = g.local * p.outputTiles + m.local / kSlots, slot = m.local % kSlots;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        if (!masks.runs({i, j, k})) continue;
        const Spot &n = inputs[k];
        const std::int64_t inputTile = n.local / kBursts, burst = n.local % kBursts;
        const int parity = static_cast<int>(inputTile % 2);
        const std::int64_t tiles = parity == 0 ? p.evenTiles : p.oddTiles;
        const std::int64_t column = burst * kSlots + slot;
        const std::int64_t row = p.weightRow + 2 * (tile * tiles + inputTile / 2) + column / columns;
        const Half value = halfAt(w, element.constant + g.value + m.value + n.value);
        const int bank = static_cast<int>(m.instance[1] * machine_.pim->banksPerBlock) + parity;
        const std::int32_t channel = g.instance[0] + m.instance[0] + n.instance[0],
                           lane = g.instance[2] + m.instance[2] + n.instance[2];
        for (const std::int32_t b : batchChannels) device.burst(channel + b, bank, row, column % columns)[lane] = value;
      }
    }
}

// What a multiplication by a zero that stands for a point that does not run must not turn into NaN.
Status MatVecData::check(const kernel::DataSet &data) const {
  for (const Masked masked : {Masked::kInput, Masked::kWeights}) {
    if (std::find(pattern_.masks.begin(), pattern_.masks.end(), masked) == pattern_.masks.end()) continue;
    const int tensor = load(masked == Masked::kInput ? pattern_.weights : pattern_.input).tensor;
    const kernel::TensorData &other = data[static_cast<std::size_t>(tensor)];
    for (std::int64_t e = 0; e < other.elements(); ++e)
      if ((halfAt(other, e) & 0x7c00) == 0x7c00)
        return error("padding-not-finite", kernel_.where,
                     fmt::format("kernel '{}': element {} of '{}' is infinite or NaN, and the unit multiplies padding "
                                 "by it, which gives NaN",
                                 kernel_.name, e, graph_.tensors[static_cast<std::size_t>(tensor)].name),
                     "give finite data, or run the kernel on the host: --map host");
  }
  return okStatus();
}

bool MatVecData::isInputInOrder() const {
  if (std::find(pattern_.masks.begin(), pattern_.masks.end(), Masked::kInput) != pattern_.masks.end()) return false;
  const kernel::Affine element = elementOf(load(pattern_.input));
  std::int64_t stride = 1;
  for (const auto *dims : {&pattern_.reductionDims, &pattern_.batchDims, &pattern_.groupDims})
    for (std::size_t i = dims->size(); i-- > 0;) {
      const auto d = static_cast<std::size_t>((*dims)[i]);
      if (kernel_.dims[d].extent == 1) continue;
      if (element.coefficients[d] != stride) return false;
      stride *= kernel_.dims[d].extent;
    }
  return true;
}

// What one lane of one unit has accumulated for a slot: one stored value, or the tree over its pieces.
float MatVecData::unitSum(const Part &p, sim::pim::PimDevice &device, const Spot &at, std::int64_t slot,
                          std::int64_t result) const {
  const int bank = static_cast<int>(at.instance[1] * machine_.pim->banksPerBlock) + 1;
  const auto stored = [&](std::int64_t piece) {
    const std::int64_t row = p.resultRow + result * p.resultsPerOutput + piece;
    return f16ToFloat(device.burst(at.instance[0], bank, row, slot)[at.instance[2]]);
  };
  if (!isTree_) return stored(0);
  std::vector<float> pieces;
  for (std::int64_t i = 0; i < p.resultsPerOutput; ++i) pieces.push_back(stored(i));
  return mergeTree(std::move(pieces), [](float a, float b) { return a + b; });
}

void MatVecData::collectPart(const Part &p, sim::pim::PimDevice &device, std::vector<float> &sums,
                             std::vector<bool> &isStarted) const {
  const kernel::Affine form = elementOf(kernel_.stores[0].target);
  const auto groups = p.shares.spots(pattern_.groupDims, form), outputs = p.shares.spots(pattern_.outputDims, form),
             batches = p.shares.spots(pattern_.batchDims, form);
  const Masks masks(kernel_, pattern_, Masked::kOutput, p.shares,
                    {&pattern_.groupDims, &pattern_.outputDims, &pattern_.batchDims});
  // Partial results merge row-major in dim order, however the units nest their inputs.
  std::vector<int> splitDims = pattern_.reductionDims;
  std::sort(splitDims.begin(), splitDims.end());
  const auto splitLanes = p.shares.numbers(2, splitDims), splitChannels = p.shares.numbers(0, splitDims);
  const auto collectOne = [&](const Spot &g, const Spot &m, const Spot &b) {
    const auto [tile, slot] = p.placeOf(m.local);
    const std::int64_t result = (g.local * p.outputTiles + tile) * p.batch + b.local;
    float sum = 0;
    for (std::size_t c = 0; c < splitChannels.size(); ++c) {
      float lanes = 0;
      for (std::size_t l = 0; l < splitLanes.size(); ++l) {
        Spot at = m;
        at.instance[0] += g.instance[0] + b.instance[0] + splitChannels[c];
        at.instance[2] += g.instance[2] + splitLanes[l];
        const float unit = unitSum(p, device, at, slot, result);
        lanes = l == 0 ? unit : lanes + unit;
      }
      sum = c == 0 ? lanes : sum + lanes;
    }
    const auto element = static_cast<std::size_t>(form.constant + g.value + m.value + b.value);
    sums[element] = isStarted[element] ? sums[element] + sum : sum;
    isStarted[element] = true;
  };
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t m = 0; m < outputs.size(); ++m)
      for (std::size_t b = 0; b < batches.size(); ++b)
        if (masks.runs({g, m, b})) collectOne(groups[g], outputs[m], batches[b]);
}

void MatVecData::collect(sim::pim::PimDevice &device, kernel::DataSet &data) const {
  const int output = kernel_.stores[0].target.tensor;
  const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(output)];
  kernel::TensorData &y = data[static_cast<std::size_t>(output)];
  std::vector<float> sums(static_cast<std::size_t>(tensor.elements()), 0);
  std::vector<bool> isStarted(sums.size(), false);
  for (const Part &p : parts) collectPart(p, device, sums, isStarted);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!isStarted[i]) continue;
    if (pattern_.isUpdate) sums[i] += f16ToFloat(halfAt(y, static_cast<std::int64_t>(i)));
    const Half h = f16FromFloat(sums[i]);
    std::memcpy(y.bytes.data() + i * 2, &h, 2);
  }
}

}  // namespace pimento::targets::hbm_pim
