#include "pimento/sim/dram/channel_core.h"

namespace pimento::sim::dram {

ChannelCounts &ChannelCounts::add(const ChannelCounts &o, std::int64_t times) {
  activates += o.activates * times;
  allBankActivates += o.allBankActivates * times;
  precharges += o.precharges * times;
  allBankPrecharges += o.allBankPrecharges * times;
  refreshes += o.refreshes * times;
  lostRefreshes += o.lostRefreshes * times;
  columns += o.columns * times;
  return *this;
}

void ChannelCore::tell(Tick time, int op, int bank, std::int64_t row, std::int64_t column, int number,
                       std::int64_t burst) const {
  const auto k = static_cast<std::size_t>(op);
  IssuedCommand c{time, spec_->device.kind[k], bank, row, column, nullptr, burst, op, spec_->device.reach(op, bank)};
  c.name = spec_->names[k];
  c.number = number;
  if (number >= 0 && code_ != nullptr && spec_->device.isColumn(op))
    c.command = &code_->commands()[static_cast<std::size_t>(number)].command;
  observer_->onCommand(c);
}

}  // namespace pimento::sim::dram
