#include "pimento/emit/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"
#include "pimento/emit/program_view.h"
#include "pimento/emit/sharing.h"

namespace pimento::emit {

namespace {

constexpr std::size_t kIndent = 2;

std::string sizesText(const evaluate::Report &r) {
  std::string text;
  for (const auto &[name, extent] : r.sizes) text += fmt::format(" {}={}", name, extent);
  return text;
}

std::string rangeText(const energy::EnergyReport &e) {
  return fmt::format("{} to {}", energyText(e.low), energyText(e.high));
}

/// How the cycles were found.
std::string exactText(const evaluate::Report &r) {
  if (r.exact == evaluate::Exactness::kSampled) return "estimated from samples";
  if (r.exact == evaluate::Exactness::kExtrapolated)
    return fmt::format("extrapolated from {} cycles of two pieces, not exact", grouped(r.cyclesSimulated.value));
  const std::string simulated =
      fmt::format("{} of {} cycles ({})", grouped(r.cyclesSimulated.value), grouped(r.cycles.value),
                  percentText(static_cast<double>(r.cyclesSimulated.value), static_cast<double>(r.cycles.value)));
  return r.exact == evaluate::Exactness::kSimulated ? simulated
                                                    : simulated + "; the rest repeat these and were skipped";
}

/// Cycles as time on the clock that the whole report counts in.
std::string cyclesAsTime(const evaluate::Report &r, Cycles cycles) {
  const auto total = static_cast<double>(r.breakdown().total().value);
  return total > 0 ? timeText(static_cast<double>(cycles.value) * r.timeNs / total) : "-";
}

std::string checkedText(const evaluate::Report &r) {
  for (const evaluate::Stage &s : r.stages)
    if (!s.unchecked.empty()) return "no: " + s.unchecked;
  if (!r.isChecked) return "no; " + whyUnchecked(r);
  const std::string interpreter = r.isWithinRounding ? "as near to the exact result as rounding in any order allows"
                                                     : "bit for bit against the reference interpreter";
  return r.checkedText ? fmt::format("yes, {}; source: {}", interpreter, evaluate::checkedAgainst(r))
                       : "yes, " + interpreter;
}

/// What a search minimised, and what it proved. Of several kernels the weakest proof.
void addChoice(const evaluate::Report &r, Columns &t) {
  const evaluate::MappingChoice *least = nullptr;
  evaluate::MappingChoice all;
  for (const evaluate::Stage &s : r.stages) {
    if (!s.choice) continue;
    all.space += s.choice->space;
    all.estimated += s.choice->estimated;
    all.bounded += s.choice->bounded;
    all.isWholeSpace &= s.choice->isWholeSpace;
    all.isSampled |= s.choice->isSampled;
    if (least == nullptr || s.choice->gap > least->gap) least = &*s.choice;
  }
  if (least == nullptr) return;
  constexpr double kPercent = 100;
  const std::string better =
      least->objective == evaluate::Objective::kEnergy ? "takes {:.1f} % less" : "is {:.1f} % faster";
  const std::string proof =
      all.isSampled && least->gap == 0 ? "the best by sampled times"
      : least->gap == 0                ? "proved optimal"
                        : fmt::format("not proved optimal: {}no other {}", all.isSampled ? "by sampled times, " : "",
                                      fmt::format(fmt::runtime(better + " or more"), kPercent * least->gap));
  t.row({"chosen", fmt::format("for the least {}; {}", description(least->objective), proof)});
  t.row({"", fmt::format("among {}{} legal mappings: {} estimated, {} ruled out by bounds",
                         all.isWholeSpace ? "" : "the first ", grouped(all.space), grouped(all.estimated),
                         grouped(all.bounded))});
}

/// Names of layers come from users' files and may be of any length.
std::string shortName(const std::string &name) {
  constexpr std::size_t kLongest = 24;
  return name.size() <= kLongest ? name : name.substr(0, kLongest - 3) + "...";
}

/// How far the results of a converted kernel lie from the original's.
std::string errorTable(const evaluate::Conversion &c) {
  Columns t("ll", kIndent);
  t.row({"converted", c.rules});
  for (const auto &[tensor, scale] : c.scales) t.row({"", fmt::format("{}: 1 stands for {:.6g}", tensor, scale)});
  if (c.errors.empty()) {
    t.row({"error", "not computed: " + c.whyNot});
    return t.str();
  }
  const evaluate::NumericError e = c.overall();
  const auto at = [](const std::string &where) { return where.empty() ? std::string() : " at " + where; };
  if (e.lost < e.elements) {
    t.row({"largest error", fmt::format("{:.6g}{}, of results up to {:.6g}", e.largest, at(e.where), e.magnitude)});
    t.row({"relative", fmt::format("{:.6g}{}", e.largestRelative, at(e.relativeWhere))});
    t.row({"mean", fmt::format("{:.6g} of {} elements", e.mean, grouped(e.elements))});
  }
  if (e.lost > 0)
    t.row({"lost",
           fmt::format("{} elements are finite on one side only, the first{}", grouped(e.lost), at(e.lostWhere))});
  if (c.errors.size() < 2) return t.str();
  Columns byTensor("lrrrr", kIndent);
  byTensor.row({"error in", "largest", "relative", "mean", "lost"});
  byTensor.rule();
  for (const evaluate::NumericError &x : c.errors)
    byTensor.row({shortName(x.tensor), fmt::format("{:.6g}", x.largest), fmt::format("{:.6g}", x.largestRelative),
                  fmt::format("{:.6g}", x.mean), grouped(x.lost)});
  return t.str() + "\n" + byTensor.str();
}

std::string headTable(const evaluate::Report &r) {
  Columns t("ll", kIndent);
  if (r.hasKernel) {
    t.row({"mapping", r.mapping});
    addChoice(r, t);
    t.row({"checked", checkedText(r)});
    if (r.stages.size() == 1 && !r.stages.front().where.empty()) {
      t.row({"place", r.stages.front().where});
      t.row({"", r.stages.front().whereWhy});
    }
  }
  if (r.outcome.fault) t.row({"fault", r.outcome.fault->message + "; the numbers below end at the fault"});
  t.row({"cycles", grouped(r.cycles.value) + " on the device"});
  if (const auto issued = r.counts.find("instructions");
      r.outcome.profile && issued != r.counts.end() && r.cycles.value > 0)
    t.row({"instructions", fmt::format("{}, {:.3f} per cycle", grouped(issued->second),
                                       static_cast<double>(issued->second) / static_cast<double>(r.cycles.value))});
  t.row(
      {"time", fmt::format("{} ({} cycles, host included)", timeText(r.timeNs), grouped(r.breakdown().total().value))});
  const auto energy = [](const energy::EnergyReport &e) {
    const bool isPoint = e.low.value == e.high.value;  // sources that give no range
    return energyText(e.total) + (isPoint ? "" : fmt::format(" (range {})", rangeText(e)));
  };
  t.row({"energy", energy(r.energy) + ", host included"});
  t.row({"", energy(r.kernelEnergy) + " for the device kernel alone"});
  if (r.setup.value > 0)
    t.row({"before", fmt::format("{} and {} to place constants once, not included in the totals",
                                 cyclesAsTime(r, r.setup), energyText(r.setupEnergy.total))});
  t.row({"simulated", exactText(r)});
  if (r.interval)
    t.row({"interval", fmt::format("{} to {} cycles at {:g} %", grouped(r.interval->low.value),
                                   grouped(r.interval->high.value), 100 * r.interval->level)});
  const std::string units(r.unit.plural);
  if (r.unitsIdentical > r.unitsSimulated)
    t.row({units, r.unitsSimulated == 1
                      ? fmt::format("1 simulated {}, representing {} identical ones", r.unit.singular, r.unitsIdentical)
                      : fmt::format("{} simulated {}, representing {} identical ones", r.unitsSimulated, units,
                                    r.unitsIdentical)});
  else if (r.unitsSimulated > 1)
    t.row({units, fmt::format("{} simulated, each on its own data", r.unitsSimulated)});
  return t.str();
}

/// Phases of programs, which have names of their own, stand below the part that they count to.
std::string breakdownTable(const evaluate::Breakdown &b, const std::vector<evaluate::StageGroup> &groups) {
  std::vector<evaluate::Phase> named;
  for (const evaluate::StageGroup &g : groups)
    for (const evaluate::Phase &p : g.all.phases)
      if (p.commands > 0 || p.name != evaluate::infoOf(p.part).title) evaluate::addPhases(named, {p});
  Columns t("lrr", kIndent);
  const Cycles total = b.total();
  const auto row = [&](std::string_view name, Cycles part) {
    t.row({std::string(name), grouped(part.value),
           percentText(static_cast<double>(part.value), static_cast<double>(total.value))});
  };
  t.row({"where time goes", "cycles", "share"});
  t.rule();
  for (const evaluate::PartInfo &p : evaluate::kRunOrder)
    if (!p.isOptional || b[p.part].value > 0) {
      row(p.title, b[p.part]);
      for (const evaluate::Phase &phase : named)
        if (phase.part == p.part)
          row(phase.commands == 0
                  ? "  " + phase.name
                  : fmt::format("  {}: {} commands", phase.part == evaluate::Part::kCompute ? "compute" : phase.name,
                                grouped(phase.commands)),
              phase.counted);
    }
  t.rule();
  row("total", total);
  return t.str();
}

std::string energyTable(const energy::EnergyReport &e) {
  Columns t("lrrrr", kIndent);
  t.row({"where energy goes", "dynamic", "background", "total", "share"});
  t.rule();
  const auto row = [&](const std::string &name, const energy::ComponentEnergy &c) {
    t.row({name, energyText(c.dynamic), energyText(c.background), energyText(c.total()),
           percentText(c.total().value, e.total.value)});
  };
  for (const auto &[name, component] : e.components) row(name, component);
  t.rule();
  row("total", {e.dynamic, e.background});
  Columns notes("ll", kIndent);
  if (e.low.value != e.high.value)
    notes.row({"range", rangeText(e) + ": all constants at the low or high end of their sources"});
  notes.row({"note", "modelled, not validated"});
  if (!e.covers.empty()) notes.row({"covers", e.covers});
  return t.str() + notes.str();
}

std::string countsTable(const evaluate::Report &r) {
  Columns t("lr", kIndent);
  t.row({"counts", ""});
  t.rule();
  for (const auto &[name, n] : r.counts)
    if (n != 0) t.row({name, grouped(n)});
  return t.str();
}

/// One row per kernel, what it would take on either side, and why kernels stay on the host: reasons by number.
std::string stagesTable(const evaluate::Report &r) {
  Columns t("llrrrl", kIndent);
  t.row({"kernel", "runs on", "on the device", "on the host", "energy", "mapping, or why on the host"});
  t.rule();
  Columns reasons("ll", kIndent);
  std::vector<std::string> known;
  Cycles hostAlone;
  std::int64_t onDevice = 0;
  const std::vector<evaluate::StageGroup> groups = r.byKernel();
  for (const evaluate::StageGroup &g : groups) {
    const evaluate::Stage &s = g.all;
    hostAlone += s.hostCycles;
    onDevice += s.isOnHost ? 0 : 1;
    std::string note = s.where.empty() ? s.mapping : s.where + ": " + s.whereWhy;
    if (s.isOnHost) {
      auto reason = std::find(known.begin(), known.end(), s.why);
      if (reason == known.end()) {
        reason = known.insert(known.end(), s.why);
        reasons.row({fmt::format("[{}]", known.size()), s.why});
      }
      note = fmt::format("[{}]", reason - known.begin() + 1);
    }
    const std::string runs = s.runs > 1 ? fmt::format(", {} runs", grouped(s.runs)) : "";
    t.row({shortName(s.kernel) + runs, s.isOnHost ? "host" : r.target,
           s.offloadedCycles ? cyclesAsTime(r, *s.offloadedCycles) : "-", cyclesAsTime(r, s.hostCycles),
           energyText(s.energy), note});
  }
  Columns totals("ll", kIndent);
  totals.row({"on the device", fmt::format("{} of {} kernels", onDevice, groups.size())});
  totals.row({"together", timeText(r.timeNs)});
  totals.row({"host alone", fmt::format("{} (roofline: peak arithmetic, or device memory as plain memory)",
                                        cyclesAsTime(r, hostAlone))});
  return t.str() + (known.empty() ? "" : reasons.str()) + "\n" + totals.str();
}

std::string warningsText(const std::vector<std::string> &warnings, const std::vector<std::string> &notes = {}) {
  if (warnings.empty() && notes.empty()) return {};
  Columns t("ll");
  for (const std::string &w : warnings) t.row({"warning:", w});
  for (const std::string &n : notes) t.row({"note:", n});
  return "\n" + t.str();
}

}  // namespace

std::string toTable(const evaluate::Report &r, bool hasProfile) {
  std::string out;
  const std::string type = r.dtype.empty() ? "" : r.dtype + ", ";
  for (const std::string &line : wrapped(fmt::format("{}{}, {}on {}", r.kernel, sizesText(r), type, r.target), kWidth))
    out += line + '\n';
  out += headTable(r) + "\n";
  if (r.conversion) out += errorTable(*r.conversion) + "\n";
  out += breakdownTable(r.breakdown(), r.byKernel()) + "\n" + energyTable(r.energy);
  if (!r.counts.empty()) out += "\n" + countsTable(r);
  if (r.stages.size() > 1) out += "\n" + stagesTable(r);
  if (hasProfile && r.outcome.profile) out += "\n" + profileTable(*r.outcome.profile);
  if (const std::string left = readoutsText(r); !left.empty()) out += "\n" + left;
  return out + warningsText(r.warnings, r.notes);
}

std::string toTable(const std::vector<ComparisonRow> &rows) {
  const bool isHeld = std::ranges::any_of(rows, [](const ComparisonRow &r) { return r.speedup > 0; });
  Columns t(isHeld ? "llrrrrrll" : "llrrrll");
  // Times and energies of another row by this one's, where one was named.
  const auto with = [&](std::vector<std::string> cells, std::string speedup, std::string efficiency) {
    if (isHeld) cells.insert(cells.begin() + 5, {std::move(speedup), std::move(efficiency)});
    t.row(cells);
  };
  with({"target", "dtype", "cycles", "time", "energy", "checked", "error"}, "speedup", "efficiency");
  t.rule();
  Columns mappings("ll");
  for (const ComparisonRow &row : rows) {
    if (!row.report) {
      with({row.target, "-", "-", "-", "-", "-", row.diagnostics.front().message}, "-", "-");
      continue;
    }
    const evaluate::Report &r = *row.report;
    with({row.target, r.dtype, grouped(r.cycles.value), timeText(r.timeNs), energyText(r.energy.total),
          r.isChecked ? "yes" : "no", ""},
         fmt::format("{:.2f}", row.speedup), fmt::format("{:.2f}", row.efficiency));
    mappings.row({row.target, r.mapping});
  }
  std::string out = t.str();
  const std::string used = mappings.str();
  if (!used.empty()) out += "\nmappings\n" + used;
  return out +
         "\ncycles: the device's own clock, host excluded\ntime, energy: host included; energy is modelled, not "
         "validated\n";
}

std::string toTable(const SuiteResult &result) {
  Columns t("lrrrrrl");
  t.row({"kernel", "rows", "exact", "mean", "worst", "within 15 %", "worst row"});
  t.rule();
  const auto percent = [](double p) { return fmt::format("{:.3f} %", p); };
  for (const KernelErrors &k : result.kernels)
    t.row({k.kernel, grouped(k.rows), grouped(k.exact), percent(k.meanAbsErrorPct()), percent(k.worstAbsErrorPct),
           fmt::format("{:.1f} %", k.within15Pct()), k.exact == k.rows ? "" : k.worstRow});
  std::string ways;
  if (!result.engine.empty()) {
    Columns how("lrl");
    how.row({"kernel", "seconds", "rows"});
    how.rule();
    for (const KernelErrors &k : result.kernels) {
      std::vector<std::string> parts;
      for (const auto &[way, rows] : k.ways) parts.push_back(fmt::format("{} {}", grouped(rows), way));
      how.row({k.kernel, fmt::format("{:.3f}", k.seconds), fmt::format("{}", fmt::join(parts, ", "))});
    }
    ways = fmt::format("\nengine {}\n\n", result.engine) + how.str();
  }
  return fmt::format("suite {}: {} points, absolute errors\n\n", result.suite, grouped(result.points)) + t.str() +
         ways + sharingText(result.sharing.get()) + warningsText(result.warnings);
}

}  // namespace pimento::emit
