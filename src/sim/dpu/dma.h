// The DMA engine of a DPU: one queue, transfers served in order, by as many ports as the machine has (hardware: one).
//
// A lone transfer of S bytes delays its tasklet by L(S), from the issue of its instruction to the issue of the next;
// a port takes a new transfer O(S) after the one before; of several ports the one that is free first serves the
// transfer. Both times come from tables of the machine file, interpolated linearly, rounded to
// its tick. Two optional models replace the tables: one time for all transfers, a what-if; and a row buffer with column
// accesses that do not overlap, as uPIMulator has it; measured hardware does otherwise. The queue is a resource without
// a clock: `issue` tells when the transfer begins, when its port is free again and when the tasklet may go on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/state.h"

namespace pimento::sim::dpu {

/// Times in cycles; `end` is when the port takes the next transfer.
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
  /// Ticks that the transfers so far occupied ports, refreshes on the way left out.
  std::int64_t work() const { return work_; }

  /// Ticks that any transfer occupies its port at most, refreshes left out.
  static std::int64_t mostOccupancy(const machine::Dpu &machine);
  /// Ticks from a transfer of so many bytes to the next, by the tables.
  std::int64_t occupancy(bool isRead, std::int64_t bytes) const {
    return (isRead ? *reads_ : *writes_)[static_cast<std::size_t>(bytes / unit_)].occupancy;
  }
  /// What decides the times of transfers to come, relative to cycle `now`: busy ports (which is which does not matter),
  /// and where in a refresh interval it is. Not of machines with rows: their times hang on addresses.
  void encodePorts(std::int64_t now, StateWords &out) const;
  void encodeRefresh(std::int64_t now, StateWords &out) const {
    if (refreshInterval_ != 0) out.put(now * ticks_ % refreshInterval_);
  }
  void restorePorts(std::int64_t now, StateReader &in);

 private:
  struct Cost {
    std::int64_t latency = 0, occupancy = 0;  ///< ticks
  };
  /// `work` ticks from `begin` on, and the refreshes on the way.
  std::int64_t after(std::int64_t begin, std::int64_t work) const;
  Cost rowCost(std::int64_t bytes, std::uint32_t mramAddress);
  std::int64_t ticks(double cycles) const;
  friend class LeastOccupancy;
  using Costs = std::vector<Cost>;  // by size / unit
  static Costs costs(const std::vector<machine::Dpu::Transfer> &table, const machine::Dpu &machine);
  static Costs costsOf(const machine::Dpu &machine, bool isRead);

  std::int64_t unit_, ticks_;
  std::int64_t refreshInterval_, refreshTime_;   ///< ticks; interval 0: none
  std::shared_ptr<const Costs> reads_, writes_;  ///< by size / unit
  std::vector<std::int64_t> free_;               ///< heap: ticks at which ports take their next transfers
  std::int64_t work_ = 0;
  bool hasRows_;
  machine::Dpu::Rows rows_;
  std::int64_t openRow_ = -1;
};

/// The fewest ticks for which transfers occupy ports that move so many bytes together, however these are cut into
/// transfers; refreshes left out.
///
/// Up to the largest transfer the minimum over all ways to cut them, by dynamic programming over the sizes that there
/// are. Beyond, bytes times the least ticks per byte of any size: no transfer takes less for what it moves. Of a DRAM
/// with rows every access is taken for a hit.
class LeastOccupancy {
 public:
  LeastOccupancy(const machine::Dpu &machine, bool isRead);
  double ticks(std::int64_t bytes) const;

 private:
  std::int64_t unit_;
  std::vector<std::int64_t> least_;  ///< by units
  double perUnit_ = 0;
};

}  // namespace pimento::sim::dpu
