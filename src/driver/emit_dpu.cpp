#include "pimento/driver/emit_dpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/backend_dpu/backend.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/lower/upmem/compiled/dpu_half.h"
#include "pimento/lower/upmem/compiled/host_writer.h"
#include "pimento/lower/upmem/compiled/lower.h"

namespace pimento::driver {

namespace {

using lower::upmem::compiled::Source;

/// The mappings that `auto` stands for, one per kernel; none where none is asked for, or nothing can compile them.
Result<std::vector<mapping::Mapping>> chosenMappings(const evaluate::Request &request) {
  const bool isAny = std::any_of(request.maps.begin(), request.maps.end(),
                                 [](const mapping::MapSpec &s) { return s.kind == mapping::MapSpec::Kind::kAuto; });
  std::vector<mapping::Mapping> out;
  if (!isAny || request.tools.dpuCompiler == nullptr) return out;
  Result<evaluate::CompiledGraph> graph = evaluate::compile(request);
  if (!graph) return graph.diagnostics();
  for (evaluate::PlannedKernel &k : *graph) out.push_back(std::move(k.mapping));
  return out;
}

/// What kernel `k` becomes under its mapping, the `chosen` one, or the first that it can run with.
Result<Source> sourceOf(const evaluate::Request &request, const std::vector<mapping::Mapping> &chosen, int k) {
  const kernel::Graph &graph = *request.graph;
  const machine::Machine &machine = *request.machine;
  const auto n = static_cast<std::size_t>(k);
  const mapping::MapSpec &spec = request.mapOf(n);
  if (spec.kind == mapping::MapSpec::Kind::kExplicit)
    return lower::upmem::compiled::writeSource(graph, k, spec.mapping, machine);
  if (spec.kind == mapping::MapSpec::Kind::kAuto && n < chosen.size())
    return lower::upmem::compiled::writeSource(graph, k, chosen[n], machine);
  Diagnostics why;
  for (const mapping::Mapping &m : lower::upmem::compiled::mappingSpace(graph, k, machine, spec)) {
    Result<Source> source = lower::upmem::compiled::writeSource(graph, k, m, machine);
    if (source) return source;
    if (why.empty()) why = source.diagnostics();
  }
  if (why.empty())
    return error("unsupported-machine", {}, fmt::format("machine '{}' has no mapping for it", machine.name),
                 "give one with --map");
  return why;
}

}  // namespace

Outcome emitDpuSource(const Options &options, const Job &job) {
  const evaluate::Request request = job.request(options);
  if (const Status s = evaluate::checkMaps(request); !s) return failure(s.diagnostics());
  const Result<std::vector<mapping::Mapping>> chosen = chosenMappings(request);
  if (!chosen) return failure(chosen.diagnostics());
  std::vector<Source> sources;
  for (std::size_t k = 0; k < job.input.graph->kernels.size(); ++k) {
    Result<Source> source = sourceOf(request, *chosen, static_cast<int>(k));
    if (!source) return failure(source.diagnostics());
    sources.push_back(std::move(*source));
  }
  if (options.emit == "c") return {lower::upmem::compiled::writeDpu(sources), {}, 0};
  if (options.emit == "host") return {lower::upmem::compiled::writeHost(sources), {}, 0};
  std::string out;
  for (const Source &source : sources) {
    const Result<frontend::DpuModule> module = frontend::readDpuC(
        {"kernel.c", source.written.text, {"-O2", "-g0", fmt::format("-DNR_TASKLETS={}", source.scheme.tasklets)}});
    if (!module) return failure(module.diagnostics());
    const Result<std::string> text = backend_dpu::optimise(module->bytes, {module->level, module->keepsLines});
    if (!text) return failure(text.diagnostics());
    out += *text;
  }
  return {out, {}, 0};
}

}  // namespace pimento::driver
