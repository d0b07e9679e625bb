// A kernel in the L3's arrays: its rounds as stretches with the same commands, what each needs there, and what it takes
// once all is in its place: commands on the tensor controllers, and streams between them.
//
// Streams run beside the L3, or on a core where nothing does. Of programs of very many kernels one barrier's time
// stands for all, and streams are timed at powers of two.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/lower/l3_sram/layout.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/l3_sram/chip_run.h"
#include "pimento/targets/l3_sram/plan.h"
#include "pimento/targets/l3_sram/run_counts.h"
#include "pimento/tdfg/schedule.h"

namespace pimento::targets::l3_sram {

/// Rounds one behind the other.
struct Stretch {
  std::int64_t lowering = -1, commands = 0;  ///< their number; how many there are in a round
  bool isStreams = false;                    ///< a region of streams alone; then there is nothing else here
  lower::l3_sram::Layout layout;
  std::vector<tdfg::Homes::Lines> lines;  ///< wordlines that are in use
  struct Array {
    std::size_t tensor = 0;  ///< of the graph
    int row = -1;            ///< its first wordline
    bool needsFetch = true;
    bool operator==(const Array &) const = default;
  };
  std::vector<Array> arrays;         ///< that must lie in their wordlines
  std::vector<std::size_t> written;  ///< tensors
  ChipRun time;                      ///< of all the rounds
};

struct Stretches {
  std::vector<Stretch> list;
  RunCounts arrays;
};

/// `isCoarse`: one of very many rounds. `shared`: of runs of one graph; null: none. Diagnostics:
/// sram-operation.
Result<Stretches> stretchesOf(const Plan &plan, const mapping::Mapping &mapping, const machine::Machine &machine,
                              bool isCoarse, Cache *shared);

}  // namespace pimento::targets::l3_sram
