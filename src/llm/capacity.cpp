#include "pimento/llm/capacity.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/llm/host.h"

namespace pimento::llm {

namespace {

std::string gib(double bytes) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  return fmt::format("{:.2f} GiB", bytes / kGib);
}

double keyBytes(const Model &model, const Workload &w) {
  return model.kvOfToken() * static_cast<double>(w.requests * w.length()) * w.elementBytes;
}

}  // namespace

const Split &Placement::of(LayerKind kind) const {
  using enum LayerKind;
  switch (kind) {
    case kQkv:
      return qkv;
    case kAttention:
      return attention;
    case kProjection:
      return projection;
    case kUp:
      return up;
    case kDown:
      return down;
    case kHead:
      return head;
    default:
      break;
  }
  static const Split kOnGpu;
  return kOnGpu;
}

Split &Placement::of(LayerKind kind) {
  return const_cast<Split &>(std::as_const(*this).of(kind));
}

double weightBytes(const Model &model, LayerKind kind, double elementBytes) {
  using enum LayerKind;
  const auto d = static_cast<double>(model.hidden), blocks = static_cast<double>(model.layers);
  switch (kind) {
    case kQkv:
      return blocks * d * model.qkvWidth() * elementBytes;
    case kProjection:
      return blocks * d * model.attentionWidth() * elementBytes;
    case kUp:
      return blocks * d * model.ff * (model.isGated ? 2 : 1) * elementBytes;
    case kDown:
      return blocks * d * model.ff * elementBytes;
    case kHead:
      return d * static_cast<double>(model.vocabulary) * elementBytes;
    default:
      return 0;
  }
}

Use useOfGpu(const Model &model, const Workload &w, const Placement &placement, const System &system) {
  const auto gpus = static_cast<double>(system.gpus());
  const double widest = std::max(model.qkvWidth(), model.ff * (model.isGated ? 2 : 1)) / gpus;
  const double rows = static_cast<double>(w.requests * w.prompt);
  Use use;
  use.weights = model.weights() * w.elementBytes / gpus;
  use.keysAndValues = keyBytes(model, w) * (1 - placement.attention.pim) / gpus;
  use.activations = rows * (2 * static_cast<double>(model.hidden) + widest) * w.elementBytes;
  use.room = system.gpu().gpu().memory;
  return use;
}

Use useOfPim(const Model &model, const Workload &w, const Placement &placement, std::int64_t gpus, std::int64_t devices,
             Bytes room) {
  const double all = static_cast<double>(gpus * devices);
  Use use;
  for (const LayerKind kind : kPlaced) use.weights += weightBytes(model, kind, w.elementBytes) * placement.of(kind).pim;
  use.weights /= all;
  use.keysAndValues = keyBytes(model, w) * placement.attention.pim / all;
  use.room = room;
  return use;
}

Status checkFits(const Model &model, const Use &gpu, const std::optional<Use> &pim, std::int64_t gpus) {
  Diagnostics out;
  const auto report = [&](const Use &use, const std::string &where, std::string hint) {
    if (use.missing() <= 0) return;
    out.push_back(capacityError(
        "model-does-not-fit", {model.name, 0, 0},
        fmt::format("{} takes {} on {} (weights {}, keys and values {}, activations {}): {} more than there are",
                    model.name, gib(use.total()), where, gib(use.weights), gib(use.keysAndValues), gib(use.activations),
                    gib(use.missing())),
        std::move(hint)));
  };
  report(gpu, gpus == 1 ? "a GPU" : fmt::format("each of {} GPUs", gpus),
         "use more GPUs (--gpus), shorter prompts or outputs, a smaller --batch, or --dtype f8e4m3");
  if (pim) report(*pim, "each PIM device", "use more --devices, shorter prompts or outputs, or a smaller --batch");
  if (!out.empty()) return out;
  return okStatus();
}

}  // namespace pimento::llm
