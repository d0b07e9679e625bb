// A DPU: a multithreaded core beside a DRAM bank of its own (UPMEM).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/units.h"

namespace pimento::machine {

/// A DPU: a multithreaded core beside a DRAM bank (UPMEM). Everything the `dpu` engine needs.
struct Dpu {
  std::int64_t maxTasklets = 24, atomicBits = 256;
  std::int64_t instructions = 4096;  ///< that IRAM holds
  Bytes wram, mram;
  Cycles issueInterval;  ///< from one instruction of a tasklet to its next
  /// A unit for 32-bit products, pipelined: from such a product to the tasklet's next instruction. 0: none.
  Cycles multiplier;
  /// One DMA transfer of `size` bytes, in device cycles: `latency` of a lone one, from the issue of its instruction to
  /// the issue of the tasklet's next; `occupancy`: from one transfer to the next when the engine never waits.
  struct Transfer {
    Bytes size;
    double latency = 0, occupancy = 0;
  };
  std::vector<Transfer> reads, writes;  ///< MRAM to WRAM, WRAM to MRAM; by ascending size; between them: interpolated
  Bytes transferUnit, transferMax;      ///< sizes and addresses are multiples of the unit
  bool hasStrictDma = false;       ///< addresses that are no multiples are a fault; else their low bits are ignored
  std::int64_t ticksPerCycle = 1;  ///< resolution of DMA times; table values are rounded to it
  /// MRAM is refreshed for `refreshTime` every `refreshInterval`; a transfer under way pauses. Table values are those
  /// of transfers that are not interrupted. Interval 0: no refresh.
  Cycles refreshInterval, refreshTime;
  std::int64_t transferPorts = 1;       ///< transfers under way at once
  std::string registerHazard = "none";  ///< "none" | "even-odd" (uPIMulator's operand-fetch penalty; hardware: none)
  std::string mramModel = "table";      ///< "table" | "constant" | "dram-rows"
  double constantTransfer = 0;          ///< "constant": any transfer takes so many device cycles, its port included
  /// "dram-rows" in place of the tables: a transfer takes `overhead`, a `column` per access of `columnBytes`, and
  /// `rowMiss` whenever it enters a row that is not open; nothing of it overlaps with the next. Device cycles.
  struct Rows {
    Bytes rowBytes, columnBytes;
    double overhead = 0, column = 0, rowMiss = 0;
  };
  Rows rows;
};

}  // namespace pimento::machine
