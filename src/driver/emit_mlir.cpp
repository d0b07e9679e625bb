#include "pimento/driver/emit_mlir.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/driver/cnm.h"
#include "pimento/driver/job.h"
#include "pimento/emit/mlir.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/rounds.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/mapping.h"

namespace pimento::driver {

namespace {

/// In the words of the file, whose loops have numbers for names.
std::string mappingText(mapping::Mapping m, const kernel::Kernel &kernel) {
  for (std::string &dim : m.order) dim = fmt::format("d{}", kernel.dimNamed(dim));
  return mapping::print(m);
}

/// By kernel of the file, where parts of some run apart: those have no mapping that says so.
std::vector<std::string> mappingsOfWhole(const Job &job, const evaluate::CompiledGraph &graph) {
  std::vector<std::string> mappings(job.input.graph->kernels.size());
  std::vector<int> parts(mappings.size(), 0);
  for (const int origin : job.rounds->origins) ++parts[static_cast<std::size_t>(origin)];
  for (std::size_t k = 0; k < graph.size(); ++k) {
    const auto origin = static_cast<std::size_t>(job.rounds->origins[k]);
    if (parts[origin] == 1 && graph[k].compiled)
      mappings[origin] = mappingText(graph[k].compiled->placed().mapping, job.graph()->kernels[k]);
  }
  return mappings;
}

}  // namespace

Result<std::string> emitMlir(const Options &options, const Job &job) {
  evaluate::Request request = job.request(options);
  // A graph that the target cannot run is written all the same.
  const bool isAnyway = options.maps.empty() && options.offload.empty() && request.offload != evaluate::Offload::kBest;
  if (isAnyway) request.offload = evaluate::Offload::kPossible;
  std::vector<std::string> mappings;
  const Result<evaluate::CompiledGraph> graph = evaluate::compile(request);
  if (!graph && !options.maps.empty()) return graph.diagnostics();
  const bool isDivided = graph && job.input.graph->loops.empty() && job.rounds != nullptr;
  if (isDivided) mappings = mappingsOfWhole(job, *graph);
  for (std::size_t k = 0; graph && !isDivided && k < graph->size(); ++k) {
    const evaluate::PlannedPart &part = (*graph)[k];
    mappings.push_back(part.compiled ? mappingText(part.compiled->placed().mapping, job.graph()->kernels[k])
                       : isAnyway    ? std::string()
                                     : std::string(mapping::keyword(mapping::MapSpec::Kind::kHost)));
  }
  return emit::toMlir(*job.input.graph, mappings, mappings.empty() ? "" : options.target);
}

}  // namespace pimento::driver
