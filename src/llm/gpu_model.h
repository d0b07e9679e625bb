// How long a GPU takes for an operation, and what moves where meanwhile.
//
// The roofline is the one of AttAcc's simulator as the study of DCC has it: flops over the peak and bytes over the
// bandwidth, whichever takes longer; both shared by as many multiprocessors as have a tile. Bytes are those of the best
// tiles in L1 and L2. A table gives measured times instead (gpu_table.h), and the roofline's bytes.
//
// Known error: the roofline has no launch overhead and no ramp unless the host file says so; published figures of small
// kernels hang on that.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/energy/actions.h"
#include "pimento/llm/operation.h"
#include "pimento/machine/sections/gpu.h"

namespace pimento::llm {

class GpuTable;

/// Bytes that an operation moves across each boundary, and its floating-point operations.
struct Traffic {
  double memory = 0, l2 = 0, l1 = 0, registers = 0, operations = 0;

  Traffic &operator+=(const Traffic &o);
  Traffic times(double n) const { return {memory * n, l2 * n, l1 * n, registers * n, operations * n}; }
  /// gpu_memory_bytes, gpu_l2_bytes, gpu_l1_bytes, gpu_register_bytes, gpu_operations.
  void addTo(energy::ActionCounts &counts) const;
};

struct GpuTime {
  Picoseconds time;
  Traffic traffic;
  bool isMemoryBound = false;
  bool isMeasured = false;  ///< of a table
  double occupancy = 1;     ///< share of the multiprocessors that have work, over all rounds
};

/// Names of the actions that hosts count: those above, link_bytes and peer_bytes.
std::span<const std::string_view> hostActionNames();

class GpuModel {
 public:
  /// `table`: of hosts with model: table.
  explicit GpuModel(machine::Gpu gpu, std::shared_ptr<const GpuTable> table = nullptr);

  const machine::Gpu &gpu() const { return gpu_; }
  /// Diagnostics: not-in-table.
  Result<GpuTime> time(const Operation &operation) const;
  /// The formula, whatever the model.
  GpuTime roofline(const Operation &operation) const;

  /// Elements that a unit computes at once, compared with two-byte ones.
  static double elementsAtOnce(double elementBytes);

  /// Bytes between a GPU and its PIM devices.
  Picoseconds link(double bytes) const;
  /// Summing `bytes` that each of `gpus` has, everywhere.
  Picoseconds allReduce(double bytes, std::int64_t gpus) const;

 private:
  struct Tiling;
  GpuTime products(const Operation &o) const;
  GpuTime flat(const Operation &o) const;
  GpuTime overRows(const Operation &o) const;
  Tiling tilingInL1(const Operation &o) const;
  double trafficByL2(const Operation &o, const Tiling &l1) const;
  double occupancy(double blocks) const;
  double peak(double elementBytes) const;  ///< operations per s
  double bandwidth() const { return gpu_.memoryGBps * 1e9 * gpu_.memoryEfficiency; }

  machine::Gpu gpu_;
  std::shared_ptr<const GpuTable> table_;
};

}  // namespace pimento::llm
