#include "pimento/driver/job.h"

#include <algorithm>

#include "pimento/base/thread_pool.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/emit_mlir.h"
#include "pimento/driver/engine.h"

namespace pimento::driver {

std::string Job::deviceVariant(const Options &options) const {
  const Result<const evaluate::Backend *> backend = evaluate::backendFor(machine);
  const bool isZoo = kernel::zooEntry(options.input) != nullptr;
  const std::vector<std::string> own = backend ? (*backend)->variants() : std::vector<std::string>{};
  const bool isMeant = !isZoo || std::find(own.begin(), own.end(), options.variant) != own.end();
  return isMeant ? options.variant : "plain";
}

evaluate::Request Job::request(const Options &options) const {
  evaluate::Request r;
  r.graph = &*input.graph;
  r.machine = &machine;
  r.maps = maps;
  r.jobs = jobCount(options.jobs);
  r.offload = offload;
  r.variant = deviceVariant(options);
  r.values = data.values;
  r.contents = data.contents ? &*data.contents : nullptr;
  r.tools = tools();
  r.twoSlice = twoSlice;
  return r;
}

Result<Job> loadJob(const Options &options, const std::string &target) {
  Result<machine::Machine> machine = loadTarget(options, target);
  if (!machine) return machine.diagnostics();
  Result<Input> input = loadInput(options, *machine);
  if (!input) return input.diagnostics();
  Result<std::vector<mapping::MapSpec>> maps = mapsOf(options, *input, target, *machine);
  if (!maps) return maps.diagnostics();
  const Result<evaluate::Offload> offload = parseOffload(options);
  if (!offload) return offload.diagnostics();
  const Result<Engine> engine = engineOf(options, Engine::kFastForward, {Engine::kFastForward, Engine::kTwoSlice});
  if (!engine) return engine.diagnostics();
  Job job{std::move(*machine), std::move(*input), std::move(*maps), *offload, twoSliceOf(options, *engine), {},
          makeDpuCompiler()};
  const Result<const evaluate::Backend *> backend = evaluate::backendFor(job.machine);
  if (backend && (*backend)->generatesCode() && job.input.graph) {
    Result<KnownData> data = knownData(options, *job.input.graph, defaultData(options));
    if (!data) return data.diagnostics();
    job.data = std::move(*data);
  }
  return job;
}

void nameReport(evaluate::Report &report, const Input &input) {
  report.kernel = input.name;
  report.sizes = {input.sizes.begin(), input.sizes.end()};
  report.dtype = std::string(name(input.type));
  for (const Diagnostic &d : input.warnings)
    report.warnings.push_back(d.where.str() + ": " + d.message + " (" + d.hint + ")");
}

std::string defaultData(const Options &options) {
  const kernel::ZooEntry *entry = kernel::zooEntry(options.input);
  return entry != nullptr && !entry->data.empty() ? entry->data : "random";
}

}  // namespace pimento::driver
