// Regions of a program one after the other, a round at a time, lowered when they run; and what running them all counts.
//
// Kernels of graphs (plan.h) and fat binaries (runtime.h) differ in where their tiles come from, and in nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pimento/lower/l3_sram/layout.h"
#include "pimento/lower/l3_sram/memo.h"
#include "pimento/targets/l3_sram/residency.h"
#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::targets::l3_sram {

/// What runs. All of it outlives the runs.
struct RegionProgram {
  const tdfg::Program *program = nullptr;
  const tdfg::Values *values = nullptr;
  const std::vector<tdfg::Schedule> *schedules = nullptr;  ///< by region
  std::function<Result<lower::l3_sram::Layout>(int region, const tdfg::Instance &instance)> layout;
};

/// A region, a round at a time.
struct Round {
  int region = -1;
  const tdfg::Values *values = nullptr;
  const std::vector<int> *names = nullptr;
  const tdfg::Instance *instance = nullptr;          ///< null: streams alone
  const lower::l3_sram::Layout *layout = nullptr;    ///< likewise
  const lower::l3_sram::RegionCode *code = nullptr;  ///< likewise
  std::int64_t lowering = -1;  ///< rounds with one number have the same commands, but for constants
};
using RoundVisitor = std::function<Status(const Round &)>;

/// Lowers the regions in the order they run, without rounds in which nothing happens; `residency` has the elements
/// that are constants (null: none).
Status forEachRound(const RegionProgram &what, Residency *residency, lower::l3_sram::LoweringMemo &memo,
                    const RoundVisitor &see, std::int64_t most = INT64_MAX);
/// The first round of every loop, without data.
Status forEachFirstRound(const RegionProgram &what, const RoundVisitor &see);

struct RunCounts;
class SramTimeline;
/// Runs all on the data of `residency`, which memory has in the end; null: time alone. `timeline`: where it is shown;
/// null: nowhere.
Status runRounds(const RegionProgram &what, const machine::Sram &sram, Residency *residency,
                 lower::l3_sram::LoweringMemo &memo, RunCounts &counts, SramTimeline *timeline = nullptr);

/// The region has no graph any more; its streams contain the rounds.
void leaveToStreams(tdfg::Region &region, std::string why);

}  // namespace pimento::targets::l3_sram
