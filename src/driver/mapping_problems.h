// What `explore` and `tune` search: the kernels of an input that have mappings, each as a problem of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pimento/driver/option_table.h"
#include "pimento/mapping/mapping.h"
#include "pimento/tune/problem.h"

namespace pimento::emit {
struct ExploreHead;
}

namespace pimento::driver {

struct Job;

/// One kernel of the input, or all where the target compiles them together.
struct KernelProblem {
  std::string kernel;
  std::vector<std::string> same;  ///< kernels that differ from it in names alone
  std::unique_ptr<kernel::Graph> graph;
  tune::Problem problem;
};

/// What the answers of both say of themselves.
emit::ExploreHead headOf(VerbId verb, const Options &options, const Job &job);

/// What `--map auto;dpus=64` and `--space published` say all mappings must have. Diagnostics: map-without-sweep, those
/// of the mapping.
Result<mapping::MapSpec> partOfSpace(const Options &options);

/// Does the target compile all kernels together? One mapping is then of all of them.
bool isOneProgram(const Options &options, const Job &job);

/// The kernels that have mappings, or those of them that `--kernel` names. In a graph of several, one that the device
/// cannot run is left out with a warning. What they name must outlive them: the job's machine and target. Diagnostics:
/// unknown-kernel, unknown-space, space-option, no-part-of-space, bad-chunks, bad-orders, what the device cannot run.
Result<std::vector<KernelProblem>> problemsOf(const Options &options, const Job &job, const mapping::MapSpec &spacePart,
                                              std::vector<std::string> &warnings);

}  // namespace pimento::driver
