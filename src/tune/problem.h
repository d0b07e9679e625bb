// What a search decides: how one kernel is mapped onto one machine.
//
// problem -> candidates -> algorithm -> check: a Problem says what is given and which mappings count, Candidates lists
// them, an algorithm (explore.h) finds out what they cost, check.h runs the ones it calls best on data. Any algorithm
// can be put between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/evaluate/choices.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/draft_rules.h"
#include "pimento/mapping/mapping.h"

namespace pimento::evaluate {
class CompiledPart;
class Target;
struct GraphPart;
struct RunMode;
}  // namespace pimento::evaluate

namespace pimento::tune {

/// What mappings choose besides the factors.
struct Choices {
  mapping::MappingSpace::Chunks chunks;          ///< per level, besides contiguous
  std::vector<std::vector<std::string>> orders;  ///< loop orders, besides that of the dims
};

/// What one machine runs as one program: a kernel, or several that its target compiles together (attention). What the
/// pointers name must outlive it; the graph has these kernels alone.
struct Problem {
  const kernel::Graph *graph = nullptr;
  const machine::Machine *machine = nullptr;
  const evaluate::Target *target = nullptr;
  std::string variant = "plain";
  Choices choices;
  mapping::Mapping reference;  ///< its `text` is the full specification
  /// What the operands hold, where that decides the time; nothing: not known.
  std::optional<kernel::DataSpec> values = {};
  evaluate::Tools tools = {};
  /// What all mappings must have ("dpus", "tasklets", "buffer", merging, program); nothing said: the whole space.
  mapping::MapSpec part = {};

  /// Which rules leave drafts out (mapping/drafts.h); nothing: none does.
  std::optional<mapping::DraftRules> rules = {};

  /// Every split of every dim over the levels (mapping::MappingSpace), also where the target suggests mappings.
  bool hasAllFactors = false;

  bool isPart() const {
    return !part.mapping.parameters.empty() || part.mapping.mergeAt != mapping::Mapping{}.mergeAt ||
           part.mapping.program != mapping::Mapping{}.program;
  }
  evaluate::GraphPart all() const;
  /// The first one.
  const kernel::Kernel &kernel() const { return graph->kernels.front(); }
  /// How candidates are run.
  evaluate::RunMode mode() const;
};

/// A problem with the choices that matter: chunks and orders are tried on the reference mapping, and those that change
/// neither its program nor the host's work there are left out. The reference has what all mappings must have (`part`),
/// where one does. Diagnostics: those of the target's reference mapping.
Result<Problem> makeProblem(const kernel::Graph &graph, const machine::Machine &machine, const evaluate::Target &target,
                            const std::string &variant, const evaluate::Tools &tools = {},
                            const mapping::MapSpec &part = {});

/// "none", or "channel=16,32;block=8". Diagnostics: bad-chunks.
Result<mapping::MappingSpace::Chunks> parseChunks(std::string_view text, const machine::Machine &machine);

/// All orders of the kernel's dims but their own (at most 6 dims: more have none).
std::vector<std::vector<std::string>> allOrders(const kernel::Kernel &kernel);

/// The mapping that a candidate's text stands for; texts come from printed mappings.
mapping::Mapping mappingOf(const std::string &text);

/// Compiles a candidate.
Result<std::unique_ptr<evaluate::CompiledPart>> compile(const Problem &problem, const mapping::Mapping &mapping);

/// Everything that decides what candidates cost and which there are: kernel, machine, variant, choices, version of the
/// tool. Equal texts give equal results.
std::string identity(const Problem &problem);
/// Version of the tool and of what stores hold.
std::string toolIdentity();

}  // namespace pimento::tune
