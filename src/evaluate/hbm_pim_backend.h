// HBM-PIM as an evaluation target: lowering, channel engine and functional device behind the Backend interface.
#pragma once

#include "pimento/evaluate/backend.h"

namespace pimento::evaluate {

const Backend &hbmPimBackend();

/// Runs a DRAM command program on one channel that stands for all instances.
DeviceRun runChannelProgram(const program::Program &program, const machine::Machine &machine, const RunMode &mode);

}  // namespace pimento::evaluate
