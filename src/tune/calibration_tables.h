// Micro-benchmark tables of a DPU, read from CSV: what `calibrate` starts from.
//
// Lines that begin with '#' are comments, the first other line names the columns, further columns are ignored. The
// columns tell what a file holds:
//   transfers       op (DMA_LOAD, DMA_STORE), size_bytes, tasklets, n_dma, cycles_per_iteration
//   operations      op, dtype, cycles_1_tasklet
//   multiplication  operand_value, cycles
//   barrier         tasklets, barrier_count, cycles_per_barrier_call
// Not here: what the rows mean (calibrate.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::tune {

/// A loop with `transfers` transfers back to back, less the same loop without them. All tasklets run it.
struct TransferRow {
  bool isRead = true;
  std::int64_t bytes = 0, tasklets = 1, transfers = 1;
  double cycles = 0;  ///< of the DPU, per iteration
  Location where;
};
/// One operation of a lone tasklet.
struct OperationRow {
  std::string op, type;  ///< "ADD", "uint32_t"
  double cycles = 0;
  Location where;
};
/// One 32-bit multiplication of a lone tasklet, call included; `value` is the smaller operand.
struct MultiplyRow {
  std::int64_t value = 0;
  double cycles = 0;
  Location where;
};
/// One barrier that `tasklets` tasklets meet at, in a loop of `barriers`.
struct BarrierRow {
  std::int64_t tasklets = 1, barriers = 1;
  double cycles = 0;
  Location where;
};

struct CalibrationTables {
  std::vector<TransferRow> transfers;
  std::vector<OperationRow> operations;
  std::vector<MultiplyRow> multiplications;
  std::vector<BarrierRow> barriers;
};

/// Adds the rows of a file. False where its columns are none of the above; then nothing is added. Diagnostics:
/// bad-table (a row with too few columns, no number, a number out of range, an unknown op, a row that is there
/// already).
Result<bool> addTable(std::string_view csv, const std::string &file, CalibrationTables &tables);

}  // namespace pimento::tune
