// A chip of many tiles: the cache that they share, the stream engines beside it, and how its cores run kernels.
//
// Not here: the mesh between the tiles and one core with its own caches (core.h), arrays that compute (sram.h), and
// what time follows from all that (sim/uncore, sim/stream, sim/core).
#pragma once

#include <cstdint>

#include "pimento/base/units.h"
#include "pimento/machine/sections/core.h"

namespace pimento::machine {

/// An L3 in slices, one at each tile; lines lie in slices by their address (static NUCA).
struct SharedCache {
  Bytes size;  ///< of a slice
  int ways = 1;
  Bytes line, interleave;  ///< so many bytes in one slice, then the next
  Cycles latency;          ///< of an access, tags included
  int ports = 1;           ///< accesses that a slice takes per cycle
  Replacement replacement = Replacement::kBimodalRrip;
  int longEvery = 32;  ///< kBimodalRrip: of so many lines one is predicted for the long future
};

/// Engines that walk streams and compute beside a slice. Sizes are those of messages' data.
struct StreamEngines {
  int ofCore = 1, ofSlice = 1;   ///< streams that a core, or a slice, has at a time
  Bytes buffer;                  ///< of a slice, for all its streams
  Cycles computeStart;           ///< before an operation itself
  int inFlight = 1;              ///< groups of elements that a slice computes at a time
  std::int64_t outstanding = 1;  ///< lines that a load stream is ahead of its consumer
  std::int64_t flowLines = 1;    ///< between two messages to the core
  std::int64_t broadcast = 1;    ///< strands that share a stream
  Bytes configuration, element;
};

/// How the cores run kernels, and which other places of the chip do.
struct ChipKernels {
  int threads = 1;     ///< cores that share a kernel
  Bytes vector;        ///< of a vector register
  int registers = 32;  ///< vector registers that code may name
  /// Results that a core keeps in registers while it sums: rows, and columns (vectors where these are contiguous).
  std::int64_t blockRows = 1, blockColumns = 1;
  Cycles barrier;  ///< the cores wait for each other
  /// Who runs kernels: cores, streams beside the L3, its arrays. Cores run what nobody else can.
  bool isOnCores = true, isNearL3 = false, isInL3 = false;
  enum class Start : std::uint8_t { kMemory, kL3 } start = Start::kMemory;  ///< where a program's arrays lie first
  enum class Decision : std::uint8_t {
    kLeastPath,  ///< each region where the whole program takes least
    kEquation2,  ///< where equation (2) of Infinity Stream says
  } decision = Decision::kLeastPath;
};

/// What computing near and in the L3 adds to the chip, in mm2, and the share of the chip that this is.
struct ChipArea {
  double inL3 = 0, nearL3 = 0, overhead = 0;

  double chip() const { return overhead > 0 ? (inL3 + nearL3) / overhead : 0; }
};

}  // namespace pimento::machine
