// estimate, simulate, compare and validate: from JSON to what is shown.
#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/emit/html/results.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit::html {

namespace {

EnergyTerm readTerm(const std::string &name, const Node &node) {
  EnergyTerm t;
  t.name = name;
  t.component = node.at("component").text();
  t.isBackground = node.textOr("kind", "") == "background";
  t.pj = node.at("pj").amount();
  t.low = node.amountOr("low", t.pj);
  t.high = node.amountOr("high", t.pj);
  t.formula = node.textOr("formula", "");
  t.count = node.at("count").amount();
  t.unitCost = node.at("unit_cost").amount();
  t.unit = node.at("unit").text();
  t.source = node.textOr("source", "");
  t.confidence = node.textOr("confidence", "");
  return t;
}

StageResult readStage(const Node &node) {
  StageResult s;
  s.kernel = node.at("kernel").text();
  s.where = node.at("where").text();
  s.why = node.textOr("why", "");
  s.mapping = node.textOr("mapping", "");
  s.cycles = node.at("cycles").amount();
  if (const auto parts = node.find("breakdown")) s.parts = readParts(*parts);
  if (s.parts.parts.empty())
    s.parts.parts = {
        {std::string(evaluate::infoOf(s.where == "host" ? evaluate::Part::kHost : evaluate::Part::kCompute).key),
         s.cycles}};
  s.totalCycles = node.amountOr("total_cycles", s.parts.total());
  s.timeNs = node.maybeAmount("time_ns");
  s.energyPj = node.maybeAmount("energy_pj");
  s.repeat = node.amountOr("repeat", 1);
  return s;
}

void readEnergy(const Node &node, ReportResult &r) {
  r.energyPj = node.at("energy_pj").amount();
  r.energyLow = r.energyHigh = r.energyPj;
  const auto range = [&](std::string_view key) -> std::optional<std::pair<double, double>> {
    const auto ends = node.find(key);
    if (!ends) return std::nullopt;
    const std::vector<Node> items = ends->items();
    if (ends->isList() && items.size() != 2) ends->refuse("does not have two ends", "write a range as [low, high]");
    if (items.size() != 2) return std::nullopt;
    return std::pair(items[0].amount(), items[1].amount());
  };
  if (const auto ends = range("energy_range_pj")) std::tie(r.energyLow, r.energyHigh) = *ends;
  if (const auto ends = range("energy_kernel_range_pj")) std::tie(r.energyKernelLow, r.energyKernelHigh) = *ends;
  r.energyKernelPj = node.maybeAmount("energy_kernel_pj");
  r.energyNote = node.textOr("energy_note", "modelled, not validated");
  r.energyCovers = node.textOr("energy_covers", "");
  r.setupEnergyPj = node.amountOr("setup_energy_pj", 0);
  if (const auto terms = node.find("energy_breakdown"))
    for (const auto &[name, term] : terms->members()) r.terms.push_back(readTerm(name, term));
  std::stable_sort(r.terms.begin(), r.terms.end(), [](const auto &a, const auto &b) { return a.pj > b.pj; });
  if (const auto components = node.find("energy_components"))
    for (const auto &[name, c] : components->members())
      r.components.push_back({name, c.at("pj").amount(), c.amountOr("dynamic", 0), c.amountOr("background", 0)});
}

void readInterval(const Node &node, ReportResult &r) {
  const auto interval = node.find("interval");
  if (!interval) return;
  r.intervalLevel = interval->at("level").amount();
  const std::vector<Node> ends = interval->at("cycles").items();
  if (ends.size() != 2) return interval->refuse("does not have two ends", "write a range as [low, high]");
  r.intervalLow = ends[0].amount();
  r.intervalHigh = ends[1].amount();
}

}  // namespace

double Parts::total() const {
  double sum = 0;
  for (const auto &[key, cycles] : parts) sum += cycles;
  return sum;
}

double Parts::of(std::string_view key) const {
  for (const auto &[name, cycles] : parts)
    if (name == key) return cycles;
  return 0;
}

Amounts readAmounts(const Node &node) {
  Amounts out;
  for (const auto &[key, value] : node.members()) out.emplace_back(key, value.amount());
  return out;
}

Parts readParts(const Node &node) {
  Amounts all = readAmounts(node);
  const auto rank = [](const std::string &key) {
    return std::ranges::find(evaluate::kRunOrder, key, &evaluate::PartInfo::key) - evaluate::kRunOrder.begin();
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto &a, const auto &b) { return rank(a.first) < rank(b.first); });
  return {std::move(all)};
}

std::optional<RankShares> readRanks(const Node &result) {
  const auto node = result.find("ranks");
  if (!node) return std::nullopt;
  RankShares s;
  for (const auto &[key, to] : {std::pair{"ranks", &s.ranks},
                                {"lost", &s.lost},
                                {"jobs", &s.jobs},
                                {"tasks", &s.tasks},
                                {"chunks", &s.chunks},
                                {"seconds", &s.seconds},
                                {"idle_share", &s.idleShare},
                                {"message_share", &s.messageShare}})
    *to = node->at(key).amount();
  for (const Node &share : node->at("busy_shares").items()) s.busy.push_back(share.amount());
  return s;
}

std::optional<Run> readRun(const Node &result) {
  const auto node = result.find("run");
  if (!node) return std::nullopt;
  return Run{node->at("verb").text(), node->textOr("data", ""), node->textsOr("command")};
}

namespace {

/// The columns that a profile says it has, or, of older results, the numbers of its rows under their keys.
std::vector<Profile::Column> readColumns(const Node &profile) {
  std::vector<Profile::Column> out;
  if (const auto columns = profile.find("columns")) {
    for (const Node &c : columns->items())
      out.push_back({c.at("key").text(), c.at("title").text(), c.textOr("unit", "") == "cycle",
                     c.at("shows_amount").truth(), c.at("shows_share").truth()});
  } else if (const auto rows = profile.find("functions"); rows && rows->isList() && rows->size() > 0) {
    for (const auto &[key, value] : rows->items().front().members())
      if (value.isNumber()) out.push_back({key, key, key.ends_with("_cycles"), true, true});
  }
  return out;
}

std::vector<Profile::Row> readRows(const Node &rows, const std::vector<Profile::Column> &columns) {
  std::vector<Profile::Row> out;
  for (const Node &row : rows.items()) {
    Profile::Row r{
        row.textOr("function", ""), row.textOr("file", ""), row.textOr("text", ""), row.amountOr("line", 0), {}};
    for (const Profile::Column &c : columns) r.amounts.push_back(row.at(c.key).amount());
    out.push_back(std::move(r));
  }
  return out;
}

Profile readProfile(const Node &node) {
  Profile p;
  p.columns = readColumns(node);
  if (const auto rows = node.find("functions")) p.functions = readRows(*rows, p.columns);
  if (const auto rows = node.find("lines")) p.lines = readRows(*rows, p.columns);
  p.about = node.textOr("about", "");
  for (const Profile::Row &row : p.functions)
    for (std::size_t c = 0; c < p.columns.size(); ++c) p.columns[c].total += row.amounts[c];
  return p;
}

/// `unit` names the keys; results without it have one key that ends like them beside the cycles'.
UnitResult readUnit(const Node &node) {
  constexpr std::string_view kEnd = "_simulated";
  UnitResult u;
  std::string key;
  if (const auto unit = node.find("unit")) {
    u.singular = unit->at("singular").text();
    u.plural = unit->at("plural").text();
    key = unit->at("key").text();
  } else {
    for (const auto &[name, value] : node.members())
      if (name.ends_with(kEnd) && name != "cycles_simulated") key = name.substr(0, name.size() - kEnd.size());
    u.plural = key;
    u.singular = key.substr(0, key.size() - (key.ends_with('s') ? 1 : 0));
  }
  u.simulated = node.amountOr(key + "_simulated", 1);
  u.identical = node.amountOr(key + "_identical", u.simulated);
  return u;
}

/// Keys of machine-code programs.
void readProgram(const Node &node, ReportResult &r) {
  if (const auto profile = node.find("profile")) r.profile = readProfile(*profile);
  r.log = node.textOr("log", "");
  if (const auto fault = node.find("fault")) r.fault = fault->textOr("message", "");
  if (const auto outputs = node.find("outputs"))
    for (const Node &output : outputs->items()) {
      std::vector<std::string> values;
      for (const Node &v : output.at("values").items())
        values.push_back(v.isText() ? v.text() : numberText(v.number()));
      r.outputs.emplace_back(output.textOr("place", ""), std::move(values));
    }
}

ErrorResult readError(const Node &node) {
  return {node.textOr("tensor", ""),
          node.textOr("where", ""),
          node.textOr("where_relative", ""),
          node.textOr("where_lost", ""),
          node.at("elements").number(),
          node.at("largest").number(),
          node.at("largest_relative").number(),
          node.at("mean").number(),
          node.at("magnitude").number(),
          node.at("lost").number()};
}

ConversionResult readConversion(const Node &node) {
  ConversionResult c;
  c.rules = node.at("rules").text();
  c.whyNot = node.textOr("why_no_error", "");
  if (const auto scales = node.find("scales")) c.scales = readAmounts(*scales);
  if (const auto error = node.find("error")) c.errors.push_back(readError(*error));
  if (const auto tensors = node.find("tensors"))
    for (const Node &tensor : tensors->items()) c.errors.push_back(readError(tensor));
  return c;
}

}  // namespace

ReportResult readReport(const Node &node) {
  ReportResult r;
  r.kernel = node.at("kernel").text();
  if (const auto sizes = node.find("sizes")) r.sizes = readAmounts(*sizes);
  r.dtype = node.textOr("dtype", "");
  r.target = node.at("target").text();
  r.mapping = node.textOr("mapping", "");
  r.cycles = node.at("cycles").amount();
  if (const Node parts = node.at("breakdown"); !parts.isNull()) r.parts = readParts(parts);
  if (const auto phases = node.find("phases"))
    for (const Node &p : phases->items())
      r.phases.push_back({p.at("name").text(), p.textOr("clock", "device"), p.at("breakdown").text(),
                          p.at("cycles").amount(), p.at("ns").amount()});
  r.totalCycles = node.amountOr("total_cycles", r.parts.total());
  r.cyclesSimulated = node.amountOr("cycles_simulated", r.cycles);
  r.timeNs = node.at("time_ns").amount();
  r.exact = node.textOr("exact", "");
  readInterval(node, r);
  readEnergy(node, r);
  if (const auto counts = node.find("counts")) r.counts = readAmounts(*counts);
  if (const auto checked = node.find("checked")) r.isChecked = checked->truth();
  if (r.isChecked) r.checkedAgainst = node.textOr("checked_against", "");
  r.unit = readUnit(node);
  if (const auto conversion = node.find("conversion")) r.conversion = readConversion(*conversion);
  r.setupCycles = node.amountOr("setup_cycles", 0);
  if (const auto stages = node.find("stages"))
    for (const Node &stage : stages->items()) r.stages.push_back(readStage(stage));
  r.run = readRun(node);
  r.warnings = node.textsOr("warnings");
  readProgram(node, r);
  return r;
}

CompareResult readCompare(const Node &node) {
  CompareResult result;
  for (const Node &row : node.at("rows").items()) {
    ComparedTarget t;
    t.target = row.at("target").text();
    if (const auto error = row.find("error"))
      t.error = error->text();
    else
      t.report = readReport(row);
    result.rows.push_back(std::move(t));
  }
  return result;
}

namespace {

/// `validate mappings`: every kernel by each of the two ways that are compared with simulation.
ValidateResult readMappings(const Node &node) {
  ValidateResult r;
  r.suite = "mappings";
  for (const auto &[name, k] : node.at("kernels").members()) {
    const auto mappings = k.at("mappings").amount();
    r.points += mappings;
    for (const auto &[key, way] : {std::pair("fast_forward", "fast-forward"), std::pair("two_slice", "two-slice")}) {
      const Node e = k.at(key);
      r.kernels.push_back({name + ", " + way, e.textOr("worst_row", ""), mappings, e.at("exact").amount(),
                           e.at("mean_abs_error_pct").amount(), e.at("worst_abs_error_pct").amount(),
                           e.at("within_15_pct").amount()});
    }
  }
  r.warnings = node.textsOr("warnings");
  return r;
}

}  // namespace

ValidateResult readValidate(const Node &node) {
  ValidateResult r;
  r.suite = node.at("suite").text();
  if (r.suite == "mappings") {
    r = readMappings(node);
    r.sharing = readRanks(node);
    return r;
  }
  r.sharing = readRanks(node);
  r.points = node.at("points").amount();
  for (const auto &[name, k] : node.at("kernels").members())
    r.kernels.push_back({name, k.textOr("worst_row", ""), k.at("rows").amount(), k.at("exact").amount(),
                         k.at("mean_abs_error_pct").amount(), k.at("worst_abs_error_pct").amount(),
                         k.at("within_15_pct").amount()});
  r.warnings = node.textsOr("warnings");
  return r;
}

}  // namespace pimento::emit::html
