// `--map`, `--objective` and `--offload`: how kernels lie on the machine, and which run there.
#pragma once

#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/evaluate/choices.h"

namespace pimento::mapping {
struct MapSpec;
}

namespace pimento::driver {

struct Input;

/// `--map`, one or several separated by '|'. Diagnostics: those of mapping::parseMapSpec.
Result<std::vector<mapping::MapSpec>> parseMaps(const Options &options);

/// `--pass -NAME` in mappings. Diagnostics: bad-pass.
Status leaveOutPasses(const Options &options, std::vector<mapping::MapSpec> &specs);

/// `--map`, else the mappings that the input's file states for `target`, else `auto`. All
/// without the passes of `--pass`. Diagnostics: those of parseMaps, leaveOutPasses and mapping::verify.
Result<std::vector<mapping::MapSpec>> mapsOf(const Options &options, const Input &input, const std::string &target,
                                             const machine::Machine &machine);

/// `--objective`, or time. Diagnostics: unknown-objective.
Result<evaluate::Objective> parseObjective(const Options &options);

/// `--offload`, or its default for the input. Diagnostics: unknown-offload.
Result<evaluate::Offload> parseOffload(const Options &options, evaluate::Offload usual);

}  // namespace pimento::driver
