// A program of loops on its engine: commands of a DRAM channel, or virtual instructions of a unit.
#pragma once

#include "pimento/evaluate/backend.h"

namespace pimento::evaluate {

/// The program verifies on the machine and is no machine code. `ranks`, of units: as runUnitProgram.
DeviceRun runProgram(const program::Program &program, const machine::Machine &machine, const RunMode &mode,
                     std::int64_t ranks = 0);

}  // namespace pimento::evaluate
