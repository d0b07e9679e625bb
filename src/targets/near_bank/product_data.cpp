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
  if (hasImageOfWeights()) {
    const kernel::Access &access = kernel_.loads[static_cast<std::size_t>(product_.weights)];
    const kernel::TensorData &w = data[static_cast<std::size_t>(access.tensor)];
    ImageData weights;
    weights.isPerChannel = true;
    weights.values.assign(static_cast<std::size_t>(banks * weightBursts * channels * kLanes), 0);
    for (const ProductPart &p : parts)
      forEachWeight(p, [&](bool /*isNew*/, std::int64_t channel, std::int64_t bank, std::int64_t column,
                           std::int64_t lane, std::int64_t offset) {
        putLane(
            &weights.values[static_cast<std::size_t>(((bank * weightBursts + column) * channels + channel) * kLanes)],
            lane, w.bytes.data() + offset, sizeOf(unit_.type).value);
      });
    images.push_back(std::move(weights));
  }
  return images;
}

void ProductData::place(const kernel::DataSet &data, NearBankDevice &device) const {
  if (writesWeights) return;
  const kernel::Access &access = kernel_.loads[static_cast<std::size_t>(product_.weights)];
  const kernel::TensorData &w = data[static_cast<std::size_t>(access.tensor)];
  for (const ProductPart &p : parts)
    forEachWeight(p, [&](bool isNew, std::int64_t channel, std::int64_t bank, std::int64_t column, std::int64_t lane,
                         std::int64_t offset) {
      if (isNew) return;
      putLane(device.burst(static_cast<int>(channel), static_cast<int>(bank), column / device.columns(),
                           column % device.columns()),
              lane, w.bytes.data() + offset, sizeOf(unit_.type).value);
    });
}

std::vector<std::pair<std::int64_t, std::int64_t>> ProductData::newBursts() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const ProductPart &p : parts)
    forEachWeight(
        p,
        [&](bool isNew, std::int64_t /*channel*/, std::int64_t bank, std::int64_t column, std::int64_t /*lane*/,
            std::int64_t /*offset*/) {
          if (isNew && (found.empty() || found.back() != std::pair{bank, column})) found.emplace_back(bank, column);
        },
        true);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool ProductData::sharesNewBursts() const {
  const std::vector<int> &dims = product_.reductionDims;
  return std::find(dims.begin(), dims.end(), newRowsDim) != dims.end();
}

template <typename Visit>
void ProductData::forEachWeight(const ProductPart &p, const Visit &visit, bool isNewOnly) const {
  // The form that is the dim of new rows.
  kernel::Affine row{std::vector<std::int64_t>(kernel_.dims.size(), 0), 0};
  std::int64_t firstNew = 1;
  if (newRows > 0) {
    row.coefficients[static_cast<std::size_t>(newRowsDim)] = 1;
    firstNew = kernel_.dims[static_cast<std::size_t>(newRowsDim)].extent - newRows;
  }
  const auto groupRows = p.shares.spots(product_.groupDims, row), outputRows = p.shares.spots(product_.outputDims, row),
             inputRows = p.shares.spots(product_.reductionDims, row);
  const kernel::Affine element = elementOf(kernel_.loads[static_cast<std::size_t>(product_.weights)]);
  const auto groups = p.shares.spots(product_.groupDims, element),
             outputs = p.shares.spots(product_.outputDims, element),
             inputs = p.shares.spots(product_.reductionDims, element);
  // The dim of new rows is in one of the three.
  const auto chosen = [&](const std::vector<int> &dims, const std::vector<Spot> &rows) {
    const bool isHere = isNewOnly && std::find(dims.begin(), dims.end(), newRowsDim) != dims.end();
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!isHere || rows[i].value >= firstNew) which.push_back(i);
    return which;
  };
  const auto someGroups = chosen(product_.groupDims, groupRows), someOutputs = chosen(product_.outputDims, outputRows),
             someInputs = chosen(product_.reductionDims, inputRows);
  // Units that serve other vectors of a batch have copies.
  const auto moreChannels = p.shares.numbers(0, product_.batchDims),
             moreBanks = p.shares.numbers(1, product_.batchDims);
  const std::int64_t size = sizeOf(unit_.type).value;
  for (const std::size_t gi : someGroups)
    for (const std::size_t mi : someOutputs)
      for (const std::size_t ni : someInputs) {
        const Spot &g = groups[gi], &m = outputs[mi], &n = inputs[ni];
        const std::int64_t column = p.firstColumn + (g.local * p.outputs + m.local) * p.columns + n.local / unit_.lanes;
        const std::int64_t offset = (element.constant + g.value + m.value + n.value) * size;
        const bool isNew = newRows > 0 && groupRows[gi].value + outputRows[mi].value + inputRows[ni].value >= firstNew;
        for (const std::int32_t c : moreChannels)
          for (const std::int32_t b : moreBanks)
            visit(isNew, g.instance[0] + m.instance[0] + n.instance[0] + c,
                  g.instance[1] + m.instance[1] + n.instance[1] + b, column, n.local % unit_.lanes, offset);
      }
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
