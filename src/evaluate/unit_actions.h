// What a run of units (virtual instructions) did, as counts that reports show and as actions that are priced. As
// dpu_actions.h, for sim/cnm.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/energy/actions.h"
#include "pimento/program/program.h"
#include "pimento/sim/cnm/unit.h"

namespace pimento::evaluate {

/// A count of a run: its name in reports, what it counts, the actions of one of it.
struct CountEntry {
  std::string_view name, about;
  std::vector<energy::Action> actions;
};
/// The counts of a process of machine code or of virtual instructions.
std::vector<CountEntry> countEntries(const program::Process &process);

/// Of `units` units with so many lanes each, by name.
std::map<std::string, std::int64_t> unitCounts(const sim::cnm::RunResult &run, std::int64_t units, std::int64_t lanes);

/// `ranks`: instances of the outermost level with a unit at work.
energy::ActionCounts unitActions(const std::map<std::string, std::int64_t> &counts, std::int64_t ranks, Cycles cycles);

}  // namespace pimento::evaluate
