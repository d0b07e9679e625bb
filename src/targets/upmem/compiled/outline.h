// A mapping of a compiled program before it is compiled: its scheme and its text tell what the host does and what
// moves.
#pragma once

#include <memory>

#include "pimento/base/cache.h"
#include "pimento/evaluate/target.h"
#include "pimento/targets/upmem/compiled/lower.h"

namespace pimento::targets::upmem::compiled {

/// Guesses come from one program per structure, for a single tasklet. `machine`, `compiler` and what `part` names must
/// outlive it. Diagnostics: those of writeSource.
Result<std::unique_ptr<evaluate::Outline>> outline(const evaluate::GraphPart &part, const mapping::Mapping &mapping,
                                                   const machine::Machine &machine, program::DpuCompiler *compiler,
                                                   std::shared_ptr<Cache> cache);

}  // namespace pimento::targets::upmem::compiled
