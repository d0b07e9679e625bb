#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/base/text.h"
#include "pimento/evaluate/explainer.h"

namespace pimento::evaluate {

namespace {

using Arithmetic = Derivation::Arithmetic;

/// Do the counts of the report divide into those of one unit?
bool isOneForAll(const DeviceRun &run) {
  return run.unitsSimulated == 1 && !run.interval;
}

/// "per_dpu" of "dpus".
std::string perUnit(const SimulatedUnit &unit) {
  return "per_" + lowerCase(unit.singular);
}

}  // namespace

DerivationPtr explainIssues(const std::string &name, const DeviceRun &run, const SimulatedUnit &unit) {
  if (run.interval)
    return leaf(
        name, run.cycles.value, "cycle",
        fmt::format("sampled: extrapolated from runs of {} cycles on data drawn the same way; {} to {} with {} % "
                    "confidence",
                    run.cyclesSimulated.value, run.interval->low.value, run.interval->high.value,
                    100 * run.interval->level));
  if (!isOneForAll(run))
    return leaf(name, run.cycles.value, "cycle",
                fmt::format("the slowest of {} {}; {} were run, each on its own data", run.units, unit.plural,
                            run.unitsSimulated));
  const std::int64_t issued = run.counts.at("instructions") / run.units,
                     idle = run.counts.at("idle_cycles") / run.units;
  const std::int64_t rest = run.cycles.value - issued - idle;
  std::vector<DerivationPtr> parts = {
      leaf("issuing", issued, "cycle", "cycles in which one tasklet or thread issues"),
      leaf("idle", idle, "cycle",
           "cycles in which all wait: for their own last instruction, for a transfer, or because they stopped")};
  if (rest != 0) parts.push_back(leaf("start and end", rest, "cycle", "before the first and after the last issue"));
  return sumOf(name, run.cycles.value, "cycle", parts,
               run.units == 1
                   ? fmt::format("one {}", unit.singular)
                   : fmt::format("one {}, representing all: their programs take equally long", unit.singular));
}

DerivationPtr unitsOf(const ExplainedStage &stage, const SimulatedUnit &unit, MachineNumbers &numbers) {
  const std::int64_t n = stage.record.run.units;
  const std::string name(unit.plural), path(unit.count);
  if (!path.empty()) {
    if (numbers.has(path) && numbers.number(path)->real() == static_cast<double>(n)) return numbers.number(path);
    return leaf(name, n, "", fmt::format("identical {} that run the program", name));
  }
  if (stage.placed == nullptr) return leaf(name, n, "", name + " that run the program");
  Parts parts;
  std::string formula;
  const auto &levels = numbers.machine().levels;
  for (std::size_t l = 0; l < levels.size() && levels[l].role <= machine::LevelRole::kUnit; ++l) {
    std::int64_t factor = 1;
    for (const std::int64_t f : stage.placed->mapping.subspaces[0].factors[l]) factor *= f;
    formula += (l == 0 ? "" : " * ") + levels[l].name;
    parts.push_back({levels[l].name, leaf(levels[l].name, factor, "", "mapping's factor")});
  }
  return node(name, n, "", formula, Arithmetic::kInteger, std::move(parts));
}

CountNodes explainCounts(const std::string &prefix, const ExplainedStage &stage, const Target &target,
                         MachineNumbers &numbers) {
  const DeviceRun &run = stage.record.run;
  const SimulatedUnit unit = target.unit();
  const DerivationPtr units = unitsOf(stage, unit, numbers);
  const std::string each = perUnit(unit), all(unit.key);
  CountNodes out;
  for (std::size_t i = 0; i < target.counts().rows.size(); ++i) {
    const CountRow &row = target.counts().rows[i];
    const std::string name(row.name), about(row.about);
    const auto counted = run.counts.find(name);  // a machine may have no such thing
    const std::int64_t total = counted == run.counts.end() ? 0 : counted->second;
    if (!isOneForAll(run)) {
      out.emplace_back(name, leaf(prefix + name, total, "", fmt::format("{}, all {} together", about, unit.plural)));
      continue;
    }
    const std::string label = fmt::format("{} per {}", name, unit.singular);
    const std::int64_t one = total / run.units;
    DerivationPtr ofOne = stage.program->explainCount(i, label, one, numbers);
    if (ofOne == nullptr) ofOne = leaf(label, one, "", about);
    out.emplace_back(name, node(prefix + name, total, "", fmt::format("{} * {}", each, all), Arithmetic::kInteger,
                                {{each, ofOne}, {all, units}}));
  }
  return out;
}

namespace {

using ActionParts = std::map<std::string_view, std::vector<DerivationPtr>>;

/// Puts the parts of each action together, under "PREFIXactionSUFFIX".
ActionNodes sumActions(const std::string &prefix, const ActionParts &parts, std::string_view suffix) {
  ActionNodes out;
  for (const auto &[action, nodes] : parts) {
    std::int64_t sum = 0;
    for (const DerivationPtr &p : nodes) sum = addSaturated(sum, p->integer());
    out[action] = sumOf(fmt::format("{}{}{}", prefix, action, suffix), sum, "", nodes);
  }
  return out;
}

/// What a count means for one action.
DerivationPtr shareNode(const CountRow &row, const ActionShare &share, const DerivationPtr &count,
                        std::string_view symbol, MachineNumbers &numbers) {
  if (symbol.empty()) return count;
  Parts operands = {{std::string(symbol), count}};
  std::string formula(symbol);
  if (share.times != 1) formula += fmt::format(" * {}", share.times);
  for (const std::string_view path : share.factors) {
    if (!numbers.has(std::string(path))) continue;
    const std::string name(path.substr(path.rfind('.') + 1));
    formula += " * " + name;
    operands.push_back({name, numbers.number(std::string(path))});
  }
  return node(fmt::format("of {}", row.name),
              multiplySaturated(count->integer(), multiplierOf(share, numbers.machine())), "", formula,
              Arithmetic::kInteger, std::move(operands));
}

}  // namespace

ActionNodes deviceActionNodes(const std::string &prefix, const ExplainedStage &stage, const Target &target,
                              const CountNodes &counts, MachineNumbers &numbers) {
  const CountTable &table = target.counts();
  ActionParts parts;
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (const ActionShare &share : table.rows[i].actions)
      if (counts[i].second->integer() != 0)
        parts[share.action].push_back(shareNode(table.rows[i], share, counts[i].second, table.symbol, numbers));
  const std::int64_t ranks = stage.record.work.ranks, cycles = stage.record.run.cycles.value;
  if (ranks > 0)
    parts[kRankCycles].push_back(
        node("active ranks", multiplySaturated(ranks, cycles), "", "ranks * cycles", Arithmetic::kInteger,
             {{"ranks", leaf("ranks", ranks, "", fmt::format("that have an active {}", target.unit().singular))},
              {"cycles", leaf("cycles", cycles, "cycle", "of the launch")}}));
  return sumActions(prefix, parts, " of the device");
}

ActionNodes hostActionNodes(const std::string &prefix, const HostWork &work, const Breakdown &breakdown,
                            std::int64_t operations, MachineNumbers &numbers) {
  ActionNodes out;
  const auto nameOf = [&](std::string_view a) { return fmt::format("{}{} of the host", prefix, a); };
  for (const ActionTerm &t : hostActionTerms(numbers.machine(), work, breakdown))
    if (t.term.value != 0) out[t.action] = numbers.term(nameOf(t.action), "", t.term, Arithmetic::kInteger, "none");
  if (operations != 0)
    out[kHostOperations] = leaf(nameOf(kHostOperations), operations, "", "scalar operations of the kernel");
  return out;
}

ActionNodes addActions(const std::string &prefix, const std::vector<ActionNodes> &parts) {
  ActionParts all;
  for (const ActionNodes &p : parts)
    for (const auto &[action, d] : p) all[action].push_back(d);
  return sumActions(prefix, all, "");
}

}  // namespace pimento::evaluate
