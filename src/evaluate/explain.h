// Every number of a report back to formulas, counts and constants with their sources.
//
// Built from what the evaluator recorded (evaluator.h, Evaluation) and from the terms it priced (price.h, counts.h, the
// machine's action formulas). Where the cycles of device kernels went is the target's to say (Runnable::explainCycles).
//
// Leaves are numbers of the machine file with source and confidence; counts of the program; what the engine counted
// because it depends on time (row commands, skipped cycles); and what was measured (wall_us).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pimento/evaluate/derivation.h"
#include "pimento/evaluate/evaluator.h"

namespace pimento::evaluate {

/// What is known of one kernel of the report, in the order of Report::stages.
struct ExplainedStage {
  const Runnable *program = nullptr;               ///< null: on the host
  const mapping::PlacedMapping *placed = nullptr;  ///< of kernels
  std::vector<std::string> choices;                ///< that compiling it made beyond the mapping, and why
  bool hasLayer = false;                           ///< there is a kernel behind it (no program from a file)
  StageRecord record;
};

/// All must outlive the explanation's making, not the explanation.
struct ExplainInput {
  const machine::Machine *machine = nullptr;
  const Target *target = nullptr;
  const Report *report = nullptr;
  std::vector<ExplainedStage> stages;
  /// Longer kernels (column commands of one channel) get no critical path.
  std::int64_t mostCommands = 50'000'000;
};

/// The input of an evaluation.
ExplainInput explainInput(const Request &request, const Evaluation &evaluation);

class Explanation {
 public:
  explicit Explanation(std::vector<std::pair<std::string, DerivationPtr>> numbers) : numbers_(std::move(numbers)) {}

  /// All numbers by their key, in the order of the report's JSON: "breakdown.merge", "energy_breakdown.mac.pj",
  /// "stages[2].cycles", "energy_range_pj[0]".
  const std::vector<std::pair<std::string, DerivationPtr>> &numbers() const { return numbers_; }
  /// By key; objects stand for their main number ("energy_breakdown.mac", "breakdown", "stages[2]"). Diagnostic:
  /// unknown-number.
  Result<DerivationPtr> find(const std::string &key) const;

 private:
  std::vector<std::pair<std::string, DerivationPtr>> numbers_;
};

Explanation explain(const ExplainInput &input);

}  // namespace pimento::evaluate
