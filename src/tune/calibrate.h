// A DPU's times from micro-benchmark tables: a machine file with what they say, and how far the model is from each row.
//
// Derived, by simple rules and without a fit: the issue interval (32-bit ADD), the latency of transfers (lone tasklet,
// one transfer), their occupancy (a further transfer where the engine never waits), the slots of the loop they were
// measured in. Residuals compare every row with the same loop on the simulated DPU. Refresh goes on while tables are
// measured, so table values are multiplied by the share of time that refresh leaves.
//
// Not here: kernels. Nothing may be calibrated on what `validate` compares with.
#pragma once

#include <string>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/tune/calibration_tables.h"
#include "pimento/tune/dpu_benchmark.h"

namespace pimento::tune {

struct Calibration {
  double issueInterval = 0;                           ///< cycles; that of the machine where the tables do not say
  std::vector<machine::Dpu::Transfer> reads, writes;  ///< by size; uninterrupted by refresh
  LoopSlots loop;
};

/// Diagnostics: not-a-dpu (the machine has none), bad-table (a size without lone transfers).
Result<Calibration> calibrate(const CalibrationTables &tables, const machine::Machine &machine);

/// A machine file called `name` that extends `base` with `c`; `source`: the tables, in words. Diagnostic: bad-table (a
/// size that `base` has no entry for).
Result<std::string> machineText(const Calibration &c, const machine::Machine &base, const std::string &name,
                                const std::string &source);

/// One group of rows against the model.
struct Residual {
  std::string table, group;  ///< "read", "8 tasklets"
  std::int64_t rows = 0;
  double meanPercent = 0, worstPercent = 0;  ///< of the absolute error; of the error
  std::string worstRow;
};
struct Residuals {
  std::vector<Residual> groups;
  std::vector<std::string> leftOut;  ///< rows that nothing here can compare, in words
};

/// Simulates all rows. Diagnostics: those of the runs.
Result<Residuals> residuals(const CalibrationTables &tables, const machine::Dpu &dpu, const LoopSlots &loop, int jobs);

}  // namespace pimento::tune
