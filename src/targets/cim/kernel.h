// A kernel as a program of the machine's core, run with its data and timed on the core with caches that compute.
//
// Time, counts and energy are those of the program with its candidates in caches, simulated again (Profile); on a
// machine whose caches do not compute, of the program as it is. Tensors lie in the core's memory: nothing is moved to
// them or back. Caches are empty at the start.
#pragma once

#include <memory>
#include <string>

#include "pimento/evaluate/target.h"
#include "pimento/targets/cim/source.h"
#include "pimento/trace/host_tools.h"

namespace pimento::targets::cim {

/// The dims of the kernel nested as they stand, or as `spec` says; then, where the results stay the same, in other
/// orders: all of them for small kernels, for others the one that is best for caches by strides alone.
std::vector<mapping::Mapping> mappingsOf(const evaluate::GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec);

/// Diagnostics: "no-host-compiler", those of mapping::place, writeSource and trace::HostTools::build, "no-cim-energy",
/// "too-large" (more than the machine's memory holds).
Result<std::unique_ptr<evaluate::CompiledPart>> compileKernel(const evaluate::GraphPart &part,
                                                              const mapping::Mapping &mapping,
                                                              const machine::Machine &machine,
                                                              const evaluate::Tools &tools);

}  // namespace pimento::targets::cim
