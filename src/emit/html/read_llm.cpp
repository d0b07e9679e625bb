// Results of llm and serve, from JSON to what is shown: a chart with tables, as figures are.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/emit/html/results.h"

namespace pimento::emit::html {

namespace {

using Column = FigureTable::Column;

Column text(std::string name) {
  return {std::move(name), false, Quantity::kPlain};
}
Column amount(std::string name, Quantity quantity) {
  return {std::move(name), true, quantity};
}

std::string machinesOf(const Node &node) {
  const double gpus = node.at("gpus").amount();
  std::string out =
      fmt::format("{} of host {}", counted(static_cast<std::size_t>(gpus), "GPU"), node.at("host").text());
  if (const auto target = node.find("target"))
    out += fmt::format(", {}{} x {}", gpus > 1 ? "each with " : "",
                       shortText(Quantity::kCount, node.at("devices").amount()), target->text());
  return out;
}

std::string energyOf(const Node &node) {
  std::string out =
      fmt::format("Energy per token: {}", shortText(Quantity::kEnergy, node.at("energy_per_token_pj").amount()));
  if (const auto study = node.maybeAmount("energy_per_token_study_pj"))
    out += fmt::format("; {} by the published studies' constants", shortText(Quantity::kEnergy, *study));
  return out + ". Modelled, not validated.";
}

/// What both kinds of results have.
FigureResult begin(const Node &node, std::string kind) {
  FigureResult f;
  f.kind = std::move(kind);
  f.name = node.at("llm").text();
  f.title = fmt::format("{}, {}, on {}", f.name, node.at("dtype").text(), machinesOf(node));
  f.run = readRun(node);
  f.warnings = node.textsOr("warnings");
  return f;
}

double energyOfLayer(const Node &layer) {
  double sum = 0;
  for (const char *device : {"gpu", "pim", "link"}) sum += layer.at(device).at("energy_pj").amount();
  return sum;
}

/// Layers of a phase, per step; those that take no time are left out.
FigureTable layersOf(const Node &phase) {
  FigureTable t;
  const double steps = std::max(phase.at("steps").amount(), 1.0), whole = phase.at("ns_per_step").amount();
  t.caption = fmt::format("{}: each step, mean of {}", phase.at("name").text(), shortText(Quantity::kCount, steps));
  t.columns = {text("layer"),
               text("where"),
               amount("time", Quantity::kTime),
               amount("share", Quantity::kPercent),
               amount("energy", Quantity::kEnergy),
               text("GPU times")};
  for (const Node &l : phase.at("layers").items()) {
    const double ns = l.at("ns_per_step").amount();
    if (ns > 0)
      t.rows.push_back({l.at("layer").text(), l.at("where").text(), ns, whole > 0 ? 100 * ns / whole : 0,
                        energyOfLayer(l) / steps, l.textOr("gpu_times", "")});
  }
  return t;
}

/// A bar for each layer, coloured by where it runs.
void chart(FigureResult &f, const Node &phase) {
  f.about = fmt::format("Time of each layer, {}", phase.at("name").text());
  f.axis = "time per step";
  f.quantity = Quantity::kTime;
  for (const Node &l : phase.at("layers").items()) {
    const double ns = l.at("ns_per_step").amount();
    if (ns <= 0) continue;
    const std::string where = l.at("where").text();
    auto at = std::find(f.series.begin(), f.series.end(), where);
    if (at == f.series.end()) at = f.series.insert(f.series.end(), where);
    f.bars.push_back({l.at("layer").text(),
                      shortText(Quantity::kTime, ns),
                      static_cast<std::size_t>(at - f.series.begin()),
                      ns,
                      {},
                      {},
                      {}});
  }
}

/// The study's parts of a token, which have no place each.
void published(FigureResult &f, const Node &node) {
  f.about = "Time of each part of a token, by a published schedule";
  f.axis = "time per step";
  f.quantity = Quantity::kTime;
  f.series = {"published schedule"};
  FigureTable t{"generation: each step", {text("part"), amount("time", Quantity::kTime)}, {}};
  for (const auto &[part, value] : node.at("layers").members()) {
    const double ns = value.amount();
    f.bars.push_back({part, shortText(Quantity::kTime, ns), 0, ns, {}, {}, {}});
    t.rows.push_back({part, ns});
  }
  f.tables.push_back(std::move(t));
}

FigureTable choicesOf(const Node &choices) {
  FigureTable t{"Where layers could run",
                {text("layer"), text("where"), amount("time", Quantity::kTime), text("chosen, or why not")},
                {}};
  for (const Node &c : choices.items()) {
    auto &row = t.rows.emplace_back();
    row = {c.at("layer").text(), c.at("where").text()};
    if (const auto ns = c.maybeAmount("ns"))
      row.emplace_back(*ns);
    else
      row.emplace_back();
    row.emplace_back(c.at("chosen").truth() ? "chosen" : c.textOr("why_not", ""));
  }
  return t;
}

FigureTable memoryOf(const Node &memory) {
  FigureTable t{"Memory",
                {text("device"), amount("weights", Quantity::kBytes), amount("keys and values", Quantity::kBytes),
                 amount("activations", Quantity::kBytes), amount("room", Quantity::kBytes)},
                {}};
  for (const auto &[key, name] : {std::pair("gpu", "GPU"), std::pair("pim", "PIM device")})
    if (const auto use = memory.find(key)) {
      auto &row = t.rows.emplace_back();
      row.emplace_back(std::string(name));
      for (const char *bytes : {"weights_bytes", "keys_and_values_bytes", "activations_bytes", "room_bytes"})
        row.emplace_back(use->at(bytes).amount());
    }
  return t;
}

}  // namespace

FigureResult readLlm(const Node &node) {
  FigureResult f = begin(node, "language model");
  const auto tokens = [](double n) { return fmt::format("{} tokens", shortText(Quantity::kCount, n)); };
  f.text.push_back(fmt::format("Batch {}, prompts of {}, {} generated; schedule {}.",
                               shortText(Quantity::kCount, node.at("batch").amount()),
                               tokens(node.at("prompt").amount()),
                               shortText(Quantity::kCount, node.at("generate").amount()), node.at("schedule").text()));
  const double next = node.at("time_per_token_ns").amount();
  f.text.push_back(
      fmt::format("First token after {}", shortText(Quantity::kTime, node.at("time_to_first_token_ns").amount())) +
      (next > 0 ? fmt::format(", each next one after {}: {} per second.", shortText(Quantity::kTime, next),
                              tokens(node.at("tokens_per_second").amount()))
                : "."));
  f.text.push_back(energyOf(node));
  if (const auto study = node.find("published")) {
    published(f, *study);
    return f;
  }
  const std::vector<Node> phases = node.at("phases").items();
  if (!phases.empty()) chart(f, phases.back());
  for (auto p = phases.rbegin(); p != phases.rend(); ++p) f.tables.push_back(layersOf(*p));
  f.tables.push_back(choicesOf(node.at("choices")));
  f.tables.push_back(memoryOf(node.at("memory")));
  return f;
}

FigureResult readServe(const Node &node) {
  FigureResult f = begin(node, "served requests");
  const std::vector<Node> requests = node.at("requests").items();
  f.text.push_back(fmt::format(
      "{}, at most {} at once: {} tokens in {}, {} tokens per second.", counted(requests.size(), "request"),
      shortText(Quantity::kCount, node.at("batch").amount()), shortText(Quantity::kCount, node.at("tokens").amount()),
      shortText(Quantity::kTime, node.at("time_ns").amount()), plain(node.at("tokens_per_second").amount())));
  f.text.push_back(energyOf(node));
  FigureTable busy{"Devices", {text("device"), amount("busy", Quantity::kPercent)}, {}};
  for (const auto &[device, share] : node.at("busy").members()) busy.rows.push_back({device, 100 * share.amount()});

  f.about = "Times of requests: how many waited, and how long";
  f.axis = "time";
  f.quantity = Quantity::kTime;
  f.series = {"requests"};
  FigureTable times{"Times",
                    {text(""), amount("mean", Quantity::kTime), amount("p50", Quantity::kTime),
                     amount("p90", Quantity::kTime), amount("p99", Quantity::kTime), amount("most", Quantity::kTime)},
                    {}};
  for (const auto &[key, name] :
       {std::pair("waiting_ns", "waiting"), std::pair("time_to_first_token_ns", "first token"),
        std::pair("time_per_token_ns", "each next token"), std::pair("latency_ns", "whole request")}) {
    auto &row = times.rows.emplace_back();
    row.emplace_back(std::string(name));
    for (const char *share : {"mean", "p50", "p90", "p99", "most"}) row.emplace_back(node.at(key).at(share).amount());
  }
  FigureTable all{"Requests",
                  {text("request"), amount("arrival", Quantity::kTime), amount("prompt", Quantity::kCount),
                   amount("output", Quantity::kCount), amount("first token after", Quantity::kTime),
                   amount("done after", Quantity::kTime)},
                  {}};
  FigureRow first{"first token", {}, 0, 0, {}, {}, {}}, done{"whole request", {}, 0, 0, {}, {}, {}};
  for (const Node &r : requests) {
    const double arrival = r.at("arrival_ns").amount();
    const double toFirst = std::max(r.at("first_token_ns").amount() - arrival, 0.0);
    const double toEnd = std::max(r.at("done_ns").amount() - arrival, 0.0);
    first.values.push_back(toFirst);
    done.values.push_back(toEnd);
    all.rows.push_back({fmt::format("{}", all.rows.size() + 1), arrival, r.at("prompt").amount(),
                        r.at("output").amount(), toFirst, toEnd});
  }
  if (!requests.empty()) f.spread = {std::move(first), std::move(done)};
  f.tables = {std::move(times), std::move(busy), std::move(all)};
  return f;
}

}  // namespace pimento::emit::html
