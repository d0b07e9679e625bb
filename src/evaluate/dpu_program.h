// Runs a DPU program that has no kernel behind it (a .s or ELF file) on one DPU, and reports time, energy, counts and
// profile.
//
// The caller makes the DPU and puts the data in place, since only the user knows what they are; nothing is checked
// against a reference. What the host moves before and after is priced as for any other run.
#pragma once

#include <cstdint>
#include <functional>

#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/report.h"
#include "pimento/lower/host_work.h"
#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::evaluate {

struct DpuProgramRequest {
  const program::Process *process = nullptr;  ///< with code
  const machine::Machine *machine = nullptr;  ///< with DPUs
  bool isSimulation = true;                   ///< otherwise fast-forward, where data do not decide the time
  sim::dpu::Observer *observer = nullptr;     ///< simulation only
  std::int64_t launches = 1;                  ///< one after the other, on the memories that the last one left
  std::int64_t maxInstructions = INT64_MAX;   ///< per launch
  Bytes placed, readBack;                     ///< that the host moves before the first and after the last launch
  std::function<void()> afterLaunch = {};     ///< reads what every launch left
};

/// What the host does around the launches.
lower::HostWork hostWorkOf(const DpuProgramRequest &request, std::int64_t launches);

/// A report with what it was made from, for explanations.
struct DpuProgramEvaluation {
  Report report;
  StageRecord record;
};

/// The report is complete but for the fields that name the input, the log and the readouts; a fault ends the run and
/// stands in it. `dpu` is left as the last launch left it, with undefined memories after an estimate that was skipped
/// ahead (`afterLaunch` is not called then).
DpuProgramEvaluation evaluateDpuProgram(sim::dpu::Dpu &dpu, const DpuProgramRequest &request);

}  // namespace pimento::evaluate
