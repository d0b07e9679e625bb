#include "pimento/driver/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/base/thread_pool.h"
#include "pimento/driver/cnm.h"
#include "pimento/driver/dpu_program.h"
#include "pimento/driver/emit_dpu.h"
#include "pimento/driver/emit_mlir.h"
#include "pimento/driver/job.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/schema.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/commands.h"
#include "pimento/emit/dpu_timeline.h"
#include "pimento/emit/json.h"
#include "pimento/emit/perfetto.h"
#include "pimento/emit/table.h"
#include "pimento/evaluate/dpu_listing.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/price.h"
#include "pimento/lower/cnm/lower.h"
#include "pimento/program/text.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

/// A fault of a program is the user's mistake; what happened up to there is shown all the same.
Outcome show(const evaluate::Report &report, const emit::RunText &run, const Options &options) {
  Outcome out{options.isJson ? emit::toJson(report, &run) : emit::toTable(report, options.isProfile), {}, 0};
  if (report.fault) {
    out.diagnostics.push_back(*report.fault);
    out.status = 1;
  }
  return out;
}

std::string machineJson(const machine::Machine &m) {
  Json numbers = Json::object();
  for (const auto &[path, n] : m.numbers) {
    Json row = {{"value", n.value},
                {"unit", n.unit},
                {"source", n.source},
                {"confidence", std::string(machine::name(n.confidence))}};
    if (n.low && n.high) row["range"] = {*n.low, *n.high};
    numbers[path] = row;
  }
  return Json{{"name", m.name}, {"family", m.family}, {"about", m.about}, {"notes", m.notes}, {"numbers", numbers}}
             .dump(2) +
         "\n";
}

/// A report and what made it.
struct Estimated {
  evaluate::Report report;
  emit::RunText run;
};

/// Estimates `options.input` on one target.
Result<Estimated> estimateOn(const char *verb, const Options &options, const std::string &target) {
  const Result<Job> job = loadJob(options, target);
  if (!job) return job.diagnostics();
  if (const Status s = checkDpuOptions(options, job->input); !s) return s.diagnostics();
  Result<evaluate::Report> report =
      job->input.program ? estimateProgram(options, *job) : evaluate::evaluate(job->request(options));
  if (!report) return report.diagnostics();
  if (job->input.graph) nameReport(*report, job->input);
  Options onTarget = options;
  onTarget.target = target;
  return Estimated{std::move(*report), runOf(verb, onTarget, job->machine)};
}

}  // namespace

Outcome targets(const Options &options) {
  if (options.isSchema) return schema(options);
  const std::vector<std::string> folders = machineFolders(options);
  if (!options.input.empty()) {
    const Result<machine::Machine> m = loadTarget(options, options.input);
    if (!m) return failure(m.diagnostics());
    return {options.isJson ? machineJson(*m) : machine::printMachine(*m), {}, 0};
  }
  Json list = Json::array();
  emit::Columns table("ll");
  for (const std::string &name : machine::listMachines(folders)) {
    const Result<machine::Machine> m = machine::loadMachine(name, folders);
    if (!m) return failure(m.diagnostics());
    list.push_back({{"name", name},
                    {"family", m->family},
                    {"native_dtype", std::string(pimento::name(m->nativeType))},
                    {"about", m->about}});
    table.row({name, m->about});
  }
  return {options.isJson ? Json{{"targets", list}}.dump(2) + "\n" : table.str(), {}, 0};
}

Outcome kernels(const Options &options) {
  if (!options.input.empty()) {
    const kernel::ZooEntry *e = kernel::zooEntry(options.input);
    std::vector<std::string> names;
    for (const kernel::ZooEntry &z : kernel::zoo()) names.push_back(z.name);
    if (e == nullptr)
      return failure({error("unknown-kernel", {}, fmt::format("the zoo has no kernel '{}'", options.input),
                            suggest(options.input, names))});
  }
  Json list = Json::array();
  std::string text;
  for (const kernel::ZooEntry &e : kernel::zoo()) {
    if (!options.input.empty() && e.name != options.input) continue;
    Json sizes = Json::object();
    std::vector<std::string> sizeTexts;
    for (const auto &[name, value] : e.defaults) {
      sizes[name] = value;
      sizeTexts.push_back(fmt::format("{}={}", name, value));
    }
    if (sizeTexts.empty()) sizeTexts.emplace_back("fixed");
    list.push_back({{"name", e.name}, {"about", e.about}, {"variants", e.variants}, {"sizes", sizes}});
    text += fmt::format("{:<10} {}\n{:<10} sizes {}; variants {}\n", e.name, e.about, "", fmt::join(sizeTexts, ","),
                        fmt::join(e.variants, ", "));
  }
  if (!options.input.empty() && !options.isJson) {
    Options asKernel = options;
    asKernel.emit = "kernel";
    Outcome o = compile(asKernel);
    o.text = text + "\n" + o.text;
    return o;
  }
  return {options.isJson ? Json{{"kernels", list}}.dump(2) + "\n" : text, {}, 0};
}

namespace {

const std::vector<std::string> kStages = {"kernel", "mapping", "cnm", "llvcnm", "commands",
                                          "asm",    "mlir",    "c",   "host",   "ir"};

/// Stages are those of what `machine` runs: machine code, commands or virtual instructions. Diagnostics: unknown-stage.
Status checkStage(const std::string &stage, const machine::Machine &machine) {
  struct Kind {
    const char *what;
    std::vector<std::string> stages;  ///< besides those of every machine
  };
  const Kind kind = machine.dpu    ? Kind{"machine code", {"c", "host", "ir", "asm"}}
                    : machine.dram ? Kind{"commands", {"commands", "asm"}}
                                   : Kind{"virtual instructions", {}};
  std::vector<std::string> stages = kind.stages;
  for (const char *everywhere : {"llvcnm", "cnm", "mapping", "mlir", "kernel"}) stages.emplace_back(everywhere);
  if (std::find(stages.begin(), stages.end(), stage) != stages.end()) return okStatus();
  return error("unknown-stage", {"--emit", 0, 0},
               fmt::format("{} runs {}: there is no stage '{}' of them", machine.name, kind.what, stage),
               fmt::format("use --emit {}", join(stages, ", ")));
}

/// One stage of a compiled graph, kernel after kernel.
Outcome printStage(const Options &options, const Job &job, const evaluate::CompiledGraph &graph) {
  std::ostringstream out;
  emit::CommandList *list = nullptr;
  std::unique_ptr<emit::CommandList> owner;
  for (std::size_t k = 0; k < graph.size(); ++k) {
    if (graph[k].compiled == nullptr) {
      if (options.emit == "mapping")
        out << fmt::format("{}: on the host: {}\n", job.input.graph->kernels[k].name, graph[k].why);
      continue;
    }
    const evaluate::CompiledKernel &kernel = *graph[k].compiled;
    if (options.emit == "mapping") {
      out << job.input.graph->kernels[k].name << ": " << mapping::print(kernel.placed().mapping) << "\n";
    } else if (options.emit == "llvcnm") {
      if (program::hasCode(kernel.program())) {
        // What CoMoNM estimates: the same kernel and mapping in virtual instructions.
        const auto lowered =
            lower::cnm::lower(*job.input.graph, static_cast<int>(k), kernel.placed().mapping, job.machine);
        if (!lowered) return failure(lowered.diagnostics());
        out << program::print(lowered->program);
      } else {
        out << program::print(kernel.program());
      }
    } else if (options.emit == "asm") {
      int part = 0;
      const bool isCode = program::hasCode(kernel.program());
      for (const std::string &text : kernel.assembly())
        out << fmt::format("{} {}, {} {}\n{}", isCode ? "//" : ";", job.input.graph->kernels[k].name,
                           isCode ? "program" : "microkernel", part++, text);
    } else {
      if (list == nullptr) {
        owner = std::make_unique<emit::CommandList>(out);
        list = owner.get();
      }
      static_cast<void>(kernel.run({false, {list, nullptr}}));
    }
  }
  return {out.str(), {}, 0};
}

}  // namespace

Outcome compile(const Options &given) {
  const Options options = withTarget(given);
  if (std::find(kStages.begin(), kStages.end(), options.emit) == kStages.end())
    return failure(
        {error("unknown-stage", {"--emit", 0, 0}, fmt::format("no target here has a stage '{}'", options.emit),
               suggest(options.emit, kStages))});
  const Result<Job> job = loadJob(options, options.target);
  if (!job) return failure(job.diagnostics());
  if (job->input.program && program::hasCode(*job->input.program)) {
    if (options.emit != "asm")
      return failure({error("unknown-stage", {"--emit", 0, 0}, "a DPU program is machine code already",
                            "use --emit asm, or estimate and simulate it")});
    return {evaluate::listing(*job->input.program->processes.front().code), {}, 0};
  }
  if (job->input.program) {
    if (options.emit != "llvcnm")
      return failure({error("unknown-stage", {"--emit", 0, 0}, "a .llvcnm file is a program already",
                            "use --emit llvcnm, or estimate and simulate it")});
    return {program::print(*job->input.program), {}, 0};
  }
  if (const Status s = checkStage(options.emit, job->machine); !s) return failure(s.diagnostics());
  if (options.emit == "kernel") return {kernel::print(*job->input.graph), {}, 0};
  if (options.emit == "mlir") return emitMlir(options, *job);
  if (options.emit == "c" || options.emit == "host" || options.emit == "ir") return emitDpuSource(options, *job);
  const Result<evaluate::CompiledGraph> graph = evaluate::compile(job->request(options));
  if (!graph) return failure(graph.diagnostics());
  if (options.emit == "cnm") return {cnmText(options, *job, *graph), {}, 0};
  return printStage(options, *job, *graph);
}

Outcome estimate(const Options &given) {
  const Options options = withTarget(given);
  const Result<Estimated> estimated = estimateOn("estimate", options, options.target);
  if (!estimated) return failure(estimated.diagnostics());
  return show(estimated->report, estimated->run, options);
}

namespace {

constexpr std::int64_t kLargeOperands = std::int64_t{1} << 28;

/// Bytes of all tensors; saturated.
std::int64_t operandBytes(const kernel::Graph &graph) {
  std::int64_t total = 0;
  for (const kernel::Tensor &t : graph.tensors)
    total = addSaturated(total, multiplySaturated(t.elements(), sizeOf(t.type).value));
  return total;
}

/// A timeline of the device of one kernel or program, while it runs; none without `--trace`.
class Timeline {
 public:
  Status open(const Options &options, const Job &job) {
    if (options.trace.empty()) return okStatus();
    if (job.input.program ? program::isVirtual(*job.input.program) : !job.machine.dram && !job.machine.dpu)
      return error("trace-virtual", {"--trace", 0, 0}, "virtual instructions have no timeline",
                   "choose a target with device commands or machine code");
    if (!job.machine.dram) return openDpu(options, job);
    evaluate::Breakdown before;
    if (job.input.graph) {
      // The timeline is written as the run goes on, and what the host does first stands first in it.
      const Result<evaluate::Report> estimate = evaluate::evaluate(job.request(options));
      if (!estimate) return estimate.diagnostics();
      before = estimate->breakdown;
    }
    if (const Status s = openFile(options); !s) return s;
    commands_ = std::make_unique<emit::PerfettoTrace>(file_, job.machine, before);
    return okStatus();
  }

  evaluate::Observers observers() const { return {commands_.get(), dpu_.get()}; }

  Status finish(const evaluate::Report &report) {
    if (commands_) return commands_->finish(report);
    if (dpu_) return dpu_->finish(report);
    return okStatus();
  }

 private:
  /// Empties the file, so last of all that can be refused.
  Status openFile(const Options &options) {
    file_.open(options.trace);
    if (file_) return okStatus();
    return error("unwritable-file", {options.trace, 0, 0}, "the trace file cannot be written",
                 "choose a folder that exists and may be written to");
  }

  /// One kernel: the names of functions are those of its program.
  Status openDpu(const Options &options, const Job &job) {
    const Result<evaluate::CompiledGraph> compiled = evaluate::compile(job.request(options));
    if (!compiled) return compiled.diagnostics();
    std::vector<const evaluate::CompiledKernel *> kernels;
    for (const evaluate::PlannedKernel &k : *compiled)
      if (k.compiled != nullptr && program::hasCode(k.compiled->program())) kernels.push_back(k.compiled.get());
    if (kernels.size() != 1)
      return error("trace-graph", {"--trace", 0, 0},
                   fmt::format("a timeline shows one program of a DPU, and {} run here", kernels.size()),
                   "choose a kernel that runs on the DPUs, not a graph of several");
    Result<std::shared_ptr<const sim::dpu::Image>> image =
        sim::dpu::Image::make(*kernels.front()->program().processes.front().code);
    if (!image) return image.diagnostics();
    const evaluate::Breakdown before = evaluate::hostCycles(job.machine, kernels.front()->hostWork(), Cycles(0));
    if (const Status s = openFile(options); !s) return s;
    dpu_ = std::make_unique<emit::DpuTimeline>(file_, std::move(*image), job.machine, before);
    return okStatus();
  }

  std::ofstream file_;
  std::unique_ptr<emit::PerfettoTrace> commands_;
  std::unique_ptr<emit::DpuTimeline> dpu_;
};

}  // namespace

Outcome simulate(const Options &given) {
  const Options options = withTarget(given);
  const Result<Job> job = loadJob(options, options.target);
  if (!job) return failure(job.diagnostics());
  if (const Status s = checkDpuOptions(options, job->input); !s) return failure(s.diagnostics());
  if (job->input.program && program::hasCode(*job->input.program)) {
    const Result<evaluate::DpuProgramEvaluation> done = runDpuProgram(options, *job, true);
    if (!done) return failure(done.diagnostics());
    return show(done->report, runOf("simulate", options, job->machine), options);
  }
  if (job->input.graph && operandBytes(*job->input.graph) > kLargeOperands) {
    // Gigabytes of operands are made only for what compiles.
    const Result<evaluate::CompiledGraph> compiled = evaluate::compile(job->request(options));
    if (!compiled) return failure(compiled.diagnostics());
  }
  std::optional<kernel::DataSet> data;
  if (job->input.graph) {
    Result<std::optional<kernel::DataSet>> made = makeInputData(options, *job->input.graph, defaultData(options));
    if (!made) return failure(made.diagnostics());
    data = std::move(*made);
  }
  Timeline timeline;
  if (const Status s = timeline.open(options, *job); !s) return failure(s.diagnostics());
  Result<evaluate::Report> report = [&]() -> Result<evaluate::Report> {
    if (job->input.program)
      return evaluate::evaluateProgram(*job->input.program, job->machine, true, timeline.observers(),
                                       &job->input.places);
    evaluate::Request r = job->request(options);
    r.isSimulation = true;
    r.data = data ? &*data : nullptr;
    r.observers = timeline.observers();
    return evaluate::evaluate(r);
  }();
  if (!report) return failure(report.diagnostics());
  nameReport(*report, job->input);
  if (const Status s = timeline.finish(*report); !s) return failure(s.diagnostics());
  return show(*report, runOf("simulate", options, job->machine), options);
}

Outcome compare(const Options &options) {
  std::vector<std::string> names = options.targets;
  if (names.empty() || names == std::vector<std::string>{"all"}) names = machine::listMachines(machineFolders(options));
  std::vector<emit::ComparisonRow> rows;
  for (const std::string &name : names) {
    emit::ComparisonRow row;
    row.target = name;
    const Result<Estimated> estimated = estimateOn("compare", options, name);
    if (estimated) {
      row.report = estimated->report;
      row.run = estimated->run;
    } else {
      row.diagnostics = estimated.diagnostics();
      Options onTarget = options;
      onTarget.target = name;
      locate(row.diagnostics, onTarget);
    }
    rows.push_back(std::move(row));
  }
  return {options.isJson ? emit::toJson(rows) : emit::toTable(rows), {}, 0};
}

}  // namespace pimento::driver
