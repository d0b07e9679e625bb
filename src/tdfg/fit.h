// A source whose sizes are names, as streams whose numbers are forms of these names.
//
// Sources give graphs at numeric sizes (decision 23). This asks for several and reads off how each number of the graph
// depends on the sizes: an affine form, or one divided and rounded down. What the forms say is compared with the source
// at sizes that they were not made from.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// The graph of the source at these sizes.
using GraphAt = std::function<Result<kernel::Graph>(const std::map<std::string, std::int64_t> &sizes)>;

/// A program of one region per kernel, streams alone, without tensor graphs. Diagnostics: the source's, and
/// tdfg-sizes (the program is another one at other sizes, or a number is no form of them).
Result<Program> fitStreams(const std::vector<std::string> &sizes, const GraphAt &graphAt);

}  // namespace pimento::tdfg
