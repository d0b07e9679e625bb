// What the host's part of a run costs: moving operands and results, rearranging, adding partial sums.
//
// Bandwidth models, not simulations: bytes over the link's bandwidth times the share of it that streams reach, plus a
// latency per phase; with many DPUs, a cost per call. Known error: placement and read-back of 4 MiB and more lie within
// 13 % of the engine's own host streams (test/unit/evaluate/price_test.cpp); small transfers are dominated by the
// latency, which those do not have.
//
// Every part is a term: a formula (machine/expression.h) over named operands. The terms are what is priced and what
// `explain` shows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/energy/actions.h"
#include "pimento/evaluate/cost.h"
#include "pimento/evaluate/host_work.h"
#include "pimento/evaluate/report.h"
#include "pimento/machine/expression.h"
#include "pimento/machine/machine.h"

namespace pimento::evaluate {

/// An operand of a term. It is a number of the machine file where `path` is not empty ("host.merge_rate"; "link" is
/// links times bandwidth), else something of the run that `about` describes.
struct Operand {
  std::string_view path;  ///< or empty
  std::string_view about, unit;
  double real = 0;
  std::int64_t integer = 0;  ///< for integer formulas
};

/// One part of a breakdown, or one count: a formula with its operands in the order of Expression::operands(). No
/// formula: nothing to do, 0.
struct Term {
  const machine::Expression *formula = nullptr;
  std::array<Operand, 10> operands;
  std::int64_t value = 0;
};

/// The host's parts of a run as terms; empty where a part is not the host's.
using HostTerms = ByPart<Term>;
HostTerms hostTerms(const machine::Machine &machine, const HostWork &work);

/// The time of a kernel on the host: operations over its peak or bytes over the link, whichever is longer.
Term hostLayerTerm(const machine::Machine &machine, std::int64_t operations, Bytes read, Bytes written);

/// The breakdown of a run whose device part took `compute`, and nothing else.
Breakdown hostCycles(const machine::Machine &machine, const HostWork &work, Cycles compute);
/// Likewise with the phases of the program beside its kernel.
Breakdown breakdownOf(const machine::Machine &machine, const HostWork &work, const DeviceCost &run);

/// What takes time of it, in the order of a run.
std::vector<Phase> phasesOf(const machine::Machine &machine, const Breakdown &breakdown);
/// Likewise of `times` runs: the host's parts, the kernel, and the phases of the program under their own names.
std::vector<Phase> phasesOf(const machine::Machine &machine, const HostWork &work, const DeviceCost &run,
                            std::int64_t times);

/// The host's actions as terms with integer formulas; terms of other kinds of machines are empty.
struct ActionTerm {
  std::string_view action = "host_writes";
  Term term;
};
std::array<ActionTerm, 6> hostActionTerms(const machine::Machine &machine, const HostWork &work,
                                          const Breakdown &breakdown);

/// The action of kernels that run on the host: their scalar operations.
inline constexpr std::string_view kHostOperations = "host_operations";

/// Names of all actions that a host's part of a run can have.
std::vector<std::string_view> hostActionNames();

/// The actions of the host's part: bursts over the link (in full rows), refreshes meanwhile, merges, host memory.
energy::ActionCounts hostActions(const machine::Machine &machine, const HostWork &work, const Breakdown &breakdown);

}  // namespace pimento::evaluate
