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
  Picoseconds writeLatency, readLatency;           ///< of a phase of transfers
  Picoseconds launch;                              ///< of one launch of all DPUs, and of learning that they are done

  /// GB/s of `dpus` DPUs in `ranks` ranks together: `rates` interpolated in the logarithms of both, times the ranks, at
  /// most `limit` (0: none).
  static double rateOf(const std::vector<Rate> &rates, double limit, std::int64_t dpus, std::int64_t ranks);
};

}  // namespace pimento::machine
