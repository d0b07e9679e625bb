#include "pimento/targets/upmem/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/targets/upmem/compiled/build.h"
#include "pimento/targets/upmem/compiled/dpu_half.h"
#include "pimento/targets/upmem/compiled/host_writer.h"
#include "pimento/targets/upmem/compiled/lower.h"

namespace pimento::targets::upmem {

using compiled::Source;

namespace {

/// The mappings that `auto` stands for, one per kernel; none where none is asked for, or nothing can compile them.
Result<std::vector<mapping::Mapping>> chosenMappings(const evaluate::Request &request) {
  const bool isAny = std::any_of(request.maps.begin(), request.maps.end(),
                                 [](const mapping::MapSpec &s) { return s.kind == mapping::MapSpec::Kind::kAuto; });
  std::vector<mapping::Mapping> out;
  if (!isAny || request.tools.dpuCompiler == nullptr) return out;
  Result<evaluate::CompiledGraph> graph = evaluate::compile(request);
  if (!graph) return graph.diagnostics();
  for (evaluate::PlannedPart &k : *graph) out.push_back(std::move(k.mapping));
  return out;
}

/// What kernel `k` becomes under its mapping, the `chosen` one, or the first that it can run with.
Result<Source> sourceOf(const evaluate::Request &request, const std::vector<mapping::Mapping> &chosen, int k) {
  const kernel::Graph &graph = *request.graph;
  const machine::Machine &machine = *request.machine;
  const auto n = static_cast<std::size_t>(k);
  const mapping::MapSpec &spec = request.mapOf(n);
  if (spec.mapping.program == mapping::ProgramKind::kReference)
    return unsupported("unsupported-program", {"--emit"}, "the reference programs are assembly, not C",
                       "use --emit asm, or omit program=reference");
  if (spec.kind == mapping::MapSpec::Kind::kExplicit) return compiled::writeSource(graph, k, spec.mapping, machine);
  if (spec.kind == mapping::MapSpec::Kind::kAuto && n < chosen.size())
    return compiled::writeSource(graph, k, chosen[n], machine);
  Diagnostics why;
  for (const mapping::Mapping &m : compiled::mappingSpace(graph, k, machine, spec)) {
    Result<Source> source = compiled::writeSource(graph, k, m, machine);
    if (source) return source;
    if (why.empty()) why = source.diagnostics();
  }
  if (why.empty())
    return unsupported("unsupported-machine", {"--target"},
                       fmt::format("machine '{}' has no mapping for it", machine.name), "give one with --map");
  return why;
}

}  // namespace

std::optional<Result<std::string>> emitSource(std::string_view stage, const evaluate::Request &request) {
  if (stage != "c" && stage != "host" && stage != "ir") return std::nullopt;
  if (const Status s = evaluate::checkMaps(request); !s) return s.diagnostics();
  if (stage == "host" && request.rounds != nullptr)
    return unsupported("unsupported-form", {}, "the host half runs every kernel once, but these run in a loop",
                       "--emit c writes their programs; simulate runs the rounds");
  const Result<std::vector<mapping::Mapping>> chosen = chosenMappings(request);
  if (!chosen) return chosen.diagnostics();
  std::vector<Source> sources;
  for (std::size_t k = 0; k < request.graph->kernels.size(); ++k) {
    Result<Source> source = sourceOf(request, *chosen, static_cast<int>(k));
    if (!source) return source.diagnostics();
    sources.push_back(std::move(*source));
  }
  if (stage == "c") return compiled::writeDpu(sources);
  if (stage == "host") return compiled::writeHost(sources);
  std::string out;
  for (const Source &source : sources) {
    const program::DpuSource text = {
        "kernel.c", source.written.text, {"-O2", "-g0", fmt::format("-DNR_TASKLETS={}", source.scheme.threads)}};
    if (request.tools.dpuCompiler == nullptr) return compiled::noCompiler();
    const Result<std::string> ir = request.tools.dpuCompiler->optimised(text);
    if (!ir) return ir.diagnostics();
    out += *ir;
  }
  return out;
}

}  // namespace pimento::targets::upmem
