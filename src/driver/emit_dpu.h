// `compile --emit c`, `--emit host` and `--emit ir` on UPMEM: the programs that kernels become, before the back end.
#pragma once

#include "pimento/driver/job.h"
#include "pimento/driver/verbs.h"

namespace pimento::driver {

/// C against UPMEM's interface, the DPU half or the host half (needs no compiler), or LLVM IR after optimisation.
/// `reference` stands for the first mapping that `auto` would look at: the measured programs have neither; so does
/// `auto` where there is no compiler. Diagnostics:
/// unknown-stage (another machine), those of the lowering, of Clang and of the back end.
Outcome emitDpuSource(const Options &options, const Job &job);

}  // namespace pimento::driver
