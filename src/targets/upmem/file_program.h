// A DPU program from a file (.s or ELF) on one DPU: data in, launches, log, data out, profile.
//
// Only the user knows what its data are; nothing is checked against a reference. What the host moves before and after
// is priced as for any other run.
#pragma once

#include <memory>

#include "pimento/targets/upmem/kernel.h"

namespace pimento::targets::upmem {

/// A second launch finds the memories that the first one left. An estimate skips ahead where data do not decide the
/// time and there is one launch; then no memory has contents. A fault ends the run and stands in its outcome.
/// Diagnostics: those of program::verify and of data.h, "dpu-word-unknown".
Result<std::unique_ptr<evaluate::Runnable>> loadFile(const program::Program &program, const machine::Machine &machine,
                                                     const evaluate::ProgramRequest &request);

}  // namespace pimento::targets::upmem
