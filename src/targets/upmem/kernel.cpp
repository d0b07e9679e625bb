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

void warn(DeviceRun &run, const std::vector<sim::dpu::Misaligned> &misaligned, const program::Code &code,
          const machine::Dpu &machine) {
  for (const sim::dpu::Misaligned &m : misaligned) {
    const Diagnostic d = warningOf(m, code, machine);
    const std::string where = d.where.str();
    run.warnings.push_back(fmt::format("{}{}{} ({})", where, where.empty() ? "" : ": ", d.message, d.hint));
  }
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

void DpuTotal::add(const RunResult &r, std::int64_t times) {
  if (cycles_ < r.cycles || instructions_ == 0) {
    cycles_ = std::max(cycles_, r.cycles);
    simulated_ = r.cyclesSimulated;
  }
  instructions_ += r.counts.instructions;
  addCounts(counts_, r.counts, times);
  merge(misaligned_, r.misaligned);
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

bool DpuKernel::isDescribed(const RunMode &mode) const {
  return mode.values != nullptr && (mode.hasAllValues || readsInputsAlone());
}

std::shared_ptr<const SampleData> DpuKernel::samplesOf(const RunMode &mode) const {
  const kernel::DataSpec values = mode.values != nullptr ? *mode.values : kernel::DataSpec{};
  const auto make = [&] { return std::make_shared<const SampleData>(*part_.graph, values); };
  if (mode.shared == nullptr) return make();
  return *mode.shared->get<std::shared_ptr<const SampleData>>("samples", 0, make);
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
                          mode.values->kind != Kind::kUniform && isDescribed(mode);
  if (!isConstant) return std::nullopt;
  return mode.values->kind == Kind::kOne ? 1 : mode.values->kind == Kind::kZero ? 0 : mode.values->low;
}

Diagnostic DpuKernel::dataDecideTime() const {
  return error(DiagnosticKind::kDataDependent, "data-decide-time", kernel().where,
               fmt::format("the time of kernel '{}' on {} depends on the values of its operands, which are unknown",
                           kernel().name, machine_.name),
               "describe them with --data (random, uniform:A,B, const:V, FILE.npy), or use simulate");
}

Result<DeviceRun> DpuKernel::run(const RunMode &mode) const {
  if (const kernel::DataSet *contents = contentsOf(mode)) {
    kernel::DataSet data = *contents;
    kernel::makeMissing(*part_.graph, data);
    return runOn(data, mode);
  }
  const std::optional<double> value = constantOf(mode);
  DpuTotal total;
  const std::vector<Kind> all = kinds(value.has_value());
  for (const Kind &kind : all) {
    Dpu dpu = loaded(kind.first);
    if (value) upmem::fill(dpu, lowered_.plan->fills(kind.first, *value));
    const bool isObserved = kind.first == 0 && mode.observer != nullptr;
    // Without values an estimate tells whether they decide.
    std::optional<RunResult> r =
        mode.isFastForward || !value ? Dpu(dpu).estimate({.mustPay = value.has_value()}) : std::nullopt;
    if (!r && !value) return isDescribed(mode) ? runGenerated(mode) : Result<DeviceRun>(dataDecideTime());
    if (!r || isObserved || !mode.isFastForward)
      r = dpu.simulate({.observer = isObserved ? dynamic_cast<sim::dpu::Observer *>(mode.observer) : nullptr});
    if (r->fault) return faultOf(*r->fault, kind.first);
    total.add(*r, kind.count);
  }
  return finished(total, static_cast<std::int64_t>(all.size()));
}

Result<DeviceRun> DpuKernel::runGenerated(const RunMode &mode) const {
  if (!mode.isFastForward || mode.observer != nullptr) return runMade(mode);
  const Result<std::optional<Sampling>> found = Sampler(*this, samplesOf(mode), mode.jobs).run();
  if (!found) return found.diagnostics();
  if (!*found) return runMade(mode);
  const Sampling &s = **found;
  DeviceRun out;
  out.cycles = Cycles(std::llround(s.cycles.cycles));
  out.cyclesSimulated = s.simulated;
  out.units = dpus();
  out.isOnMadeValues = true;
  out.interval = evaluate::Interval{kLevel, Cycles(static_cast<std::int64_t>(std::floor(s.cycles.low))),
                                    Cycles(static_cast<std::int64_t>(std::ceil(s.cycles.high)))};
  setCounts(out, s.counts, machine_, hostWork().ranks);
  return out;
}

Result<DeviceRun> DpuKernel::runMade(const RunMode &mode) const {
  const auto make = [&] {
    kernel::DataSet data = kernel::makeData(*part_.graph, *mode.values);
    for (const int t : lowered_.plan->tensors())
      if (data[static_cast<std::size_t>(t)].bytes.empty() && mode.hasAllValues)
        data[static_cast<std::size_t>(t)] = kernel::makeTensor(*part_.graph, t, *mode.values);
    return data;
  };
  kernel::DataSet data = mode.shared != nullptr ? *mode.shared->get<kernel::DataSet>("data", 0, make) : make();
  kernel::makeMissing(*part_.graph, data);
  Result<DeviceRun> run = runOn(data, mode);
  if (run) run->isOnMadeValues = true;
  return run;
}

Result<DeviceRun> DpuKernel::runOn(kernel::DataSet &data, const RunMode &mode) const {
  if (const Status s = lowered_.plan->check(data); !s) return s.diagnostics();
  std::vector<RunResult> runs(static_cast<std::size_t>(dpus()));
  std::vector<std::vector<Block>> results(runs.size());
  const std::unique_ptr<Results> into = lowered_.plan->collector(data);  // what is updated in place starts there
  const kernel::DataSet &given = data;
  parallelFor(mode.jobs, dpus(), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    Dpu dpu = loaded(i);
    write(dpu, lowered_.plan->operands(i, given));
    runs[n] = dpu.simulate({.observer = i == 0 ? dynamic_cast<sim::dpu::Observer *>(mode.observer) : nullptr});
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
  return finished(total, dpus());
}

DeviceRun DpuKernel::finished(const DpuTotal &total, std::int64_t simulated) const {
  DeviceRun out = total.run(machine_, hostWork().ranks, dpus(), simulated);
  const auto &body = std::get<program::MachineCode>(program().processes.front().body);
  warn(out, total.misaligned(), *body.code, *machine_.dpu);
  return out;
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

double DpuKernel::leastCycles(const RunResult &run) const {
  const machine::Dpu &dpu = *machine_.dpu;
  const double ticks =
      static_cast<double>(run.engineTicks) / static_cast<double>(dpu.ticksPerCycle * dpu.transferPorts);
  return std::max({1.0,
                   static_cast<double>(dpu.issueInterval.value) / static_cast<double>(lowered_.plan->scheme().threads),
                   ticks / static_cast<double>(run.counts.instructions)});
}

Result<Dpu> DpuKernel::piece(const RunMode &mode, const SampleData &data, const lower::PerDim &ranges) const {
  const std::int64_t fullest = lowered_.plan->scheme().fullest();
  const Picks picks(lowered_.plan->scheme(), fullest, ranges);
  Shortened shortened = this->shortened(fullest, ranges, picks.valid());
  Dpu &dpu = shortened.dpu;
  if (const kernel::DataSet *contents = contentsOf(mode))
    write(dpu, shortened.plan->operands(fullest, *contents));
  else if (const std::optional<double> value = constantOf(mode))
    upmem::fill(dpu, shortened.plan->fills(fullest, *value));
  else if (isDescribed(mode))
    picks.place(dpu, *shortened.plan, data);
  else if (!Dpu(dpu).estimate())
    return dataDecideTime();
  return std::move(dpu);
}

}  // namespace pimento::targets::upmem
