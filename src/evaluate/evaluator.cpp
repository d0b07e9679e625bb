#include "pimento/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "pimento/energy/energy.h"
#include "pimento/evaluate/checker.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/price.h"
#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/two_slice.h"

namespace pimento::evaluate {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t microsecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

void addRun(Report &report, const DeviceRun &run) {
  report.cycles += run.cycles;
  report.cyclesSimulated += run.cyclesSimulated;
  for (const auto &[name, n] : run.counts) report.counts[name] += n;
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
  const Picoseconds time = machine.toTime(report.breakdown().total());
  report.timeNs = time.value / 1000.0;
  report.kernelEnergy = energy::price(machine, kernelActions, machine.toTime(report.cycles));
  energy::ActionCounts all = kernelActions;
  report.energy = energy::price(machine, all.add(hostActions), time);
  for (const std::string &note : machine.notes) report.warnings.push_back(note);
}

Diagnostic stuck(const DeviceRun &run) {
  return error(
      DiagnosticKind::kFault, "program-stuck", {},
      fmt::format("the program cannot go on after cycle {}: its next command can never issue", run.cycles.value),
      "look for activates of banks that the all-bank mode refuses, or a mode that is never left");
}

/// Runs the parts of a graph one after the other, or a program, and adds up.
class Run {
 public:
  Run(const Request &request, const CompiledGraph &graph) : request_(request), graph_(graph) {
    if (request.graph != nullptr) checker_.emplace(*request.graph, request.data);
  }

  std::vector<StageRecord> takeRecords() { return std::move(records_); }

  Result<Report> run() {
    report_.unit = request_.target->unit();
    if (request_.program != nullptr)
      if (Status s = ofFile(*request_.program); !s) return s.diagnostics();
    for (const PlannedPart &part : graph_)
      if (Status s = part.compiled != nullptr ? onDevice(part) : onHost(part); !s) return s.diagnostics();
    nameMapping();
    if (isTruncated_)
      report_.warnings.push_back(
          "tail=truncate leaves elements beyond the last full tile uncomputed; nothing was checked");
    report_.isChecked = request_.data != nullptr && !isTruncated_;
    finish(report_, machine(), kernelWork_, hostWork_);
    report_.setup = setup_.total();
    if (report_.hasKernel) report_.setupEnergy = energy::price(machine(), setupWork_, machine().toTime(setup_.total()));
    return std::move(report_);
  }

 private:
  const machine::Machine &machine() const { return *request_.machine; }

  Status onDevice(const PlannedPart &part) {
    isTruncated_ |= part.mapping.tail == mapping::Tail::kTruncate;
    if (request_.data != nullptr) checker_->before(part);
    const Result<DeviceRun> ran = runDevice(part);
    if (!ran) return causeOf(part, ran.diagnostics());
    if (ran->isStuck) return stuck(*ran);
    report_.compileUs += part.compileUs;
    if (request_.data != nullptr && !isTruncated_)
      if (Status s = checker_->after(part, part.compiled->order()); !s) return s;
    Stage stage = stageOf(part);
    stage.mapping = part.mapping.text;
    stage.mappingWhy = part.mappingWhy;
    const HostWork work = part.compiled->hostWork();
    addDevice(std::move(stage), *ran, work);
    records_.push_back({*ran, work, layerOf(part), placeConstants(part, work)});
    return okStatus();
  }

  /// A program without a kernel that says what its answer is.
  Status ofFile(const Runnable &program) {
    const Result<DeviceRun> ran = timed(program, {!request_.isSimulation, request_.observer});
    if (!ran) return ran.diagnostics();
    if (ran->isStuck) return stuck(*ran);
    report_.hasKernel = false;
    report_.outcome = ran->outcome;
    Stage stage;
    stage.kernel = program.program().processes.front().name;
    const HostWork work = ran->hostWork.value_or(program.hostWork());
    addDevice(std::move(stage), *ran, work);
    records_.push_back({*ran, work, {}, false});
    report_.warnings.push_back("a program without a kernel: nothing to check its answer against");
    if (program.program().target != machine().name)
      report_.warnings.push_back(
          fmt::format("the program was made for '{}', this is '{}'", program.program().target, machine().name));
    return okStatus();
  }

  /// What the device and the host around it did.
  void addDevice(Stage stage, const DeviceRun &run, const HostWork &work) {
    const Breakdown breakdown = hostCycles(machine(), work, run.cycles);
    addRun(report_, run);
    const energy::ActionCounts host = hostActions(machine(), work, breakdown);
    kernelWork_.add(run.actions);
    hostWork_.add(host);
    stage.cycles = run.cycles;
    stage.offloadedCycles = breakdown.total();
    addStage(std::move(stage), breakdown, energy::ActionCounts(run.actions).add(host));
  }

  Result<DeviceRun> runDevice(const PlannedPart &part) {
    const CompiledPart &kernel = *part.compiled;
    const auto k = static_cast<std::size_t>(part.first);
    if (request_.data != nullptr) return kernel.runOn(*request_.data, request_.observer, request_.jobs);
    const kernel::DataSpec *values = request_.values ? &*request_.values : nullptr;
    RunMode mode{!request_.isSimulation, request_.observer, values, request_.contents, request_.jobs};
    Result<DeviceRun> run = timed(kernel, mode);
    if (run || values == nullptr || k == 0 || run.diagnostics().front().kind != DiagnosticKind::kDataDependent)
      return run;
    // What the kernels before this one leave decides: the interpreter computes it.
    if (Status s = makeUpTo(k); !s) return s.diagnostics();
    mode.contents = &made_;
    return timed(kernel, mode);
  }

  /// Why a run failed: an index into bins that are not there makes the interpreter fail as well, and says more than the
  /// address that a DPU did not find.
  Diagnostics causeOf(const PlannedPart &part, Diagnostics found) {
    constexpr std::int64_t kMostPoints = std::int64_t{1} << 26;
    const auto k = static_cast<std::size_t>(part.first);
    const kernel::Kernel &kernel = request_.graph->kernels[k];
    const bool isIndirect = std::any_of(kernel.stores.begin(), kernel.stores.end(),
                                        [](const kernel::Store &s) { return s.target.isIndirect(); });
    if (found.front().kind != DiagnosticKind::kFault || !isIndirect || kernel.points() > kMostPoints) return found;
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

  Result<DeviceRun> timed(const Runnable &kernel, const RunMode &mode) const {
    if (request_.isSimulation || !request_.twoSlice) return kernel.run(mode);
    const Result<std::unique_ptr<Slices>> slices = kernel.slices(mode);
    if (!slices) return slices.diagnostics();
    return extrapolate(**slices, *request_.twoSlice);
  }

  /// Operands as the request's values say, and what the kernels before number `k` make of them.
  Status makeUpTo(std::size_t k) {
    if (made_.empty()) {
      made_ = kernel::makeData(*request_.graph, *request_.values);
      kernel::makeMissing(*request_.graph, made_);
    }
    for (; madeKernels_ < k; ++madeKernels_)
      if (Status s = kernel::interpretKernel(*request_.graph, static_cast<int>(madeKernels_), made_); !s) return s;
    return okStatus();
  }

  Status onHost(const PlannedPart &part) {
    if (request_.data != nullptr)
      if (Status s = kernel::interpretKernel(*request_.graph, part.first, *request_.data); !s) return s;
    const HostLayer layer = layerOf(part);
    Breakdown breakdown;
    breakdown[Part::kHost] = layer.cycles;
    const energy::ActionCounts actions = hostLayerActions(machine(), layer);
    hostWork_.add(actions);
    Stage stage = stageOf(part);
    stage.isOnHost = true;
    stage.why = part.why;
    stage.offloadedCycles = part.offloadedCycles;
    addStage(std::move(stage), breakdown, actions);
    records_.push_back({{}, {}, layer, false});
    return okStatus();
  }

  HostLayer layerOf(const PlannedPart &part) const {
    return hostLayer({request_.graph, part.first, part.count}, machine());
  }

  Stage stageOf(const PlannedPart &part) const {
    const HostLayer layer = layerOf(part);
    Stage stage;
    for (int k = part.first; k < part.first + part.count; ++k)
      stage.kernel += (stage.kernel.empty() ? "" : "+") + request_.graph->kernels[static_cast<std::size_t>(k)].name;
    stage.operations = layer.operations;
    stage.bytes = layer.bytes();
    stage.hostCycles = layer.cycles;
    return stage;
  }

  void addStage(Stage stage, const Breakdown &breakdown, const energy::ActionCounts &actions) {
    stage.phases = phasesOf(machine(), breakdown);
    stage.energy = energy::price(machine(), actions, machine().toTime(breakdown.total())).total;
    report_.stages.push_back(std::move(stage));
  }

  /// Constants that several kernels read in one layout are placed once.
  bool placeConstants(const PlannedPart &part, const HostWork &work) {
    HostWork once;
    once.placed = work.placedOnce;
    once.rearrangedIn = work.rearrangedOnce;
    if (once.placed.value == 0) return false;
    std::set<std::pair<int, std::string>> constants;
    for (const Residence &r : part.compiled->residences())
      if (request_.graph->tensors[static_cast<std::size_t>(r.tensor)].isConstant)
        constants.emplace(r.tensor, mapping::print(r.mapping));
    if (!placed_.insert(constants).second) return false;
    const Breakdown time = hostCycles(machine(), once, Cycles(0));
    setup_ += time;
    setupWork_.add(hostActions(machine(), once, time));
    return true;
  }

  /// The mapping if all kernels on the device have the same, else all of them.
  void nameMapping() {
    std::vector<std::string> texts;
    for (const PlannedPart &k : graph_)
      if (k.compiled != nullptr) texts.push_back(k.mapping.text);
    const bool isOne = std::all_of(texts.begin(), texts.end(), [&](auto &t) { return t == texts.front(); });
    report_.mapping = isOne ? (texts.empty() ? "" : texts.front()) : fmt::format("{}", fmt::join(texts, " | "));
  }

  const Request &request_;
  const CompiledGraph &graph_;
  std::optional<Checker> checker_;
  Report report_;
  energy::ActionCounts kernelWork_, hostWork_, setupWork_;
  Breakdown setup_;
  std::vector<StageRecord> records_;
  std::set<std::set<std::pair<int, std::string>>> placed_;
  kernel::DataSet made_;         ///< timing runs whose time depends on what earlier kernels compute
  std::size_t madeKernels_ = 0;  ///< that made_ holds the results of
  bool isTruncated_ = false;
};

}  // namespace

Result<Evaluation> evaluateRecorded(const Request &request) {
  if (request.target == nullptr)
    return usageError("no-target", "Request::target", "there is no target to evaluate on",
                      "set it to what targets::targetOf gives for the machine");
  if (request.graph == nullptr) return evaluateRecorded(request, {});
  Result<CompiledGraph> compiled = compile(request);
  if (!compiled) return compiled.diagnostics();
  return evaluateRecorded(request, std::move(*compiled));
}

Result<Evaluation> evaluateRecorded(const Request &request, CompiledGraph compiled) {
  const Clock::time_point start = Clock::now();
  Run run(request, compiled);
  Result<Report> report = run.run();
  if (!report) return report.diagnostics();
  report->wallUs = microsecondsSince(start);
  for (const PlannedPart &p : compiled) report->wallUs += p.planUs;
  return Evaluation{std::move(*report), std::move(compiled), run.takeRecords()};
}

Result<Report> evaluate(const Request &request) {
  Result<Evaluation> evaluation = evaluateRecorded(request);
  if (!evaluation) return evaluation.diagnostics();
  return std::move(evaluation->report);
}

}  // namespace pimento::evaluate
