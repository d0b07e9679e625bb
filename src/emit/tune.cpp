#include "pimento/emit/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/explore_json.h"
#include "pimento/emit/explore_texts.h"
#include "pimento/emit/format.h"
#include "pimento/emit/json.h"
#include "pimento/emit/sharing.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit {

namespace {

using Json = nlohmann::ordered_json;
using tune::DraftFates;
using tune::Tuned;

// --- JSON

Json draftsJson(const DraftFates &d) {
  return {{"all", d.all},         {"rule1", d.rule1},         {"rule2", d.rule2},
          {"rule3", d.rule3},     {"equal", d.equal},         {"bounded", d.bounded},
          {"illegal", d.illegal}, {"evaluated", d.evaluated}, {"open", d.open}};
}

Json costJson(const tune::TunedMapping &m, double clockGHz) {
  return emit::costJson(m.mapping, m.cost, clockGHz);
}

Json predictorJson(const Tuning &t) {
  if (!t.predictor) return nullptr;
  const UsedPredictor &p = *t.predictor;
  return {{"file", p.file.empty() ? Json(nullptr) : Json(p.file)},
          {"version", p.version},
          {"shapes", p.shapes},
          {"drafts", p.drafts},
          {"new_shapes", p.newShapes},
          {"new_drafts", p.newDrafts},
          {"train_seconds", p.seconds}};
}

Json foundJson(const TunedKernel &k, double clockGHz) {
  const Tuned &t = k.found;
  Json j = {{"stop", t.stopText()},
            {"gap", t.isSampled ? Json(nullptr) : Json(t.gap)},
            {"drafts", draftsJson(t.drafts)},
            {"device_runs", t.deviceRuns},
            {"known", k.isKnown},
            {"winner", costJson(t.best, clockGHz)},
            {"predicted", t.guess ? Json(*t.guess) : Json(nullptr)},
            {"reference", t.reference ? costJson(*t.reference, clockGHz) : Json(nullptr)},
            {"front", Json::array()}};
  for (const tune::TunedMapping &m : t.front) j["front"].push_back(costJson(m, clockGHz));
  return j;
}

/// Of several kernels: the first reason that is not "optimal", and the largest gap; null where times are sampled.
std::pair<std::string_view, Json> proofOf(const Tuning &t) {
  std::string_view stop = t.kernels.front().found.stopText();
  double gap = 0;
  for (const TunedKernel &k : t.kernels) {
    if (stop == "optimal") stop = k.found.stopText();
    gap = std::max(gap, k.found.gap);
  }
  const bool isSampled = std::ranges::any_of(t.kernels, [](const TunedKernel &k) { return k.found.isSampled; });
  return {stop, isSampled ? Json(nullptr) : Json(gap)};
}

DraftFates sumOf(const Tuning &t) {
  DraftFates sum;
  for (const TunedKernel &k : t.kernels)
    for (const auto field :
         {&DraftFates::all, &DraftFates::rule1, &DraftFates::rule2, &DraftFates::rule3, &DraftFates::equal,
          &DraftFates::bounded, &DraftFates::illegal, &DraftFates::evaluated, &DraftFates::open})
      sum.*field += k.found.drafts.*field;
  return sum;
}

// --- text

std::string fatesText(const DraftFates &d) {
  std::string out = fmt::format("{} draft{}: {} evaluated, {} equal to one of them, {} ruled out by bounds, {} illegal",
                                grouped(d.all), d.all == 1 ? "" : "s", grouped(d.evaluated), grouped(d.equal),
                                grouped(d.bounded), grouped(d.illegal));
  if (d.open > 0) out += fmt::format(", {} open", grouped(d.open));
  if (d.rule1 + d.rule2 + d.rule3 > 0)
    out += fmt::format("; left out by rules 1, 2, 3: {}, {}, {}", grouped(d.rule1), grouped(d.rule2), grouped(d.rule3));
  return out;
}

std::string proofText(const Tuned &t) {
  if (t.stop == search::Stop::kDone && !t.guess)
    return t.isSampled ? "the best by sampled times" : "optimal in this space";
  constexpr double kNothing = 0.0005;
  if (1 - t.gap < kNothing) return fmt::format("{}: nothing is proved", t.stopText());
  return fmt::format("{}: every draft costs at least {:.1f} % of what the best one found does", t.stopText(),
                     100 * (1 - t.gap));
}

std::string predictorText(const UsedPredictor &p) {
  std::string out = fmt::format("predictor {}: learned from {} drafts of {} shape{}", p.version, grouped(p.drafts),
                                grouped(p.shapes), p.shapes == 1 ? "" : "s");
  if (p.newDrafts > 0) out += fmt::format(", {} of them now, in {:.1f} s", grouped(p.newDrafts), p.seconds);
  return out + (p.file.empty() ? "" : "; kept in " + p.file) + "\n";
}

void addKernel(const TunedKernel &k, const Tuning &t, std::string &out) {
  const std::string more = k.same.empty() ? "" : fmt::format(" (and {} like it)", k.same.size());
  if (t.kernels.size() > 1) out += fmt::format("\n{}{}\n", k.kernel, more);
  out += fmt::format("  {}{}\n", k.isKnown ? "from the store; " : "", fatesText(k.found.drafts));
  Columns table("lrrrrl", 2);
  table.row({"", "cycles", "total", "time", "energy", "mapping"});
  table.rule();
  const auto add = [&](const std::string &what, const tune::TunedMapping &m) {
    table.row({what, grouped(m.cost.kernel.value), grouped(m.cost.total.value),
               timeText(timeNs(m.cost.total, t.clockGHz)), energyText(m.cost.energy), m.mapping});
  };
  add("best", k.found.best);
  if (k.found.reference) add("reference", *k.found.reference);
  out += table.str();
  out += fmt::format("  {}\n", proofText(k.found));
  if (k.found.reference)
    out +=
        fmt::format("  best relative to the reference: {}\n", ofReference(k.found.best.cost, k.found.reference->cost));
}

}  // namespace

std::string toTable(const Tuning &t, const evaluate::Report &best) {
  std::string out = fmt::format("tuned for {}: {}\n", description(t.objective), titleOf(t.head));
  out += fmt::format("{:.2f} s{}\n", t.head.seconds, t.store.empty() ? "" : "; results are kept in " + t.store);
  out += sharingText(t.head.sharing.get());
  if (t.predictor) out += predictorText(*t.predictor);
  for (const TunedKernel &k : t.kernels) addKernel(k, t, out);
  if (t.kernels.size() > 1) {
    out += fmt::format("\nall of it: {} cycles in total, {}, {}\n", grouped(best.breakdown().total().value),
                       timeText(best.timeNs), energyText(best.energy.total));
  }
  out += fmt::format("  {}\n\n--map '{}'\n", t.isChecked ? "run on data: every result is right" : "not run on data",
                     t.map);
  addWarnings(t.head.warnings, out);
  return out;
}

std::string toJson(const Tuning &t, const evaluate::Report &best, const RunText &bestRun) {
  Json j = headJson("tune", std::string(name(t.objective)), t.head);
  j["space"] = t.space;
  j["map"] = t.map;
  j["best"] = Json::parse(toJson(best, &bestRun));
  j["checked"] = t.isChecked;
  if (t.kernels.size() == 1) j.update(foundJson(t.kernels.front(), t.clockGHz));
  const auto [stop, gap] = proofOf(t);
  j["stop"] = stop;
  j["gap"] = gap;
  j["drafts"] = draftsJson(sumOf(t));
  if (t.kernels.size() > 1) {
    j["kernels"] = Json::array();
    for (const TunedKernel &k : t.kernels) {
      Json part = {{"kernel", k.kernel}, {"same", k.same}};
      part.update(foundJson(k, t.clockGHz));
      j["kernels"].push_back(std::move(part));
    }
  }
  j["engine"] = t.predictor ? t.predictor->engine : "exact";
  j["predictor"] = predictorJson(t);
  j["seconds"] = t.head.seconds;
  if (t.head.sharing) j["ranks"] = sharingJson(*t.head.sharing);
  j["store"] = t.store.empty() ? Json(nullptr) : Json(t.store);
  j["warnings"] = t.head.warnings;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pimento::emit
