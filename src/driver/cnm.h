// CNM IR at both ends of a run: `compile --emit cnm`, and the mappings that a .cnm file states.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"

namespace pimento::evaluate {
struct PlannedPart;
}
namespace pimento::mapping {
struct CnmModule;
struct MapSpec;
}  // namespace pimento::mapping

namespace pimento::driver {

struct Job;

/// The job's graph with the mappings that were resolved for it; `host` where a kernel stays there.
std::string cnmText(const Options &options, const Job &job, const std::vector<evaluate::PlannedPart> &graph);

/// One mapping per kernel, `usual` where the file leaves it open. Diagnostics: those of mapping::verify.
Result<std::vector<mapping::MapSpec>> mapsOf(const mapping::CnmModule &cnm, const machine::Machine &machine,
                                             const mapping::MapSpec &usual);

}  // namespace pimento::driver
