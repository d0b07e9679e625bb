// Kernel + Mapping + Machine -> a published command stream of a near-bank device.
//
// Which kernels have streams is published.h's business; here they are recognised by what they compute, the mapping is
// read as the study's draft (groups, cores, tile of each dim), and what the study leaves open is refused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/target.h"
#include "pimento/targets/near_bank/draft.h"
#include "pimento/targets/near_bank/published.h"

namespace pimento::targets::near_bank {

/// What a part of a graph is to these devices.
struct Task {
  StreamKernel kernel = StreamKernel::kBgemv;
  /// 3D: batch * heads, dhead, length. 2D: batch, length.
  std::vector<std::int64_t> extents;
  int kernels = 1;  ///< of the graph, one behind the other
};

/// The task that begins with kernel `first`; nothing: there is no stream for it.
std::optional<Task> recognise(const kernel::Graph &graph, int first);

struct Lowered {
  program::Program program;
  mapping::PlacedMapping placed;
  std::int64_t bytesPerBank = 0;
};

/// The baselines of the study, as drafts: AttAcc's own spread, one or two of them.
std::vector<Draft> baselines(const Task &task, const machine::Machine &machine);
mapping::Mapping mappingOf(const Draft &draft, const mapping::MapSpec &spec);
/// The mapping of a task of this kernel as a draft, rounded as the study runs it. Diagnostics: unsupported-mapping,
/// illegal-mapping.
Result<Draft> draftAsRun(const kernel::Kernel &kernel, const Task &task, const mapping::Mapping &mapping,
                         const machine::Machine &machine);

/// Diagnostics: unsupported-op, unsupported-type, unsupported-mapping, unsupported-program, illegal-mapping, capacity.
Result<Lowered> lower(const evaluate::GraphPart &part, const mapping::Mapping &mapping,
                      const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
