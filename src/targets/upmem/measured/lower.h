// Kernel + Mapping + Machine -> Program for UPMEM DPUs, with the plan for its data: the measured programs.
//
// One kernel of a graph becomes one launch of one program on every DPU. The mapping says how many DPUs and tasklets
// share the dim that is split, and how much each tasklet is given; `buffer` says how many elements a transfer moves.
// The `reference` mapping is that of the published measurements: one DPU and 16 tasklets unless told otherwise, every
// tasklet a contiguous slice. What the host does around the launch is counted here and priced by `evaluate`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/program.h"
#include "pimento/targets/upmem/measured/layout.h"

namespace pimento::targets::upmem::measured {

using Lowered = LoweredTo<Layout>;

/// The measured program that computes kernel number `kernel` of `graph`. Diagnostics: unsupported-* (see pattern.h).
Result<Pattern> programFor(const kernel::Graph &graph, int kernel, const machine::Machine &machine);

/// The mapping of the published measurements, with `spec`'s dpus, tasklets, buffer and tail. Diagnostics: unsupported-*
/// (see pattern.h), unsupported-machine, illegal-mapping, capacity (WRAM).
Result<mapping::Mapping> referenceMapping(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                          const mapping::MapSpec &spec, Cache &cache);

/// The mappings that searches look at: all DPUs, then powers of two; a dozen numbers of tasklets; buffers of powers of
/// two of 32 bytes and more; most first. What `spec` names (dpus, tasklets, buffer, merging) is not varied.
std::vector<mapping::Mapping> mappingSpace(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec = {});

/// Lowers kernel number `kernel` of `graph`. Diagnostics: unsupported-*, illegal mappings, capacity (MRAM, WRAM).
Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine, Cache &cache);

}  // namespace pimento::targets::upmem::measured
