// What a run of DPUs did, as counts that reports show and as actions that are priced.
//
// One table: the counts by name, and for every action the counts that make it up. It is what runs are priced by and
// what `explain` shows, as device_actions.h is for DRAM commands.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/energy/actions.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::evaluate {

/// A count of a run: its name in reports, what it counts, the actions of one of it.
struct DpuCount {
  std::string_view name;  ///< "instructions", "mram_read_bytes"
  std::string_view about;
  std::int64_t sim::dpu::Counts::*member = nullptr;
  std::vector<energy::Action> actions = {};
};
const std::vector<DpuCount> &dpuCountTable();

/// `times` more of everything in `o`; saturated.
void addCounts(sim::dpu::Counts &to, const sim::dpu::Counts &o, std::int64_t times);

/// By name, as reports show them.
std::map<std::string, std::int64_t> dpuCounts(const sim::dpu::Counts &counts);

/// `ranks`: how many have a DPU at work, for `cycles`.
energy::ActionCounts dpuActions(const sim::dpu::Counts &counts, std::int64_t ranks, Cycles cycles);

}  // namespace pimento::evaluate
