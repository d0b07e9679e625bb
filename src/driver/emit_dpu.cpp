#include "pimento/driver/emit_dpu.h"

#include <fmt/format.h>

#include "pimento/backend_dpu/backend.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/lower/upmem/compiled/host_writer.h"
#include "pimento/lower/upmem/compiled/lower.h"

namespace pimento::driver {

namespace {

using lower::upmem::compiled::Source;

/// What kernel `k` becomes under its mapping, or under the first that it can run with.
Result<Source> sourceOf(const Job &job, int k) {
  const kernel::Graph &graph = *job.input.graph;
  const mapping::MapSpec &spec = job.maps.size() > 1 ? job.maps[static_cast<std::size_t>(k)] : job.maps.front();
  if (spec.kind == mapping::MapSpec::Kind::kExplicit)
    return lower::upmem::compiled::writeSource(graph, k, spec.mapping, job.machine);
  Diagnostics why;
  for (const mapping::Mapping &m : lower::upmem::compiled::mappingSpace(graph, k, job.machine, spec)) {
    Result<Source> source = lower::upmem::compiled::writeSource(graph, k, m, job.machine);
    if (source) return source;
    if (why.empty()) why = source.diagnostics();
  }
  if (why.empty())
    return error("unsupported-machine", {}, fmt::format("machine '{}' has no mapping for it", job.machine.name),
                 "give one with --map");
  return why;
}

}  // namespace

Outcome emitDpuSource(const Options &options, const Job &job) {
  if (job.machine.family != "upmem")
    return failure({error("unknown-stage", {"--emit", 0, 0},
                          fmt::format("{} runs commands, which have no stage '{}'", job.machine.name, options.emit),
                          "use --emit commands, or --target upmem")});
  std::string out;
  for (std::size_t k = 0; k < job.input.graph->kernels.size(); ++k) {
    const Result<Source> source = sourceOf(job, static_cast<int>(k));
    if (!source) return failure(source.diagnostics());
    if (options.emit == "c") {
      out += fmt::format("// Mapping: {}\n{}", mapping::print(source->placed.mapping), source->written.text);
      continue;
    }
    if (options.emit == "host") {
      const Result<std::string> text = lower::upmem::compiled::writeHost(*source);
      if (!text) return failure(text.diagnostics());
      out += fmt::format("// Mapping: {}\n{}", mapping::print(source->placed.mapping), *text);
      continue;
    }
    const Result<frontend::DpuModule> module = frontend::readDpuC(
        {"kernel.c", source->written.text, {"-O2", "-g0", fmt::format("-DNR_TASKLETS={}", source->scheme.tasklets)}});
    if (!module) return failure(module.diagnostics());
    const Result<std::string> text = backend_dpu::optimise(module->bytes, {module->level, module->keepsLines});
    if (!text) return failure(text.diagnostics());
    out += *text;
  }
  return {out, {}, 0};
}

}  // namespace pimento::driver
