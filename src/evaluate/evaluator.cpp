#include "pimento/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "pimento/energy/energy.h"
#include "pimento/evaluate/checker.h"
#include "pimento/evaluate/hbm_pim_backend.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/price.h"
#include "pimento/evaluate/run_program.h"
#include "pimento/evaluate/two_slice.h"

namespace pimento::evaluate {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t microsecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

void addRun(Report &report, const DeviceRun &run, const Breakdown &breakdown) {
  report.cycles += run.cycles;
  report.cyclesSimulated += run.cyclesSimulated;
  report.breakdown += breakdown;
  for (const auto &[name, n] : run.counts) report.counts[name] += n;
  report.unit = run.unit;
  report.unitsIdentical = run.units;
  report.unitsSimulated = run.unitsSimulated;
  if (run.interval || report.interval) {
    Interval all = report.interval.value_or(Interval{0.99, report.cycles - run.cycles, report.cycles - run.cycles});
    const Interval own = run.interval.value_or(Interval{all.level, run.cycles, run.cycles});
    report.interval = Interval{std::min(all.level, own.level), all.low + own.low, all.high + own.high};
  }
  if (run.isExtrapolated) report.exact = Exactness::kExtrapolated;
  report.warnings.insert(report.warnings.end(), run.warnings.begin(), run.warnings.end());
}

void finish(Report &report, const machine::Machine &machine, const energy::ActionCounts &kernelActions,
            const energy::ActionCounts &hostActions) {
  report.target = machine.name;
  if (report.exact != Exactness::kExtrapolated)
    report.exact = report.interval                           ? Exactness::kSampled
                   : report.cyclesSimulated == report.cycles ? Exactness::kSimulated
                                                             : Exactness::kFastForwarded;
  report.timeNs = machine.toTime(report.breakdown.total()).value / 1000.0;
  report.kernelEnergy = energy::price(machine, kernelActions, machine.toTime(report.cycles));
  energy::ActionCounts all = kernelActions;
  report.energy = energy::price(machine, all.add(hostActions), machine.toTime(report.breakdown.total()));
  for (const std::string &note : machine.notes) report.warnings.push_back(note);
}

Diagnostic stuck(const DeviceRun &run) {
  return error(
      "program-stuck", {},
      fmt::format("the program cannot go on after cycle {}: its next command can never issue", run.cycles.value),
      "look for activates of banks that the all-bank mode refuses, or a mode that is never left");
}

/// Runs the kernels of a graph one after the other and adds them up.
class Run {
 public:
  Run(const Request &request, const CompiledGraph &graph)
      : request_(request), graph_(graph), checker_(*request.graph, request.data) {}

  std::vector<StageRecord> takeRecords() { return std::move(records_); }

  Result<Report> run() {
    for (std::size_t k = 0; k < graph_.size(); ++k) {
      if (Status s = graph_[k].compiled != nullptr ? onDevice(k) : onHost(k); !s) return s.diagnostics();
    }
    nameMapping();
    if (isTruncated_)
      report_.warnings.push_back(
          "tail=truncate leaves elements beyond the last full tile uncomputed; nothing was checked");
    report_.isChecked = request_.data != nullptr && !isTruncated_;
    finish(report_, machine(), kernelWork_, hostWork_);
    report_.setup = setup_.total();
    report_.setupEnergy = energy::price(machine(), setupWork_, machine().toTime(setup_.total()));
    return std::move(report_);
  }

 private:
  const machine::Machine &machine() const { return *request_.machine; }

  Status onDevice(std::size_t k) {
    const PlannedKernel &planned = graph_[k];
    isTruncated_ |= planned.mapping.tail == mapping::Tail::kTruncate;
    if (request_.data != nullptr) checker_.before(k);
    const Result<DeviceRun> ran = runDevice(k);
    if (!ran) return causeOf(k, ran.diagnostics());
    const DeviceRun &run = *ran;
    if (run.isStuck) return stuck(run);
    report_.compileUs += planned.compileUs;
    if (request_.data != nullptr && !isTruncated_)
      if (Status s = checker_.after(k, planned.compiled->order()); !s) return s;
    const lower::HostWork work = planned.compiled->hostWork();
    const Breakdown breakdown = hostCycles(machine(), work, run.cycles);
    addRun(report_, run, breakdown);
    const energy::ActionCounts host = hostActions(machine(), work, breakdown);
    kernelWork_.add(run.actions);
    hostWork_.add(host);
    Stage stage = stageOf(k);
    stage.mapping = planned.mapping.text;
    stage.mappingWhy = planned.mappingWhy;
    stage.cycles = run.cycles;
    stage.offloadedCycles = breakdown.total();
    addStage(std::move(stage), breakdown, energy::ActionCounts(run.actions).add(host));
    const bool isPlaced = placeConstants(k, work);
    records_.push_back({run, work, hostLayer(*request_.graph, static_cast<int>(k), machine()), isPlaced});
    return okStatus();
  }

  Result<DeviceRun> runDevice(std::size_t k) {
    const CompiledKernel &kernel = *graph_[k].compiled;
    if (request_.data != nullptr) return kernel.runOn(*request_.data, request_.observers, request_.jobs);
    const kernel::DataSpec *values = request_.values ? &*request_.values : nullptr;
    RunMode mode{!request_.isSimulation, request_.observers, values, request_.contents, request_.jobs};
    Result<DeviceRun> run = timed(kernel, mode);
    if (run || values == nullptr || k == 0 || run.diagnostics().front().code != "data-decide-time") return run;
    // What the kernels before this one leave decides: the interpreter computes it.
    if (Status s = makeUpTo(k); !s) return s.diagnostics();
    mode.contents = &made_;
    return timed(kernel, mode);
  }

  /// Why a run failed: an index into bins that are not there makes the interpreter fail as well, and says more than the
  /// address that a DPU did not find.
  Diagnostics causeOf(std::size_t k, Diagnostics found) {
    constexpr std::int64_t kMostPoints = std::int64_t{1} << 26;
    const kernel::Kernel &kernel = request_.graph->kernels[k];
    const bool isIndirect = std::any_of(kernel.stores.begin(), kernel.stores.end(),
                                        [](const kernel::Store &s) { return s.indirectIndex >= 0; });
    if (!found.front().code.starts_with("dpu-") || !isIndirect || kernel.points() > kMostPoints) return found;
    kernel::DataSet data;
    if (request_.data != nullptr) {
      data = *request_.data;
    } else if (request_.values && makeUpTo(k)) {
      data = made_;
    } else {
      return found;
    }
    const Status s = kernel::interpretKernel(*request_.graph, static_cast<int>(k), data);
    return s ? found : s.diagnostics();
  }

  Result<DeviceRun> timed(const CompiledKernel &kernel, const RunMode &mode) const {
    if (request_.isSimulation || !request_.twoSlice) return kernel.run(mode);
    const Result<std::unique_ptr<Slices>> slices = kernel.slices(mode);
    if (!slices) return slices.diagnostics();
    return extrapolate(**slices, *request_.twoSlice);
  }

  /// Operands as the request's values say, and what the kernels before number `k` make of them.
  Status makeUpTo(std::size_t k) {
    if (made_.empty()) {
      made_ = kernel::makeData(*request_.graph, *request_.values);
      for (std::size_t t = 0; t < made_.size(); ++t)
        if (made_[t].bytes.empty())
          made_[t] = kernel::TensorData(request_.graph->tensors[t].type, request_.graph->tensors[t].shape);
    }
    for (; madeKernels_ < k; ++madeKernels_)
      if (Status s = kernel::interpretKernel(*request_.graph, static_cast<int>(madeKernels_), made_); !s) return s;
    return okStatus();
  }

  Status onHost(std::size_t k) {
    if (request_.data != nullptr)
      if (Status s = kernel::interpretKernel(*request_.graph, static_cast<int>(k), *request_.data); !s) return s;
    const HostLayer layer = hostLayer(*request_.graph, static_cast<int>(k), machine());
    Breakdown breakdown;
    breakdown.host = layer.cycles;
    report_.breakdown += breakdown;
    const energy::ActionCounts actions = hostLayerActions(machine(), layer);
    hostWork_.add(actions);
    Stage stage = stageOf(k);
    stage.isOnHost = true;
    stage.why = graph_[k].why;
    stage.offloadedCycles = graph_[k].offloadedCycles;
    addStage(std::move(stage), breakdown, actions);
    records_.push_back({{}, {}, layer, false});
    return okStatus();
  }

  Stage stageOf(std::size_t k) const {
    const HostLayer layer = hostLayer(*request_.graph, static_cast<int>(k), machine());
    Stage stage;
    stage.kernel = request_.graph->kernels[k].name;
    stage.operations = layer.operations;
    stage.bytes = layer.bytes();
    stage.hostCycles = layer.cycles;
    return stage;
  }

  void addStage(Stage stage, const Breakdown &breakdown, const energy::ActionCounts &actions) {
    stage.breakdown = breakdown;
    stage.energy = energy::price(machine(), actions, machine().toTime(breakdown.total())).total;
    report_.stages.push_back(std::move(stage));
  }

  /// Constants that several kernels read in one layout are placed once.
  bool placeConstants(std::size_t k, const lower::HostWork &work) {
    lower::HostWork once;
    once.placed = work.placedOnce;
    once.rearrangedIn = work.rearrangedOnce;
    if (once.placed.value == 0) return false;
    std::set<int> constants;
    for (const kernel::Access &a : request_.graph->kernels[k].loads)
      if (request_.graph->tensors[static_cast<std::size_t>(a.tensor)].isConstant) constants.insert(a.tensor);
    if (!placed_.insert({constants, mapping::print(graph_[k].mapping)}).second) return false;
    const Breakdown time = hostCycles(machine(), once, Cycles(0));
    setup_ += time;
    setupWork_.add(hostActions(machine(), once, time));
    return true;
  }

  /// The mapping if all kernels on the device have the same, else all of them.
  void nameMapping() {
    std::vector<std::string> texts;
    for (const PlannedKernel &k : graph_)
      if (k.compiled != nullptr) texts.push_back(k.mapping.text);
    const bool isOne = std::all_of(texts.begin(), texts.end(), [&](auto &t) { return t == texts.front(); });
    report_.mapping = isOne ? (texts.empty() ? "" : texts.front()) : fmt::format("{}", fmt::join(texts, " | "));
  }

  const Request &request_;
  const CompiledGraph &graph_;
  Checker checker_;
  Report report_;
  energy::ActionCounts kernelWork_, hostWork_, setupWork_;
  Breakdown setup_;
  std::vector<StageRecord> records_;
  std::set<std::pair<std::set<int>, std::string>> placed_;
  kernel::DataSet made_;         ///< timing runs whose time depends on what earlier kernels compute
  std::size_t madeKernels_ = 0;  ///< that made_ holds the results of
  bool isTruncated_ = false;
};

}  // namespace

Result<Evaluation> evaluateRecorded(const Request &request) {
  const Clock::time_point start = Clock::now();
  Result<CompiledGraph> compiled = compile(request);
  if (!compiled) return compiled.diagnostics();
  Run run(request, *compiled);
  Result<Report> report = run.run();
  if (!report) return report.diagnostics();
  report->wallUs = std::max<std::int64_t>(0, microsecondsSince(start) - report->compileUs);
  return Evaluation{std::move(*report), std::move(*compiled), run.takeRecords()};
}

Result<Report> evaluate(const Request &request) {
  Result<Evaluation> evaluation = evaluateRecorded(request);
  if (!evaluation) return evaluation.diagnostics();
  return std::move(evaluation->report);
}

Report reportProgram(const program::Process &process, const DeviceRun &run, const lower::HostWork &work,
                     const machine::Machine &machine) {
  Report report;
  report.hasKernel = false;
  const Breakdown breakdown = hostCycles(machine, work, run.cycles);
  addRun(report, run, breakdown);
  const energy::ActionCounts host = hostActions(machine, work, breakdown);
  Stage stage;
  stage.kernel = process.name;
  stage.cycles = run.cycles;
  stage.breakdown = report.breakdown;
  stage.offloadedCycles = report.breakdown.total();
  stage.energy =
      energy::price(machine, energy::ActionCounts(run.actions).add(host), machine.toTime(breakdown.total())).total;
  report.stages.push_back(std::move(stage));
  report.warnings.push_back("a program without a kernel: nothing to check its answer against");
  finish(report, machine, run.actions, host);
  return report;
}

Result<Report> evaluateProgram(const program::Program &program, const machine::Machine &machine, bool isSimulation,
                               const Observers &observers, const program::Places *places,
                               const std::optional<TwoSlice> &twoSlice) {
  const Clock::time_point start = Clock::now();
  if (const Status s = program::verify(program, machine, places); !s) return s.diagnostics();
  if (program::hasCode(program))
    return error("program-is-code", {}, "the program is machine code of a DPU, not commands of a DRAM channel",
                 "simulate the .s or ELF file it comes from");
  if (program.processes.size() != 1)
    return error("process-count", places != nullptr && places->processes.size() > 1 ? places->processes[1] : Location{},
                 fmt::format("the program has {} processes", program.processes.size()),
                 "a program has one process, which stands for identical channels or units");
  const Result<DeviceRun> ran = !isSimulation && twoSlice ? extrapolate(*programSlices(program, machine), *twoSlice)
                                                          : runProgram(program, machine, {!isSimulation, observers});
  if (!ran) return ran.diagnostics();
  const DeviceRun &run = *ran;
  if (run.isStuck) return stuck(run);
  Report report = reportProgram(program.processes.front(), run, {}, machine);
  if (program.target != machine.name)
    report.warnings.push_back(fmt::format("the program was made for '{}', this is '{}'", program.target, machine.name));
  report.wallUs = microsecondsSince(start);
  return report;
}

}  // namespace pimento::evaluate
