#include "pimento/targets/hbm_pim/streamed_data.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/dtype.h"
#include "pimento/kernel/linear.h"
#include "pimento/targets/hbm_pim/matvec_data.h"
#include "pimento/targets/hbm_pim/merge_tree.h"

namespace pimento::targets::hbm_pim {

using lower::Spot;
using sim::pim::Half;
using sim::pim::ImageData;
using sim::pim::kLanes;

namespace {

Half halfOf(double x) {
  return static_cast<Half>(encodeFloat(DType::kF16, x));
}

/// What the guards' forms are over two lists of dims.
struct GuardValues {
  std::int64_t constant = 0;
  std::vector<Spot> outputs, terms;
};

std::vector<GuardValues> guardValues(const kernel::Kernel &kernel, const lower::Shares &shares,
                                     const std::vector<int> &outputs, const std::vector<int> &terms) {
  std::vector<GuardValues> all;
  for (const kernel::Affine &g : kernel.guards)
    all.push_back({g.constant, shares.spots(outputs, g), shares.spots(terms, g)});
  return all;
}

bool runs(const std::vector<GuardValues> &guards, std::size_t output, std::size_t term) {
  return std::all_of(guards.begin(), guards.end(), [&](const GuardValues &g) {
    return g.constant + g.outputs[output].value + g.terms[term].value >= 0;
  });
}

}  // namespace

kernel::Affine StreamedData::elementOf(const kernel::Access &access) const {
  return kernel::linearize(access, graph_.tensors[static_cast<std::size_t>(access.tensor)], kernel_.dims.size());
}

std::vector<ImageData> StreamedData::images(const kernel::DataSet & /*data*/) const {
  ImageData crf, scalars;
  for (const Part &p : parts) {
    const ImageData one = crfImage(p.code.crf, p.crfBursts);
    crf.values.insert(crf.values.end(), one.values.begin(), one.values.end());
    scalars.values.insert(scalars.values.end(), kLanes / 2, halfOf(p.code.factor.value_or(0)));
    scalars.values.insert(scalars.values.end(), kLanes / 2, halfOf(p.code.addend.value_or(0)));
  }
  return {std::move(crf), controlImage(), std::move(scalars)};
}

// Position: output and piece. Its tile has rows of its own in every region; a term has a group of eight columns.
Half &StreamedData::placeOf(const Part &p, std::size_t region, const std::array<const Spot *, 2> &point,
                            sim::pim::PimDevice &device) const {
  const auto &[output, term] = point;
  const std::int64_t banks = machine_.pim->banksPerBlock, perTile = banks * kColumns, groups = groupsPerRow();
  const std::int64_t position = output->local * p.pieces + term->local / p.length, step = term->local % p.length;
  const Part::Region &r = p.regions[region];
  const std::int64_t rowsPerTile = r.isPerTerm ? ceilDiv(p.length, groups) : 1, at = r.isPerTerm ? step : 0;
  const std::int64_t row = r.firstRow + position / perTile * rowsPerTile + at / groups,
                     column = at % groups * kColumns + position / banks % kColumns;
  const auto bank = static_cast<int>((output->instance[1] + term->instance[1]) * banks + position % banks);
  return device.burst(output->instance[0] + term->instance[0], bank, row,
                      column)[output->instance[2] + term->instance[2]];
}

/// All of a region, whoever has points there.
void StreamedData::fill(const Part &p, std::size_t region, Half value, sim::pim::PimDevice &device) const {
  const machine::Organization &o = machine_.dram->organization;
  const Part::Region &r = p.regions[region];
  const std::int64_t rows = p.tiles * (r.isPerTerm ? ceilDiv(p.length, groupsPerRow()) : 1);
  for (int channel = 0; channel < o.channels; ++channel)
    for (int bank = 0; bank < o.banks(); ++bank)
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < o.columns; ++column)
          std::fill_n(device.burst(channel, bank, r.firstRow + row, column), kLanes, value);
}

void StreamedData::placeRegion(const Part &p, std::size_t region, const kernel::DataSet &data,
                               sim::pim::PimDevice &device) const {
  const int load = p.code.loads[region];
  const bool isMask = load == ElementwiseCode::kMask;
  if (load < 0 && !isMask)
    return fill(p, region, halfOf(p.code.constants[static_cast<std::size_t>(ElementwiseCode::constantOf(load))]),
                device);
  if (pattern_.isProduct) fill(p, region, halfOf(1), device);
  const kernel::Access &access = isMask ? kernel_.stores[0].target : kernel_.loads[static_cast<std::size_t>(load)];
  const kernel::Affine element = elementOf(access);
  const std::byte *source = data[static_cast<std::size_t>(access.tensor)].bytes.data();
  const auto outputs = p.shares.spots(outputDims_, element), terms = p.shares.spots(reductionDims_, element);
  const auto guards = guardValues(kernel_, p.shares, outputDims_, reductionDims_);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (!runs(guards, o, t)) continue;
      Half &to = placeOf(p, region, {&outputs[o], &terms[t]}, device);
      if (isMask)
        to = halfOf(1);
      else
        std::memcpy(&to, source + (element.constant + outputs[o].value + terms[t].value) * 2, 2);
    }
}

void StreamedData::place(const kernel::DataSet &data, sim::pim::PimDevice &device) const {
  for (const Part &p : parts)
    for (std::size_t region = 0; region < p.code.loads.size(); ++region) placeRegion(p, region, data, device);
}

/// What one lane of one unit has accumulated for an output: one value, or the tree over its pieces.
float StreamedData::unitResult(const Part &p, const Spot &at, sim::pim::PimDevice &device) const {
  std::vector<float> pieces;
  for (std::int64_t i = 0; i < p.pieces; ++i) {
    Spot piece;
    piece.local = i * p.length;
    pieces.push_back(f16ToFloat(placeOf(p, p.regions.size() - 1, {&at, &piece}, device)));
  }
  return mergeTree(std::move(pieces), [&](float a, float b) { return merged(a, b); });
}

void StreamedData::collect(sim::pim::PimDevice &device, kernel::DataSet &data) const {
  const kernel::Access &target = kernel_.stores[0].target;
  kernel::TensorData &y = data[static_cast<std::size_t>(target.tensor)];
  const kernel::Affine form = elementOf(target);
  std::vector<float> sums(static_cast<std::size_t>(y.elements()), 0);
  std::vector<bool> isStarted(sums.size(), false);
  // Partial results merge row-major in dim order, however the units nest their terms.
  std::vector<int> splitDims = reductionDims_;
  std::sort(splitDims.begin(), splitDims.end());
  for (const Part &p : parts) {
    const auto lanes = p.shares.numbers(2, splitDims), channels = p.shares.numbers(0, splitDims);
    for (const Spot &o : p.shares.spots(outputDims_, form)) {
      float sum = 0;
      for (std::size_t c = 0; c < channels.size(); ++c) {
        float ofChannel = 0;
        for (std::size_t l = 0; l < lanes.size(); ++l) {
          Spot at = o;
          at.instance[0] += channels[c];
          at.instance[2] += lanes[l];
          const float unit = unitResult(p, at, device);
          ofChannel = l == 0 ? unit : merged(ofChannel, unit);
        }
        sum = c == 0 ? ofChannel : merged(sum, ofChannel);
      }
      const auto element = static_cast<std::size_t>(form.constant + o.value);
      sums[element] = isStarted[element] ? merged(sums[element], sum) : sum;
      isStarted[element] = true;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto e = static_cast<std::int64_t>(i);
    if (!isStarted[i]) {
      if (pattern_.isProduct && !pattern_.isUpdate) y.setDouble(e, 1);
      continue;
    }
    if (pattern_.isUpdate) sums[i] = merged(sums[i], static_cast<float>(y.asDouble(e)));
    const Half h = f16FromFloat(sums[i]);
    std::memcpy(y.bytes.data() + i * 2, &h, 2);
  }
}

}  // namespace pimento::targets::hbm_pim
