#include "pimento/sim/pim/near_bank.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::pim {

NearBankDevice::NearBankDevice(const machine::Machine &machine, int channels, std::int64_t rows,
                               std::span<const Effect> effects)
    : channels_(channels),
      banks_(channels, static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel)), rows,
             machine.dram->organization.columns),
      buffers_(channels, 1, 1, machine.dram->organization.columns),
      accumulators_(channels, static_cast<int>(machine.dram->organization.banksPerNode(machine::ScopeLevel::kChannel)),
                    1, 1) {
  for (const machine::Command &c : machine.dram->commands) {
    const auto effect =
        std::find_if(effects.begin(), effects.end(), [&](const Effect &e) { return e.command == c.name; });
    effects_.push_back(effect == effects.end() ? nullptr : effect->apply);
    PIMENTO_CHECK(effects_.back() != nullptr || c.slot() == machine::Slot::kRow);
  }
}

void NearBankDevice::onCommand(const dram::IssuedCommand &c) {
  if (const auto apply = effects_[static_cast<std::size_t>(c.op)]; apply != nullptr) apply(*this, c);
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

}  // namespace pimento::sim::pim
