#include "pimento/driver/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pimento/base/thread_pool.h"
#include "pimento/driver/convert_option.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/engine.h"
#include "pimento/driver/host_tools.h"
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
  box->hostTools = makeHostTools();
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
  const bool isDpuProgram = input.program && program::has<program::MachineCode>(*input.program);
  if (!options.outs.empty() && !isDpuProgram && !input.graph)
    return error("dpu-option", {"--out", 0, 0}, fmt::format("{} computes nothing that could be written", input.name),
                 "omit it: --out is for kernels and DPU programs");
  if (given == nullptr || isDpuProgram) return okStatus();
  return error(
      "dpu-option", {"--" + std::string(given->name), 0, 0}, fmt::format("{} is not a DPU program", input.name),
      fmt::format("{} apply only to .s and ELF files; use --data for kernels", namesOf(OptionGroup::kDpuProgram)));
}

/// The graph, or its rounds, with kernels that the target runs in part only as several; null: as it is. A kernel with a
/// mapping of its own stays whole; as many mappings as there are parts are theirs.
std::shared_ptr<const kernel::Unrolled> divided(const evaluate::Target &target, const machine::Machine &machine,
                                                const kernel::Graph &input, const kernel::Unrolled *rounds,
                                                const std::vector<mapping::MapSpec> &maps) {
  const kernel::Graph &graph = rounds != nullptr ? rounds->graph : input;
  const auto originOf = [&](int k) { return rounds != nullptr ? rounds->origins[static_cast<std::size_t>(k)] : k; };
  const bool isOfParts = rounds == nullptr && maps.size() > 1 && maps.size() != graph.kernels.size();
  if (isOfParts) {
    auto parts = target.divided(graph, machine, std::vector<bool>(graph.kernels.size(), false));
    if (!parts || parts->graph.kernels.size() != maps.size()) return nullptr;
    std::iota(parts->origins.begin(), parts->origins.end(), 0);
    return std::make_shared<const kernel::Unrolled>(std::move(*parts));
  }
  std::vector<bool> isFixed;
  for (int k = 0; k < static_cast<int>(graph.kernels.size()); ++k) {
    const auto origin = static_cast<std::size_t>(originOf(k));
    const mapping::MapSpec::Kind kind = origin < maps.size() ? maps[origin].kind : maps.front().kind;
    isFixed.push_back(kind == mapping::MapSpec::Kind::kExplicit || kind == mapping::MapSpec::Kind::kHost);
  }
  std::optional<kernel::Unrolled> parts = target.divided(graph, machine, isFixed);
  if (!parts) return nullptr;
  std::vector<std::vector<int>> partsOf(graph.kernels.size());
  for (const int p : parts->runs)
    partsOf[static_cast<std::size_t>(parts->origins[static_cast<std::size_t>(p)])].push_back(p);
  parts->runs.clear();
  std::vector<int> order = rounds != nullptr ? rounds->runs : std::vector<int>{};
  for (int k = 0; rounds == nullptr && k < static_cast<int>(graph.kernels.size()); ++k) order.push_back(k);
  for (const int k : order)
    for (const int p : partsOf[static_cast<std::size_t>(k)]) parts->runs.push_back(p);
  for (int &origin : parts->origins) origin = originOf(origin);
  return std::make_shared<const kernel::Unrolled>(std::move(*parts));
}

}  // namespace

Result<std::unique_ptr<Job>> loadJob(const Options &options, const std::string &target, bool isSimulation) {
  Result<machine::Machine> machine = loadTarget(options, target);
  if (!machine) return machine.diagnostics();
  Result<Input> input = loadInput(options, *machine);
  if (!input) return input.diagnostics();
  Result<std::vector<mapping::MapSpec>> maps = mapsOf(options, *input, target, *machine);
  if (!maps) return maps.diagnostics();
  const Result<evaluate::Objective> objective = parseObjective(options);
  if (!objective) return objective.diagnostics();
  const Result<Engine> engine = engineOf(options, Engine::kFastForward, {Engine::kFastForward, Engine::kTwoSlice});
  if (!engine) return engine.diagnostics();
  if (const Status s = checkProgramOptions(options, *input); !s) return s.diagnostics();
  const Result<const evaluate::Target *> family =
      input->program ? targets::targetOf(*machine, *input->program) : targets::targetOf(*machine);
  if (!family) return family.diagnostics();
  const Result<evaluate::Offload> offload =
      parseOffload(options, (*family)->runsParts() ? evaluate::Offload::kSome : evaluate::Offload::kAll);
  if (!offload) return offload.diagnostics();
  std::shared_ptr<const kernel::Unrolled> rounds;
  if (input->graph && !input->graph->loops.empty()) {
    Result<kernel::Unrolled> flat = kernel::unrolled(*input->graph);
    if (!flat) return flat.diagnostics();
    rounds = std::make_shared<const kernel::Unrolled>(std::move(*flat));
  }
  if (input->graph && (*offload == evaluate::Offload::kSome || *offload == evaluate::Offload::kPossible))
    if (auto parts = divided(**family, *machine, *input->graph, rounds.get(), *maps)) rounds = std::move(parts);
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
    Result<KnownData> data = knownOperands(options, job->input, *job->graph());
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
