// `validate upmem`: measured times of one DPU, replayed with the reference programs on data of the measured kind.
#pragma once

#include "pimento/evaluate/suite.h"

namespace pimento::targets::upmem {

/// Figures are milliseconds around a launch. Where there is a compiler, our program's speedup over the reference
/// program.
evaluate::Suite suite();

}  // namespace pimento::targets::upmem
