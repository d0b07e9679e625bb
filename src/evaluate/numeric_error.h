// How far the results of a graph in other types lie from the original's (`--convert`).
#pragma once

#include <vector>

#include "pimento/evaluate/report.h"
#include "pimento/kernel/convert.h"

namespace pimento::evaluate {

/// Of every output and in-out. `original`: what the original graph computed, in its own types; `results`: what the
/// converted one did.
std::vector<NumericError> numericErrors(const kernel::Graph &graph, const kernel::DataSet &original,
                                        const kernel::Converted &converted, const kernel::DataSet &results);

}  // namespace pimento::evaluate
