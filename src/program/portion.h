// A piece of a process that is loops: the same statements, with fewer iterations.
//
// The smallest piece runs every loop once, so that every command issues. Larger ones have more iterations of the
// innermost loops, then of those around them. Pieces are for extrapolation (evaluate/two_slice.h): they compute
// nothing that anybody wants.
#pragma once

#include <cstdint>

#include "pimento/program/program.h"

namespace pimento::program {

/// `process` with `coefficient` (1 and up) times the iterations of the smallest piece, rounded up to whole iterations
/// of outer loops; the process itself where it has no more, and of machine code. Loops beside one another grow alike.
Process portionOf(const Process &process, std::int64_t coefficient);

/// How large it is: commands that its innermost loops issue; 0 of a process without loops. Saturated.
std::int64_t sizeOfLoops(const Process &process);

}  // namespace pimento::program
