// The host beside the device, and the link between them.
#pragma once

#include <optional>
#include <string>

#include "pimento/base/units.h"
#include "pimento/machine/sections/link.h"

namespace pimento::machine {

/// The host beside the device, and the link between them.
struct Host {
  double linkGBps = 0;                             ///< device link, all channels together (10^9 bytes per s)
  double writeEfficiency = 1, readEfficiency = 1;  ///< share of it that placement and read-back reach
  Picoseconds linkLatency;                         ///< per transfer phase
  double memoryGBps = 0;                           ///< host memory bandwidth (rearranging)
  double mergeGops = 0;         ///< additions per ns (giga-operations per s) when merging partial results
  double peakGflops = 0;        ///< roofline for the same kernel on the host, kernel's type
  std::optional<DpuLink> dpus;  ///< of machines with DPUs
  std::string name;             ///< which host
};

}  // namespace pimento::machine
