// What lies in the memories of GPUs and PIM devices, and whether it has room.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/llm/layers.h"
#include "pimento/llm/model.h"
#include "pimento/llm/system.h"

namespace pimento::llm {

/// Where the layers of all blocks run while tokens are generated. GPUs read the prompts, so they have all weights.
struct Placement {
  Split qkv, attention, projection, up, down, head;

  Split &of(LayerKind kind);
  const Split &of(LayerKind kind) const;
};
/// The layers that may be placed.
inline constexpr std::array<LayerKind, 6> kPlaced = {LayerKind::kQkv, LayerKind::kAttention, LayerKind::kProjection,
                                                     LayerKind::kUp,  LayerKind::kDown,      LayerKind::kHead};

/// What is asked of the machines.
struct Workload {
  std::int64_t requests = 1;                ///< run together
  std::int64_t prompt = 128, output = 128;  ///< tokens of each
  double elementBytes = 2;

  /// Positions of keys and values at the end.
  std::int64_t length() const { return prompt + output; }
};

/// Bytes in one memory.
struct Use {
  double weights = 0, keysAndValues = 0, activations = 0;
  Bytes room;

  double total() const { return weights + keysAndValues + activations; }
  /// More than there is; 0: it fits.
  double missing() const { return std::max(0.0, total() - static_cast<double>(room.value)); }
};

/// Bytes of weights of a layer in all blocks, on all GPUs or devices together.
double weightBytes(const Model &model, LayerKind kind, double elementBytes);

Use useOfGpu(const Model &model, const Workload &workload, const Placement &placement, const System &system);
/// `room`: of one device.
Use useOfPim(const Model &model, const Workload &workload, const Placement &placement, std::int64_t gpus,
             std::int64_t devices, Bytes room);

/// Diagnostic: model-does-not-fit, with how much is missing where.
Status checkFits(const Model &model, const Use &gpu, const std::optional<Use> &pim, std::int64_t gpus);

}  // namespace pimento::llm
