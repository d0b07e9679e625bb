#include "pimento/driver/emit_mlir.h"

#include <algorithm>

#include "pimento/driver/cnm.h"
#include "pimento/emit/mlir.h"

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

Outcome emitMlir(const Options &options, const Job &job) {
  evaluate::Request request = job.request(options);
  if (options.maps.empty() && options.offload.empty()) request.offload = evaluate::Offload::kPossible;
  std::vector<std::string> mappings;
  const Result<evaluate::CompiledGraph> graph = evaluate::compile(request);
  if (!graph && !options.maps.empty()) return failure(graph.diagnostics());
  for (std::size_t k = 0; graph && k < graph->size(); ++k) {
    const evaluate::PlannedKernel &kernel = (*graph)[k];
    mappings.push_back(kernel.compiled ? mapping::print(kernel.compiled->placed().mapping) : std::string());
  }
  const Result<std::string> text = emit::toMlir(*job.input.graph, mappings, mappings.empty() ? "" : options.target);
  if (!text) return failure(text.diagnostics());
  return {*text, {}, 0};
}

}  // namespace pimento::driver
