#include "pimento/targets/hbm_pim/matvec_data.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/dtype.h"

namespace pimento::targets::hbm_pim {

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

MatVecData::MatVecData(const kernel::Graph &graph, int kernel, MatVec pattern, const mapping::PlacedMapping &placed,
                       const machine::Machine &machine, bool isTree)
    : graph_(graph),
      kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
      pattern_(std::move(pattern)),
      placed_(placed),
      machine_(machine),
      isTree_(isTree) {}

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
  const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
  const kernel::TensorData &x = data[static_cast<std::size_t>(access.tensor)];
  for (const Part &p : parts) {
    const Layout layout(kernel_, machine_, placed_, p.subspace);
    const auto batches = layout.places(pattern_.batchDims, {&access}, graph_.tensors);
    const auto inputs = layout.places(pattern_.reductionDims, {&access}, graph_.tensors);
    // Every lane that serves some output needs the input of its reduction lane.
    const auto outputLanes = layout.instanceOffsets(2, pattern_.outputDims);
    const auto outputChannels =
        isInputPerChannel ? layout.instanceOffsets(0, pattern_.outputDims) : std::vector<std::int32_t>{0};
    for (const Place &b : batches)
      for (const Place &n : inputs) {
        const Half value = halfAt(x, accessBase(access, tensor) + b.offsets[0] + n.offsets[0]);
        const std::int64_t burst = p.inputBurst + b.local * p.inputTiles * kBursts + n.local;
        for (const std::int32_t c : outputChannels)
          for (const std::int32_t lane : outputLanes) {
            const std::int64_t channel = isInputPerChannel ? c + b.channel + n.channel : 0;
            input.values[static_cast<std::size_t>((burst * copies + channel) * kLanes + lane + n.lane)] = value;
          }
      }
  }
  ImageData zero;
  zero.values.assign(kLanes, 0);
  return {std::move(crf), controlImage(), std::move(input), std::move(zero)};
}

void MatVecData::place(const kernel::DataSet &data, sim::pim::PimDevice &device) const {
  const kernel::Access &access = kernel_.loads[static_cast<std::size_t>(pattern_.weights)];
  const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
  const kernel::TensorData &w = data[static_cast<std::size_t>(access.tensor)];
  const std::int64_t base = accessBase(access, tensor), columns = machine_.dram->organization.columns;
  for (const Part &p : parts) {
    const Layout layout(kernel_, machine_, placed_, p.subspace);
    const auto outputs = layout.places(pattern_.outputDims, {&access}, graph_.tensors);
    const auto inputs = layout.places(pattern_.reductionDims, {&access}, graph_.tensors);
    const auto batchChannels = layout.instanceOffsets(0, pattern_.batchDims);  // each needs its own copy
    for (const Place &m : outputs) {
      const std::int64_t tile = m.local / kSlots, slot = m.local % kSlots;
      for (const Place &n : inputs) {
        const std::int64_t inputTile = n.local / kBursts, burst = n.local % kBursts;
        const int parity = static_cast<int>(inputTile % 2);
        const std::int64_t tiles = parity == 0 ? p.evenTiles : p.oddTiles;
        const std::int64_t column = burst * kSlots + slot;
        const std::int64_t row = p.weightRow + 2 * (tile * tiles + inputTile / 2) + column / columns;
        const Half value = halfAt(w, base + m.offsets[0] + n.offsets[0]);
        const int bank = static_cast<int>((m.block + n.block) * machine_.pim->banksPerBlock) + parity;
        for (const std::int32_t b : batchChannels)
          device.burst(m.channel + n.channel + b, bank, row, column % columns)[m.lane + n.lane] = value;
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
float MatVecData::unitSum(const Part &p, sim::pim::PimDevice &device, int channel, int block, int lane,
                          std::int64_t slot, std::int64_t result) const {
  const int bank = static_cast<int>(block * machine_.pim->banksPerBlock) + 1;
  const auto stored = [&](std::int64_t piece) {
    return f16ToFloat(device.burst(channel, bank, p.resultRow + result * p.resultsPerOutput + piece, slot)[lane]);
  };
  if (!isTree_) return stored(0);
  std::vector<float> pieces;
  for (std::int64_t i = 0; i < p.resultsPerOutput; ++i) pieces.push_back(stored(i));
  return treeSum(std::move(pieces));
}

void MatVecData::collectPart(const Part &p, sim::pim::PimDevice &device, std::vector<float> &sums,
                             std::vector<bool> &isStarted) const {
  const kernel::Access &target = kernel_.stores[0].target;
  const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(target.tensor)];
  const Layout layout(kernel_, machine_, placed_, p.subspace);
  const auto outputs = layout.places(pattern_.outputDims, {&target}, graph_.tensors);
  const auto batches = layout.places(pattern_.batchDims, {&target}, graph_.tensors);
  // Partial results merge row-major in dim order, however the units nest their inputs.
  std::vector<int> splitDims = pattern_.reductionDims;
  std::sort(splitDims.begin(), splitDims.end());
  const auto splitLanes = layout.instanceOffsets(2, splitDims);
  const auto splitChannels = layout.instanceOffsets(0, splitDims);
  for (const Place &m : outputs)
    for (const Place &b : batches) {
      const std::int64_t result = m.local / kSlots * p.batch + b.local;
      float sum = 0;
      for (std::size_t c = 0; c < splitChannels.size(); ++c) {
        float lanes = 0;
        for (std::size_t l = 0; l < splitLanes.size(); ++l) {
          const float unit = unitSum(p, device, m.channel + b.channel + splitChannels[c], m.block,
                                     m.lane + splitLanes[l], m.local % kSlots, result);
          lanes = l == 0 ? unit : lanes + unit;
        }
        sum = c == 0 ? lanes : sum + lanes;
      }
      const auto element = static_cast<std::size_t>(accessBase(target, tensor) + m.offsets[0] + b.offsets[0]);
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
