// Where the time of a DPU's machine code went: by function and by source line.
//
// Counted, not sampled: the engine says for every instruction how often it issued and how long its tasklets waited for
// the transfers it started. Not here: waiting for a turn in the pipeline and for other tasklets, which belongs to no
// line alone (attempts that fail are slots, and counted).
#pragma once

#include <cstdint>
#include <span>

#include "pimento/base/units.h"
#include "pimento/evaluate/attribution.h"
#include "pimento/program/code.h"

namespace pimento::targets::upmem {

/// By instruction: how often it issued, and the cycles that tasklets waited for transfers it started. What did not
/// issue is left out; instructions beyond the code (loaded at run time) have no function.
evaluate::Attribution attributionOf(const program::Code &code, std::span<const std::int64_t> issued,
                                    std::span<const std::int64_t> waited, Cycles interval);

}  // namespace pimento::targets::upmem
