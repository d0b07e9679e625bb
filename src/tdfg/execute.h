// The reference executor: what a program computes, by definition, on concrete sizes.
//
// Tensor by tensor, element by element, with the rounding that each node states; streams through the kernel
// interpreter. It knows nothing of tiles but the order of reductions. Meant for tests and checks, not for speed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

struct ExecuteOptions {
  std::array<std::int64_t, 3> tile{1, 1, 1};  ///< by lattice dim, powers of two: the order of reductions
  bool hasStreamsAlone = false;               ///< every region by its streams
};

/// A region that runs, at values of names. data[names[array]] is what `array` means now (Loop::swaps).
using RegionVisitor = std::function<Status(int region, const Values &values, const std::vector<int> &names)>;
/// The program's regions in the order they run, a round at a time; `most` rounds of every loop at most. A region's
/// streams contain its rounds: for `hasStreamsAlone` regions have no rounds.
Status visitRegions(const Program &program, const Values &values, const RegionVisitor &see,
                    std::int64_t most = INT64_MAX, bool hasStreamsAlone = false);

/// Contents of all arrays before a run: the given ones of inputs and in-outs, by array; the rest as Array::start says.
/// Diagnostics: array-shape (another shape or type than the program's).
Result<kernel::DataSet> prepare(const Program &program, const Values &values, kernel::DataSet given);

/// Runs one region on `data`, by array. Diagnostics: those of bindRegion(), of the interpreter, and index-out-of-range.
Status executeRegion(const Program &program, int region, const Values &values, const std::vector<int> &names,
                     kernel::DataSet &data, const ExecuteOptions &options = {});
/// Same, by the region's streams.
Status executeStreams(const Program &program, int region, const Values &values, const std::vector<int> &names,
                      kernel::DataSet &data);

/// Runs the program; `data` by array, inputs and in-outs given.
Status execute(const Program &program, const std::map<std::string, std::int64_t> &sizes, kernel::DataSet &data,
               const ExecuteOptions &options = {});

}  // namespace pimento::tdfg
