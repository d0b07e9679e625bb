#include "pimento/driver/serve_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pimento/base/text.h"
#include "pimento/driver/verbs/serve.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"
#include "pimento/emit/trace_events.h"
#include "pimento/evaluate/report.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

using llm::ns;

constexpr std::array<double, 3> kShares = {0.5, 0.9, 0.99};

/// Of each request, in ns.
struct Latencies {
  std::vector<double> firstToken, eachToken, whole, waiting;
};

Latencies latenciesOf(const ServeAnswer &a) {
  Latencies l;
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    const llm::Request &r = a.requests[i];
    const llm::ServedRequest &s = a.served->requests[i];
    l.waiting.push_back(ns(s.admitted - r.arrival));
    l.firstToken.push_back(ns(s.firstToken - r.arrival));
    l.whole.push_back(ns(s.done - r.arrival));
    if (r.output > 1) l.eachToken.push_back(ns(s.done - s.firstToken) / static_cast<double>(r.output - 1));
  }
  return l;
}

double meanOf(const std::vector<double> &values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Json distribution(const std::vector<double> &values) {
  Json j = {{"mean", meanOf(values)}};
  for (const double share : kShares) j[fmt::format("p{:.0f}", 100 * share)] = llm::percentile(values, share);
  j["most"] = llm::percentile(values, 1);
  return j;
}

double tokensPerSecond(const llm::Served &s) {
  return s.end.value > 0 ? static_cast<double>(s.tokens) / s.end.value * llm::kPsPerSecond : 0;
}

llm::Energy perToken(const llm::Served &s) {
  return s.energy.times(s.tokens > 0 ? 1 / static_cast<double>(s.tokens) : 0);
}

double share(const llm::Served &s, llm::Device d) {
  return s.end.value > 0 ? s.busy[static_cast<std::size_t>(d)].value / s.end.value : 0;
}

/// Whole ns since the beginning: the clock of timelines.
std::int64_t at(Picoseconds t) {
  return static_cast<std::int64_t>(std::llround(ns(t)));
}

std::string nameOf(const llm::LayerTime &t) {
  return fmt::format("{}{}", t.isPrompt ? "prompt " : "", name(t.kind));
}

/// Cells of tables have no commas.
std::string cell(std::string text) {
  std::ranges::replace(text, ',', ' ');
  return text;
}

std::string sourceOf(const ServeAnswer &a, const llm::LayerTime &t) {
  return t.split.pim == 0 ? fmt::format("host {}", a.host) : fmt::format("{}: {}", a.target, t.mapping);
}

}  // namespace

std::string serveJson(const ServeAnswer &a) {
  const llm::Served &s = *a.served;
  const Latencies l = latenciesOf(a);
  const llm::Energy token = perToken(s);
  Json busy = Json::object(), requests = Json::array();
  for (const llm::Device d : llm::kDevices) busy[std::string(name(d))] = share(s, d);
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    const llm::ServedRequest &r = s.requests[i];
    requests.push_back({{"arrival_ns", ns(a.requests[i].arrival)},
                        {"prompt", a.requests[i].prompt},
                        {"output", a.requests[i].output},
                        {"admitted_ns", ns(r.admitted)},
                        {"first_token_ns", ns(r.firstToken)},
                        {"done_ns", ns(r.done)}});
  }
  const Json j = {{"llm", a.model.name},
                  {"host", a.host},
                  {"target", a.target.empty() ? Json(nullptr) : Json(a.target)},
                  {"gpus", a.gpus},
                  {"devices", a.devices},
                  {"dtype", a.dtype},
                  {"batch", a.mostRequests},
                  {"time_ns", ns(s.end)},
                  {"tokens", s.tokens},
                  {"tokens_per_second", tokensPerSecond(s)},
                  {"steps", s.steps.size()},
                  {"most_requests", s.mostRequests},
                  {"time_to_first_token_ns", distribution(l.firstToken)},
                  {"time_per_token_ns", distribution(l.eachToken)},
                  {"latency_ns", distribution(l.whole)},
                  {"waiting_ns", distribution(l.waiting)},
                  {"energy_per_token_pj", token.ours.value},
                  {"energy_per_token_study_pj", token.study ? Json(token.study->value) : Json(nullptr)},
                  {"busy", busy},
                  {"attention", s.isAttentionOnPim ? "pim" : "gpu"},
                  {"keys_and_values", {{"most_bytes", s.mostKeyBytes}, {"room_bytes", s.keyRoom}}},
                  {"layers", s.layers.size()},
                  {"pim_layers", {{"run", a.pimRuns}, {"known", a.pimKnown}}},
                  {"requests", requests},
                  {"exact", "fast-forwarded"},
                  {"wall_us", a.wallUs},
                  {"warnings", a.warnings},
                  {"run", emit::toJson(a.run)}};
  return j.dump(1) + "\n";
}

std::string serveTable(const ServeAnswer &a) {
  const llm::Served &s = *a.served;
  const Latencies l = latenciesOf(a);
  std::string out =
      fmt::format("{}, {}, on {} GPU{} of host {}", a.model.name, a.dtype, a.gpus, a.gpus == 1 ? "" : "s", a.host);
  if (!a.target.empty()) out += fmt::format(", {} x {}", a.devices, a.target);
  out += fmt::format("\n{} requests, at most {} at once (there were {})\n", a.requests.size(), a.mostRequests,
                     s.mostRequests);
  emit::Columns head("ll", 2);
  head.row(
      {"time", fmt::format("{}, {} tokens, {:.4g} tokens/s", emit::timeText(ns(s.end)), s.tokens, tokensPerSecond(s))});
  const llm::Energy token = perToken(s);
  head.row({"energy", fmt::format("{} for each token; modelled, not validated", emit::energyText(token.ours))});
  if (token.study)
    head.row({"", fmt::format("{} by the published studies' constants", emit::energyText(*token.study))});
  for (const llm::Device d : llm::kDevices)
    if (share(s, d) > 0) head.row({fmt::format("{} busy", name(d)), emit::percentText(share(s, d), 1)});
  head.row({"attention", s.isAttentionOnPim ? "on the PIM devices" : "on the GPU"});
  out += head.str() + "\n";
  emit::Columns t("lrrrr", 2);
  t.row({"", "mean", "p50", "p90", "p99"});
  t.rule();
  for (const auto &[what, values] :
       std::initializer_list<std::pair<const char *, const std::vector<double> *>>{{"waiting", &l.waiting},
                                                                                   {"first token", &l.firstToken},
                                                                                   {"each next token", &l.eachToken},
                                                                                   {"whole request", &l.whole}}) {
    std::vector<std::string> row = {what, emit::timeText(meanOf(*values))};
    for (const double share : kShares) row.push_back(emit::timeText(llm::percentile(*values, share)));
    t.row(std::move(row));
  }
  out += t.str();
  if (a.warnings.empty()) return out;
  out += "\nnotes\n";
  emit::Columns notes("ll", 2);
  for (const std::string &w : a.warnings) notes.row({"-", w});
  return out + notes.str();
}

Status writeServeTrace(const ServeAnswer &a, std::ostream &out) {
  constexpr int kSteps = 1, kLayers = 2, kFirstRequest = 10;
  const llm::Served &s = *a.served;
  emit::TraceEvents trace(out, 1, kSteps, emit::TraceEvents::kMaxEvents);
  trace.nameDevice(fmt::format("{} on {}", a.model.name, a.target.empty() ? a.host : a.target));
  trace.nameTrack(kSteps, "steps");
  trace.nameTrack(kLayers, "layers, all blocks");
  const auto span = [&](int track, const std::string &what, Picoseconds from, Picoseconds to, const std::string &args) {
    if (to > from) trace.complete(track, what, at(from), at(to) - at(from), args);
  };
  for (const llm::ServedStep &step : s.steps) {
    span(kSteps, step.isPrompt ? "prompt" : "tokens", step.begin, step.end,
         fmt::format("\"requests\":{}", step.requests.size()));
    Picoseconds now = step.begin;
    for (const llm::LayerTime *t : step.layers) {
      span(kLayers, nameOf(*t), now, now + t->time, fmt::format("\"where\":\"{}\"", text(t->split)));
      now += t->time;
    }
  }
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    const int track = kFirstRequest + static_cast<int>(i);
    const llm::ServedRequest &r = s.requests[i];
    trace.nameTrack(track, fmt::format("request {}", i));
    span(track, "waits", a.requests[i].arrival, r.admitted, "");
    span(track, "prompt", r.admitted, r.firstToken, "");
    span(track, "tokens", r.firstToken, r.done, "");
  }
  return trace.finish(evaluate::Report(), at(s.end));
}

std::string layerTimesCsv(const ServeAnswer &a) {
  std::string out = fmt::format(
      "# Times of the layers of {} on {} GPUs of host {}{}, all {} blocks, by pimento {}.\n"
      "# length 0: the time does not depend on it. exact: fast-forwarded (every command of the device counts), or "
      "model (the host's).\n"
      "layer,phase,batch,length,where,ns,pJ,exact,source\n",
      a.model.name, a.gpus, a.host, a.target.empty() ? "" : fmt::format(" with {} x {} each", a.devices, a.target),
      a.model.layers, a.run.version);
  for (const auto &[key, t] : a.served->layers)
    out += fmt::format("{},{},{},{},{},{},{},{},{}\n", name(t.kind), t.isPrompt ? "prompt" : "token", t.requests,
                       t.length, cell(text(t.split)), numberText(ns(t.time)), numberText(t.energy.ours.value),
                       t.split.pim > 0 ? "fast-forwarded" : "model", cell(sourceOf(a, t)));
  return out;
}

}  // namespace pimento::driver
