// The host's part of virtual instructions (lower/host_data.h): what it places in every unit's bank. Elements outside a
// tensor, which only points beyond the kernel's extents read, are 0.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/kernel/interpreter.h"
#include "pimento/sim/cnm/execute.h"
#include "pimento/targets/cnm/lower.h"

namespace pimento::targets::cnm {

evaluate::HostWork hostWorkOf(const Plan &plan);

/// Values of the process's parameters for all threads of a unit.
std::vector<std::vector<std::int64_t>> parametersOf(const Lowered &lowered, std::int64_t unit);

/// Fills the bank of unit number `unit`.
void place(const Plan &plan, std::int64_t unit, const kernel::DataSet &data, sim::cnm::UnitMemory &memory);

}  // namespace pimento::targets::cnm
