#include <fmt/format.h>

#include "pimento/evaluate/explainer.h"
#include "pimento/evaluate/unit_actions.h"

namespace pimento::evaluate {

namespace {

using Arithmetic = Derivation::Arithmetic;

/// Do the counts of the report divide into those of one DPU?
bool isOneForAll(const DeviceRun &run) {
  return run.unitsSimulated == 1 && !run.interval;
}

}  // namespace

// A cycle issues one instruction or none, so the two counts are the time of the one DPU that stands for all.
DerivationPtr explainDpuCycles(const std::string &name, const ExplainedStage &stage) {
  const DeviceRun &run = stage.record.run;
  if (run.interval)
    return leaf(
        name, run.cycles.value, "cycle",
        fmt::format("sampled: extrapolated from runs on {} cycles of data made the same way; {} to {} with {} % "
                    "confidence",
                    run.cyclesSimulated.value, run.interval->low.value, run.interval->high.value,
                    100 * run.interval->level));
  if (isOneForAll(run)) {
    const std::int64_t issued = run.counts.at("instructions") / run.units,
                       idle = run.counts.at("idle_cycles") / run.units;
    const std::int64_t rest = run.cycles.value - issued - idle;
    std::vector<DerivationPtr> parts = {
        leaf("issuing", issued, "cycle", "one instruction of one tasklet or thread each"),
        leaf("idle", idle, "cycle",
             "every one of them waits: for its own last instruction, for a transfer, or stopped")};
    if (rest != 0) parts.push_back(leaf("start and end", rest, "cycle", "before the first and after the last issue"));
    return sumOf(name, run.cycles.value, "cycle", parts,
                 run.units == 1
                     ? fmt::format("one {}", run.unit)
                     : fmt::format("one {}, which stands for all: their programs take equally long", run.unit));
  }
  return leaf(name, run.cycles.value, "cycle",
              fmt::format("the slowest of {} {}s, {} of which were run, each on its own data", run.units, run.unit,
                          run.unitsSimulated));
}

CountNodes explainDpuCounts(const std::string &prefix, const ExplainedStage &stage, const DerivationPtr &dpus) {
  const DeviceRun &run = stage.record.run;
  const std::string each = stage.process->unit ? "per_unit" : "per_dpu", all = stage.process->unit ? "units" : "dpus";
  CountNodes out;
  for (const CountEntry &c : countEntries(*stage.process)) {
    const std::string name(c.name);
    const std::int64_t total = run.counts.at(name);
    const std::string about = std::string(c.about) + "; counted by the engine";
    if (isOneForAll(run)) {
      out.emplace_back(name, node(prefix + name, total, "", fmt::format("{} * {}", each, all), Arithmetic::kInteger,
                                  {{each, leaf(fmt::format("{} per {}", name, run.unit), total / run.units, "", about)},
                                   {all, dpus}}));
    } else {
      out.emplace_back(name, leaf(prefix + name, total, "", fmt::format("{}, all {}s together", about, run.unit)));
    }
  }
  return out;
}

ActionNodes dpuActionNodes(const std::string &prefix, const ExplainedStage &stage, const CountNodes &counts) {
  std::array<std::vector<DerivationPtr>, energy::kActions> parts;
  const std::vector<CountEntry> table = countEntries(*stage.process);
  for (std::size_t i = 0; i < table.size(); ++i)
    for (const energy::Action a : table[i].actions)
      if (counts[i].second->integer() != 0) parts[static_cast<std::size_t>(a)].push_back(counts[i].second);
  const std::int64_t ranks = stage.record.work.ranks, cycles = stage.record.run.cycles.value;
  if (ranks > 0)
    parts[static_cast<std::size_t>(energy::Action::kRankCycles)].push_back(
        node("ranks at work", multiplySaturated(ranks, cycles), "", "ranks * cycles", Arithmetic::kInteger,
             {{"ranks", leaf("ranks", ranks, "", fmt::format("that have a {} at work", stage.record.run.unit))},
              {"cycles", leaf("cycles", cycles, "cycle", "of the launch")}}));
  return sumActions(prefix, parts);
}

}  // namespace pimento::evaluate
