// Kernel + Mapping + Machine -> virtual instructions for the units of a compute-near-memory machine.
//
// CoMoNM's cnm-gen (section IV-D): loops over tiles that move them between bank and scratchpad, loops over points that
// load, compute and store; without a scratchpad registers are loaded from the bank. Any machine with a section
// `compute` will do, UPMEM's included, whose real programs are compiled (upmem/compiled).
#pragma once

#include <memory>
#include <vector>

#include "pimento/evaluate/host_work.h"
#include "pimento/program/program.h"
#include "pimento/targets/cnm/plan.h"

namespace pimento::targets::cnm {

struct Lowered {
  program::Program program;  ///< one process, of virtual instructions
  mapping::PlacedMapping placed;
  evaluate::HostWork host;
  std::shared_ptr<const Plan> plan;
  /// What each parameter of the process is: the first value of a dim in a thread, from the unit's first or from 0.
  struct Parameter {
    int dim = -1;
    bool isGlobal = false;
  };
  std::vector<Parameter> parameters;
};

/// Diagnostics: unsupported-machine, those of mapping::place and makePlan, unsupported-operation (the machine has no
/// cost for it), program-depth.
Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine);

/// The mappings that searches look at, best guesses first: all units and threads, then fewer.
std::vector<mapping::Mapping> mappingSpace(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec);

}  // namespace pimento::targets::cnm
