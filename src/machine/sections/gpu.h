// A GPU as a host: a roofline with the tiles that decide its traffic, or a table of measured times.
//
// One room reads it (llm), so Machine has no member for it: gpuOf() gives a machine's numbers their types. Where the
// roofline comes from: the simulator of AttAcc, as the study of DCC uses it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"

namespace pimento::machine {

struct Machine;

struct Gpu {
  /// What `gpu.model` says.
  enum class Model : std::uint8_t {
    kRoofline,  ///< formulas, plus `launch` for every kernel
    kTable,     ///< times of `table`
  };
  /// Kernels over all elements of a matrix, memory bound: a fixed time and a slope per byte moved.
  struct Flat {
    Picoseconds time;            ///< of an empty one
    double psPerByte = 0;        ///< at `referenceGBps`; scales with the memory's bandwidth
    double operations = 0;       ///< per element
    double gatedOperations = 0;  ///< likewise, of an activation that multiplies by a gate
  };

  Model model = Model::kRoofline;
  std::string table;                                   ///< file, absolute or beside the machine file; empty: none
  std::int64_t processors = 1;                         ///< streaming multiprocessors
  double peakGflops = 0, memoryGBps = 0;               ///< in two-byte elements; off-chip
  double computeEfficiency = 1, memoryEfficiency = 1;  ///< shares of both that kernels reach
  Bytes memory;                                        ///< of one GPU
  Bytes l1, l2;                                        ///< of a processor; of all
  std::vector<std::int64_t> tiles;                     ///< edges of the tiles in L1
  std::int64_t l1Depth = 1, l2Parts = 1;               ///< depth of a tile in L1; parts of the depth in L2
  std::int64_t registerTile = 1;                       ///< edge of the tiles in registers
  Flat norm, activation;
  double softmaxOperations = 0;  ///< per element
  double referenceGBps = 0;      ///< of the GPU that `norm` and `activation` were measured on
  Picoseconds launch;            ///< added to every kernel
  double linkGBps = 0;           ///< to its PIM devices, one direction
  double peerGBps = 0;           ///< to other GPUs, both directions together
  Picoseconds peerLatency;       ///< of a message between GPUs
  double peerPsPerByte = 0;      ///< likewise, at `peerReferenceGBps`
  double peerReferenceGBps = 0;
  std::string device;        ///< machine of a PIM device, unless told otherwise
  std::int64_t devices = 1;  ///< PIM devices of each GPU, unless told otherwise
  /// What the study's estimates of a PIM device need beside command streams; 0: they are not to be had.
  double nearGBps = 0, deviceGBps = 0;
};

/// Diagnostic: missing-section (the machine is no GPU).
Result<Gpu> gpuOf(const Machine &machine);

}  // namespace pimento::machine
