#include "pimento/emit/json.h"

#include <nlohmann/json.hpp>

#include "pimento/emit/format.h"
#include "pimento/emit/program_view.h"
#include "pimento/emit/sharing.h"

namespace pimento::emit {

using Json = nlohmann::ordered_json;

namespace {

std::string print(const Json &json) {
  // Names come from users' files and need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json breakdownOf(const evaluate::Breakdown &b) {
  Json parts = Json::object();
  for (const evaluate::PartInfo &p : evaluate::kParts) parts[std::string(p.key)] = b[p.part].value;
  return parts;
}

Json phasesOf(const std::vector<evaluate::StageGroup> &groups) {
  Json out = Json::array();
  for (const evaluate::Phase &p : evaluate::phases(groups)) {
    out.push_back({{"name", p.name},
                   {"ns", p.time.value / 1000.0},
                   {"cycles", p.cycles.value},
                   {"clock", p.clock},
                   {"breakdown", evaluate::infoOf(p.part).key}});
    if (p.commands > 0) out.back()["commands"] = p.commands;
  }
  return out;
}

Json energyTermsOf(const energy::EnergyReport &energy) {
  Json terms = Json::object();
  for (const energy::EnergyRow &r : energy.rows)
    terms[r.term] = {{"component", r.component},
                     {"kind", r.isBackground ? "background" : "dynamic"},
                     {"pj", r.energy.value},
                     {"low", r.low.value},
                     {"high", r.high.value},
                     {"formula", r.formula},
                     {"count", r.count},
                     {"unit_cost", r.unitCost},
                     {"unit", r.unit},
                     {"source", r.source},
                     {"confidence", machine::name(r.confidence)}};
  return terms;
}

Json energyComponentsOf(const energy::EnergyReport &energy) {
  Json components = Json::object();
  for (const auto &[name, c] : energy.components)
    components[name] = {{"pj", c.total().value}, {"dynamic", c.dynamic.value}, {"background", c.background.value}};
  return components;
}

Json intervalOf(const std::optional<evaluate::Interval> &interval) {
  if (!interval) return nullptr;
  return {{"level", interval->level}, {"cycles", {interval->low.value, interval->high.value}}};
}

Json choiceOf(const std::optional<evaluate::MappingChoice> &choice) {
  if (!choice) return nullptr;
  return {{"objective", name(choice->objective)},
          {"space", choice->space},
          {"whole_space", choice->isWholeSpace},
          {"estimated", choice->estimated},
          {"bounded", choice->bounded},
          {"open", choice->open},
          {"gap", choice->gap},
          {"sampled", choice->isSampled},
          {"optimal", choice->isOptimal()}};
}

/// What searches for mappings minimised; null: none took place.
Json objectiveOf(const evaluate::Report &report) {
  for (const evaluate::Stage &s : report.stages)
    if (s.choice) return name(s.choice->objective);
  return nullptr;
}

Json stagesOf(const evaluate::Report &report, const std::vector<evaluate::StageGroup> &groups) {
  Json out = Json::array();
  const double nsPerCycle = report.nsPerCycle();
  const auto nsOf = [&](Cycles cycles) { return static_cast<double>(cycles.value) * nsPerCycle; };
  for (const evaluate::StageGroup &g : groups) {
    const evaluate::Stage &s = g.all;
    out.push_back({{"kernel", s.kernel},
                   {"where", s.isOnHost ? "host" : "pim"},
                   {"why", s.why},
                   {"mapping", s.mapping},
                   {"mapping_why", s.mappingWhy},
                   {"choice", choiceOf(s.choice)},
                   {"cycles", s.cycles.value},
                   {"total_cycles", s.breakdown().total().value},
                   {"time_ns", nsOf(s.breakdown().total())},
                   {"host_cycles", s.hostCycles.value},
                   {"host_time_ns", nsOf(s.hostCycles)},
                   {"offloaded_cycles", s.offloadedCycles ? Json(s.offloadedCycles->value) : Json(nullptr)},
                   {"offloaded_time_ns", s.offloadedCycles ? Json(nsOf(*s.offloadedCycles)) : Json(nullptr)},
                   {"energy_pj", s.energy.value},
                   {"breakdown", breakdownOf(s.breakdown())},
                   {"operations", s.operations},
                   {"bytes", s.bytes.value}});
    if (s.runs != 1) out.back()["runs"] = s.runs;
    if (!s.where.empty()) out.back()["place"] = s.where;
    if (!s.whereWhy.empty()) out.back()["place_why"] = s.whereWhy;
  }
  return out;
}

Json profileOf(const evaluate::Attribution &p) {
  Json columns = Json::array(), functions = Json::array(), lines = Json::array();
  for (const evaluate::AttributionColumn &c : p.columns)
    columns.push_back({{"key", c.key},
                       {"title", c.title},
                       {"unit", c.unit},
                       {"shows_amount", c.showsAmount},
                       {"shows_share", c.showsShare}});
  const auto amounts = [&](Json row, const evaluate::AttributionRow &r) {
    for (std::size_t c = 0; c < p.columns.size(); ++c) row[std::string(p.columns[c].key)] = r.amounts[c];
    return row;
  };
  for (const evaluate::AttributionRow &r : p.functions) functions.push_back(amounts({{"function", r.function}}, r));
  for (const evaluate::AttributionRow &r : p.lines)
    lines.push_back(amounts({{"file", r.file}, {"line", r.line}, {"function", r.function}, {"text", r.text}}, r));
  return {{"columns", columns}, {"about", p.about}, {"functions", functions}, {"lines", lines}};
}

Json readoutsOf(const evaluate::Report &report) {
  Json out = Json::array();
  for (const evaluate::Readout &r : report.outcome.readouts) {
    Json values = Json::array();
    for (const std::string &v : valuesOf(r)) {
      // JSON has no infinities and no NaN.
      const Json number = Json::parse(v, nullptr, false);
      values.push_back(number.is_discarded() ? Json(v) : number);
    }
    out.push_back({{"place", r.place}, {"type", pimento::name(r.type)}, {"values", values}});
  }
  return out;
}

/// Keys of machine-code programs alone.
void addProgram(Json &j, const evaluate::Report &r) {
  const evaluate::ProgramOutcome &o = r.outcome;
  if (!o.profile) return;
  j["profile"] = profileOf(*o.profile);
  j["log"] = o.log;
  j["outputs"] = readoutsOf(r);
  j["fault"] = o.fault ? Json{{"code", o.fault->code}, {"where", o.fault->where.str()}, {"message", o.fault->message}}
                       : Json(nullptr);
}

Json errorOf(const evaluate::NumericError &e) {
  const auto place = [](const std::string &where) { return where.empty() ? Json(nullptr) : Json(where); };
  Json j = Json::object();
  if (!e.tensor.empty()) j["tensor"] = e.tensor;
  j["elements"] = e.elements;
  j["largest"] = e.largest;
  j["where"] = place(e.where);
  j["largest_relative"] = e.largestRelative;
  j["where_relative"] = place(e.relativeWhere);
  j["mean"] = e.mean;
  j["magnitude"] = e.magnitude;
  j["lost"] = e.lost;
  j["where_lost"] = place(e.lostWhere);
  return j;
}

Json conversionOf(const evaluate::Conversion &c) {
  Json j = {{"rules", c.rules}, {"scales", Json::object()}, {"error", nullptr}, {"tensors", Json::array()}};
  for (const auto &[tensor, scale] : c.scales) j["scales"][tensor] = scale;
  if (!c.errors.empty()) j["error"] = errorOf(c.overall());
  for (const evaluate::NumericError &e : c.errors) j["tensors"].push_back(errorOf(e));
  j["why_no_error"] = c.errors.empty() ? Json(c.whyNot) : Json(nullptr);
  return j;
}

Json diagnosticsOf(const Diagnostics &diagnostics) {
  static constexpr const char *kSeverities[] = {"error", "warning", "note"};
  Json out = Json::array();
  for (const Diagnostic &d : diagnostics)
    out.push_back({{"severity", kSeverities[static_cast<int>(d.severity)]},
                   {"kind", name(d.kind)},
                   {"code", d.code},
                   {"file", d.where.file},
                   {"line", d.where.line},
                   {"column", d.where.column},
                   {"message", d.message},
                   {"hint", d.hint},
                   {"text", d.str()}});
  return out;
}

Json triedOf(const std::vector<evaluate::TriedProgram> &tried) {
  Json out = Json::array();
  for (const evaluate::TriedProgram &t : tried) {
    Json spent = Json::object();
    for (const auto &[name, cycles] : t.spent) spent[name] = cycles.value;
    out.push_back({{"mappings", t.mappings}, {"total_cycles", t.cycles.value}, {"spent", std::move(spent)}});
  }
  return out;
}

Json objectOf(const evaluate::Report &r, const RunText *run) {
  Json j;
  j["kernel"] = r.kernel;
  j["sizes"] = Json::object();
  const std::vector<evaluate::StageGroup> groups = r.byKernel();
  for (const auto &[name, extent] : r.sizes) j["sizes"][name] = extent;
  j["dtype"] = r.dtype;
  j["target"] = r.target;
  j["mapping"] = r.mapping;
  j["objective"] = objectiveOf(r);
  j["cycles"] = r.cycles.value;
  j["total_cycles"] = r.breakdown().total().value;
  j["cycles_simulated"] = r.cyclesSimulated.value;
  j["time_ns"] = r.timeNs;
  j["energy_pj"] = r.energy.total.value;
  j["energy_kernel_pj"] = r.kernelEnergy.total.value;
  j["exact"] = name(r.exact);
  j["interval"] = intervalOf(r.interval);
  j["breakdown"] = breakdownOf(r.breakdown());
  j["phases"] = phasesOf(groups);
  j["setup_cycles"] = r.setup.value;
  j["setup_energy_pj"] = r.setupEnergy.total.value;
  j["energy_breakdown"] = energyTermsOf(r.energy);
  j["energy_components"] = energyComponentsOf(r.energy);
  j["energy_dynamic_pj"] = r.energy.dynamic.value;
  j["energy_background_pj"] = r.energy.background.value;
  j["energy_range_pj"] = {r.energy.low.value, r.energy.high.value};
  j["energy_kernel_range_pj"] = {r.kernelEnergy.low.value, r.kernelEnergy.high.value};
  j["energy_note"] = "modelled, not validated";
  j["energy_covers"] = r.energy.covers;
  j["counts"] = Json::object();
  for (const auto &[name, count] : r.counts) j["counts"][name] = count;
  if (!r.traffic.empty()) j["traffic"] = r.traffic;
  j["checked"] = r.isChecked;
  j["checked_against"] = r.isChecked ? Json(evaluate::checkedAgainst(r)) : Json(nullptr);
  j["why_unchecked"] = r.isChecked ? Json(nullptr) : Json(whyUnchecked(r));
  if (r.conversion) j["conversion"] = conversionOf(*r.conversion);
  j[r.unit.simulatedKey()] = r.unitsSimulated;
  j[r.unit.identicalKey()] = r.unitsIdentical;
  j["unit"] = {{"singular", r.unit.singular}, {"plural", r.unit.plural}, {"key", r.unit.key}};
  j["stages"] = stagesOf(r, groups);
  j["wall_us"] = r.wallUs;
  j["compile_us"] = r.compileUs;
  addProgram(j, r);
  if (!r.tried.empty()) j["tried"] = triedOf(r.tried);
  j["warnings"] = r.warnings;
  j["notes"] = r.notes;
  if (run != nullptr) j["run"] = toJson(*run);
  return j;
}

}  // namespace

std::string toJson(const evaluate::Report &report, const RunText *run) {
  return print(objectOf(report, run));
}

std::string toJson(const std::vector<ComparisonRow> &rows) {
  Json out = {{"rows", Json::array()}};
  for (const ComparisonRow &row : rows) {
    Json j = row.report ? objectOf(*row.report, row.run ? &*row.run : nullptr) : Json{{"target", row.target}};
    if (row.speedup > 0) {
      j["speedup"] = row.speedup;
      j["efficiency"] = row.efficiency;
    }
    j["error"] = row.diagnostics.empty() ? Json(nullptr) : Json(row.diagnostics.front().message);
    if (!row.diagnostics.empty()) j["diagnostics"] = diagnosticsOf(row.diagnostics);
    out["rows"].push_back(std::move(j));
  }
  return print(out);
}

std::string toJson(const SuiteResult &result) {
  Json j = {{"suite", result.suite}, {"points", result.points}, {"kernels", Json::object()}};
  if (!result.engine.empty()) j["engine"] = result.engine;
  for (const KernelErrors &k : result.kernels) {
    Json &row = j["kernels"][k.kernel];
    row = {{"rows", k.rows},
           {"exact", k.exact},
           {"mean_abs_error_pct", k.meanAbsErrorPct()},
           {"worst_abs_error_pct", k.worstAbsErrorPct},
           {"within_15_pct", k.within15Pct()},
           {"worst_row", k.worstRow}};
    if (!result.engine.empty()) {
      row["ways"] = k.ways;
      row["seconds"] = k.seconds;
    }
    if (result.comparesCounts) {
      row["within_5_pct"] = k.within5Pct();
      row["same_counts"] = k.sameCounts;
    }
    if (!result.comparesPrograms) continue;
    row["speedup_ours"] = nullptr;  // without a compiler
    if (k.compared > 0) row["speedup_ours"] = {{"min", k.leastSpeedup}, {"geomean", k.meanSpeedup()}};
  }
  if (result.sharing) j["ranks"] = sharingJson(*result.sharing);
  j["warnings"] = result.warnings;
  return print(j);
}

std::string toJson(const Diagnostics &diagnostics) {
  return diagnosticsOf(diagnostics).dump() + "\n";
}

}  // namespace pimento::emit
