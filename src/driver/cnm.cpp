#include "pimento/driver/cnm.h"

#include "pimento/driver/job.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/rounds.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/dcc.h"

namespace pimento::driver {

namespace {

mapping::CnmModule moduleOf(const Options &options, const Job &job, const std::vector<evaluate::PlannedPart> &graph) {
  mapping::CnmModule module;
  module.graph = *job.input.graph;
  module.target = options.target;
  for (const machine::Level &l : job.machine.levels) module.levels.push_back(l.name);
  if (job.rounds) {
    // Bounds, and with them mappings, move from round to round: how to choose them is what can be said.
    module.mappings.resize(module.graph.kernels.size());
    for (const evaluate::PlannedPart &k : graph) {
      const auto origin = static_cast<std::size_t>(job.rounds->origins[static_cast<std::size_t>(k.first)]);
      mapping::MapSpec spec = job.maps.size() > 1 ? job.maps[origin] : job.maps.front();
      // Of a kernel in parts, some on the host: what the others have.
      if (k.compiled == nullptr && module.mappings[origin]) continue;
      if (k.compiled == nullptr) spec.kind = mapping::MapSpec::Kind::kHost;
      if (spec.kind != mapping::MapSpec::Kind::kExplicit) module.mappings[origin] = std::move(spec);
    }
    return module;
  }
  for (const evaluate::PlannedPart &k : graph) {
    mapping::MapSpec spec;
    spec.kind = k.compiled ? mapping::MapSpec::Kind::kExplicit : mapping::MapSpec::Kind::kHost;
    if (k.compiled) spec.mapping = k.compiled->placed().mapping;
    module.mappings.emplace_back(std::move(spec));
  }
  return module;
}

}  // namespace

std::string cnmText(const Options &options, const Job &job, const std::vector<evaluate::PlannedPart> &graph) {
  return mapping::print(moduleOf(options, job, graph));
}

Result<std::string> dccText(const Options &options, const Job &job, const std::vector<evaluate::PlannedPart> &graph) {
  return mapping::printDcc(moduleOf(options, job, graph), job.machine);
}

}  // namespace pimento::driver
