#include "pimento/driver/mapping_problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "pimento/base/suggest.h"
#include "pimento/driver/job.h"
#include "pimento/driver/mapping_option.h"
#include "pimento/driver/result_file.h"
#include "pimento/emit/explore.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/isolate.h"
#include "pimento/kernel/rounds.h"

namespace pimento::driver {

namespace {

constexpr std::string_view kPublished = "published";

Status choose(const Options &options, const machine::Machine &machine, tune::Problem &problem) {
  if (!options.space.empty() && options.space != "own" && options.space != "factors" && options.space != kPublished)
    return usageError("unknown-space", "--space", fmt::format("unknown space '{}'", options.space),
                      suggest(options.space, {"own", "factors", std::string(kPublished)}));
  problem.hasAllFactors = options.space == "factors";
  if (problem.hasAllFactors && problem.isPart())
    return usageError(
        "space-option", "--map", "extensions select among the target's own mappings, not with '--space factors'",
        "omit the extension or '--space factors'; use --set to make the machine smaller, as in --set ranks=8");
  if (!options.chunks.empty()) {
    auto chunks = tune::parseChunks(options.chunks, machine);
    if (!chunks) return chunks.diagnostics();
    problem.choices.chunks = std::move(*chunks);
  }
  if (options.orders == "none") problem.choices.orders.clear();
  if (options.orders == "all") problem.choices.orders = tune::allOrders(problem.kernel());
  if (!options.orders.empty() && options.orders != "none" && options.orders != "all")
    return usageError("bad-orders", "--orders", fmt::format("unknown choice of orders '{}'", options.orders),
                      suggest(options.orders, {"none", "all"}));
  return okStatus();
}

/// `--kernel` names kernels that there are.
Status checkKernels(const Options &options, const kernel::Graph &graph) {
  std::vector<std::string> names;
  for (const kernel::Kernel &k : graph.kernels) names.push_back(k.name);
  for (const std::string &name : options.kernels)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return usageError("unknown-kernel", "--kernel", fmt::format("the graph has no kernel '{}'", name),
                        suggest(name, names));
  return okStatus();
}

}  // namespace

emit::ExploreHead headOf(VerbId verb, const Options &options, const Job &job) {
  emit::ExploreHead h;
  h.kernel = job.input.name;
  h.sizes = {job.input.sizes.begin(), job.input.sizes.end()};
  h.dtype = std::string(name(job.input.type));
  h.target = job.machine.name;
  h.run = runOf(verb, options, job.machine);
  h.warnings = job.machine.notes;
  return h;
}

Result<mapping::MapSpec> partOfSpace(const Options &options) {
  std::vector<mapping::MapSpec> whole(1);
  mapping::MapSpec &published = whole.front();
  if (Status s = leaveOutPasses(options, whole); !s) return s.diagnostics();
  if (options.space == kPublished) published.mapping.program = mapping::ProgramKind::kPublished;
  if (options.maps.empty()) return published;
  Result<mapping::MapSpec> spec = mapping::parseMapSpec(options.maps.front());
  if (!spec) return spec;
  if (spec->mapping.program == mapping::ProgramKind::kAny) spec->mapping.program = published.mapping.program;
  for (const auto &[pass, value] : published.mapping.parameters) spec->mapping.parameters[pass] = value;
  if (options.maps.size() > 1 || spec->kind != mapping::MapSpec::Kind::kAuto)
    return usageError(
        "map-without-sweep", "--map", "the search covers all mappings",
        "omit --map, or use 'auto;dpus=64' for a part of them; 'explore --sweep' varies numbers under one "
        "mapping");
  if (!spec->mapping.order.empty() || !spec->mapping.cyclic.empty())
    return usageError("map-without-sweep", "--map", "the search varies order(...) and cyclic(...)",
                      "omit them; --orders and --chunks say which ones it tries");
  return spec;
}

bool isOneProgram(const Options &options, const Job &job) {
  const kernel::Graph &graph = *job.graph();
  const auto kernels = static_cast<int>(graph.kernels.size());
  return kernels > 1 && options.kernels.empty() && job.target->runLength(graph, 0, job.machine) == kernels;
}

Result<std::vector<KernelProblem>> problemsOf(const Options &options, const Job &job, const mapping::MapSpec &spacePart,
                                              std::vector<std::string> &warnings) {
  if (Status s = checkKernels(options, *job.graph()); !s) return s.diagnostics();
  std::vector<KernelProblem> parts;
  Diagnostics refused;
  const kernel::Graph &graph = *job.graph();
  std::set<int> origins;  // of a kernel in loops, its first round
  std::vector<std::string> levels;
  for (const machine::Level &l : job.machine.levels) levels.push_back(fmt::format("{}={}", l.name, l.count));
  std::map<std::string, std::size_t> seen;  // by shape: layers of a network repeat
  const int all = static_cast<int>(graph.kernels.size());
  if (isOneProgram(options, job)) {
    auto whole = std::make_unique<kernel::Graph>(graph);
    Result<tune::Problem> problem =
        tune::makeProblem(*whole, job.machine, *job.target, job.deviceVariant(options), job.tools(), spacePart);
    if (!problem) return problem.diagnostics();
    problem->values = job.data.values;
    if (Status s = choose(options, job.machine, *problem); !s) return s.diagnostics();
    parts.push_back({graph.kernels.front().name, {}, std::move(whole), std::move(*problem)});
    return parts;
  }
  for (int k = 0; k < all; ++k) {
    if (!job.input.graph->loops.empty() && !origins.insert(job.rounds->origins[static_cast<std::size_t>(k)]).second)
      continue;
    const std::string &name = graph.kernels[static_cast<std::size_t>(k)].name;
    const auto isMeant = [&](const std::string &n) { return n == name; };
    if (!options.kernels.empty() && std::none_of(options.kernels.begin(), options.kernels.end(), isMeant)) continue;
    KernelProblem part{name, {}, std::make_unique<kernel::Graph>(kernel::isolated(graph, k)), {}};
    const std::string shape = kernel::shapeText(*part.graph);
    if (const auto same = seen.find(shape); same != seen.end()) {
      parts[same->second].same.push_back(name);
      continue;
    }
    Result<tune::Problem> problem =
        tune::makeProblem(*part.graph, job.machine, *job.target, job.deviceVariant(options), job.tools(), spacePart);
    if (!problem) {
      if (graph.kernels.size() == 1) return problem.diagnostics();
      refused.push_back(problem.diagnostics().front());
      warnings.push_back(fmt::format("skipped: {}", problem.diagnostics().front().message));
      continue;
    }
    part.problem = std::move(*problem);
    part.problem.values = job.data.values;
    const evaluate::GraphPart all = part.problem.all();
    if (part.problem.isPart() && job.target->mappings(all, job.machine, spacePart, part.problem.tools).empty() &&
        !job.target->mappings(all, job.machine, {}, part.problem.tools).empty())
      return usageError(
          "no-part-of-space", "--map",
          fmt::format("kernel '{}' has no mapping on {} that fits '{}'", name, job.machine.name,
                      mapping::print(spacePart)),
          fmt::format("the machine has {}; omit the extension to explore all mappings", fmt::join(levels, ", ")));
    if (Status s = choose(options, job.machine, part.problem); !s) return s.diagnostics();
    seen.emplace(shape, parts.size());
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return refused;
  return parts;
}

}  // namespace pimento::driver
