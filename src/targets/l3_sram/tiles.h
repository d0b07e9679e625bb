// Tiles of a program's kernels, chosen together by what the whole program takes: a kernel whose tile suits the next one
// leaves data where that finds them.
//
// The published heuristic's tiles come first; nothing that takes as much is preferred to them. Then every tile is run
// for all kernels that have it. Few programs (kExhaustive) are all run. Of more, tiles in which one run of a kernel
// takes more in the arrays than the best program so far are left out (there the kernel would run elsewhere, whatever
// its tile), and one kernel after the other gets the tile that is best with those of the others.
//
// Not here: which tiles a kernel has (plan.h), and what a program takes (path.h).
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "pimento/evaluate/target.h"
#include "pimento/targets/l3_sram/chip.h"
#include "pimento/targets/l3_sram/plan.h"

namespace pimento::targets::l3_sram {

/// Programs up to which every one is run, and how many are run of others.
inline constexpr std::int64_t kExhaustive = 64, kMostPrograms = 256;
/// Kernels of one loop, and programs of kernels in all, beyond which tiles stay the heuristic's.
inline constexpr std::size_t kMostRounds = 64, kMostKernels = 2048;

/// What it is given of the target.
struct TileTools {
  std::function<Result<std::unique_ptr<evaluate::CompiledPart>>(const evaluate::GraphPart &, const mapping::Mapping &)>
      compile;
  std::function<const ChipKernel *(const evaluate::CompiledPart &)> chipOf;  ///< null: none
};

/// The arguments are those of Target::together. Diagnostics: of the program as it is.
Result<evaluate::Target::Together> chooseTiles(std::span<const evaluate::Target::Member> members,
                                               std::span<const int> runs, const ChipState &idle,
                                               const machine::Machine &machine, const evaluate::RunMode &mode,
                                               const TileTools &tools);

}  // namespace pimento::targets::l3_sram
