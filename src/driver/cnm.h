// `compile --emit cnm` and `--emit dcc`: the graph with the mappings chosen for it, as CNM IR or DCC's.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"

namespace pimento::evaluate {
struct PlannedPart;
}
namespace pimento::driver {

struct Job;

/// The job's graph with the mappings that were resolved for it; `host` where a kernel stays there.
std::string cnmText(const Options &options, const Job &job, const std::vector<evaluate::PlannedPart> &graph);
/// Diagnostic: unsupported-dcc.
Result<std::string> dccText(const Options &options, const Job &job, const std::vector<evaluate::PlannedPart> &graph);

}  // namespace pimento::driver
