// `compile --emit mlir`: the graph and the mappings chosen for it as an MLIR module.
#pragma once

#include "pimento/driver/options.h"

namespace pimento::mapping {
struct MapSpec;
}

namespace pimento::driver {

struct Input;
struct Job;

/// A kernel that the target cannot run has no mapping in the module; with `--map` that is an error.
Outcome emitMlir(const Options &options, const Job &job);

/// `--map`, else the mappings that the input's file states for `target`, else the default.
Result<std::vector<mapping::MapSpec>> mapsOf(const Options &options, const Input &input, const std::string &target,
                                             const machine::Machine &machine);

}  // namespace pimento::driver
