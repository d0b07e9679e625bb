// `--out TENSOR=FILE.npy` of a kernel: what it computed, as files. Of DPU programs the target reads the option.
#pragma once

#include "pimento/driver/options.h"
#include "pimento/kernel/data.h"

namespace pimento::driver {

struct Input;

/// Before the run. Diagnostics: bad-out, unknown-output-tensor, unwritable-file, no-results (`--data none`).
Status checkOut(const Options &options, const Input &input);

/// Writes the files. `data`: every tensor of the input's graph after the run. Diagnostics: unsupported-npy,
/// unwritable-file.
Status writeOut(const Options &options, const Input &input, const kernel::DataSet &data);

}  // namespace pimento::driver
