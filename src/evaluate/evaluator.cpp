#include "pimento/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "pimento/base/thread_pool.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/hbm_pim_backend.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/price.h"

namespace pimento::evaluate {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t microsecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

struct Candidate {
  mapping::Mapping mapping;
  std::int64_t commands = 0;
  std::int64_t cycles = 0;
  bool isLegal = false;
};

std::int64_t commandCount(const program::Program &program) {
  std::int64_t total = 0;
  for (const program::Process &p : program.processes)
    for (const std::int64_t n : program::countCommands(p)) total += n;
  return total;
}

/// The best mapping by estimated total cycles among a fixed set: the reference mapping, and of the first legal ones
/// those with the fewest commands. Ties go to the earlier one, so the choice does not depend on the number of threads.
Result<mapping::Mapping> chooseMapping(const Request &r, int kernel, const Backend &backend,
                                       const mapping::MapSpec &spec) {
  std::vector<Candidate> all;
  const Result<mapping::Mapping> reference = backend.reference(*r.graph, kernel, *r.machine, spec);
  if (!reference) return reference.diagnostics();
  all.push_back({*reference});
  mapping::MappingSpace space(r.graph->kernels[static_cast<std::size_t>(kernel)], *r.machine);
  while (static_cast<int>(all.size()) < kAutoCandidates) {
    std::optional<mapping::Mapping> m = space.next();
    if (!m) break;
    m->tail = spec.mapping.tail;
    m->parameters = spec.mapping.parameters;
    all.push_back({std::move(*m)});
  }
  const auto each = [&](std::size_t count, auto &&work) {
    parallelFor(r.jobs, static_cast<std::int64_t>(count),
                [&](std::int64_t i) { work(all[static_cast<std::size_t>(i)]); });
  };
  each(all.size(), [&](Candidate &c) {
    const auto compiled = backend.compile(*r.graph, kernel, c.mapping, *r.machine, r.variant);
    c.isLegal = compiled.ok();
    if (c.isLegal) c.commands = commandCount((*compiled)->program());
  });
  std::stable_sort(all.begin() + 1, all.end(), [](const Candidate &a, const Candidate &b) {
    return a.isLegal != b.isLegal ? a.isLegal : a.commands < b.commands;
  });
  all.resize(std::min<std::size_t>(all.size(), 1 + kAutoEstimated));
  each(all.size(), [&](Candidate &c) {
    if (!c.isLegal) return;
    const auto compiled = backend.compile(*r.graph, kernel, c.mapping, *r.machine, r.variant);
    const DeviceRun run = (*compiled)->run({true, nullptr});
    c.cycles = hostCycles(*r.machine, (*compiled)->hostWork(), run.cycles).total().value;
  });
  const auto best = std::min_element(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) {
    return a.isLegal != b.isLegal ? a.isLegal : a.cycles < b.cycles;
  });
  if (!best->isLegal)
    return backend.compile(*r.graph, kernel, all.front().mapping, *r.machine, r.variant).diagnostics();
  mapping::Mapping m = best->mapping;
  m.text = mapping::print(m);
  return m;
}

Result<mapping::Mapping> resolve(const Request &r, int kernel, const Backend &backend) {
  const mapping::MapSpec &spec = r.maps.size() > 1 ? r.maps[static_cast<std::size_t>(kernel)] : r.maps.front();
  switch (spec.kind) {
    case mapping::MapSpec::Kind::kReference:
      return backend.reference(*r.graph, kernel, *r.machine, spec);
    case mapping::MapSpec::Kind::kAuto:
      return chooseMapping(r, kernel, backend, spec);
    case mapping::MapSpec::Kind::kExplicit:
      break;
  }
  return spec.mapping;
}

/// Compares what the device computed with the interpreter, kernel by kernel on the same operands: a kernel that the
/// host runs is the interpreter's anyway, so nothing is computed twice but the device's part.
class Checker {
 public:
  /// Makes the outputs and temporaries of the request's data.
  explicit Checker(const Request &request) : graph_(*request.graph), data_(request.data) {
    if (data_ == nullptr) return;
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const kernel::Tensor &tensor = graph_.tensors[t];
      if (isMade(t)) (*data_)[t] = kernel::TensorData(tensor.type, tensor.shape);
    }
  }

  /// Keeps what kernel `k` will write to.
  void before(std::size_t k) {
    kept_.clear();
    for (const kernel::Store &s : graph_.kernels[k].stores) {
      const auto t = static_cast<std::size_t>(s.target.tensor);
      kept_.emplace(t, (*data_)[t]);
    }
  }

  /// All NaNs are equal; everything else must agree bit for bit. The device's results stay in the data.
  Status after(std::size_t k, const kernel::Order &order) {
    for (auto &[t, contents] : kept_) std::swap(contents, (*data_)[t]);
    if (Status s = kernel::interpretKernel(graph_, static_cast<int>(k), *data_, order); !s) return s;
    Status result = okStatus();
    for (auto &[t, device] : kept_) {
      if (result) result = compare(graph_.tensors[t], device, (*data_)[t]);
      (*data_)[t] = std::move(device);
    }
    return result;
  }

 private:
  bool isMade(std::size_t t) const {
    const kernel::Role role = graph_.tensors[t].role;
    return role == kernel::Role::kOutput || role == kernel::Role::kTemporary;
  }

  static Status compare(const kernel::Tensor &tensor, const kernel::TensorData &device,
                        const kernel::TensorData &reference) {
    if (device.bytes == reference.bytes) return okStatus();
    const auto size = static_cast<std::ptrdiff_t>(sizeOf(tensor.type).value);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i) * size;
      if (std::equal(device.bytes.begin() + at, device.bytes.begin() + at + size, reference.bytes.begin() + at))
        continue;
      if (isFloat(tensor.type) && std::isnan(device.asDouble(i)) && std::isnan(reference.asDouble(i))) continue;
      return error("wrong-answer", {},
                   fmt::format("{}[{}] is {} on the device, the reference interpreter says {}", tensor.name, i,
                               device.asDouble(i), reference.asDouble(i)),
                   "this is a bug of ours: please report it with the command you ran");
    }
    return okStatus();
  }

  const kernel::Graph &graph_;
  kernel::DataSet *data_;
  std::map<std::size_t, kernel::TensorData> kept_;
};

/// Why a kernel cannot run on the device, without the kernel's and the device's names.
std::string reasonOf(const Diagnostic &d, const std::string &machine) {
  const std::string lead = " cannot run on " + machine + ": ";
  const std::size_t at = d.message.find(lead);
  return at == std::string::npos ? d.message : d.message.substr(at + lead.size());
}

/// Decides for one kernel after the other, in the order of the graph, where it runs.
class Planner {
 public:
  Planner(const Request &request, const Backend &backend) : request_(request), backend_(backend) {}

  Result<PlannedKernel> plan(int k) {
    PlannedKernel out;
    Result<mapping::Mapping> mapping = resolve(request_, k, backend_);
    if (!mapping) return orHost(mapping.diagnostics());
    out.mapping = std::move(*mapping);
    auto compiled = backend_.compile(*request_.graph, k, out.mapping, *request_.machine, request_.variant);
    if (!compiled) return orHost(compiled.diagnostics());
    if (request_.offload == Offload::kBest) {
      const lower::HostWork work = (*compiled)->hostWork();
      const Breakdown onDevice = hostCycles(*request_.machine, work, (*compiled)->run({true, nullptr}).cycles);
      const Cycles onHost = hostLayer(*request_.graph, k, *request_.machine).cycles;
      out.offloadedCycles = onDevice.total();
      if (onHost <= onDevice.total()) {
        out.why = onHost <= onDevice.compute ? "the host is faster, even if no data had to be moved"
                                             : "moving operands and results takes longer than the device saves";
        return out;
      }
    }
    if (request_.offload != Offload::kAll) {
      const std::int64_t kept = (*compiled)->hostWork().placedOnce.value;
      if (kept_ + (*compiled)->footprint().value > backend_.capacity(*request_.machine).value) {
        out.why = "its constants do not fit beside those of the kernels before it";
        return out;
      }
      kept_ += kept;
    }
    out.compiled = std::move(*compiled);
    return out;
  }

 private:
  Result<PlannedKernel> orHost(const Diagnostics &diagnostics) const {
    const std::string &code = diagnostics.front().code;
    const bool isOfDevice = code.starts_with("unsupported-") || code == "capacity";
    if (request_.offload == Offload::kAll || !isOfDevice) return diagnostics;
    PlannedKernel out;
    out.why = reasonOf(diagnostics.front(), request_.machine->name);
    return out;
  }

  const Request &request_;
  const Backend &backend_;
  std::int64_t kept_ = 0;  ///< bytes of constants placed so far
};

void addRun(Report &report, const DeviceRun &run, const Breakdown &breakdown) {
  report.cycles += run.cycles;
  report.cyclesSimulated += run.cyclesSimulated;
  report.breakdown += breakdown;
  for (const auto &[name, n] : run.counts) report.counts[name] += n;
  report.channelsIdentical = run.identicalChannels;
}

void finish(Report &report, const machine::Machine &machine, const energy::ActionCounts &kernelActions,
            const energy::ActionCounts &hostActions) {
  report.target = machine.name;
  report.exact = report.cyclesSimulated == report.cycles ? Exactness::kSimulated : Exactness::kFastForwarded;
  report.timeNs = machine.toTime(report.breakdown.total()).value / 1000.0;
  report.kernelEnergy = energy::price(machine, kernelActions, machine.toTime(report.cycles));
  energy::ActionCounts all = kernelActions;
  report.energy = energy::price(machine, all.add(hostActions), machine.toTime(report.breakdown.total()));
  for (const std::string &note : machine.notes) report.warnings.push_back(note);
}

}  // namespace

Result<CompiledGraph> compile(const Request &request) {
  const Result<const Backend *> backend = backendFor(*request.machine);
  if (!backend) return backend.diagnostics();
  const std::vector<std::string> variants = (*backend)->variants();
  if (request.variant != "plain" && std::find(variants.begin(), variants.end(), request.variant) == variants.end())
    return error("unknown-variant", {},
                 fmt::format("{} has no variant '{}' of its programs", request.machine->name, request.variant),
                 fmt::format("it has: plain, {}", fmt::join(variants, ", ")));
  if (request.maps.size() > 1 && request.maps.size() != request.graph->kernels.size())
    return error("map-count", {},
                 fmt::format("{} mappings for {} kernels", request.maps.size(), request.graph->kernels.size()),
                 "give one mapping for all, or one per kernel separated by '|'");
  Planner planner(request, **backend);
  CompiledGraph out;
  for (int k = 0; k < static_cast<int>(request.graph->kernels.size()); ++k) {
    Result<PlannedKernel> planned = planner.plan(k);
    if (!planned) return planned.diagnostics();
    out.push_back(std::move(*planned));
  }
  return out;
}

namespace {

/// Runs the kernels of a graph one after the other and adds them up.
class Run {
 public:
  Run(const Request &request, const CompiledGraph &graph) : request_(request), graph_(graph), checker_(request) {}

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
    const DeviceRun run = request_.data != nullptr ? planned.compiled->runOn(*request_.data, request_.observer)
                                                   : planned.compiled->run({!request_.isSimulation, request_.observer});
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
    stage.cycles = run.cycles;
    stage.offloadedCycles = breakdown.total();
    addStage(std::move(stage), breakdown, energy::ActionCounts(run.actions).add(host));
    placeConstants(k, work);
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
  void placeConstants(std::size_t k, const lower::HostWork &work) {
    lower::HostWork once;
    once.placed = work.placedOnce;
    once.rearrangedIn = work.rearrangedOnce;
    if (once.placed.value == 0) return;
    std::set<int> constants;
    for (const kernel::Access &a : request_.graph->kernels[k].loads)
      if (request_.graph->tensors[static_cast<std::size_t>(a.tensor)].isConstant) constants.insert(a.tensor);
    if (!placed_.insert({constants, mapping::print(graph_[k].mapping)}).second) return;
    const Breakdown time = hostCycles(machine(), once, Cycles(0));
    setup_ += time;
    setupWork_.add(hostActions(machine(), once, time));
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
  std::set<std::pair<std::set<int>, std::string>> placed_;
  bool isTruncated_ = false;
};

}  // namespace

Result<Report> evaluate(const Request &request) {
  const Clock::time_point start = Clock::now();
  const Result<CompiledGraph> compiled = compile(request);
  if (!compiled) return compiled.diagnostics();
  Result<Report> report = Run(request, *compiled).run();
  if (report) report->wallUs = microsecondsSince(start);
  return report;
}

Result<Report> evaluateProgram(const program::Program &program, const machine::Machine &machine, bool isSimulation,
                               sim::dram::CommandObserver *observer, const program::Places *places) {
  const Clock::time_point start = Clock::now();
  if (const Status s = program::verify(program, machine, places); !s) return s.diagnostics();
  if (program.processes.size() != 1)
    return error("process-count", places != nullptr && places->processes.size() > 1 ? places->processes[1] : Location{},
                 fmt::format("the program has {} processes", program.processes.size()),
                 "a DRAM program has one process, which stands for identical channels");
  const DeviceRun run = runChannelProgram(program, machine, {!isSimulation, observer});
  if (run.isStuck)
    return error(
        "program-stuck", {},
        fmt::format("the program cannot go on after cycle {}: its next command can never issue", run.cycles.value),
        "look for activates of banks that the all-bank mode refuses, or a mode that is never left");
  Report report;
  addRun(report, run, hostCycles(machine, {}, run.cycles));
  Stage stage;
  stage.kernel = program.processes.front().name;
  stage.cycles = run.cycles;
  stage.breakdown = report.breakdown;
  stage.offloadedCycles = report.breakdown.total();
  stage.energy = energy::price(machine, run.actions, machine.toTime(run.cycles)).total;
  report.stages.push_back(std::move(stage));
  report.warnings.push_back("a program without a kernel: nothing to check its answer against");
  if (program.target != machine.name)
    report.warnings.push_back(fmt::format("the program was made for '{}', this is '{}'", program.target, machine.name));
  finish(report, machine, run.actions, {});
  report.wallUs = microsecondsSince(start);
  return report;
}

}  // namespace pimento::evaluate
