#include "pimento/targets/l3_sram/rounds.h"

#include <utility>

#include "pimento/targets/l3_sram/region_run.h"
#include "pimento/targets/l3_sram/run_counts.h"
#include "pimento/targets/l3_sram/timeline.h"
#include "pimento/tdfg/execute.h"

namespace pimento::targets::l3_sram {

Status forEachRound(const RegionProgram &what, Residency *residency, lower::l3_sram::LoweringMemo &memo,
                    const RoundVisitor &see, std::int64_t most) {
  return tdfg::visitRegions(
      *what.program, *what.values,
      [&](int region, const tdfg::Values &values, const std::vector<int> &names) -> Status {
        const auto r = static_cast<std::size_t>(region);
        Round round{.region = region, .values = &values, .names = &names};
        if (what.program->regions[r].nodes.empty()) return see(round);
        auto instance = tdfg::bindRegion(*what.program, region, values);
        if (!instance) return instance.diagnostics();
        if (instance->isEmpty) return okStatus();
        const auto layout = what.layout(region, *instance);
        if (!layout) return layout.diagnostics();
        const auto lowered =
            memo.lower(region, *instance, (*what.schedules)[r], *layout, constantsOf(*instance, names, residency));
        if (!lowered) return lowered.diagnostics();
        round.instance = &*instance;
        round.layout = &*layout;
        round.code = &(*lowered)->code;
        round.lowering = (*lowered)->number;
        return see(round);
      },
      most);
}

Status forEachFirstRound(const RegionProgram &what, const RoundVisitor &see) {
  lower::l3_sram::LoweringMemo none(0);
  return forEachRound(what, nullptr, none, see, 1);
}

Status runRounds(const RegionProgram &what, const machine::Sram &sram, Residency *residency,
                 lower::l3_sram::LoweringMemo &memo, RunCounts &counts, SramTimeline *timeline) {
  RegionTimes times(sram, timeline);
  const Status status = forEachRound(what, residency, memo, [&](const Round &round) -> Status {
    const tdfg::Schedule &schedule = (*what.schedules)[static_cast<std::size_t>(round.region)];
    if (timeline != nullptr) timeline->begin(round, *what.program);
    if (round.instance == nullptr) {
      counts.hasStreams = true;
      if (residency == nullptr) return okStatus();
      return runStreams(*what.program, round.region, *round.values, *round.names, *residency);
    }
    const Cycles before = counts.time.total;
    if (Status s = counts.add(round, *what.program, schedule, times); !s) return s;
    if (timeline != nullptr) timeline->end(counts.time.total - before);
    if (residency == nullptr) return okStatus();
    return runRegion({what.program, round.instance, &schedule, round.layout}, *round.code, *round.names, *residency);
  });
  if (!status) return status;
  if (residency != nullptr) residency->takeOutAll();
  counts.lowered = memo.lowered();
  counts.reused = memo.reused();
  return okStatus();
}

void leaveToStreams(tdfg::Region &region, std::string why) {
  region.reason = std::move(why);
  region.rounds.clear();
  region.nodes.clear();
  region.outputs.clear();
}

}  // namespace pimento::targets::l3_sram
