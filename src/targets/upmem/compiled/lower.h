// Kernel + Mapping + Machine -> a compiled program for UPMEM DPUs, with the plan for its data.
//
// Any affine kernel, selections, prefix sums and indirect accumulations, in all types but 8-bit floating point: the
// scheme says how (scheme.h), the writer says it in C, the compiler that `driver` hands in makes a program of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pimento/base/cache.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/dpu_compiler.h"
#include "pimento/program/program.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/compiled/layout.h"

namespace pimento::targets::upmem::compiled {

using Lowered = LoweredTo<Plan>;

/// A kernel's program as C, with its scheme; needs no compiler. Diagnostics: unsupported-*, mapping-*,
/// illegal-mapping, capacity (WRAM, MRAM).
struct Source {
  Scheme scheme;
  mapping::PlacedMapping placed;
  Written written;
};
Result<Source> writeSource(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                           const machine::Machine &machine);

/// Diagnostics: those of writeSource and buildProgram.
Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine, program::DpuCompiler *compiler, Cache &cache);

/// The mappings that searches look at, best guesses first: DPUs and tasklets spread over the parallel dims (other dims
/// where there are none), all DPUs, then powers of two; `spec`'s dpus, tasklets and buffer where it names them.
std::vector<mapping::Mapping> mappingSpace(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec);

}  // namespace pimento::targets::upmem::compiled
