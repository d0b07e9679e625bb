// A program's streams at numeric sizes, as a kernel graph: what every target and the interpreter take.
#pragma once

#include "pimento/kernel/kernel.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Loops around regions become loops of the graph, their values counters; verified. Diagnostics: those of
/// kernel::verify(), and tdfg-form (a number that hangs on loops in a way that no kernel says).
Result<kernel::Graph> graphOf(const Program &program, const Values &values);

}  // namespace pimento::tdfg
