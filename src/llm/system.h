// The machines that run a language model: GPUs, and the PIM devices of each; and what a layer takes on them.
//
// A layer becomes tasks (schedule.h). What PIM devices compute goes to them over the link and comes back over it, also
// between two layers that both run there: activations stay with the GPU. The transfers into and out of a device that
// its own programs make are part of its time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/llm/layers.h"
#include "pimento/llm/schedule.h"

namespace pimento::llm {

class GpuModel;
class PimDevice;
struct Host;

/// By our constants, and by the published studies'. The second is missing where a machine has none.
struct Energy {
  Picojoules ours;
  std::optional<Picojoules> study = Picojoules(0);

  Energy &operator+=(const Energy &o);
  Energy times(double n) const;
};

/// Where a layer runs: which share of it on the PIM devices, and along what it is cut.
struct Split {
  double pim = 0;           ///< 0: on the GPU; 1: on the PIM devices
  bool isByInputs = false;  ///< products: parts of the inputs, whose partial sums the GPU adds up; else of the outputs

  bool operator==(const Split &) const = default;
};
/// "gpu", "pim", "pim 75 % of outputs, gpu the rest".
std::string text(const Split &split);

/// What a task's time was made from.
struct TaskOrigin {
  std::optional<Operation> operation;  ///< on a GPU
  double bytes = 0;                    ///< over a link; of a sum: of the whole result
  std::string command;                 ///< that explains a program of a PIM device
};

/// A layer as tasks, and what they cost all GPUs and all their devices.
struct Stage {
  LayerKind kind = LayerKind::kQkv;
  Split split;
  std::vector<Task> tasks;          ///< those that read nothing read what was there before
  std::vector<TaskOrigin> origins;  ///< by task
  Picoseconds span;                 ///< from the first to the last, alone
  Energy gpu, pim, link;
  std::string mapping;      ///< of the PIM devices' program; empty: they have none
  bool isMeasured = false;  ///< GPU times of a table

  Picoseconds busy(Device device) const { return Schedule::busy(tasks, device); }
};

class System {
 public:
  /// `pim` may be null: GPUs alone.
  System(const Host &host, std::int64_t gpus, PimDevice *pim, std::int64_t devices);

  const Host &host() const { return host_; }
  const GpuModel &gpu() const;
  std::int64_t gpus() const { return gpus_; }
  /// Of one GPU.
  std::int64_t devices() const { return devices_; }
  PimDevice *pim() const { return pim_; }

  /// A layer of `step` on the machines, as `split` says: products and attention may be on PIM devices, all others are
  /// on the GPU. Diagnostics: not-in-table, those of PimDevice.
  Result<Stage> stage(const Layer &layer, const Split &split, const Model &model, const Step &step) const;
  /// A span that no stage with this split is below: PIM devices take no time. Diagnostic: not-in-table.
  Result<Picoseconds> leastSpan(const Layer &layer, const Split &split, const Model &model, const Step &step) const;

  /// Moving `bytes` to the PIM devices of each GPU, or back, as one task's cost.
  Energy linkEnergy(double bytes) const;

 private:
  class Builder;

  const Host &host_;
  std::int64_t gpus_;
  PimDevice *pim_;
  std::int64_t devices_;
};

/// Heads of `requests` requests on one device.
std::int64_t headsPerDevice(const Model &model, std::int64_t requests, std::int64_t gpus, std::int64_t devices);

}  // namespace pimento::llm
