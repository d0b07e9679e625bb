// A language model on its machines: reading the prompt, then token after token; where each layer runs is searched.
//
// Blocks run one after the other, and so do the layers of a block, each of which may use GPU, PIM devices and link at
// once (schedule.h). So the best place of each layer can be found by itself, and the best of all is the best of each.
// Layers that depend on the length are priced at every length of the run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/llm/capacity.h"
#include "pimento/llm/system.h"

namespace pimento::llm {

/// A layer over a whole phase.
struct LayerRun {
  LayerKind kind = LayerKind::kQkv;
  Split split;
  Picoseconds span;                                 ///< from its first task to its last, all blocks and steps
  std::array<Picoseconds, kDevices.size()> busy{};  ///< of it, by device
  Energy gpu, pim, link;
  std::string mapping;  ///< of PIM devices, at the last step
  bool isMeasured = false;

  void add(const Stage &stage, double times);
};

struct PhaseRun {
  std::string name;        ///< "prefill", "generation"
  std::int64_t steps = 0;  ///< one after the other
  Picoseconds time;
  std::vector<LayerRun> layers;  ///< in the order of a block, the head last; sums of a kind are one
  Energy energy;

  Picoseconds perStep() const {
    return steps == 0 ? Picoseconds() : Picoseconds(time.value / static_cast<double>(steps));
  }
  double busy(Device device) const;  ///< share of `time`
};

/// Where one layer could run, and what it would take in the whole generation.
struct Choice {
  LayerKind kind = LayerKind::kQkv;
  Split split;
  std::optional<Picoseconds> span;  ///< nothing: ruled out by a bound, or impossible
  std::string why;                  ///< why not
  bool isChosen = false;
};

struct Inference {
  Model model;
  Workload workload;
  Placement placement;
  PhaseRun prefill, generation;
  Use gpuUse;
  std::optional<Use> pimUse;
  std::vector<Choice> choices;
};

struct InferenceOptions {
  Bytes pimRoom;                            ///< of one device
  std::optional<Placement> placement = {};  ///< fixed, instead of searched
  int jobs = 1;
};

/// Diagnostics: heads-not-divided, model-does-not-fit, not-in-table, those of PimDevice where the placement is fixed.
Result<Inference> infer(const System &system, const Model &model, const Workload &workload,
                        const InferenceOptions &options);

/// One step of generation at `length` positions, as placed: the tasks of `blocks` blocks and the head, each reading the
/// one before.
Result<std::vector<Task>> tasksOfToken(const System &system, const Model &model, const Workload &workload,
                                       const Placement &placement, std::int64_t length, std::int64_t blocks);

}  // namespace pimento::llm
