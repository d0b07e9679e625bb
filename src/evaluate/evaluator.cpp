#include "pimento/evaluate/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pimento/base/thread_pool.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/hbm_pim_backend.h"
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

/// Keeps the initial contents of in-out tensors, then compares what the device computed with the interpreter.
class Checker {
 public:
  /// Makes the outputs and temporaries of the request's data.
  explicit Checker(const Request &request)
      : graph_(*request.graph), data_(request.data), initial_(graph_.tensors.size()) {
    if (data_ == nullptr) return;
    for (std::size_t t = 0; t < initial_.size(); ++t) {
      const kernel::Tensor &tensor = graph_.tensors[t];
      if (tensor.role == kernel::Role::kInOut) initial_[t] = (*data_)[t];
      if (isMade(t)) (*data_)[t] = kernel::TensorData(tensor.type, tensor.shape);
    }
  }

  /// All NaNs are equal; everything else must agree bit for bit. The device's results stay in the data.
  Status check(const std::vector<kernel::Order> &orders) {
    kernel::DataSet device(initial_.size());
    for (std::size_t t = 0; t < initial_.size(); ++t)
      if (graph_.tensors[t].role != kernel::Role::kInput) {
        device[t] = std::move((*data_)[t]);
        (*data_)[t] = std::move(initial_[t]);
      }
    if (Status s = kernel::interpret(graph_, *data_, orders); !s) return s;
    Status result = okStatus();
    for (std::size_t t = 0; t < initial_.size(); ++t) {
      if (graph_.tensors[t].role == kernel::Role::kInput) continue;
      if (result) result = compare(graph_.tensors[t], device[t], (*data_)[t]);
      (*data_)[t] = std::move(device[t]);
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
  kernel::DataSet initial_;
};

void addRun(Report &report, const DeviceRun &run, const Breakdown &breakdown) {
  report.cycles += run.cycles;
  report.cyclesSimulated += run.cyclesSimulated;
  Breakdown &b = report.breakdown;
  b.transferIn += breakdown.transferIn;
  b.rearrangeIn += breakdown.rearrangeIn;
  b.compute += breakdown.compute;
  b.merge += breakdown.merge;
  b.rearrangeOut += breakdown.rearrangeOut;
  b.transferOut += breakdown.transferOut;
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
  CompiledGraph out;
  for (int k = 0; k < static_cast<int>(request.graph->kernels.size()); ++k) {
    Result<mapping::Mapping> mapping = resolve(request, k, **backend);
    if (!mapping) return mapping.diagnostics();
    auto compiled = (*backend)->compile(*request.graph, k, *mapping, *request.machine, request.variant);
    if (!compiled) return compiled.diagnostics();
    out.mappings.push_back(std::move(*mapping));
    out.kernels.push_back(std::move(*compiled));
  }
  return out;
}

Result<Report> evaluate(const Request &request) {
  const Clock::time_point start = Clock::now();
  Result<CompiledGraph> compiled = compile(request);
  if (!compiled) return compiled.diagnostics();
  Report report;
  energy::ActionCounts kernelWork, hostWork;
  Checker checker(request);
  std::vector<kernel::Order> orders;
  bool isTruncated = false;
  for (std::size_t k = 0; k < compiled->kernels.size(); ++k) {
    const CompiledKernel &kernel = *compiled->kernels[k];
    isTruncated |= compiled->mappings[k].tail == mapping::Tail::kTruncate;
    const DeviceRun run = request.data != nullptr ? kernel.runOn(*request.data, request.observer)
                                                  : kernel.run({!request.isSimulation, request.observer});
    const Breakdown breakdown = hostCycles(*request.machine, kernel.hostWork(), run.cycles);
    addRun(report, run, breakdown);
    kernelWork.add(run.actions);
    hostWork.add(hostActions(*request.machine, kernel.hostWork(), breakdown));
    report.stages.push_back({request.graph->kernels[k].name, "pim", compiled->mappings[k].text, run.cycles});
    report.mapping += (k == 0 ? "" : " | ") + compiled->mappings[k].text;
    if (request.data != nullptr) orders.push_back(kernel.order());
  }
  if (std::all_of(compiled->mappings.begin(), compiled->mappings.end(),
                  [&](const mapping::Mapping &m) { return m.text == compiled->mappings.front().text; }))
    report.mapping = compiled->mappings.front().text;
  if (isTruncated)
    report.warnings.push_back(
        "tail=truncate leaves elements beyond the last full tile uncomputed; nothing was checked");
  if (request.data != nullptr && !isTruncated) {
    if (Status s = checker.check(orders); !s) return s.diagnostics();
    report.isChecked = true;
  }
  finish(report, *request.machine, kernelWork, hostWork);
  report.wallUs = microsecondsSince(start);
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
  report.stages.push_back({program.processes.front().name, "pim", "", run.cycles});
  report.warnings.push_back("a program without a kernel: nothing to check its answer against");
  if (program.target != machine.name)
    report.warnings.push_back(fmt::format("the program was made for '{}', this is '{}'", program.target, machine.name));
  finish(report, machine, run.actions, {});
  report.wallUs = microsecondsSince(start);
  return report;
}

}  // namespace pimento::evaluate
