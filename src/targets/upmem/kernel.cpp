#include "pimento/targets/upmem/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/dpu/listing.h"
#include "pimento/evaluate/explainer.h"
#include "pimento/program/text.h"
#include "pimento/targets/cnm/lower.h"

namespace pimento::targets::upmem {

Diagnostic faultOf(Diagnostic d, std::int64_t dpu) {
  d.message = fmt::format("DPU {}: {}", dpu, d.message);
  return d;
}

void write(Dpu &dpu, const std::vector<Block> &blocks) {
  for (const Block &b : blocks) dpu.writeMram(static_cast<std::uint32_t>(b.offset), b.bytes);
}

void fill(Dpu &dpu, const std::vector<Fill> &fills) {
  for (const Fill &f : fills) dpu.fillMram(static_cast<std::uint32_t>(f.offset), f.size, f.pattern);
}

Dpu dpuWith(const std::shared_ptr<const sim::dpu::Image> &image, const program::Code::Segment &arguments,
            const machine::Machine &machine) {
  Dpu dpu(image, *machine.dpu);
  dpu.writeWram(arguments.address, std::as_bytes(std::span(arguments.bytes)));
  return dpu;
}

kernel::TensorData makeTensor(const std::string &name, DType type, std::vector<std::int64_t> shape,
                              const kernel::DataSpec &spec) {
  kernel::Graph graph;
  graph.tensors.push_back({name, type, std::move(shape), kernel::Role::kInput});
  return std::move(kernel::makeData(graph, spec).front());
}

void DpuTotal::add(const RunResult &r, std::int64_t times) {
  if (cycles_ < r.cycles || instructions_ == 0) {
    cycles_ = std::max(cycles_, r.cycles);
    simulated_ = r.cyclesSimulated;
  }
  instructions_ += r.counts.instructions;
  addCounts(counts_, r.counts, times);
}

DeviceRun DpuTotal::run(const machine::Machine &machine, std::int64_t ranks, std::int64_t units,
                        std::int64_t simulated) const {
  DeviceRun out;
  out.cycles = cycles_;
  out.cyclesSimulated = simulated_;
  out.units = units;
  out.unitsSimulated = simulated;
  setCounts(out, counts_, machine, ranks);
  return out;
}

evaluate::DerivationPtr DpuCode::explainCycles(const std::string &name, const DeviceRun &run,
                                               evaluate::MachineNumbers & /*numbers*/,
                                               std::int64_t /*mostCommands*/) const {
  return evaluate::explainIssues(name, run, kDpu);
}

Result<std::string> DpuCode::emit(std::string_view stage, const std::string &kernel, bool isFirst) const {
  if (stage != "asm") return Runnable::emit(stage, kernel, isFirst);
  const auto &code = std::get<program::MachineCode>(program().processes.front().body);
  return (kernel.empty() ? std::string() : fmt::format("// {}, program 0\n", kernel)) + dpu::listing(*code.code);
}

Result<std::string> DpuKernel::emit(std::string_view stage, const std::string &kernel, bool isFirst) const {
  if (stage != "llvcnm") return DpuCode::emit(stage, kernel, isFirst);
  const auto lowered = cnm::lower(*part_.graph, part_.first, placed().mapping, machine_);
  if (!lowered) return lowered.diagnostics();
  return program::print(lowered->program);
}

Bytes DpuKernel::footprint() const {
  return Bytes(multiplySaturated(lowered_.plan->end(), dpus()));
}

bool DpuKernel::readsInputsAlone() const {
  const std::set<int> tensors = lowered_.plan->tensors();
  return std::all_of(tensors.begin(), tensors.end(), [&](int t) {
    const kernel::Role role = part_.graph->tensors[static_cast<std::size_t>(t)].role;
    return role == kernel::Role::kInput || role == kernel::Role::kInOut;
  });
}

const kernel::DataSet *DpuKernel::contentsOf(const RunMode &mode) const {
  if (mode.contents == nullptr) return nullptr;
  const std::set<int> tensors = lowered_.plan->tensors();
  const auto isThere = [&](int t) { return !(*mode.contents)[static_cast<std::size_t>(t)].bytes.empty(); };
  return std::all_of(tensors.begin(), tensors.end(), isThere) ? mode.contents : nullptr;
}

std::optional<double> DpuKernel::constantOf(const RunMode &mode) const {
  using Kind = kernel::DataSpec::Kind;
  const bool isConstant = mode.values != nullptr && mode.values->kind != Kind::kRandom &&
                          mode.values->kind != Kind::kUniform && readsInputsAlone();
  if (!isConstant) return std::nullopt;
  return mode.values->kind == Kind::kOne ? 1 : mode.values->kind == Kind::kZero ? 0 : mode.values->low;
}

Diagnostic DpuKernel::dataDecideTime() const {
  return error(DiagnosticKind::kDataDependent, "data-decide-time", kernel().where,
               fmt::format("the time of kernel '{}' on {} depends on the values of its operands, which are not known",
                           kernel().name, machine_.name),
               "say what they are with --data (random, uniform:A,B, const:V, FILE.npy), or simulate it on data");
}

Result<DeviceRun> DpuKernel::run(const RunMode &mode) const {
  if (const kernel::DataSet *contents = contentsOf(mode)) {
    kernel::DataSet data = *contents;
    kernel::makeMissing(*part_.graph, data);
    return runOn(data, mode.observer, mode.jobs);
  }
  const std::optional<double> value = constantOf(mode);
  DpuTotal total;
  const std::vector<Kind> all = kinds(value.has_value());
  for (const Kind &kind : all) {
    Dpu dpu = loaded(kind.first);
    if (value) upmem::fill(dpu, lowered_.plan->fills(kind.first, *value));
    const bool isObserved = kind.first == 0 && mode.observer != nullptr;
    // Without values an estimate tells whether they decide.
    std::optional<RunResult> r = mode.isFastForward || !value ? Dpu(dpu).estimate() : std::nullopt;
    if (!r && !value)
      return mode.values != nullptr && readsInputsAlone() ? runGenerated(mode) : Result<DeviceRun>(dataDecideTime());
    if (!r || isObserved || !mode.isFastForward)
      r = dpu.simulate({.observer = isObserved ? dynamic_cast<sim::dpu::Observer *>(mode.observer) : nullptr});
    if (r->fault) return faultOf(*r->fault, kind.first);
    total.add(*r, kind.count);
  }
  return total.run(machine_, hostWork().ranks, dpus(), static_cast<std::int64_t>(all.size()));
}

Result<DeviceRun> DpuKernel::runMade(const RunMode &mode) const {
  kernel::DataSet data = kernel::makeData(*part_.graph, *mode.values);
  kernel::makeMissing(*part_.graph, data);
  return runOn(data, mode.observer, mode.jobs);
}

Result<DeviceRun> DpuKernel::runOn(kernel::DataSet &data, evaluate::Observer *observer, int jobs) const {
  if (const Status s = lowered_.plan->check(data); !s) return s.diagnostics();
  std::vector<RunResult> runs(static_cast<std::size_t>(dpus()));
  std::vector<std::vector<Block>> results(runs.size());
  const std::unique_ptr<Results> into = lowered_.plan->collector(data);  // what is updated in place starts there
  const kernel::DataSet &given = data;
  parallelFor(jobs, dpus(), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    Dpu dpu = loaded(i);
    write(dpu, lowered_.plan->operands(i, given));
    runs[n] = dpu.simulate({.observer = i == 0 ? dynamic_cast<sim::dpu::Observer *>(observer) : nullptr});
    results[n] = lowered_.plan->results();
    for (Block &b : results[n]) dpu.readMram(static_cast<std::uint32_t>(b.offset), b.bytes);
  });
  DpuTotal total;
  for (std::size_t n = 0; n < runs.size(); ++n) {
    if (runs[n].fault) return faultOf(*runs[n].fault, static_cast<std::int64_t>(n));
    total.add(runs[n], 1);
    into->add(results[n]);
    results[n] = {};
  }
  into->finish();
  return total.run(machine_, hostWork().ranks, dpus(), dpus());
}

ShareSlices DpuKernel::sharesOf(const RunMode &mode) const {
  ShareSlices share;
  share.machine = &machine_;
  share.dpus = dpus();
  share.ranks = hostWork().ranks;
  share.whole = [this, mode] {
    RunMode simulation = mode;
    simulation.isFastForward = false;
    return run(simulation);
  };
  return share;
}

Result<DpuKernel::Samples> DpuKernel::runSamples(std::int64_t most, int jobs, const RunSample &run) {
  Samples out;
  for (const std::int64_t parts : {most / 4, most / 2, most})
    for (int s = 0; s < kSeeds; ++s) out.lengths.push_back({parts, 0});
  out.runs.resize(out.lengths.size());
  parallelFor(jobs, static_cast<std::int64_t>(out.runs.size()), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    out.runs[n] = run(out.lengths[n].rounds, i + 1);
    out.lengths[n].cycles = static_cast<double>(out.runs[n].cycles.value);
  });
  for (const RunResult &r : out.runs)
    if (r.fault) return faultOf(*r.fault, 0);
  return out;
}

namespace {

/// Counts grow by the same with every part.
sim::dpu::Counts extrapolated(const std::vector<RunResult> &runs, const std::vector<SampledRun> &lengths,
                              std::int64_t parts) {
  sim::dpu::Counts out;
  const std::int64_t few = lengths.front().rounds, many = lengths.back().rounds;
  for (const CountMember member : countMembers()) {
    double low = 0, high = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto n = static_cast<double>(runs[i].counts.*member) / kSeeds;
      if (lengths[i].rounds == few) low += n;
      if (lengths[i].rounds == many) high += n;
    }
    const double perPart = (high - low) / static_cast<double>(many - few);
    out.*member = std::max<std::int64_t>(0, std::llround(high + perPart * static_cast<double>(parts - many)));
  }
  return out;
}

}  // namespace

DeviceRun DpuKernel::sampled(const Samples &samples, std::int64_t parts, const Prediction &p) const {
  sim::dpu::Counts ofAll;
  addCounts(ofAll, extrapolated(samples.runs, samples.lengths, parts), dpus());
  DeviceRun out;
  out.cycles = Cycles(std::llround(p.cycles));
  for (const RunResult &r : samples.runs) out.cyclesSimulated += r.cyclesSimulated;
  out.units = dpus();
  out.interval = evaluate::Interval{kLevel, Cycles(static_cast<std::int64_t>(std::floor(p.low))),
                                    Cycles(static_cast<std::int64_t>(std::ceil(p.high)))};
  setCounts(out, ofAll, machine_, hostWork().ranks);
  return out;
}

}  // namespace pimento::targets::upmem
