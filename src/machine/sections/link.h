// How a host reaches many DPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/base/units.h"

namespace pimento::machine {

/// How a host moves data to and from many DPUs, and launches them.
struct DpuLink {
  struct Rate {
    std::int64_t dpus = 1;
    double gbps = 0;  ///< 10^9 bytes per s
  };
  /// All DPUs of a rank at once, equally much each; by ascending DPUs. Ranks add up, to the limit.
  std::vector<Rate> write, read;
  double writeLimitGBps = 0, readLimitGBps = 0;
  double serialWriteGBps = 0, serialReadGBps = 0;  ///< DPU after DPU
  double broadcastGBps = 0;                        ///< one copy for all, bytes counted for each
  /// What a call costs whatever it moves, by ascending DPUs of a rank: a transfer to and from DPUs; a launch, with
  /// learning that they are done.
  struct Cost {
    std::int64_t dpus = 1;
    Picoseconds time;
  };
  std::vector<Cost> writeCall, readCall, launch;
  Picoseconds rankCall;  ///< what every further rank adds to a call

  /// GB/s of `dpus` DPUs in `ranks` ranks together: `rates` interpolated in the logarithms of both, times the ranks, at
  /// most `limit` (0: none).
  static double rateOf(const std::vector<Rate> &rates, double limit, std::int64_t dpus, std::int64_t ranks);
  /// A call for `dpus` DPUs in `ranks` ranks: `costs` interpolated in the DPUs of a rank (linearly: a fixed part and
  /// one for every DPU), plus rankCall for every rank but the first.
  Picoseconds costOf(const std::vector<Cost> &costs, std::int64_t dpus, std::int64_t ranks) const;
};

}  // namespace pimento::machine
