// What runs of DPUs count, each with the actions that it is priced by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pimento/evaluate/counts.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem {

inline constexpr evaluate::SimulatedUnit kDpu = {"DPU", "DPUs", "dpus"};

const evaluate::CountTable &countTable();

/// The engine's counts, in the order of the table's rows.
using CountMember = std::int64_t sim::dpu::Counts::*;
std::span<const CountMember> countMembers();

/// `times` more of everything in `o`; saturated.
void addCounts(sim::dpu::Counts &to, const sim::dpu::Counts &o, std::int64_t times);

/// Counts and actions of a run whose cycles are known. `counts`: of all DPUs; `ranks`: how many have one at work.
void setCounts(evaluate::DeviceRun &run, const sim::dpu::Counts &counts, const machine::Machine &machine,
               std::int64_t ranks);

}  // namespace pimento::targets::upmem
