#include "pimento/driver/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/thread_pool.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/machine_option.h"
#include "pimento/driver/mapping_option.h"
#include "pimento/driver/option_table.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/kernel/rounds.h"
#include "pimento/kernel/zoo.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

std::shared_ptr<const ToolBox> makeToolBox() {
  auto box = std::make_shared<ToolBox>();
  box->dpuCompiler = makeDpuCompiler();
  return box;
}

const kernel::Graph *Job::graph() const {
  return rounds != nullptr ? &rounds->graph : input.graph ? &*input.graph : nullptr;
}

std::string Job::deviceVariant(const Options &options) const {
  const bool isZoo = kernel::zooEntry(options.input) != nullptr;
  const std::vector<std::string> own = target->variants();
  const bool isMeant = !isZoo || std::find(own.begin(), own.end(), options.variant) != own.end();
  return isMeant ? options.variant : "plain";
}

evaluate::Request Job::request(const Options &options) const {
  evaluate::Request r;
  r.machine = &machine;
  r.target = target;
  r.graph = graph();
  r.rounds = rounds.get();
  r.program = program.get();
  r.maps = maps;
  r.jobs = jobCount(options.jobs);
  r.offload = offload;
  r.objective = objective;
  r.variant = deviceVariant(options);
  r.values = data.values;
  r.contents = data.contents ? &*data.contents : nullptr;
  r.tools = tools();
  r.twoSlice = twoSlice;
  return r;
}

namespace {

/// Diagnostic where options of DPU programs are given with another input.
Status checkProgramOptions(const Options &options, const Input &input) {
  const OptionRow *given = firstGiven(OptionGroup::kDpuProgram, options);
  if (given == nullptr || (input.program && program::has<program::MachineCode>(*input.program))) return okStatus();
  return error(
      "dpu-option", {"--" + std::string(given->name), 0, 0}, fmt::format("{} is not a DPU program", input.name),
      fmt::format("{} apply only to .s and ELF files; use --data for kernels", namesOf(OptionGroup::kDpuProgram)));
}

}  // namespace

Result<std::unique_ptr<Job>> loadJob(const Options &options, const std::string &target, bool isSimulation) {
  Result<machine::Machine> machine = loadTarget(options, target);
  if (!machine) return machine.diagnostics();
  Result<Input> input = loadInput(options, *machine);
  if (!input) return input.diagnostics();
  Result<std::vector<mapping::MapSpec>> maps = mapsOf(options, *input, target, *machine);
  if (!maps) return maps.diagnostics();
  const Result<evaluate::Offload> offload = parseOffload(options);
  if (!offload) return offload.diagnostics();
  const Result<evaluate::Objective> objective = parseObjective(options);
  if (!objective) return objective.diagnostics();
  const Result<Engine> engine = engineOf(options, Engine::kFastForward, {Engine::kFastForward, Engine::kTwoSlice});
  if (!engine) return engine.diagnostics();
  if (const Status s = checkProgramOptions(options, *input); !s) return s.diagnostics();
  const Result<const evaluate::Target *> family =
      input->program ? targets::targetOf(*machine, *input->program) : targets::targetOf(*machine);
  if (!family) return family.diagnostics();
  std::shared_ptr<const kernel::Unrolled> rounds;
  if (input->graph && !input->graph->loops.empty()) {
    Result<kernel::Unrolled> flat = kernel::unrolled(*input->graph);
    if (!flat) return flat.diagnostics();
    rounds = std::make_shared<const kernel::Unrolled>(std::move(*flat));
  }
  auto job = std::make_unique<Job>(Job{std::move(*machine),
                                       *family,
                                       std::move(*input),
                                       std::move(rounds),
                                       std::move(*maps),
                                       *offload,
                                       *objective,
                                       twoSliceOf(options, *engine),
                                       {},
                                       options.tools ? options.tools : makeToolBox()});
  if (job->input.program) {
    auto program = job->target->load(*job->input.program, job->machine,
                                     {options.input, job->input.places.get(), options.ins, options.outs,
                                      options.launches, options.maxInstructions, isSimulation});
    if (!program) return program.diagnostics();
    job->program = std::move(*program);
  }
  if (job->target->generatesCode() && job->input.graph) {
    Result<KnownData> data = knownData(options, *job->graph(), job->input.contents, defaultData(options));
    if (!data) return data.diagnostics();
    job->data = std::move(*data);
  }
  return job;
}

void nameReport(evaluate::Report &report, const Input &input) {
  report.kernel = input.name;
  report.sizes = {input.sizes.begin(), input.sizes.end()};
  // A program's data are bytes: its machine code says what they mean.
  if (!report.outcome.profile) report.dtype = std::string(name(input.type));
  for (const Diagnostic &d : input.warnings)
    report.warnings.push_back(d.where.str() + ": " + d.message + " (" + d.hint + ")");
}

}  // namespace pimento::driver
