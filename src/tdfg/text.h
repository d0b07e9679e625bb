// Tensor graphs and streams as text: `compile --emit tdfg`, `--emit sdfg`, and what fat binaries hold.
//
// Both are one language: an sDFG is a program whose regions have streams alone. Names of arrays, sizes and loops are
// words, or quoted (sizes and loops named min, max, v0, v1, ... always are); `%N` is a node, `vN` a stream's value,
// `$x` a loop of the streams and `$0` a lattice coordinate.
// '#' begins a comment. docs/tdfg.md describes the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/tdfg/schedule.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

enum class Part : std::uint8_t { kStreams, kGraphs, kAll };

/// readProgram() reads it back: kAll is the whole program, the others leave out graphs or streams.
std::string print(const Program &program, Part part = Part::kAll);
/// `array` and `%N` as in the program; an empty schedule has no text.
std::string print(const Schedule &schedule, const Program &program, const Region &region);

struct ProgramText {
  Program program;
  /// By region of the program, those of one array size after the other, as the text has them.
  std::vector<std::pair<int, Schedule>> schedules;
};
/// A program, verified, and the schedules behind it. Diagnostics: tdfg-syntax, tdfg-name, tdfg-number, tdfg-invalid.
Result<ProgramText> readProgram(std::string_view text, const std::string &file);

}  // namespace pimento::tdfg
