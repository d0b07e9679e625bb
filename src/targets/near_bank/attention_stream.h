// The command stream of attention on near-bank units with softmax units.
#pragma once

#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "pimento/targets/near_bank/attention.h"

namespace pimento::targets::near_bank {

/// All banks of a channel take the same weights.
inline bool loadsWeightsToAll(const AttentionLayout &l, const machine::NearBankUnit &unit) {
  return l.groupBanks * l.lengthBanks == 1 && unit.softmax->loadAll >= 0;
}

/// For as many channels as the layout has; fills in which numbers of columns it sets, and how many result bursts leave.
program::Program attentionProgram(AttentionData &data, const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
