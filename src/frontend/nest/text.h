// A function as statements in loops, as a text: what a reader outside this library hands to the scheduler. The Python
// package writes it (python/pimento/nest.py); a kernel::Graph comes out, without LLVM.
//
// The text is a NestProgram (program.h) in JSON: functions are inlined, sizes are numbers, scalars are expressions.
//
//   {"nest": 1, "function": NAME, "files": [NAME...], "at": PLACE,
//    "loops": [{"name", "extent", "at"}...],                  each from 0 to extent - 1
//    "buffers": [{"name", "kind", "type", "shape": [N...], "at"}...],
//        kind: "argument" (the user's contents), "local" (nothing in it at
//        first), "result" (likewise, and returned), "carried" (a scalar that loops carry), "kept" (what was read before
//        it changed)
//    "values": [["constant", TYPE, NUMBER] | ["index", TYPE, FORM] | ["load", TYPE, BUFFER, [FORM...], PLACE] |
//               ["load", TYPE, BUFFER, [FORM...], PLACE, DIM, VALUE] | [OP, TYPE, VALUE...] | ["true"|"false",
//               VALUE]...],
//        of earlier values; DIM, VALUE: index number DIM comes from data. OP: those of kernel.h, by name
//    "statements": [{"buffer", "index": [FORM...], "data": [DIM, VALUE], "value", "loops": [LOOP...],
//                    "guards": [FORM...], "if": [VALUE...], "at": PLACE, "in": NAME}...]}
//        stores where all guards are >= 0 and all conditions hold; in the order of the text, at every point of its
//        loops
//
//   FORM = [constant, loop, coefficient, loop, coefficient...]; PLACE = [line, column] or [line, column, file]
#pragma once

#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// What a text may hold at most; more is a diagnostic.
inline constexpr std::size_t kMaxNestBytes = std::size_t{16} << 20, kMaxNestItems = 200'000, kMaxNestStatements = 4000,
                             kMaxNestRank = 32;

struct NestKernels {
  kernel::Graph graph;
  Diagnostics warnings;
};

/// Reads the text; `file` names it where it is not a nest at all. Diagnostics: nest-syntax (not such a text),
/// nest-reference (a number that names nothing), nest-type, nest-too-large, each about the text; and those of
/// emitKernels() and of kernel::verify, at the places that the text gives.
Result<NestKernels> readNest(std::string_view text, std::string_view file);

}  // namespace pimento::frontend
