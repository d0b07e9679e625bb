#include "pimento/driver/emit_mlir.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/driver/cnm.h"
#include "pimento/driver/job.h"
#include "pimento/emit/mlir.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/mapping.h"

namespace pimento::driver {

Result<std::vector<mapping::MapSpec>> mapsOf(const Options &options, const Input &input, const std::string &target,
                                             const machine::Machine &machine) {
  if (input.cnm && options.maps.empty() && (input.cnm->target.empty() || input.cnm->target == target)) {
    const Result<std::vector<mapping::MapSpec>> usual = parseMaps(options);
    if (!usual) return usual.diagnostics();
    return mapsOf(*input.cnm, machine, usual->front());
  }
  const bool isStated =
      std::any_of(input.mappings.begin(), input.mappings.end(), [](const std::string &m) { return !m.empty(); });
  if (!options.maps.empty() || !isStated || (!input.mappingTarget.empty() && input.mappingTarget != target)) {
    return parseMaps(options);
  }
  Options stated = options;
  const std::string usual = options.usualMap.empty() ? "reference" : options.usualMap;
  for (const std::string &m : input.mappings) stated.maps.push_back(m.empty() ? usual : m);
  return parseMaps(stated);
}

namespace {

/// In the words of the file, whose loops have numbers for names.
std::string mappingText(mapping::Mapping m, const kernel::Kernel &kernel) {
  for (std::string &dim : m.order) dim = fmt::format("d{}", kernel.dimNamed(dim));
  return mapping::print(m);
}

}  // namespace

Outcome emitMlir(const Options &options, const Job &job) {
  evaluate::Request request = job.request(options);
  // A graph that the target cannot run is written all the same.
  const bool isAnyway = options.maps.empty() && options.offload.empty() && request.offload == evaluate::Offload::kAll;
  if (isAnyway) request.offload = evaluate::Offload::kPossible;
  std::vector<std::string> mappings;
  const Result<evaluate::CompiledGraph> graph = evaluate::compile(request);
  if (!graph && !options.maps.empty()) return failure(graph.diagnostics());
  for (std::size_t k = 0; graph && k < graph->size(); ++k) {
    const evaluate::PlannedPart &part = (*graph)[k];
    mappings.push_back(part.compiled ? mappingText(part.compiled->placed().mapping, job.graph()->kernels[k])
                       : isAnyway    ? std::string()
                                     : std::string(mapping::keyword(mapping::MapSpec::Kind::kHost)));
  }
  const Result<std::string> text = emit::toMlir(*job.input.graph, mappings, mappings.empty() ? "" : options.target);
  if (!text) return failure(text.diagnostics());
  return {*text, {}, 0};
}

}  // namespace pimento::driver
