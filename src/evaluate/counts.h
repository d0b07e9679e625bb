// What a target's engine counts, as one table: what a count is called in reports, and the actions that it is priced by.
//
// Runs are priced by the table and explanations show it (explain.h), so that the two cannot differ.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pimento/evaluate/run.h"
#include "pimento/machine/machine.h"

namespace pimento::evaluate {

/// `times` actions for every one of a count, times the numbers of the machine at `factors` (those that it has).
struct ActionShare {
  std::string_view action;
  std::int64_t times = 1;
  std::vector<std::string_view> factors = {};  ///< paths: "pim.blocks"
};

/// A count of a run.
struct CountRow {
  std::string_view name;   ///< in reports: "instructions", "pim_mac"
  std::string_view about;  ///< what it counts, and who counted it
  std::vector<ActionShare> actions = {};
};

struct CountTable {
  std::vector<CountRow> rows;
  /// What one of a count is in the formulas of explanations ("commands"); empty: counts are shown as actions as they
  /// are.
  std::string_view symbol = {};
};

/// The action "rank_cycles": device cycles of ranks that have a unit at work. Every target has it.
inline constexpr std::string_view kRankCycles = "rank_cycles";

/// All actions that the table names, each once, and kRankCycles.
std::vector<std::string_view> actionsOf(const CountTable &table);

/// What one of a count is multiplied with.
std::int64_t multiplierOf(const ActionShare &share, const machine::Machine &machine);

/// Fills in counts and actions of a run whose cycles are known. `totals`: of the whole device, row by row. `ranks`: how
/// many have a unit at work.
void setCounts(DeviceRun &run, const CountTable &table, std::span<const std::int64_t> totals,
               const machine::Machine &machine, std::int64_t ranks);

}  // namespace pimento::evaluate
