// How explanations are put together: by explain*.cpp for what all targets share, by targets for their own parts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/evaluate/explain.h"
#include "pimento/evaluate/price.h"

namespace pimento::evaluate {

using Value = std::variant<std::int64_t, double>;
using Parts = std::vector<Derivation::Part>;

/// Makes nodes: each function gives one, with what it was asked for filled in.
DerivationPtr leaf(std::string name, Value value, std::string unit, std::string note);
DerivationPtr sumOf(std::string name, Value value, std::string unit, const std::vector<DerivationPtr> &parts,
                    std::string note = {});
DerivationPtr node(std::string name, Value value, std::string unit, std::string formula, Derivation::Arithmetic how,
                   Parts parts, std::string note = {});

/// Numbers of the machine file as nodes: leaves, or formulas over other numbers.
class MachineNumbers {
 public:
  explicit MachineNumbers(const machine::Machine &machine) : machine_(machine) {}

  const machine::Machine &machine() const { return machine_; }
  /// `fallback` where the machine has no such number (built by hand).
  DerivationPtr number(const std::string &path, Value fallback = std::int64_t{0});
  bool has(const std::string &path) const { return machine_.numbers.contains(path); }
  /// A priced term: its formula over operands of the run and of the machine.
  DerivationPtr term(std::string name, std::string unit, const Term &term, Derivation::Arithmetic how,
                     std::string whenEmpty);

 private:
  DerivationPtr make(const machine::Number &n);
  DerivationPtr link();
  DerivationPtr operand(const std::string &symbol, const Operand &o, Derivation::Arithmetic how);

  const machine::Machine &machine_;
  std::map<std::string, DerivationPtr> made_;
};

/// The cycles of units that issue one instruction per cycle or none (counts "instructions", "idle_cycles"): the two are
/// the time of the one unit that stands for all.
DerivationPtr explainIssues(const std::string &name, const DeviceRun &run, const SimulatedUnit &unit);

/// Counts of one device kernel by name, in the order of the target's table: per unit times units.
using CountNodes = std::vector<std::pair<std::string, DerivationPtr>>;
CountNodes explainCounts(const std::string &prefix, const ExplainedStage &stage, const Target &target,
                         MachineNumbers &numbers);
/// How many units do the same.
DerivationPtr unitsOf(const ExplainedStage &stage, const SimulatedUnit &unit, MachineNumbers &numbers);

/// What actions a part of the run took, by action; there are none of those it did not take.
using ActionNodes = std::map<std::string_view, DerivationPtr>;
ActionNodes deviceActionNodes(const std::string &prefix, const ExplainedStage &stage, const Target &target,
                              const CountNodes &counts, MachineNumbers &numbers);
ActionNodes hostActionNodes(const std::string &prefix, const HostWork &work, const Breakdown &breakdown,
                            std::int64_t operations, MachineNumbers &numbers);
ActionNodes addActions(const std::string &prefix, const std::vector<ActionNodes> &parts);

/// A row of an energy report: one node per number.
struct EnergyNodes {
  DerivationPtr pj, low, high, count, unitCost;
};
/// `time`: node in ns that background power is multiplied with.
std::vector<EnergyNodes> explainEnergy(const std::string &prefix, const energy::EnergyReport &report,
                                       const ActionNodes &actions, const DerivationPtr &time, MachineNumbers &numbers);

}  // namespace pimento::evaluate
