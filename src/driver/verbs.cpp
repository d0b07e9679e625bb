#include "pimento/driver/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/driver/cnm.h"
#include "pimento/driver/emit_mlir.h"
#include "pimento/driver/job.h"
#include "pimento/driver/result_file.h"
#include "pimento/driver/schema.h"
#include "pimento/driver/text_check.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/json.h"
#include "pimento/emit/table.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/price.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/targets.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

/// A fault of a program is the user's mistake; what happened up to there is shown all the same.
Outcome show(const evaluate::Report &report, const emit::RunText &run, const Options &options) {
  Outcome out{options.isJson ? emit::toJson(report, &run) : emit::toTable(report, options.isProfile), {}, 0};
  if (report.outcome.fault) {
    out.diagnostics.push_back(*report.outcome.fault);
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
  const Result<std::unique_ptr<Job>> job = loadJob(options, target);
  if (!job) return job.diagnostics();
  Result<evaluate::Report> report = evaluate::evaluate((*job)->request(options));
  if (!report) return report.diagnostics();
  nameReport(*report, (*job)->input);
  Options onTarget = options;
  onTarget.target = target;
  return Estimated{std::move(*report), runOf(verb, onTarget, (*job)->machine)};
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
      return failure({usageError("unknown-kernel", "", fmt::format("the zoo has no kernel '{}'", options.input),
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

/// Stages of every target, of kernels.
const std::vector<std::string> kStages = {"llvcnm", "cnm", "mapping", "mlir", "kernel"};

/// Diagnostics: unknown-stage.
Status checkStage(const std::string &stage, const Job &job) {
  std::vector<std::string> stages;
  for (const std::string_view s : job.target->stages().names) stages.emplace_back(s);
  stages.insert(stages.end(), kStages.begin(), kStages.end());
  if (std::find(stages.begin(), stages.end(), stage) != stages.end()) return okStatus();
  return usageError(
      "unknown-stage", "--emit",
      fmt::format("{} runs {}: there is no stage '{}' of them", job.machine.name, job.target->stages().what, stage),
      fmt::format("use --emit {}", join(stages, ", ")));
}

/// Does any target have the stage?
Status checkAnyStage(const std::string &stage) {
  std::vector<std::string> all = {"kernel", "mapping", "cnm", "llvcnm", "mlir"};
  for (const evaluate::Target *t : targets::all())
    for (const std::string_view s : t->stages().names)
      if (std::find(all.begin(), all.end(), s) == all.end()) all.emplace_back(s);
  if (std::find(all.begin(), all.end(), stage) != all.end()) return okStatus();
  return usageError("unknown-stage", "--emit", fmt::format("no target here has a stage '{}'", stage),
                    suggest(stage, all));
}

/// One stage of a compiled graph, part after part.
Outcome printStage(const Options &options, const Job &job, const evaluate::CompiledGraph &graph) {
  std::string out;
  bool isFirst = true;
  for (const evaluate::PlannedPart &part : graph) {
    const std::string &kernel = job.graph()->kernels[static_cast<std::size_t>(part.first)].name;
    if (options.emit == "mapping") {
      out += part.compiled == nullptr
                 ? fmt::format("{}: on the host: {}\n", kernel, part.why)
                 : fmt::format("{}: {}\n", kernel, mapping::print(part.compiled->placed().mapping));
      continue;
    }
    if (part.compiled == nullptr) continue;
    const Result<std::string> text = part.compiled->emit(options.emit, kernel, isFirst);
    if (!text) return failure(text.diagnostics());
    out += *text;
    isFirst = false;
  }
  return {out, {}, 0};
}

/// A program is a stage already.
Outcome printProgram(const Options &options, const Job &job) {
  const bool isCode = program::has<program::MachineCode>(*job.input.program);
  const std::string stage = isCode ? "asm" : "llvcnm";
  if (options.emit != stage)
    return failure({usageError("unknown-stage", "--emit",
                               isCode ? "a DPU program is machine code already" : "a .llvcnm file is a program already",
                               fmt::format("use --emit {}, or estimate and simulate it", stage))});
  const Result<std::string> text = job.program->emit(stage, {}, true);
  return text ? Outcome{*text, {}, 0} : failure(text.diagnostics());
}

}  // namespace

Outcome compile(const Options &given) {
  const Options options = withTarget(given);
  if (const Status s = checkAnyStage(options.emit); !s) return failure(s.diagnostics());
  const Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target);
  if (!loaded) return failure(loaded.diagnostics());
  const Job &job = **loaded;
  if (job.input.program) return printProgram(options, job);
  if (const Status s = checkStage(options.emit, job); !s) return failure(s.diagnostics());
  if (options.emit == "kernel") return {kernel::print(*job.input.graph), {}, 0};
  if (options.emit == "mlir") return emitMlir(options, job);
  const evaluate::Request request = job.request(options);
  if (const auto source = job.target->emitSource(options.emit, request))
    return *source ? Outcome{**source, {}, 0} : failure(source->diagnostics());
  const Result<evaluate::CompiledGraph> graph = evaluate::compile(request);
  if (!graph) return failure(graph.diagnostics());
  if (options.emit == "cnm") return {cnmText(options, job, *graph), {}, 0};
  return printStage(options, job, *graph);
}

Outcome estimate(const Options &given) {
  const Options options = withTarget(given);
  const Result<Estimated> estimated = estimateOn("estimate", options, options.target);
  if (!estimated) return failure(estimated.diagnostics());
  return show(estimated->report, estimated->run, options);
}

namespace {

/// A timeline of the device while it runs; none without `--trace`.
class TimelineFile {
 public:
  /// Empties the file, so last of all that can be refused.
  Status open(const Options &options, const Job &job, const evaluate::CompiledGraph &graph) {
    if (options.trace.empty()) return okStatus();
    if (job.rounds)
      return usageError("trace-graph", "--trace", "a timeline shows one run of a kernel, and these run in rounds",
                        "trace one round: a kernel without the loop around it");
    std::vector<const evaluate::Runnable *> runs;
    if (job.program) runs.push_back(job.program.get());
    for (const evaluate::PlannedPart &p : graph)
      if (p.compiled != nullptr) runs.push_back(p.compiled.get());
    const Result<evaluate::TimelineMaker> make = job.target->timeline(runs, job.machine);
    if (!make) return make.diagnostics();
    file_.open(options.trace);
    if (!file_)
      return usageError("unwritable-file", options.trace, "the trace file cannot be written",
                        "choose a folder that exists and may be written to");
    // It is written as the run goes on, and what the host does first stands first in it.
    evaluate::Breakdown before;
    for (const evaluate::Runnable *r : runs) before += evaluate::hostCycles(job.machine, r->hostWork(), Cycles(0));
    timeline_ = (*make)(file_, before);
    return okStatus();
  }

  evaluate::Observer *observer() const { return timeline_.get(); }
  Status finish(const evaluate::Report &report) { return timeline_ ? timeline_->finish(report) : okStatus(); }

 private:
  std::ofstream file_;
  std::unique_ptr<evaluate::Timeline> timeline_;
};

}  // namespace

Outcome simulate(const Options &given) {
  const Options options = withTarget(given);
  const Result<std::unique_ptr<Job>> loaded = loadJob(options, options.target, true);
  if (!loaded) return failure(loaded.diagnostics());
  const Job &job = **loaded;
  if (const Status s = checkCheck(options, job); !s) return failure(s.diagnostics());
  evaluate::Request request = job.request(options);
  request.isSimulation = true;
  evaluate::CompiledGraph graph;
  std::optional<kernel::DataSet> data;
  if (job.input.graph) {
    Result<evaluate::CompiledGraph> compiled = evaluate::compile(request);
    if (!compiled) return failure(compiled.diagnostics());
    graph = std::move(*compiled);
    Result<std::optional<kernel::DataSet>> made = makeInputData(options, *job.graph(), defaultData(options));
    if (!made) return failure(made.diagnostics());
    data = std::move(*made);
    request.data = data ? &*data : nullptr;
  }
  TimelineFile timeline;
  if (const Status s = timeline.open(options, job, graph); !s) return failure(s.diagnostics());
  request.observer = timeline.observer();
  TextCheck text(options, job, data);
  Result<evaluate::Evaluation> done = evaluate::evaluateRecorded(request, std::move(graph));
  if (!done) return failure(done.diagnostics());
  evaluate::Report &report = done->report;
  if (Status s = text.check(report); !s) return failure(std::move(s.diagnostics()));
  nameReport(report, job.input);
  if (const Status s = timeline.finish(report); !s) return failure(s.diagnostics());
  return show(report, runOf("simulate", options, job.machine), options);
}

Outcome compare(const Options &given) {
  Options options = given;
  if (!options.tools) options.tools = makeToolBox();
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
