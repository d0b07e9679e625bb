// How explanations are put together; only for the explain*.cpp files of this room.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/evaluate/device_actions.h"
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

/// Where the cycles of a device kernel went: the critical path, beside it the view by phase and the ideal.
DerivationPtr explainCycles(const std::string &name, const ExplainedStage &stage, MachineNumbers &numbers,
                            std::int64_t mostCommands);

/// Counts of one device kernel by name, in the order of reports: per channel times channels, per DPU times DPUs.
using CountNodes = std::vector<std::pair<std::string, DerivationPtr>>;
CountNodes explainCounts(const std::string &prefix, const ExplainedStage &stage, MachineNumbers &numbers);
DerivationPtr channelsOf(const ExplainedStage &stage, MachineNumbers &numbers);

/// What actions a part of the run took, by action; empty parts are left out.
using ActionNodes = std::array<DerivationPtr, energy::kActions>;
ActionNodes deviceActionNodes(const std::string &prefix, const ExplainedStage &stage, const CountNodes &counts,
                              MachineNumbers &numbers);
ActionNodes hostActionNodes(const std::string &prefix, const lower::HostWork &work, const Breakdown &breakdown,
                            std::int64_t operations, MachineNumbers &numbers);
ActionNodes addActions(const std::string &prefix, const std::vector<ActionNodes> &parts);

/// The same for machine code on DPUs (explain_dpu.cpp).
DerivationPtr explainDpuCycles(const std::string &name, const ExplainedStage &stage);
CountNodes explainDpuCounts(const std::string &prefix, const ExplainedStage &stage, const DerivationPtr &dpus);
ActionNodes dpuActionNodes(const std::string &prefix, const ExplainedStage &stage, const CountNodes &counts);
/// Puts the parts of each action together, under "PREFIXaction of the device".
ActionNodes sumActions(const std::string &prefix,
                       const std::array<std::vector<DerivationPtr>, energy::kActions> &parts);

/// An energy report: one node per number of its rows.
struct EnergyNodes {
  struct Row {
    DerivationPtr pj, low, high, count, unitCost;
  };
  std::vector<Row> rows;
};
/// `time`: node in ns that background power is multiplied with.
EnergyNodes explainEnergy(const std::string &prefix, const energy::EnergyReport &report, const ActionNodes &actions,
                          const DerivationPtr &time, MachineNumbers &numbers);

}  // namespace pimento::evaluate
