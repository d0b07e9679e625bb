// The DMA engine of a DPU: one queue, transfers served in order.
//
// A lone transfer of S bytes delays its tasklet by L(S), from the issue of its instruction to the issue of the next;
// the engine takes a new transfer O(S) after the one before. Both come from tables of the machine file, interpolated
// linearly, rounded to its tick. The optional row model replaces the tables by a row buffer and column accesses that do
// not overlap, as uPIMulator has it; measured hardware does otherwise. The queue is a resource without a clock: `issue`
// tells when the transfer begins, when the engine is free again and when the tasklet may go on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/machine/machine.h"

namespace pimento::sim::dpu {

/// Times in cycles; `end` is when the engine takes the next transfer.
struct TransferTime {
  std::int64_t begin = 0, end = 0, done = 0;
};

class Dma {
 public:
  explicit Dma(const machine::Dpu &machine);

  /// A transfer whose instruction issues at `cycle`; calls come in order of time.
  TransferTime issue(std::int64_t cycle, bool isRead, std::int64_t bytes, std::uint32_t mramAddress);
  /// A new launch: idle.
  void reset();
  /// Ticks that the transfers so far occupied the engine, refreshes on the way left out.
  std::int64_t work() const { return work_; }

 private:
  struct Cost {
    std::int64_t latency = 0, occupancy = 0;  ///< ticks
  };
  /// `work` ticks from `begin` on, and the refreshes on the way.
  std::int64_t after(std::int64_t begin, std::int64_t work) const;
  Cost rowCost(std::int64_t bytes, std::uint32_t mramAddress);
  std::int64_t ticks(double cycles) const;
  using Costs = std::vector<Cost>;  // by size / unit
  static Costs costs(const std::vector<machine::Dpu::Transfer> &table, const machine::Dpu &machine);

  std::int64_t unit_, ticks_;
  std::int64_t refreshInterval_, refreshTime_;   ///< ticks; interval 0: none
  std::shared_ptr<const Costs> reads_, writes_;  ///< by size / unit
  std::int64_t free_ = 0;                        ///< tick at which the engine takes the next transfer
  std::int64_t work_ = 0;
  bool hasRows_;
  machine::Dpu::Rows rows_;
  std::int64_t openRow_ = -1;
};

}  // namespace pimento::sim::dpu
