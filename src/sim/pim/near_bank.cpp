#include "pimento/sim/pim/near_bank.h"

#include <algorithm>
#include <bit>

#include "pimento/base/dtype.h"

namespace pimento::sim::pim {

NearBankDevice::NearBankDevice(const machine::Machine &machine, int channels, std::int64_t rows,
                               std::span<const Effect> effects)
    : channels_(channels),
      bankCount_(static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel))),
      columns_(machine.dram->organization.columns),
      unit_(machine.nearBank ? &*machine.nearBank : nullptr),
      banks_(channels, static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel)), rows,
             machine.dram->organization.columns),
      buffers_(channels, 1, 1, machine.dram->organization.columns),
      accumulators_(channels, static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel)),
                    1, 1),
      entries_(channels, bankCount_, 1, unit_ != nullptr ? unit_->bufferEntries : 1) {
  if (unit_ != nullptr) {
    PIMENTO_CHECK(unit_->lanes == kLanes);
    const auto units = static_cast<std::size_t>(bankCount_ * channels_);
    sums_.assign(units * static_cast<std::size_t>(unit_->accumulators), 0);
    products_.assign(units, 0);
    columnsPerResult_.assign(static_cast<std::size_t>(channels_), unit_->bufferEntries);
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

float rounded(DType type, float x) {
  return type == DType::kF32 ? x : static_cast<float>(decodeFloat(type, encodeFloat(type, x)));
}

/// The products of all lanes, rounded to the unit's type. The product of two 16-bit floats is exact in f32.
void products(DType type, const Half *a, const Half *b, float *out) {
  if (type == DType::kF16) {
    Half rounded[kLanes];
    lanes().mul(rounded, a, b);
    for (int l = 0; l < kLanes; ++l) out[l] = f16ToFloat(rounded[l]);
    return;
  }
  for (int l = 0; l < kLanes; ++l)
    out[l] = rounded(type, static_cast<float>(decodeFloat(type, a[l])) * static_cast<float>(decodeFloat(type, b[l])));
}

/// Neighbours pairwise, then pairs of pairs.
float treeSum(DType type, float *x) {
  for (int n = kLanes / 2; n > 0; n /= 2)
    for (int i = 0; i < n; ++i) x[i] = rounded(type, x[2 * i] + x[2 * i + 1]);
  return x[0];
}

template <typename Visit>
void forEachUnit(NearBankDevice &device, std::uint64_t banks, const Visit &visit) {
  for (; banks != 0; banks &= banks - 1)
    for (int channel = 0; channel < device.channels(); ++channel) visit(channel, std::countr_zero(banks));
}

void multiply(NearBankDevice &device, const dram::IssuedCommand &c) {
  const machine::NearBankUnit &unit = device.unit();
  forEachUnit(device, c.banks, [&](int channel, int bank) {
    std::int64_t &done = device.products(channel, bank);
    const std::int64_t columns = device.columnsPerResult(channel);
    float x[kLanes];
    products(unit.type, device.burst(channel, bank, c.row, c.column), device.entry(channel, bank, done % columns), x);
    float &sum = device.sums(channel, bank)[done / columns % unit.accumulators];
    sum = rounded(unit.accumulator, sum + treeSum(unit.accumulator, x));
    ++done;
  });
}

void load(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device, c.banks, [&](int channel, int bank) {
    if (const Half *data = device.sent(c, channel); data != nullptr)
      std::copy_n(data, kLanes, device.entry(channel, bank, c.column));
  });
}

void moveResults(NearBankDevice &device, const dram::IssuedCommand &c) {
  const machine::NearBankUnit &unit = device.unit();
  const int first = std::countr_zero(c.banks);
  forEachUnit(device, c.banks, [&](int channel, int bank) {
    float *sums = device.sums(channel, bank);
    Half *to = device.result(channel, c.burst) + (bank - first) * unit.accumulators;
    for (std::int64_t i = 0; i < unit.accumulators; ++i) to[i] = static_cast<Half>(encodeFloat(unit.moved, sums[i]));
    std::fill_n(sums, unit.accumulators, 0.0F);
    device.products(channel, bank) = 0;
  });
}

void setColumns(NearBankDevice &device, const dram::IssuedCommand &c) {
  forEachUnit(device, c.banks, [&](int channel, int bank) { device.products(channel, bank) = 0; });
  for (int channel = 0; channel < device.channels(); ++channel)
    if (const Half *data = device.sent(c, channel); data != nullptr) device.columnsPerResult(channel) = data[0];
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
  add(u.setColumns, setColumns);
  return effects;
}

}  // namespace pimento::sim::pim
