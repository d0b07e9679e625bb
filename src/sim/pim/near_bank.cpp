#include "pimento/sim/pim/near_bank.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pimento/base/dtype.h"
#include "pimento/sim/pim/unit_arithmetic.h"

namespace pimento::sim::pim {

NearBankDevice::NearBankDevice(const machine::Machine &machine, int channels, std::int64_t rows,
                               std::span<const Effect> effects)
    : channels_(channels),
      bankCount_(static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel))),
      banksPerGroup_(static_cast<int>(machine.dram->organization.banksPerGroup)),
      columns_(machine.dram->organization.columns),
      unit_(machine.nearBank ? &*machine.nearBank : nullptr),
      banks_(channels, static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel)), rows,
             machine.dram->organization.columns),
      buffers_(channels, 1, 1, machine.dram->organization.columns),
      accumulators_(channels, static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel)),
                    1, 1),
      entries_(channels, bankCount_, 1, unit_ != nullptr ? unit_->bufferEntries : 1) {
  if (unit_ != nullptr) {
    PIMENTO_CHECK(unit_->lanes * sizeOf(unit_->type).value == kLanes * static_cast<std::int64_t>(sizeof(Half)));
    const auto units = static_cast<std::size_t>(bankCount_ * channels_);
    sums_.assign(units * static_cast<std::size_t>(unit_->accumulators), 0);
    products_.assign(units, 0);
    functions_.assign(units, 0);
    columnsPerResult_.assign(static_cast<std::size_t>(channels_), unit_->bufferEntries);
    if (unit_->softmax) softmax_.emplace(*unit_, channels_);
  }
  for (const machine::Command &c : machine.dram->commands) {
    const auto effect =
        std::find_if(effects.begin(), effects.end(), [&](const Effect &e) { return e.command == c.name; });
    effects_.push_back(effect == effects.end() ? nullptr : effect->apply);
  }
}

void NearBankDevice::onCommand(const dram::IssuedCommand &c) {
  if (machine::Command::slotOf(c.kind) == machine::Slot::kRow) return;
  const auto apply = effects_[static_cast<std::size_t>(c.op)];
  PIMENTO_CHECK(apply != nullptr);
  apply(*this, c);
}

void writeBanks(NearBankDevice &device, const dram::IssuedCommand &c) {
  for (std::uint64_t m = c.banks; m != 0; m &= m - 1)
    for (int channel = 0; channel < device.channels(); ++channel)
      if (const Half *data = device.sent(c, channel); data != nullptr)
        std::copy_n(data, kLanes, device.burst(channel, std::countr_zero(m), c.row, c.column));
}

void readBanks(NearBankDevice &device, const dram::IssuedCommand &c) {
  for (std::uint64_t m = c.banks; m != 0; m &= m - 1)
    for (int channel = 0; channel < device.channels(); ++channel) {
      const Half *data = device.burst(channel, std::countr_zero(m), c.row, c.column);
      device.host().insert(device.host().end(), data, data + kLanes);
    }
}

namespace {

constexpr int kMostLanes = 2 * kLanes;  // elements of one byte

/// Element `lane` of a burst of elements of one or two bytes.
float element(const Half *burst, DType type, int lane) {
  if (sizeOf(type).value == 2) return static_cast<float>(decodeFloat(type, burst[lane]));
  const Half both = burst[lane / 2];
  return static_cast<float>(decodeFloat(type, lane % 2 == 0 ? both & 0xffU : both >> 8U));
}

void setElement(Half *burst, DType type, int lane, float x) {
  const std::uint64_t bits = encodeFloat(type, x);
  if (sizeOf(type).value == 2) {
    burst[lane] = static_cast<Half>(bits);
    return;
  }
  Half &both = burst[lane / 2];
  both = static_cast<Half>(lane % 2 == 0 ? (both & 0xff00U) | bits : (both & 0x00ffU) | (bits << 8U));
}

/// The products of all lanes, rounded to the unit's type. The product of two 16-bit floats is exact in f32.
void products(DType type, int count, const Half *a, const Half *b, float *out) {
  if (type == DType::kF16) {
    Half rounded[kLanes];
    lanes().mul(rounded, a, b);
    for (int l = 0; l < kLanes; ++l) out[l] = f16ToFloat(rounded[l]);
    return;
  }
  for (int l = 0; l < count; ++l) out[l] = rounded(type, element(a, type, l) * element(b, type, l));
}

void multiply(NearBankDevice &device, const dram::IssuedCommand &c) {
  const machine::NearBankUnit &unit = device.unit();
  const int lanes = static_cast<int>(unit.lanes);
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    std::int64_t &done = device.products(channel, bank);
    const std::int64_t columns = device.columnsPerResult(channel);
    float x[kMostLanes];
    products(unit.type, lanes, device.burst(channel, bank, c.row, c.column),
             device.entry(channel, bank, done % columns), x);
    float &sum = device.sums(channel, bank)[done / columns % unit.accumulators];
    sum = rounded(unit.accumulator, sum + treeSum(unit.accumulator, lanes, x));
    ++done;
  });
}

void load(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    if (const Half *data = device.sent(c, channel); data != nullptr)
      std::copy_n(data, kLanes, device.entry(channel, bank, c.column));
  });
}

void moveResults(NearBankDevice &device, const dram::IssuedCommand &c) {
  const machine::NearBankUnit &unit = device.unit();
  const int first = std::countr_zero(c.banks);
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    float *sums = device.sums(channel, bank);
    const auto at = (bank - first) * unit.accumulators;
    for (std::int64_t i = 0; i < unit.accumulators; ++i)
      setElement(device.result(channel, c.burst), unit.moved, static_cast<int>(at + i), sums[i]);
    std::fill_n(sums, unit.accumulators, 0.0F);
    device.products(channel, bank) = 0;
  });
}

void moveMerged(NearBankDevice &device, const dram::IssuedCommand &c) {
  const machine::NearBankUnit &unit = device.unit();
  const int first = std::countr_zero(c.banks);
  std::vector<float> sums(static_cast<std::size_t>(device.channels() * unit.accumulators));
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    float *of = device.sums(channel, bank), *to = &sums[static_cast<std::size_t>(channel * unit.accumulators)];
    for (std::int64_t i = 0; i < unit.accumulators; ++i)
      to[i] = bank == first ? of[i] : rounded(unit.accumulator, to[i] + of[i]);
    std::fill_n(of, unit.accumulators, 0.0F);
    device.products(channel, bank) = 0;
  });
  for (int channel = 0; channel < device.channels(); ++channel)
    for (std::int64_t i = 0; i < unit.accumulators; ++i)
      setElement(device.result(channel, c.burst), unit.moved, static_cast<int>(i),
                 sums[static_cast<std::size_t>(channel * unit.accumulators + i)]);
}

void setColumns(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) { device.products(channel, bank) = 0; });
  for (int channel = 0; channel < device.channels(); ++channel)
    if (const Half *data = device.sent(c, channel); data != nullptr) device.columnsPerResult(channel) = data[0];
}

void multiplyElements(NearBankDevice &device, const dram::IssuedCommand &c) {
  const machine::NearBankUnit &unit = device.unit();
  const int lanes = static_cast<int>(unit.lanes);
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    if (bank % device.banksPerGroup() != 0) return;
    float x[kMostLanes];
    products(unit.type, lanes, device.burst(channel, bank, c.row, c.column),
             device.burst(channel, bank + 1, c.row, c.column), x);
    for (int l = 0; l < lanes; ++l) setElement(device.burst(channel, bank + 2, c.row, c.column), unit.type, l, x[l]);
  });
}

void preload(NearBankDevice &device, const dram::IssuedCommand &c) {
  const DType type = device.unit().type;
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    const Half *data = device.sent(c, channel);
    if (data == nullptr) return;
    *device.sums(channel, bank) = element(data, type, bank);
    device.products(channel, bank) = 0;
  });
}

void applyFunction(NearBankDevice &device, const dram::IssuedCommand &c) {
  const DType type = device.unit().moved;
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    const float sum = *device.sums(channel, bank);
    device.functionOf(channel, bank) =
        std::signbit(sum) ? 0.0F : rounded(type, sum);  // also of -0 and of a NaN with that sign
  });
}

void moveFunctions(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    setElement(device.result(channel, c.burst), device.unit().moved, bank, device.functionOf(channel, bank));
  });
}

void copyOut(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    for (int b = 0; b < device.banks(); ++b)
      std::copy_n(device.burst(channel, bank, c.row, c.column), kLanes,
                  device.entry(channel, b, c.column % device.unit().bufferEntries));
  });
}

void copyIn(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device.channels(), c.banks, [&](int channel, int bank) {
    std::copy_n(device.entry(channel, bank, c.column % device.unit().bufferEntries), kLanes,
                device.burst(channel, bank, c.row, c.column));
  });
}

}  // namespace

std::vector<Effect> unitEffects(const machine::Machine &machine) {
  const machine::Dram &d = *machine.dram;
  const machine::NearBankUnit &u = *machine.nearBank;
  std::vector<Effect> effects;
  const auto add = [&](int command, void (*apply)(NearBankDevice &, const dram::IssuedCommand &)) {
    if (command >= 0) effects.push_back({d.commands[static_cast<std::size_t>(command)].name, apply});
  };
  add(d.plainCommand(machine::CommandKind::kRead), readBanks);
  add(d.plainCommand(machine::CommandKind::kWrite), writeBanks);
  add(u.multiply, multiply);
  add(u.load, load);
  add(u.loadAll, load);
  add(u.result, moveResults);
  add(u.mergedResult, moveMerged);
  add(u.setColumns, setColumns);
  add(u.multiplyElements, multiplyElements);
  add(u.preload, preload);
  add(u.function, applyFunction);
  add(u.functionResult, moveFunctions);
  add(u.copyOut, copyOut);
  add(u.copyIn, copyIn);
  for (const SoftmaxEffect &e : softmaxEffects()) add(u.softmax ? (*u.softmax).*e.command : -1, e.apply);
  return effects;
}

}  // namespace pimento::sim::pim
