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

/// In phases, for all channels; fills in which numbers of columns it sets. `mode`: inference: the query is in on-chip
/// memory.
program::Program attentionProgram(AttentionData &data, const Movement &movement, mapping::StreamMode mode,
                                  const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
