// Checks programs of virtual instructions. Internal to the room; program::verify calls it.
#pragma once

#include "pimento/program/program.h"

namespace pimento::program {

/// Diagnostics: no-compute, program-mixed, program-instances, program-threads, program-capacity, program-array,
/// program-parameter, program-register, program-type, program-operation, program-bounds, program-shared, program-trip,
/// program-depth, program-count; at most 20, with places where `places` has them.
Status verifyUnits(const Program &program, const machine::Machine &machine, const Places *places);

}  // namespace pimento::program
