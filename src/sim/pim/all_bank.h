// HBM-PIM's modes as a channel's controller knows them: in the all-bank modes an activate of one of the first unit's
// banks opens that row in every unit, and other banks take none (ISCA 2021, HBM-PIM, section IV). The two all-bank
// modes share one timing; what tells them apart is the units' business (pim_device.h).
#pragma once

#include "pimento/machine/machine.h"
#include "pimento/sim/dram/spec.h"

namespace pimento::sim::pim {

/// What a channel of the machine needs to know; with its modes, if it has PIM units. The machine must have passed its
/// loader's checks, have DRAM, and outlive this.
dram::ChannelSpec channelSpec(const machine::Machine &machine);
/// Likewise, for programs that name these commands and no others: less is looked at for each command.
dram::ChannelSpec channelSpec(const machine::Machine &machine, const std::vector<program::NamedCommand> &names);

}  // namespace pimento::sim::pim
