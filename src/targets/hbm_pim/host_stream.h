// A plain host stream: linear addresses from 0 over all channels, one command per burst.
#pragma once

#include "pimento/machine/machine.h"
#include "pimento/program/program.h"

namespace pimento::targets::hbm_pim {

/// Reads or writes `bytes` at linear addresses from 0. Channels with fewer bursts than the first are not told apart:
/// the first one decides the time. The address map must put banks below columns below rows (as Scheme8 does).
Result<program::Program> hostStream(const machine::Machine &machine, Bytes bytes, bool isWrite);

}  // namespace pimento::targets::hbm_pim
