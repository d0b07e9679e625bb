#include "pimento/llm/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/evaluate/explainer.h"
#include "pimento/llm/gpu_model.h"
#include "pimento/llm/host.h"

namespace pimento::llm {

namespace {

using evaluate::Derivation;
using evaluate::DerivationPtr;
using evaluate::leaf;
using evaluate::Parts;

constexpr const char *kToken = "token", *kNs = "ns";

/// Tasks from the beginning to the end without a gap: their times add up to the span.
std::vector<std::size_t> longestWay(const std::vector<Task> &tasks) {
  const Schedule s = schedule(tasks);
  const auto end = [&](std::size_t t) { return s.begin[t].value + tasks[t].time.value; };
  std::vector<std::size_t> way;
  double at = s.end.value;
  while (true) {
    std::optional<std::size_t> last;
    for (std::size_t t = 0; t < tasks.size(); ++t)
      if (tasks[t].time.value > 0 && end(t) == at && (way.empty() || t != way.back())) last = t;
    if (!last) break;
    way.push_back(*last);
    at = s.begin[*last].value;
  }
  std::ranges::reverse(way);
  return way;
}

class Explainer {
 public:
  explicit Explainer(const System &system) : system_(system), numbers_(system.host().machine) {}

  /// One block of a layer.
  DerivationPtr span(const Stage &stage) {
    std::vector<DerivationPtr> parts;
    const std::vector<std::size_t> way = longestWay(stage.tasks);
    for (const std::size_t t : way) parts.push_back(task(stage.tasks[t], stage.origins[t]));
    std::string note = text(stage.split);
    std::size_t others = 0;
    for (const Task &t : stage.tasks) others += t.time.value > 0 ? 1 : 0;
    if (others > way.size()) note += fmt::format("; {} more at the same time", others - way.size());
    return evaluate::sumOf(fmt::format("span of {}", name(stage.kind)), ns(stage.span), kNs, parts, note);
  }

 private:
  DerivationPtr task(const Task &t, const TaskOrigin &origin) {
    const double time = ns(t.time);
    switch (t.device) {
      case Device::kGpu:
        return onGpu(t.name, time, *origin.operation);
      case Device::kPim:
        return leaf(t.name, time, kNs, "every command of the device, by fast-forward: " + origin.command);
      case Device::kLink:
        return real(t.name, time, "bytes / host.link_bandwidth",
                    {{"bytes", leaf("bytes", origin.bytes, "B", "to or from the devices of a GPU")},
                     machineNumber("host.link_bandwidth")});
      case Device::kPeer:
        break;
    }
    return overPeers(t.name, time, origin.bytes);
  }

  DerivationPtr onGpu(const std::string &what, double time, const Operation &o) {
    const GpuTime t = system_.gpu().roofline(o);
    if (system_.gpu().gpu().model == machine::Gpu::Model::kTable)
      return leaf(what, time, kNs, "measured, or between two sizes that were: " + system_.gpu().gpu().table);
    const std::string shape = fmt::format("{} m={} n={} k={} count={}", name(o.kind), numberText(o.m), numberText(o.n),
                                          numberText(o.k), numberText(o.count));
    Parts parts = {{"operations", leaf("operations", t.traffic.operations, "", shape)},
                   {"bytes", leaf("bytes", t.traffic.memory, "B", "between the GPU and its memory")},
                   {"occupancy", leaf("occupancy", t.occupancy, "",
                                      "share of the multiprocessors that have a tile, over all rounds")},
                   {"at_once", leaf("at_once", GpuModel::elementsAtOnce(o.elementBytes), "",
                                    "elements in the place of one of two bytes")},
                   {"launch", launch()},
                   machineNumber("host.peak"),
                   machineNumber("gpu.compute_efficiency"),
                   machineNumber("host.memory_bandwidth")};
    const std::string compute = "operations / (host.peak * gpu.compute_efficiency * at_once * occupancy)";
    const bool isFlat =
        o.kind == OperationKind::kNorm || o.kind == OperationKind::kActivation || o.kind == OperationKind::kGated;
    if (!isFlat) {
      parts.push_back(machineNumber("gpu.memory_efficiency"));
      return real(what, time,
                  "max(" + compute + ", bytes / (host.memory_bandwidth * gpu.memory_efficiency * occupancy)) + launch",
                  std::move(parts));
    }
    const std::string at = o.kind == OperationKind::kNorm ? "gpu.norm" : "gpu.activation";
    for (const std::string &path : {at + ".time", at + ".slope", std::string("gpu.reference_bandwidth")})
      parts.push_back(machineNumber(path));
    return real(what, time,
                fmt::format("max({}, {}.slope * gpu.reference_bandwidth / host.memory_bandwidth * bytes / 1000 + "
                            "{}.time) + launch",
                            compute, at, at),
                std::move(parts));
  }

  DerivationPtr overPeers(const std::string &what, double time, double bytes) {
    if (system_.gpus() == 1) return leaf(what, time, kNs, "one GPU has nothing to sum");
    return real(what, time,
                "max(gpu.peer.latency + gpu.peer.slope * bytes / gpus * gpu.peer.reference_bandwidth / "
                "gpu.peer.bandwidth / 1000, bytes / gpus / (gpu.peer.bandwidth / 2)) * (gpus - 1)",
                {{"bytes", leaf("bytes", bytes, "B", "of the sum")},
                 {"gpus", leaf("gpus", system_.gpus(), "", "--gpus")},
                 machineNumber("gpu.peer.latency"),
                 machineNumber("gpu.peer.slope"),
                 machineNumber("gpu.peer.bandwidth"),
                 machineNumber("gpu.peer.reference_bandwidth")});
  }

  DerivationPtr launch() {
    return numbers_.has("gpu.launch") ? numbers_.number("gpu.launch")
                                      : leaf("gpu.launch", std::int64_t{0}, kNs, "the host has none");
  }
  Derivation::Part machineNumber(const std::string &path) { return {path, numbers_.number(path)}; }
  static DerivationPtr real(std::string what, double value, std::string formula, Parts parts) {
    return evaluate::node(std::move(what), value, kNs, std::move(formula), Derivation::Arithmetic::kReal,
                          std::move(parts));
  }

  const System &system_;
  evaluate::MachineNumbers numbers_;
};

}  // namespace

Result<DerivationPtr> explainToken(const System &system, const Model &model, const Workload &w,
                                   const Placement &placement, const std::string &key) {
  const Step step = {w.requests, 1, w.prompt + std::max<std::int64_t>(w.output - 1, 1), w.elementBytes};
  Explainer explainer(system);
  std::vector<Layer> layers = blockLayers(model, step, system.gpus());
  layers.push_back(headLayer(model, step, system.gpus()));
  std::vector<std::string> keys = {kToken};
  std::vector<DerivationPtr> parts;
  std::map<LayerKind, int> seen;
  double all = 0;
  for (const Layer &l : layers) {
    const Result<Stage> stage = system.stage(l, placement.of(l.kind), model, step);
    if (!stage) return stage.diagnostics();
    const int number = ++seen[l.kind];
    keys.push_back(fmt::format("{}.{}{}", kToken, name(l.kind), number > 1 ? std::to_string(number) : ""));
    DerivationPtr span = explainer.span(*stage);
    const bool isOnce = l.kind == LayerKind::kHead;
    const double time = stage->span.value / kPsPerNs * (isOnce ? 1 : static_cast<double>(model.layers));
    all += time;
    Parts of = {{"span", std::move(span)}};
    if (!isOnce) of.push_back({"layers", leaf("layers", model.layers, "", model.name + ": " + model.source)});
    parts.push_back(evaluate::node(keys.back(), time, kNs, isOnce ? "span" : "layers * span",
                                   Derivation::Arithmetic::kReal, std::move(of)));
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (keys[i + 1] == key) return parts[i];
  if (key != kToken)
    return usageError("unknown-number", "--number", fmt::format("no number '{}'", key), suggest(key, keys));
  return evaluate::sumOf(kToken, all, kNs, parts,
                         fmt::format("the last token: {} positions, {} requests", step.length, step.requests));
}

}  // namespace pimento::llm
