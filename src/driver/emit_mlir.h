// `compile --emit mlir`: the graph and the mappings chosen for it as an MLIR module.
#pragma once

#include <string>

#include "pimento/driver/options.h"

namespace pimento::driver {

struct Job;

/// A kernel that the target cannot run has no mapping in the module; with `--map` that is an error.
Result<std::string> emitMlir(const Options &options, const Job &job);

}  // namespace pimento::driver
