// A kernel of a graph as a tensor graph with schedules, and its regions one after the other, lowered when they run.
//
// The mapping gives the tile: what its levels inside the arrays have of each dim, for the lattice dim along which the
// dim's arrays lie.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "pimento/evaluate/target.h"
#include "pimento/lower/l3_sram/layout.h"
#include "pimento/lower/l3_sram/memo.h"
#include "pimento/targets/l3_sram/residency.h"
#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::targets::l3_sram {

struct Plan {
  tdfg::Program program;  ///< arrays: those of the kernel; regions that do not fit the wordlines are streams alone
  tdfg::Values values;
  std::vector<int> tensors;               ///< by array: tensor of the graph
  std::vector<tdfg::Schedule> schedules;  ///< by region
  std::vector<int> dimOf;                 ///< by lattice dim: dim of the kernel, or -1
  int elementBytes = 4;                   ///< of the smallest element of an array
};

/// Diagnostics: those of streams, tensor graphs and schedules.
Result<Plan> makePlan(const evaluate::GraphPart &part, const machine::Machine &machine);

/// The tile that a mapping gives to a lattice of `dims` dims.
std::vector<std::int64_t> tileOf(const Plan &plan, const mapping::Mapping &mapping, std::size_t dims);

/// The published heuristic's mapping.
Result<mapping::Mapping> heuristicMapping(const evaluate::GraphPart &part, const Plan &plan,
                                          const machine::Machine &machine, const mapping::MapSpec &spec);

/// A region, a round at a time.
struct Round {
  int region = -1;
  const tdfg::Values *values = nullptr;
  const std::vector<int> *names = nullptr;
  const tdfg::Instance *instance = nullptr;          ///< null: streams alone
  const lower::l3_sram::Layout *layout = nullptr;    ///< likewise
  const lower::l3_sram::RegionCode *code = nullptr;  ///< likewise
  std::int64_t lowering = -1;                        ///< rounds with one number have the same commands, but for constants
};
/// Lowers the regions in the order they run, without rounds in which nothing happens; `residency` has the elements
/// that are constants (null: none).
Status forEachRound(const Plan &plan, const mapping::Mapping &mapping, const machine::Machine &machine,
                    Residency *residency, lower::l3_sram::LoweringMemo &memo,
                    const std::function<Status(const Round &)> &see, std::int64_t most = INT64_MAX);
/// The first round of every loop, without data.
Status forEachFirstRound(const Plan &plan, const mapping::Mapping &mapping, const machine::Machine &machine,
                         const std::function<Status(const Round &)> &see);

}  // namespace pimento::targets::l3_sram
