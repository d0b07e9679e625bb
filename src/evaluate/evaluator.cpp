#include "pimento/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>

#include "pimento/energy/energy.h"
#include "pimento/evaluate/checker.h"
#include "pimento/evaluate/choose.h"
#include "pimento/evaluate/constants.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/price.h"
#include "pimento/evaluate/round_sample.h"
#include "pimento/evaluate/rounding.h"
#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/two_slice.h"
#include "pimento/kernel/data_bounds.h"

namespace pimento::evaluate {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t microsecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

/// What an interval of a run is of: the kernel's cycles, or, where kernels have a choice of places, all of them.
Cycles measuredOf(const DeviceRun &run) {
  Cycles sum = run.cycles;
  if (!run.where.empty())
    for (const CommandPhase &p : run.phases)
      if (p.part != Part::kCompute) sum += p.cycles;
  return sum;
}

/// `times`: runs that are alike, of which this one took place. `before`: what all earlier ones measured.
void addRun(Report &report, const DeviceRun &run, std::int64_t times, Cycles &before) {
  const Cycles cycles(multiplySaturated(run.cycles.value, times));
  report.cycles += cycles;
  report.cyclesSimulated += run.cyclesSimulated;
  for (const auto &[name, n] : run.counts) report.counts[name] += multiplySaturated(n, times);
  for (const auto &[name, n] : run.traffic) report.traffic[name] += multiplySaturated(n, times);
  report.unitsIdentical = run.units;
  report.unitsSimulated = run.unitsSimulated;
  if (run.interval || report.interval) {
    Interval all = report.interval.value_or(Interval{0.99, before, before});
    const Interval own = run.interval.value_or(Interval{all.level, measuredOf(run), measuredOf(run)});
    const auto ofAll = [times](Cycles c) { return Cycles(multiplySaturated(c.value, times)); };
    report.interval = Interval{std::min(all.level, own.level), all.low + ofAll(own.low), all.high + ofAll(own.high)};
  }
  before += Cycles(multiplySaturated(measuredOf(run).value, times));
  if (run.isExtrapolated) report.exact = Exactness::kExtrapolated;
  // Rounds of a kernel, and kernels that are alike, warn alike.
  for (const std::string &w : run.warnings)
    if (std::ranges::find(report.warnings, w) == report.warnings.end()) report.warnings.push_back(w);
}

/// By what rounds that were not timed may differ.
void widen(Report &report, const RoundSample &sample) {
  Interval all = report.interval.value_or(Interval{.low = report.cycles, .high = report.cycles});
  const Cycles margin = sample.margin(all.level);
  if (margin.value == 0 && !report.interval) return;
  all.low = std::max(all.low - margin, Cycles(0));
  all.high += margin;
  report.interval = all;
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

/// Runs the parts of a graph one after the other, or a program, and adds up.
class Run {
 public:
  Run(const Request &request, const CompiledGraph &graph) : request_(request), graph_(graph) {
    if (request.graph != nullptr) checker_.emplace(*request.graph, request.data);
    if (graph.shared != nullptr) shared_ = graph.shared.get();
    report_.tried = graph.tried;
  }

  std::vector<StageRecord> takeRecords() { return std::move(records_); }

  Result<Report> run() {
    report_.unit = request_.target->unit();
    if (request_.program != nullptr)
      if (Status s = ofFile(*request_.program); !s) return s.diagnostics();
    if (Status s = runParts(); !s) return s.diagnostics();
    nameMapping();
    if (isTruncated_)
      report_.warnings.push_back(
          "tail=truncate leaves the elements after the last full tile uncomputed; nothing was checked");
    for (const Stage &stage : report_.stages)
      if (!stage.unchecked.empty())
        report_.warnings.push_back(fmt::format("kernel '{}' is timed, not checked: {}", stage.kernel, stage.unchecked));
    report_.isChecked = request_.data != nullptr && !isTruncated_ && !isUnchecked_;
    finish(report_, machine(), kernelWork_, hostWork_);
    report_.setup = setup_.total();
    if (report_.hasKernel) report_.setupEnergy = energy::price(machine(), setupWork_, machine().toTime(setup_.total()));
    return std::move(report_);
  }

 private:
  const machine::Machine &machine() const { return *request_.machine; }

  /// The parts in the order they run; each has one stage, of all its runs.
  Status runParts() {
    if (request_.graph == nullptr) return okStatus();
    const std::vector<int> order = runsOf(request_, graph_.size());
    std::vector<std::int64_t> left(graph_.size(), 0);
    for (const int p : order) ++left[static_cast<std::size_t>(p)];
    report_.stages.resize(graph_.size());
    for (Stage &stage : report_.stages) stage.runs = 0;
    stored_.assign(request_.graph->tensors.size(), false);
    storedByAny_ = stored_;
    for (const PlannedPart &part : graph_) markStored(part, storedByAny_);
    records_.resize(graph_.size());
    samples_.resize(graph_.size());
    if (Status s = choosePath(order); !s) return s;
    for (std::size_t run = 0; run < order.size(); ++run) {
      const auto p = static_cast<std::size_t>(order[run]);
      if (left[p] == 0) continue;
      // Runs that are alike take place once, unless data or every command are asked for.
      const bool isEach = request_.data != nullptr || request_.isSimulation || carried_ != nullptr;
      std::int64_t times = isEach ? 1 : left[p];
      if (samples_[p]) times = samples_[p]->next();
      if (times == 0) continue;
      const Status s = graph_[p].compiled != nullptr ? onDevice(p, run, times) : onHost(p, times);
      if (!s) return s;
      markStored(graph_[p], stored_);
      left[p] -= times;
    }
    for (const std::optional<RoundSample> &sample : samples_)
      if (sample) widen(report_, *sample);
    return okStatus();
  }

  /// Where every run goes, on machines that keep data from one to the next.
  Status choosePath(const std::vector<int> &order) {
    const GraphPart all{request_.graph, 0, static_cast<int>(request_.graph->kernels.size())};
    carried_ = request_.target->idle(all, machine());
    if (carried_ == nullptr) return okStatus();
    std::vector<const CompiledPart *> runs;
    for (const int p : order) runs.push_back(graph_[static_cast<std::size_t>(p)].compiled.get());
    RunMode mode;
    mode.values = request_.values ? &*request_.values : nullptr;
    mode.jobs = request_.jobs;
    mode.shared = shared_;
    auto steps = request_.target->path(runs, *carried_, machine(), mode);
    if (!steps) return steps.diagnostics();
    steps_ = std::move(*steps);
    return okStatus();
  }

  /// How run number `number` finds the machine; `mode` has all else.
  void continueOn(std::size_t number, RunMode &mode) {
    if (carried_ == nullptr) return;
    mode.carried = carried_.get();
    mode.place = steps_[number].place;
    mode.shared = shared_;
  }

  /// A run with what earlier ones left; one that takes place on an equal machine again is not run again.
  Result<DeviceRun> onward(std::size_t p, std::size_t number, RunMode mode) {
    continueOn(number, mode);
    if (request_.isSimulation || request_.twoSlice) return timed(*graph_[p].compiled, mode);
    const auto key = std::tuple(p, mode.place, carried_->key());
    if (const auto found = onward_.find(key); found != onward_.end()) {
      carried_ = found->second.second->copy();
      return found->second.first;
    }
    Result<DeviceRun> run = timed(*graph_[p].compiled, mode);
    if (run) onward_.emplace(key, std::pair(*run, carried_->copy()));
    return run;
  }

  /// Run number `run` of all, standing for `times`; fewer where what earlier runs left decides.
  Status onDevice(std::size_t p, std::size_t run, std::int64_t &times) {
    const PlannedPart &part = graph_[p];
    isTruncated_ |= part.mapping.tail == mapping::Tail::kTruncate;
    const bool mayReorder = part.compiled->mayReorder();
    std::string unchecked = part.compiled->whyUnchecked();
    if (unchecked.empty() && mayReorder &&
        !hasRoundingBound(request_.graph->kernels[static_cast<std::size_t>(part.first)]))
      unchecked = "sums are in another order than the kernel's, and no bound of their rounding is known";
    const bool isChecked = request_.data != nullptr && unchecked.empty();
    isUnchecked_ |= !unchecked.empty();
    if (isChecked) checker_->before(part);
    const Result<DeviceRun> ran = runDevice(p, run, times);
    if (!ran) return causeOf(part, run, ran.diagnostics());
    if (ran->isStuck) return stuckProgram(*ran);
    if (isChecked && !isTruncated_)
      if (Status s = checker_->after(
              part, ran->order ? std::vector{*ran->order} : ordersOf(part.compiled.get(), part.count), mayReorder);
          !s)
        return s;
    report_.isWithinRounding |= isChecked && mayReorder;
    const HostWork work = part.compiled->hostWork();
    if (report_.stages[p].runs == 0) {
      report_.compileUs += part.compileUs;
      Stage &stage = report_.stages[p] = stageOf(part);
      stage.mapping = part.mapping.text;
      stage.mappingWhy = part.mappingWhy;
      stage.choice = part.choice;
      stage.unchecked = unchecked;
      stage.where = ran->where;
      if (carried_ != nullptr) stage.whereWhy = steps_[run].why;
      records_[p] = {*ran, work, layerOf(part), false};
      records_[p].placesConstants = placeConstants(part, work, records_[p].placement);
    }
    Stage &stage = report_.stages[p];
    if (stage.where.find(ran->where) == std::string::npos) stage.where += ", " + ran->where;
    addDevice(stage, *ran, work, times);
    return okStatus();
  }

  /// A program without a kernel that says what its answer is.
  Status ofFile(const Runnable &program) {
    const Result<DeviceRun> ran = timed(program, {!request_.isSimulation, request_.observer});
    if (!ran) return ran.diagnostics();
    if (ran->isStuck) return stuckProgram(*ran);
    report_.hasKernel = false;
    report_.outcome = ran->outcome;
    report_.stages.emplace_back().kernel = program.program().processes.front().name;
    report_.stages.back().runs = 0;
    const HostWork work = ran->hostWork.value_or(program.hostWork());
    records_.push_back({*ran, work, {}, false});
    addDevice(report_.stages.back(), *ran, work, 1);
    report_.warnings.push_back("the program has no kernel to check the result against");
    if (program.program().target != machine().name)
      report_.warnings.push_back(fmt::format("the program was made for '{}', but the target is '{}'",
                                             program.program().target, machine().name));
    return okStatus();
  }

  /// What the device and the host around it did, `times` times.
  void addDevice(Stage &stage, const DeviceRun &run, const HostWork &work, std::int64_t times) {
    addRun(report_, run, times, measured_);
    const energy::ActionCounts host = hostActions(machine(), work, hostCycles(machine(), work, run.cycles));
    kernelWork_.add(run.actions, times);
    hostWork_.add(host, times);
    StageRecord &record = records_[static_cast<std::size_t>(&stage - report_.stages.data())];
    for (const auto &[name, n] : run.counts) record.counts[name] += multiplySaturated(n, times);
    record.deviceActions.add(run.actions, times);
    record.hostActions.add(host, times);
    stage.cycles += Cycles(multiplySaturated(run.cycles.value, times));
    addTo(stage, phasesOf(machine(), work, run, times), energy::ActionCounts(run.actions).add(host), times);
    stage.offloadedCycles = stage.breakdown().total();
  }

  Result<DeviceRun> runDevice(std::size_t p, std::size_t number, std::int64_t &times) {
    const PlannedPart &part = graph_[p];
    const CompiledPart &kernel = *part.compiled;
    const bool isTimedOnly = !kernel.whyUnchecked().empty();
    if (request_.data != nullptr && !isTimedOnly) {
      RunMode mode;
      mode.observer = request_.observer;
      mode.jobs = request_.jobs;
      continueOn(number, mode);
      return kernel.runOn(*request_.data, mode);
    }
    if (request_.data != nullptr)  // kernels behind it read what it should have stored
      for (int k = part.first; k < part.first + part.count; ++k)
        if (Status s = kernel::interpretKernel(*request_.graph, k, *request_.data); !s) return s.diagnostics();
    const kernel::DataSpec *values = request_.values ? &*request_.values : nullptr;
    RunMode mode{!request_.isSimulation, request_.observer, values, request_.contents, request_.jobs};
    const bool isChanged = readsWhatChanges(part, times);
    if (isChanged) mode.values = nullptr, mode.contents = nullptr;
    if (carried_ != nullptr) return onward(p, number, mode);
    const bool isTimed = part.timed && mode.isFastForward && !request_.twoSlice && !isChanged &&
                         (values != nullptr || request_.contents != nullptr);
    Result<DeviceRun> run = isTimed ? *part.timed : timed(kernel, mode);
    const bool knowsData = values != nullptr || (isChanged && request_.contents != nullptr);
    if (run || !knowsData || (number == 0 && !isChanged)) return run;
    if (run.diagnostics().front().kind != DiagnosticKind::kDataDependent) return run;
    // What the kernels before this one leave decides: the interpreter computes it.
    if (Status s = makeUpTo(number); !s) return s.diagnostics();
    mode.contents = &made_;
    // A simulation, and pieces to extrapolate from, have every round.
    std::optional<RoundSample> &sample = samples_[p];
    if (!sample && times > 1 && !request_.twoSlice) times = sample.emplace(times).next();
    if (!sample) times = 1;
    run = timed(kernel, mode);
    if (run && sample) sample->add(run->cycles);
    return run;
  }

  /// Whether a part reads, or accumulates onto, what earlier runs stored to; or what any run does, where this one
  /// stands for later ones.
  bool readsWhatChanges(const PlannedPart &part, std::int64_t times) const {
    const std::vector<bool> &stored = times > 1 ? storedByAny_ : stored_;
    bool isChanged = false;
    forEachKernel(part, [&](const kernel::Kernel &k) {
      for (const kernel::Access &load : k.loads) isChanged |= stored[static_cast<std::size_t>(load.tensor)];
      for (const kernel::Store &s : k.stores)
        isChanged |= s.combine != kernel::Combine::kAssign && stored[static_cast<std::size_t>(s.target.tensor)];
    });
    return isChanged;
  }

  void markStored(const PlannedPart &part, std::vector<bool> &stored) const {
    forEachKernel(part, [&](const kernel::Kernel &k) {
      for (const kernel::Store &s : k.stores) stored[static_cast<std::size_t>(s.target.tensor)] = true;
    });
  }

  template <typename See>
  void forEachKernel(const PlannedPart &part, const See &see) const {
    for (int k = part.first; k < part.first + part.count; ++k)
      see(request_.graph->kernels[static_cast<std::size_t>(k)]);
  }

  /// Why a run failed: an index into bins that are not there makes the interpreter fail as well, and says more than the
  /// address that a DPU did not find.
  Diagnostics causeOf(const PlannedPart &part, std::size_t run, Diagnostics found) {
    constexpr std::int64_t kMostPoints = std::int64_t{1} << 26;
    const auto k = static_cast<std::size_t>(part.first);
    const kernel::Kernel &kernel = request_.graph->kernels[k];
    const bool isIndirect = std::any_of(kernel.stores.begin(), kernel.stores.end(),
                                        [](const kernel::Store &s) { return s.target.isIndirect(); }) ||
                            kernel.hasIndirectLoads() || !kernel.bounds.empty();
    if (found.front().kind != DiagnosticKind::kFault || !isIndirect || kernel::pointsOfRows(kernel) > kMostPoints)
      return found;
    kernel::DataSet data;
    if (request_.data != nullptr) {
      data = *request_.data;
    } else if (request_.values && makeUpTo(run)) {
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

  /// Operands as the request's values say, and what the runs before number `run` make of them.
  Status makeUpTo(std::size_t run) {
    if (made_.empty()) {
      made_ = request_.contents != nullptr ? *request_.contents : kernel::makeData(*request_.graph, *request_.values);
      kernel::makeMissing(*request_.graph, made_);
    }
    for (; madeRuns_ < run; ++madeRuns_) {
      const auto p =
          request_.rounds != nullptr ? static_cast<std::size_t>(request_.rounds->runs[madeRuns_]) : madeRuns_;
      const PlannedPart &part = graph_[p];
      const std::vector<kernel::Order> orders = ordersOf(part.compiled.get(), part.count);
      for (int k = 0; k < part.count; ++k)
        if (Status s =
                kernel::interpretKernel(*request_.graph, part.first + k, made_, orders[static_cast<std::size_t>(k)]);
            !s)
          return s;
    }
    return okStatus();
  }

  Status onHost(std::size_t p, std::int64_t times) {
    const PlannedPart &part = graph_[p];
    for (int k = part.first; request_.data != nullptr && k < part.first + part.count; ++k)
      if (Status s = kernel::interpretKernel(*request_.graph, k, *request_.data); !s) return s;
    const HostLayer layer = layerOf(part);
    Breakdown breakdown;
    breakdown[Part::kHost] = layer.cycles;
    const energy::ActionCounts actions = hostLayerActions(machine(), layer);
    hostWork_.add(actions, times);
    Stage &stage = report_.stages[p];
    if (stage.runs == 0) {
      stage = stageOf(part);
      stage.isOnHost = true;
      stage.why = part.why;
      records_[p] = {{}, {}, layer, false};
    }
    records_[p].hostActions.add(actions, times);
    addTo(stage, phasesOf(machine(), breakdown.times(times)), actions, times);
    if (part.offloadedCycles)
      stage.offloadedCycles = Cycles(multiplySaturated(part.offloadedCycles->value, stage.runs));
    return okStatus();
  }

  HostLayer layerOf(const PlannedPart &part) const {
    return hostLayer({request_.graph, part.first, part.count}, machine());
  }

  /// Of no run yet.
  Stage stageOf(const PlannedPart &part) const {
    Stage stage;
    stage.runs = 0;
    stage.origin = request_.originOf(static_cast<std::size_t>(part.first));
    for (int k = part.first; k < part.first + part.count; ++k)
      stage.kernel += (stage.kernel.empty() ? "" : "+") + request_.graph->kernels[static_cast<std::size_t>(k)].name;
    return stage;
  }

  /// `times` more runs of the stage, which take `phases` together; `actions` are of each.
  void addTo(Stage &stage, const std::vector<Phase> &phases, const energy::ActionCounts &actions, std::int64_t times) {
    const auto p = static_cast<std::size_t>(&stage - report_.stages.data());
    stage.runs += times;
    addPhases(stage.phases, phases);
    for (Phase &phase : stage.phases) phase.time = machine().toTime(phase.cycles);
    energy::ActionCounts &sum = stageWork_[p];
    sum.add(actions, times);
    stage.energy = energy::price(machine(), sum, machine().toTime(stage.breakdown().total())).total;
    if (p >= graph_.size()) return;
    const HostLayer layer = layerOf(graph_[p]);
    stage.operations = multiplySaturated(layer.operations, stage.runs);
    stage.bytes = Bytes(multiplySaturated(layer.bytes().value, stage.runs));
    stage.hostCycles = Cycles(multiplySaturated(layer.cycles.value, stage.runs));
  }

  /// Constants that several kernels read in one layout are placed once.
  bool placeConstants(const PlannedPart &part, const HostWork &work, std::optional<DeviceRun> &byCommands) {
    HostWork once;
    once.placed = work.placedOnce;
    once.rearrangedIn = work.rearrangedOnce;
    byCommands = part.compiled->placement();
    if (once.placed.value == 0 && !byCommands) return false;
    std::set<std::pair<int, std::string>> constants;
    for (const Residence &r : part.compiled->residences())
      if (request_.graph->tensors[static_cast<std::size_t>(r.tensor)].isConstant)
        constants.emplace(r.tensor, mapping::print(r.mapping));
    if (!placed_.insert(constants).second) return false;
    const Breakdown time = hostCycles(machine(), once, Cycles(0));
    setup_ += byCommands ? breakdownOf(machine(), once, *byCommands) : time;
    setupWork_.add(hostActions(machine(), once, time));
    if (byCommands) setupWork_.add(byCommands->actions);
    return true;
  }

  /// The mapping if all kernels on the device have the same, else all of them.
  void nameMapping() {
    // Of a kernel in loops, that of its first round.
    std::vector<std::string> texts;
    std::set<std::size_t> named;
    for (const PlannedPart &k : graph_)
      if (k.compiled != nullptr && named.insert(request_.originOf(static_cast<std::size_t>(k.first))).second)
        texts.push_back(k.mapping.text);
    const bool isOne = std::all_of(texts.begin(), texts.end(), [&](auto &t) { return t == texts.front(); });
    report_.mapping = isOne ? (texts.empty() ? "" : texts.front()) : fmt::format("{}", fmt::join(texts, " | "));
  }

  const Request &request_;
  const CompiledGraph &graph_;
  std::optional<Checker> checker_;
  Report report_;
  energy::ActionCounts kernelWork_, hostWork_, setupWork_;
  std::map<std::size_t, energy::ActionCounts> stageWork_;
  Breakdown setup_;
  std::vector<StageRecord> records_;
  std::set<std::set<std::pair<int, std::string>>> placed_;
  std::unique_ptr<Carried> carried_;  ///< on targets that keep data from run to run
  std::vector<Target::Step> steps_;   ///< likewise, by run
  std::map<std::tuple<std::size_t, int, std::string>, std::pair<DeviceRun, std::unique_ptr<Carried>>> onward_;
  Cache cache_;
  Cache *shared_ = &cache_;
  Cycles measured_;                                  ///< of all runs, what intervals are of
  std::vector<bool> stored_, storedByAny_;           ///< by tensor: whether an earlier run, or any of all, stores to it
  std::vector<std::optional<RoundSample>> samples_;  ///< by part: where data decide the time of each of its rounds
  kernel::DataSet made_;                             ///< timing runs whose time depends on what earlier kernels compute
  std::size_t madeRuns_ = 0;                         ///< that made_ holds the results of
  bool isTruncated_ = false;
  bool isUnchecked_ = false;  // a program that computes no answer
};

}  // namespace

Result<Evaluation> evaluateRecorded(const Request &request) {
  if (request.target == nullptr)
    return usageError("no-target", "Request::target", "no target is set",
                      "set it to the result of targets::targetOf for the machine");
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
  if (auto note = noteOnConstants(request, compiled, *report)) report->notes.push_back(std::move(*note));
  return Evaluation{std::move(*report), std::move(compiled), run.takeRecords()};
}

Result<Report> evaluate(const Request &request) {
  Result<Evaluation> evaluation = evaluateRecorded(request);
  if (!evaluation) return evaluation.diagnostics();
  return std::move(evaluation->report);
}

}  // namespace pimento::evaluate
