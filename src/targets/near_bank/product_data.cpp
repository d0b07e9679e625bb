#include <algorithm>
#include <cstring>

#include "pimento/base/dtype.h"
#include "pimento/kernel/linear.h"
#include "pimento/targets/near_bank/product.h"

namespace pimento::targets::near_bank {

using lower::Spot;
using sim::pim::Half;
using sim::pim::ImageData;
using sim::pim::kLanes;
using sim::pim::NearBankDevice;

std::int64_t ProductData::blocksOf(const ProductPart &p) const {
  return ceilDiv(p.outputs, unit_.accumulators);
}

std::int64_t ProductData::movesOf(const ProductPart &p) const {
  return p.merged > 1 ? p.banks() / p.merged : ceilDiv(p.banks(), banksPerMove);
}

kernel::Affine ProductData::elementOf(const kernel::Access &access) const {
  return kernel::linearize(access, graph_.tensors[static_cast<std::size_t>(access.tensor)], kernel_.dims.size());
}

void ProductData::loadPart(const ProductPart &p, const kernel::TensorData *x, ImageData &image) const {
  const kernel::Affine element = x != nullptr ? elementOf(kernel_.loads[static_cast<std::size_t>(product_.input)])
                                              : kernel::Affine{std::vector<std::int64_t>(kernel_.dims.size(), 0), 0};
  const std::int64_t size = sizeOf(unit_.type).value;
  const std::uint64_t one = encodeFloat(unit_.type, 1);
  const auto groups = p.shares.spots(product_.groupDims, element),
             batches = p.shares.spots(product_.batchDims, element),
             inputs = p.shares.spots(product_.reductionDims, element);
  const std::int64_t copies = p.isInputPerBank ? p.banks() : 1, channelCopies = isInputPerChannel ? channels : 1;
  // Units that have other outputs need the same input.
  const auto banks = p.isInputPerBank ? p.shares.numbers(1, product_.outputDims) : std::vector<std::int32_t>{0};
  const auto others = isInputPerChannel ? p.shares.numbers(0, product_.outputDims) : std::vector<std::int32_t>{0};
  for (const Spot &g : groups)
    for (const Spot &b : batches)
      for (const Spot &n : inputs) {
        const void *value = &one;
        if (x != nullptr) value = x->bytes.data() + (element.constant + g.value + b.value + n.value) * size;
        const std::int64_t vector = g.local * p.batch + b.local;
        const std::int64_t burst = p.firstInput + (vector * p.columns + n.local / unit_.lanes) * copies;
        const std::int64_t bank = p.isInputPerBank ? g.instance[1] + b.instance[1] + n.instance[1] : 0;
        const std::int64_t channel = isInputPerChannel ? g.instance[0] + b.instance[0] + n.instance[0] : 0;
        for (const std::int32_t moreBanks : banks)
          for (const std::int32_t moreChannels : others)
            putLane(&image.values[static_cast<std::size_t>(
                        ((burst + bank + moreBanks) * channelCopies + channel + moreChannels) * kLanes)],
                    n.local % unit_.lanes, value, size);
      }
}

std::vector<ImageData> ProductData::images(const kernel::DataSet &data) const {
  ImageData input, columns;
  input.isPerChannel = isInputPerChannel;
  input.values.assign(static_cast<std::size_t>(inputBursts * (isInputPerChannel ? channels : 1) * kLanes), 0);
  const kernel::TensorData *x =
      product_.input < 0
          ? nullptr
          : &data[static_cast<std::size_t>(kernel_.loads[static_cast<std::size_t>(product_.input)].tensor)];
  for (const ProductPart &p : parts) loadPart(p, x, input);
  columns.values.assign(settings.size() * kLanes, 0);
  for (std::size_t i = 0; i < settings.size(); ++i) columns.values[i * kLanes] = static_cast<Half>(settings[i]);
  std::vector<ImageData> images = {std::move(input)};
  if (!settings.empty()) images.push_back(std::move(columns));
  weights_.addImage(data, images);
  return images;
}

void ProductData::collectPart(const ProductPart &p, NearBankDevice &device, std::vector<float> &sums,
                              std::vector<bool> &isStarted) const {
  const kernel::Affine form = elementOf(kernel_.stores[0].target);
  const auto groups = p.shares.spots(product_.groupDims, form), outputs = p.shares.spots(product_.outputDims, form),
             batches = p.shares.spots(product_.batchDims, form);
  // Partial results merge row-major in dim order, however units nest their points.
  std::vector<int> splitDims = product_.reductionDims;
  std::sort(splitDims.begin(), splitDims.end());
  const auto splitChannels = p.shares.numbers(0, splitDims), splitBanks = p.shares.numbers(1, splitDims);
  const std::int64_t moves = movesOf(p), blocks = blocksOf(p);
  const auto collectOne = [&](const Spot &g, const Spot &m, const Spot &b) {
    const std::int64_t block = (g.local * p.batch + b.local) * blocks + m.local / unit_.accumulators;
    float sum = 0;
    for (std::size_t c = 0; c < splitChannels.size(); ++c) {
      float ofChannel = 0;
      for (std::size_t k = 0; k < splitBanks.size(); k += static_cast<std::size_t>(p.merged)) {
        const std::int64_t bank = g.instance[1] + m.instance[1] + b.instance[1] + splitBanks[k];
        const Half *burst =
            device.result(g.instance[0] + m.instance[0] + b.instance[0] + splitChannels[c],
                          p.firstResult + block * moves + bank / (p.merged > 1 ? p.merged : banksPerMove));
        const std::int64_t lane =
            (p.merged > 1 ? 0 : bank % banksPerMove * unit_.accumulators) + m.local % unit_.accumulators;
        const auto x = static_cast<float>(decodeFloat(unit_.moved, laneOf(burst, lane, sizeOf(unit_.moved).value)));
        ofChannel = k == 0 ? x : ofChannel + x;
      }
      sum = c == 0 ? ofChannel : sum + ofChannel;
    }
    const auto element = static_cast<std::size_t>(form.constant + g.value + m.value + b.value);
    sums[element] = isStarted[element] ? sums[element] + sum : sum;
    isStarted[element] = true;
  };
  for (const Spot &g : groups)
    for (const Spot &m : outputs)
      for (const Spot &b : batches) collectOne(g, m, b);
}

void ProductData::collect(NearBankDevice &device, kernel::DataSet &data) const {
  kernel::TensorData &y = data[static_cast<std::size_t>(kernel_.stores[0].target.tensor)];
  const auto size = static_cast<std::size_t>(sizeOf(unit_.type).value);
  std::vector<float> sums(static_cast<std::size_t>(y.elements()), 0);
  std::vector<bool> isStarted(sums.size(), false);
  for (const ProductPart &p : parts) collectPart(p, device, sums, isStarted);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!isStarted[i]) continue;
    std::uint64_t bits = 0;
    if (product_.isUpdate) {
      std::memcpy(&bits, y.bytes.data() + i * size, size);
      sums[i] += static_cast<float>(decodeFloat(unit_.type, bits));
    }
    bits = encodeFloat(unit_.type, sums[i]);
    std::memcpy(y.bytes.data() + i * size, &bits, size);
  }
}

}  // namespace pimento::targets::near_bank
