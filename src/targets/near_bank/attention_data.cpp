#include <algorithm>
#include <cstring>
#include <map>

#include "pimento/base/dtype.h"
#include "pimento/kernel/linear.h"
#include "pimento/targets/near_bank/attention.h"

namespace pimento::targets::near_bank {

using kernel::TensorData;
using lower::Spot;
using sim::pim::ImageData;
using sim::pim::kLanes;
using sim::pim::NearBankDevice;

namespace {

constexpr std::size_t kBank = 1;

std::uint16_t halfAt(const TensorData &t, std::int64_t element) {
  std::uint16_t bits;
  std::memcpy(&bits, t.bytes.data() + element * 2, sizeof bits);
  return bits;
}

}  // namespace

AttentionData::AttentionData(const kernel::Graph &graph, Attention attention, AttentionLayout layout,
                             const machine::Machine &machine)
    : graph_(graph), attention_(std::move(attention)), layout_(std::move(layout)), unit_(*machine.nearBank) {
  layout_.resultBursts = layout_.heads * outputBlocks() * burstsPerBlock();
  const int length = attention_.lengthDim, depth = attention_.depthDim;
  stationary_.emplace_back("keys", graph, attention_.first, attention_.keys,
                           StationaryTensor::Dims{attention_.groupDims, {length}, {depth}, {}}, 0, machine);
  stationary_.back().add(layout_.scores);
  const std::int64_t perRow = machine.dram->organization.columns;
  valuesAt_ = multiplySaturated(ceilDiv(stationary_.back().columns(), perRow), perRow);
  stationary_.emplace_back(
      "values", graph, attention_.first + attention_.last(), attention_.values,
      StationaryTensor::Dims{dimsOfLast(attention_.groupDims), dimsOfLast({depth}), dimsOfLast({length}), {}},
      valuesAt_, machine);
  stationary_.back().add(layout_.context);
}

std::int64_t AttentionData::bursts() const {
  return addSaturated(valuesAt_, stationary_.back().columns());
}

const kernel::Tensor &AttentionData::queryTensor() const {
  const kernel::Access &access = firstKernel().loads[static_cast<std::size_t>(attention_.query)];
  return graph_.tensors[static_cast<std::size_t>(access.tensor)];
}

void AttentionData::addHostData(Movement &movement) {
  for (StationaryTensor &t : stationary_) t.addHostData(movement);
  hostQuery = movement.add(queryTensor());
  hostOutput = movement.add(graph_.tensors[static_cast<std::size_t>(lastKernel().stores[0].target.tensor)]);
}

std::int64_t AttentionData::burstsPerBlock() const {
  return layout_.mergesOutputs ? layout_.groupBanks * layout_.depthBanks : ceilDiv(layout_.banks, layout_.banksPerMove);
}

const kernel::Kernel &AttentionData::firstKernel() const {
  return graph_.kernels[static_cast<std::size_t>(attention_.first)];
}

const kernel::Kernel &AttentionData::lastKernel() const {
  return graph_.kernels[static_cast<std::size_t>(attention_.first + attention_.last())];
}

std::vector<int> AttentionData::dimsOfLast(const std::vector<int> &dimsOfFirst) const {
  const std::vector<int> &dims = attention_.dimsOfFirst.back();
  std::vector<int> own;
  for (const int d : dimsOfFirst) own.push_back(static_cast<int>(std::ranges::find(dims, d) - dims.begin()));
  return own;
}

std::vector<AttentionData::Half> AttentionData::queries(const kernel::DataSet &data) const {
  const AttentionLayout &l = layout_;
  const kernel::Access &access = firstKernel().loads[static_cast<std::size_t>(attention_.query)];
  const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)];
  const kernel::Affine form = kernel::linearize(access, tensor, firstKernel().dims.size());
  const std::int64_t copies = l.queryCopies(), channels = l.isQueryPerChannel ? l.channels : 1;
  std::vector<Half> image(static_cast<std::size_t>(l.queryBursts * channels * kLanes), 0);
  // Banks with other parts of the length need the same.
  const auto alike = l.isQueryPerBank ? l.scores.numbers(kBank, {attention_.lengthDim}) : std::vector<std::int32_t>{0};
  for (const Spot &g : l.scores.spots(attention_.groupDims, form))
    for (const Spot &d : l.scores.spots({attention_.depthDim}, form)) {
      const Half value = halfAt(data[static_cast<std::size_t>(access.tensor)], form.constant + g.value + d.value);
      const std::int64_t burst = (g.local * l.depthColumns + d.local / kLanes) * copies;
      const std::int64_t bank = l.isQueryPerBank ? g.instance[kBank] + d.instance[kBank] : 0;
      const std::int64_t channel = l.isQueryPerChannel ? g.instance[0] : 0;
      for (const std::int32_t more : alike)
        image[static_cast<std::size_t>(((burst + bank + more) * channels + channel) * kLanes + d.local % kLanes)] =
            value;
    }
  return image;
}

std::vector<ImageData> AttentionData::images(const kernel::DataSet &data) const {
  ImageData query, settings;
  query.isPerChannel = layout_.isQueryPerChannel;
  query.values = queries(data);
  settings.values.assign((columns.size() + 1) * kLanes, 0);
  settings.values[0] = static_cast<Half>(encodeFloat(unit_.type, attention_.scale));
  settings.values[1] = static_cast<Half>(firstKernel().dims[static_cast<std::size_t>(attention_.lengthDim)].extent);
  settings.values[2] = static_cast<Half>(layout_.length);
  settings.values[3] = static_cast<Half>(layout_.lengthBanks);
  for (std::size_t i = 0; i < columns.size(); ++i) settings.values[(i + 1) * kLanes] = static_cast<Half>(columns[i]);
  std::vector<ImageData> images = {std::move(query), std::move(settings)};
  for (const StationaryTensor &t : stationary_) t.addImage(data, images);
  return images;
}

void AttentionData::place(const kernel::DataSet &data, NearBankDevice &device) const {
  for (const StationaryTensor &t : stationary_) t.place(data, device);
}

void AttentionData::collect(NearBankDevice &device, kernel::DataSet &data) const {
  const AttentionLayout &l = layout_;
  const kernel::Access &target = lastKernel().stores[0].target;
  const kernel::Affine form =
      kernel::linearize(target, graph_.tensors[static_cast<std::size_t>(target.tensor)], lastKernel().dims.size());
  TensorData &out = data[static_cast<std::size_t>(target.tensor)];
  const std::vector<int> groupDims = dimsOfLast(attention_.groupDims), depthDim = dimsOfLast({attention_.depthDim});
  const auto partials = l.context.numbers(kBank, dimsOfLast({attention_.lengthDim}));
  // Outputs that were added up lie in the order of the banks that hold them, whatever the length's part.
  std::map<std::int32_t, std::int64_t> numberOf;
  for (const std::int32_t g : l.context.numbers(kBank, groupDims))
    for (const std::int32_t d : l.context.numbers(kBank, depthDim))
      numberOf.emplace(g + d, static_cast<std::int64_t>(numberOf.size()));
  const auto result = [&](int channel, std::int64_t burst, std::int64_t lane) {
    return static_cast<float>(decodeFloat(unit_.moved, device.result(channel, burst)[lane]));
  };
  for (const Spot &g : l.context.spots(groupDims, form))
    for (const Spot &d : l.context.spots(depthDim, form)) {
      const std::int64_t first = (g.local * outputBlocks() + d.local / unit_.accumulators) * burstsPerBlock();
      const std::int64_t lane = d.local % unit_.accumulators;
      const std::int32_t bank = g.instance[kBank] + d.instance[kBank];
      float sum = 0;
      if (l.mergesOutputs) {
        sum = result(g.instance[0], first + numberOf.at(bank), lane);
      } else {
        for (std::size_t i = 0; i < partials.size(); ++i) {
          const std::int64_t from = bank + partials[i];
          const float x =
              result(g.instance[0], first + from / l.banksPerMove, from % l.banksPerMove * unit_.accumulators + lane);
          sum = i == 0 ? x : sum + x;
        }
      }
      const auto bits = static_cast<Half>(encodeFloat(unit_.type, sum));
      std::memcpy(out.bytes.data() + (form.constant + g.value + d.value) * 2, &bits, sizeof bits);
    }
}

}  // namespace pimento::targets::near_bank
