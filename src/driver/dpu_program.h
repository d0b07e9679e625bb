// DPU programs from .s and ELF files: estimate, simulate, and what they leave behind.
#pragma once

#include "pimento/driver/job.h"
#include "pimento/evaluate/dpu_program.h"

namespace pimento::driver {

/// A program from a file by fast-forward: commands (.llvcnm) or machine code, with the data of `--in`.
Result<evaluate::Report> estimateProgram(const Options &options, const Job &job);

/// Machine code: data in, launches and log; where every instruction is simulated also data out and timeline. A fault of
/// the program stands in the report; diagnostics are for wrong options.
Result<evaluate::DpuProgramEvaluation> runDpuProgram(const Options &options, const Job &job, bool isSimulation);

/// Diagnostic where options of DPU programs are given with an input that is none: dpu-option.
Status checkDpuOptions(const Options &options, const Input &input);

}  // namespace pimento::driver
