#include "pimento/sim/pim/softmax_unit.h"

#include <algorithm>
#include <array>
#include <limits>

#include "pimento/base/dtype.h"
#include "pimento/base/integer.h"
#include "pimento/kernel/scalar.h"
#include "pimento/sim/pim/near_bank.h"
#include "pimento/sim/pim/unit_arithmetic.h"

namespace pimento::sim::pim {

using kernel::floatOperation;
using kernel::Op;

SoftmaxUnits::SoftmaxUnits(const machine::NearBankUnit &unit, int channels) : unit_(&unit), softmax_(&*unit.softmax) {
  const auto entries = static_cast<std::size_t>(channels * softmax_->entries);
  values_.assign(entries * kLanes, 0);
  hasResults_.assign(entries, false);
  settings_.resize(static_cast<std::size_t>(channels));
}

std::size_t SoftmaxUnits::at(int channel, std::int64_t entry) const {
  PIMENTO_CHECK(entry >= 0 && entry < softmax_->entries);
  return static_cast<std::size_t>(channel * softmax_->entries + entry);
}

void SoftmaxUnits::add(int channel, std::int64_t entry, const float *results) {
  float *to = lanes(channel, entry);
  if (!hasResults_[at(channel, entry)]) {
    std::copy_n(results, kLanes, to);
    hasResults_[at(channel, entry)] = true;
    return;
  }
  for (int l = 0; l < kLanes; ++l) to[l] = rounded(softmax_->accumulator, to[l] + results[l]);
}

void SoftmaxUnits::copy(int channel, std::int64_t entry, Half *to) {
  const float *from = lanes(channel, entry);
  for (int l = 0; l < kLanes; ++l) to[l] = static_cast<Half>(encodeFloat(unit_->type, from[l]));
}

/// visit(lanes, how many of them have scores, whether a stretch begins) for the entries of a head.
template <typename Visit>
void SoftmaxUnits::forEachEntry(int channel, std::int64_t first, const Visit &visit) {
  const Settings &s = settings(channel);
  for (std::int64_t stretch = 0; stretch < s.stretches; ++stretch) {
    std::int64_t left = std::clamp<std::int64_t>(s.scores - stretch * s.perStretch, 0, s.perStretch);
    for (std::int64_t i = 0; i < ceilDiv(s.perStretch, kLanes); ++i, ++first, left = std::max<std::int64_t>(left, 0)) {
      visit(lanes(channel, first), static_cast<int>(std::min<std::int64_t>(left, kLanes)), i == 0);
      empty(channel, first);
      left -= kLanes;
    }
  }
}

void SoftmaxUnits::run(int channel, std::int64_t first) {
  const DType type = unit_->type, wide = softmax_->accumulator;
  const float scale = settings(channel).scale;
  float peak = -std::numeric_limits<float>::infinity();
  forEachEntry(channel, first, [&](float *x, int count, bool /*isFirst*/) {
    for (int l = 0; l < count; ++l) {
      x[l] = rounded(type, rounded(type, x[l]) * scale);
      peak = kernel::floatMax(peak, x[l]);
    }
  });
  float total = 0, ofStretch = 0;
  bool isFirstStretch = true;
  const auto closeStretch = [&] {
    total = isFirstStretch ? ofStretch : rounded(wide, total + ofStretch);
    isFirstStretch = false;
    ofStretch = 0;
  };
  bool isOpen = false;
  forEachEntry(channel, first, [&](float *x, int count, bool isFirst) {
    if (isFirst && isOpen) closeStretch();
    isOpen = true;
    float terms[kLanes] = {};
    for (int l = 0; l < kLanes; ++l)
      x[l] = terms[l] = l < count ? rounded(type, floatOperation(Op::kExp, rounded(type, x[l] - peak), 0.0F)) : 0;
    ofStretch = rounded(wide, ofStretch + treeSum(wide, kLanes, terms));
  });
  if (isOpen) closeStretch();
  total = rounded(type, total);
  forEachEntry(channel, first, [&](float *x, int count, bool /*isFirst*/) {
    for (int l = 0; l < count; ++l) x[l] = rounded(type, x[l] / total);
  });
}

namespace {

void moveToBuffer(NearBankDevice &device, const dram::IssuedCommand &c) {
  const machine::NearBankUnit &unit = device.unit();
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    float *sums = device.sums(channel, bank), results[kLanes] = {};
    for (std::int64_t i = 0; i < unit.accumulators; ++i) results[i] = rounded(unit.moved, sums[i]);
    device.softmax().add(channel, c.row, results);
    std::fill_n(sums, unit.accumulators, 0.0F);
    device.products(channel, bank) = 0;
  });
}

void setScores(NearBankDevice &device, const dram::IssuedCommand &c) {
  for (int channel = 0; channel < device.channels(); ++channel)
    if (const Half *data = device.sent(c, channel); data != nullptr)
      device.softmax().settings(channel) = {static_cast<float>(decodeFloat(device.unit().type, data[0])), data[1],
                                            std::max<std::int64_t>(data[2], 1), data[3]};
}

void runSoftmax(NearBankDevice &device, const dram::IssuedCommand &c) {
  for (int channel = 0; channel < device.channels(); ++channel) device.softmax().run(channel, c.row);
}

void loadWeights(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    device.softmax().copy(channel, c.row, device.entry(channel, bank, c.column));
  });
}

void readBuffer(NearBankDevice &device, const dram::IssuedCommand &c) {
  for (int channel = 0; channel < device.channels(); ++channel) {
    device.softmax().copy(channel, c.row, device.result(channel, c.burst));
    device.softmax().empty(channel, c.row);
  }
}

}  // namespace

std::span<const SoftmaxEffect> softmaxEffects() {
  using machine::SoftmaxUnit;
  static constexpr std::array<SoftmaxEffect, 6> kEffects = {{{&SoftmaxUnit::move, moveToBuffer},
                                                             {&SoftmaxUnit::set, setScores},
                                                             {&SoftmaxUnit::run, runSoftmax},
                                                             {&SoftmaxUnit::load, loadWeights},
                                                             {&SoftmaxUnit::loadAll, loadWeights},
                                                             {&SoftmaxUnit::read, readBuffer}}};
  return kEffects;
}

}  // namespace pimento::sim::pim
