#include "pimento/targets/hbm_pim/matvec_data.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/dtype.h"
#include "pimento/kernel/linear.h"

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
  const kernel::Access &access = kernel_.loads[static_cast<std::size_t>(pattern_.input)];
  const kernel::Affine element = elementOf(access);
  const kernel::TensorData &x = data[static_cast<std::size_t>(access.tensor)];
  for (const Part &p : parts) {
    const auto batches = p.shares.spots(pattern_.batchDims, element),
               inputs = p.shares.spots(pattern_.reductionDims, element);
    // Every lane that serves some output needs the input of its reduction lane.
    const auto outputLanes = p.shares.numbers(2, pattern_.outputDims);
    const auto outputChannels =
        isInputPerChannel ? p.shares.numbers(0, pattern_.outputDims) : std::vector<std::int32_t>{0};
    for (const Spot &b : batches)
      for (const Spot &n : inputs) {
        const Half value = halfAt(x, element.constant + b.value + n.value);
        const std::int64_t burst = p.inputBurst + b.local * p.inputTiles * kBursts + n.local;
        for (const std::int32_t c : outputChannels)
          for (const std::int32_t lane : outputLanes) {
            const std::int64_t channel = isInputPerChannel ? c + b.instance[0] + n.instance[0] : 0;
            input.values[static_cast<std::size_t>((burst * copies + channel) * kLanes + lane + n.instance[2])] = value;
          }
      }
  }
  ImageData zero;
  zero.values.assign(kLanes, 0);
  return {std::move(crf), controlImage(), std::move(input), std::move(zero)};
}

void MatVecData::place(const kernel::DataSet &data, sim::pim::PimDevice &device) const {
  const kernel::Access &access = kernel_.loads[static_cast<std::size_t>(pattern_.weights)];
  const kernel::Affine element = elementOf(access);
  const kernel::TensorData &w = data[static_cast<std::size_t>(access.tensor)];
  const std::int64_t columns = machine_.dram->organization.columns;
  for (const Part &p : parts) {
    const auto inputs = p.shares.spots(pattern_.reductionDims, element);
    const auto batchChannels = p.shares.numbers(0, pattern_.batchDims);  // each needs its own copy
    for (const Spot &m : p.shares.spots(pattern_.outputDims, element)) {
      const std::int64_t tile = m.local / kSlots, slot = m.local % kSlots;
      for (const Spot &n : inputs) {
        const std::int64_t inputTile = n.local / kBursts, burst = n.local % kBursts;
        const int parity = static_cast<int>(inputTile % 2);
        const std::int64_t tiles = parity == 0 ? p.evenTiles : p.oddTiles;
        const std::int64_t column = burst * kSlots + slot;
        const std::int64_t row = p.weightRow + 2 * (tile * tiles + inputTile / 2) + column / columns;
        const Half value = halfAt(w, element.constant + m.value + n.value);
        const int bank = static_cast<int>((m.instance[1] + n.instance[1]) * machine_.pim->banksPerBlock) + parity;
        for (const std::int32_t b : batchChannels)
          device.burst(m.instance[0] + n.instance[0] + b, bank, row, column % columns)[m.instance[2] + n.instance[2]] =
              value;
      }
    }
  }
}

namespace {

/// Neighbours pairwise, then pairs of pairs; a piece without a partner moves up as it is.
float treeSum(std::vector<float> pieces) {
  while (pieces.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i < pieces.size(); i += 2)
      next.push_back(i + 1 < pieces.size() ? pieces[i] + pieces[i + 1] : pieces[i]);
    pieces = std::move(next);
  }
  return pieces[0];
}

}  // namespace

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
  return treeSum(std::move(pieces));
}

void MatVecData::collectPart(const Part &p, sim::pim::PimDevice &device, std::vector<float> &sums,
                             std::vector<bool> &isStarted) const {
  const kernel::Affine form = elementOf(kernel_.stores[0].target);
  const auto batches = p.shares.spots(pattern_.batchDims, form);
  // Partial results merge row-major in dim order, however the units nest their inputs.
  std::vector<int> splitDims = pattern_.reductionDims;
  std::sort(splitDims.begin(), splitDims.end());
  const auto splitLanes = p.shares.numbers(2, splitDims), splitChannels = p.shares.numbers(0, splitDims);
  for (const Spot &m : p.shares.spots(pattern_.outputDims, form))
    for (const Spot &b : batches) {
      float sum = 0;
      for (std::size_t c = 0; c < splitChannels.size(); ++c) {
        float lanes = 0;
        for (std::size_t l = 0; l < splitLanes.size(); ++l) {
          Spot at = m;
          at.instance[0] += b.instance[0] + splitChannels[c];
          at.instance[2] += splitLanes[l];
          const float unit = unitSum(p, device, at, m.local % kSlots, m.local / kSlots * p.batch + b.local);
          lanes = l == 0 ? unit : lanes + unit;
        }
        sum = c == 0 ? lanes : sum + lanes;
      }
      const auto element = static_cast<std::size_t>(form.constant + m.value + b.value);
      sums[element] = isStarted[element] ? sums[element] + sum : sum;
      isStarted[element] = true;
    }
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
