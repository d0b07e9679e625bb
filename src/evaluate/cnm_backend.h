// Compute-near-memory machines that are data alone (family cnm): virtual instructions on pipelines or vector units.
#pragma once

#include "pimento/evaluate/backend.h"

namespace pimento::evaluate {

const Backend &cnmBackend();

/// Instances of the outermost level that the process's units fill.
std::int64_t ranksFilled(const program::Process &process, const machine::Machine &machine);

/// Runs a program of virtual instructions: one unit, which stands for all. `ranks`: instances of the outermost level at
/// work; 0: as many as the units fill.
DeviceRun runUnitProgram(const program::Program &program, const machine::Machine &machine, const RunMode &mode,
                         std::int64_t ranks = 0);

}  // namespace pimento::evaluate
