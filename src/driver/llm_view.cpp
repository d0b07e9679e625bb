#include "pimento/driver/llm_view.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "pimento/driver/verbs/llm.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/explain.h"
#include "pimento/emit/format.h"
#include "pimento/evaluate/derivation.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

using llm::ns;

constexpr double kNsPerSecond = 1e9;

Json energyJson(const llm::Energy &e) {
  return {{"energy_pj", e.ours.value}, {"energy_study_pj", e.study ? Json(e.study->value) : Json(nullptr)}};
}

Json modelJson(const llm::Model &m) {
  return {{"name", m.name},   {"layers", m.layers},     {"hidden", m.hidden},
          {"heads", m.heads}, {"kv_heads", m.kvHeads},  {"head_dim", m.headDim},
          {"ff", m.ff},       {"gated", m.isGated},     {"vocabulary", m.vocabulary},
          {"tied", m.isTied}, {"weights", m.weights()}, {"source", m.source}};
}

Json layerJson(const llm::LayerRun &l, std::int64_t steps) {
  Json busy = Json::object();
  for (const llm::Device d : llm::kDevices) busy[std::string(name(d))] = ns(l.busy[static_cast<std::size_t>(d)]);
  return {{"layer", std::string(name(l.kind))},
          {"where", text(l.split)},
          {"ns", ns(l.span)},
          {"ns_per_step", ns(l.span) / static_cast<double>(steps)},
          {"busy_ns", busy},
          {"gpu", energyJson(l.gpu)},
          {"pim", energyJson(l.pim)},
          {"link", energyJson(l.link)},
          {"gpu_times", l.isMeasured ? "measured" : "roofline"},
          {"pim_mapping", l.mapping.empty() ? Json(nullptr) : Json(l.mapping)}};
}

Json phaseJson(const llm::PhaseRun &p) {
  Json layers = Json::array(), busy = Json::object();
  for (const llm::LayerRun &l : p.layers) layers.push_back(layerJson(l, p.steps));
  for (const llm::Device d : llm::kDevices) busy[std::string(name(d))] = p.busy(d);
  Json j = {{"name", p.name}, {"steps", p.steps}, {"ns", ns(p.time)}, {"ns_per_step", ns(p.perStep())}};
  j.update(energyJson(p.energy));
  j["busy"] = busy;
  j["layers"] = layers;
  return j;
}

Json useJson(const llm::Use &u) {
  return {{"weights_bytes", u.weights},
          {"keys_and_values_bytes", u.keysAndValues},
          {"activations_bytes", u.activations},
          {"room_bytes", u.room.value}};
}

Json publishedJson(const llm::PublishedRun &p) {
  const llm::PublishedStep &t = p.mean;
  return {{"prefill_ns", ns(p.prefill)},
          {"ns_per_step", ns(p.token())},
          {"steps", p.steps},
          {"layers",
           {{"attention", ns(t.attention)},
            {"qkv", ns(t.qkv)},
            {"projection", ns(t.projection)},
            {"feed_forward", ns(t.feedForward)},
            {"etc", ns(t.etc)},
            {"communication", ns(t.communication)},
            {"softmax", ns(t.softmax)}}},
          {"gpu", energyJson(p.gpu)},
          {"pim", energyJson(p.pim)},
          {"link", energyJson(p.link)}};
}

/// What both ways of scheduling have.
struct Totals {
  double firstNs = 0, stepNs = 0;
  std::int64_t steps = 0;
  llm::Energy generation;  ///< of all its steps
};

Totals totalsOf(const LlmAnswer &a) {
  if (a.inference)
    return {ns(a.inference->prefill.time), ns(a.inference->generation.perStep()), a.inference->generation.steps,
            a.inference->generation.energy};
  llm::Energy all = a.published->gpu;
  all += a.published->pim;
  all += a.published->link;
  return {ns(a.published->prefill), ns(a.published->token()), a.published->steps, all};
}

/// Of one token of one request.
llm::Energy perToken(const LlmAnswer &a, const Totals &t) {
  return t.steps == 0 ? llm::Energy{} : t.generation.times(1 / static_cast<double>(t.steps * a.workload.requests));
}

double tokensPerSecond(const LlmAnswer &a, const Totals &t) {
  return t.stepNs > 0 ? static_cast<double>(a.workload.requests) / t.stepNs * kNsPerSecond : 0;
}

std::string machinesText(const LlmAnswer &a) {
  const std::string gpus = fmt::format("{} GPU{} of host {} ({})", a.gpus, a.gpus == 1 ? "" : "s", a.host, a.gpuModel);
  if (a.target.empty()) return gpus;
  return fmt::format("{}, {}{} x {}", gpus, a.gpus == 1 ? "" : "each with ", a.devices, a.target);
}

std::string useText(const llm::Use &u) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  return fmt::format("{:.2f} of {:.2f} GiB: weights {:.2f}, keys and values {:.2f}, activations {:.2f}",
                     u.total() / kGib, static_cast<double>(u.room.value) / kGib, u.weights / kGib,
                     u.keysAndValues / kGib, u.activations / kGib);
}

std::string energyText(const llm::Energy &e) {
  std::string out = emit::energyText(e.ours);
  if (e.study) out += fmt::format(" (by the published studies' constants {})", emit::energyText(*e.study));
  return out;
}

std::string phaseTable(const llm::PhaseRun &p) {
  if (p.steps == 0) return {};
  const auto steps = static_cast<double>(p.steps);
  std::string out =
      fmt::format("\n  {}, {}\n", p.name, p.steps == 1 ? "one step" : fmt::format("mean of {} steps", p.steps));
  emit::Columns t("lrrrrl", 4);
  t.row({"layer", "time", "share", "gpu busy", "energy", "where"});
  t.rule();
  for (const llm::LayerRun &l : p.layers) {
    if (l.span.value == 0) continue;  // one GPU has nothing to sum
    llm::Energy all = l.gpu;
    all += l.pim;
    all += l.link;
    t.row({std::string(name(l.kind)), emit::timeText(ns(l.span) / steps), emit::percentText(l.span.value, p.time.value),
           emit::percentText(l.busy[0].value, l.span.value), emit::energyText(all.times(1 / steps).ours),
           text(l.split)});
  }
  t.rule();
  t.row({"all", emit::timeText(ns(p.perStep())), "", emit::percentText(p.busy(llm::Device::kGpu), 1),
         emit::energyText(p.energy.times(1 / steps).ours)});
  return out + t.str();
}

std::string publishedTable(const llm::PublishedRun &p) {
  std::string out = fmt::format("\n  generation, mean of {} steps\n", p.steps);
  emit::Columns t("lrr", 4);
  t.row({"layer", "time", "share"});
  t.rule();
  const llm::PublishedStep &m = p.mean;
  for (const auto &[what, time] :
       std::initializer_list<std::pair<const char *, Picoseconds>>{{"attention", m.attention},
                                                                   {"qkv", m.qkv},
                                                                   {"projection", m.projection},
                                                                   {"feed-forward", m.feedForward},
                                                                   {"etc", m.etc},
                                                                   {"communication", m.communication},
                                                                   {"softmax", m.softmax}})
    t.row({what, emit::timeText(ns(time)), emit::percentText(time.value, m.total().value)});
  return out + t.str();
}

}  // namespace

std::string llmJson(const LlmAnswer &a, int depth) {
  const Totals t = totalsOf(a);
  const llm::Energy token = perToken(a, t);
  Json j = {{"llm", a.model.name},
            {"model", modelJson(a.model)},
            {"host", a.host},
            {"gpu_model", a.gpuModel},
            {"target", a.target.empty() ? Json(nullptr) : Json(a.target)},
            {"gpus", a.gpus},
            {"devices", a.devices},
            {"dtype", a.dtype},
            {"schedule", a.schedule},
            {"batch", a.workload.requests},
            {"prompt", a.workload.prompt},
            {"generate", a.workload.output},
            {"time_to_first_token_ns", t.firstNs},
            {"time_per_token_ns", t.stepNs},
            {"time_ns", t.firstNs + t.stepNs * static_cast<double>(t.steps)},
            {"tokens_per_second", tokensPerSecond(a, t)},
            {"energy_per_token_pj", token.ours.value},
            {"energy_per_token_study_pj", token.study ? Json(token.study->value) : Json(nullptr)},
            {"energy_covers", {{"host", a.hostCovers}, {"target", a.targetCovers}}},
            {"exact", "fast-forwarded"}};
  j["phases"] = Json::array();
  j["choices"] = Json::array();
  j["published"] = nullptr;
  j["memory"] = Json::object();
  if (a.inference) {
    j["phases"].push_back(phaseJson(a.inference->prefill));
    if (t.steps > 0) j["phases"].push_back(phaseJson(a.inference->generation));
    for (const llm::Choice &c : a.inference->choices)
      j["choices"].push_back({{"layer", std::string(name(c.kind))},
                              {"where", text(c.split)},
                              {"ns", c.span ? Json(ns(*c.span)) : Json(nullptr)},
                              {"why_not", c.why},
                              {"chosen", c.isChosen}});
    j["memory"]["gpu"] = useJson(a.inference->gpuUse);
    j["memory"]["pim"] = a.inference->pimUse ? useJson(*a.inference->pimUse) : Json(nullptr);
  } else {
    j["published"] = publishedJson(*a.published);
  }
  j["pim_layers"] = {{"run", a.pimRuns}, {"known", a.pimKnown}};
  if (a.number) j["tree"] = emit::treeJson(*a.number, depth);
  j["wall_us"] = a.wallUs;
  j["warnings"] = a.warnings;
  j["run"] = emit::toJson(a.run);
  return j.dump(1) + "\n";
}

std::string llmTable(const LlmAnswer &a, int depth) {
  if (a.number) return emit::toText(*a.number, depth);
  const Totals t = totalsOf(a);
  std::string out = fmt::format("{}, {}, on {}\n", a.model.name, a.dtype, machinesText(a));
  out += fmt::format("batch {}, prompts of {} tokens, {} generated\n", a.workload.requests, a.workload.prompt,
                     a.workload.output);
  emit::Columns head("ll", 2);
  head.row({"schedule", a.schedule});
  head.row({"first token", emit::timeText(t.firstNs)});
  if (t.steps > 0) {
    head.row({"each next token", fmt::format("{}, {:.4g} tokens/s", emit::timeText(t.stepNs), tokensPerSecond(a, t))});
    head.row({"energy", energyText(perToken(a, t)) + " for each of them; modelled, not validated"});
  }
  if (a.inference) {
    head.row({"memory", "GPU " + useText(a.inference->gpuUse)});
    if (a.inference->pimUse) head.row({"", "PIM device " + useText(*a.inference->pimUse)});
  }
  out += head.str();
  if (a.inference)
    out += phaseTable(a.inference->prefill) + phaseTable(a.inference->generation);
  else
    out += publishedTable(*a.published);
  if (a.warnings.empty()) return out;
  out += "\nnotes\n";
  emit::Columns notes("ll", 2);
  for (const std::string &w : a.warnings) notes.row({"-", w});
  return out + notes.str();
}

}  // namespace pimento::driver
