#include "pimento/evaluate/upmem_compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/dpu_listing.h"
#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/upmem_least.h"
#include "pimento/evaluate/upmem_sample.h"
#include "pimento/evaluate/upmem_total.h"
#include "pimento/sim/dpu/dma.h"

namespace pimento::evaluate {

using lower::upmem::Block;
using lower::upmem::compiled::Axis;
using lower::upmem::compiled::Operand;
using lower::upmem::compiled::Plan;
using lower::upmem::compiled::Scheme;
using lower::upmem::compiled::Use;
using sim::dpu::Dpu;
using sim::dpu::RunResult;

UpmemCompiled::UpmemCompiled(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                             lower::upmem::compiled::Lowered lowered)
    : graph_(graph), kernel_(kernel), machine_(machine), lowered_(std::move(lowered)) {}

kernel::Order UpmemCompiled::order() const {
  const kernel::Kernel &kernel = graph_.kernels[static_cast<std::size_t>(kernel_)];
  const bool isOrdered = kernel.form == kernel::Form::kAffine &&
                         std::none_of(kernel.dims.begin(), kernel.dims.end(),
                                      [](const kernel::Dim &d) { return d.kind == kernel::DimKind::kSequential; });
  if (!isOrdered) return {};
  return mapping::accumulationOrder(lowered_.placed, kernel, machine_, lower::accumulationRules(graph_, kernel));
}

Bytes UpmemCompiled::footprint() const {
  return Bytes(multiplySaturated(lowered_.plan->end(), dpus()));
}

Dpu UpmemCompiled::loaded(std::int64_t dpu) const {
  Dpu out(lowered_.image, *machine_.dpu);
  const program::Code::Segment s = lowered_.plan->arguments(dpu);
  out.writeWram(s.address, std::as_bytes(std::span(s.bytes)));
  return out;
}

bool UpmemCompiled::readsInputsAlone() const {
  const std::vector<int> tensors = lowered_.plan->tensors();
  return std::all_of(tensors.begin(), tensors.end(), [&](int t) {
    const kernel::Role role = graph_.tensors[static_cast<std::size_t>(t)].role;
    return role == kernel::Role::kInput || role == kernel::Role::kInOut;
  });
}

// DPUs differ at the upper ends of split dims alone, unless the program uses where they are.
std::vector<UpmemCompiled::Kind> UpmemCompiled::kinds() const {
  const Plan &plan = *lowered_.plan;
  const auto last = plan.kindOf(dpus() - 1);
  if (plan.kindOf(0) == last) return {{0, dpus()}};
  std::map<std::vector<std::int64_t>, Kind> found;
  std::vector<Kind> out;
  const auto &axes = plan.scheme().axes;
  const auto split = std::count_if(axes.begin(), axes.end(), [](const Axis &a) { return a.ranks * a.dpus > 1; });
  if (split == 1 && last.size() == axes.size()) {  // shares end earlier and earlier along the dim: equal ones adjoin
    for (std::int64_t d = 0; d < dpus(); d += out.back().count) {
      const auto key = plan.kindOf(d);
      std::int64_t low = d, high = dpus();
      while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (plan.kindOf(middle) == key ? low : high) = middle;
      }
      out.push_back({d, high - d});
    }
    return out;
  }
  for (std::int64_t d = 0; d < dpus(); ++d) {
    const auto [at, isNew] = found.try_emplace(plan.kindOf(d), Kind{d, 0});
    ++at->second.count;
  }
  for (const auto &[key, kind] : found) out.push_back(kind);
  std::sort(out.begin(), out.end(), [](const Kind &a, const Kind &b) { return a.first < b.first; });
  return out;
}

template <typename Fill>
Result<std::optional<DeviceRun>> UpmemCompiled::runKinds(const RunMode &mode, bool mustSimulate, Fill &&fill) const {
  DpuTotal total;
  const std::vector<Kind> all = kinds();
  for (const Kind &kind : all) {
    Dpu dpu = loaded(kind.first);
    fill(dpu);
    const bool isObserved = kind.first == 0 && mode.observers.any();
    std::optional<RunResult> r = Dpu(dpu).estimate();
    if (!r && !mustSimulate) return std::optional<DeviceRun>();
    if (!r || isObserved || !mode.isFastForward)
      r = dpu.simulate({.observer = kind.first == 0 ? mode.observers.dpu : nullptr});
    if (r->fault) return faultOf(*r->fault, kind.first);
    total.add(*r, kind.count);
  }
  return std::optional(total.run(lowered_.host.ranks, dpus(), static_cast<std::int64_t>(all.size())));
}

const kernel::DataSet *UpmemCompiled::contentsOf(const RunMode &mode) const {
  const std::vector<int> tensors = lowered_.plan->tensors();
  const auto isThere = [&](int t) { return !(*mode.contents)[static_cast<std::size_t>(t)].bytes.empty(); };
  return mode.contents != nullptr && std::all_of(tensors.begin(), tensors.end(), isThere) ? mode.contents : nullptr;
}

std::optional<double> UpmemCompiled::constantOf(const RunMode &mode) const {
  using Kind = kernel::DataSpec::Kind;
  const bool isConstant = mode.values != nullptr && mode.values->kind != Kind::kRandom &&
                          mode.values->kind != Kind::kUniform && readsInputsAlone();
  if (!isConstant) return std::nullopt;
  return mode.values->kind == Kind::kOne ? 1 : mode.values->kind == Kind::kZero ? 0 : mode.values->low;
}

Result<DeviceRun> UpmemCompiled::run(const RunMode &mode) const {
  const Plan &plan = *lowered_.plan;
  if (const kernel::DataSet *contents = contentsOf(mode)) {
    kernel::DataSet data = *contents;
    for (std::size_t t = 0; t < data.size(); ++t)
      if (data[t].bytes.empty()) data[t] = kernel::TensorData(graph_.tensors[t].type, graph_.tensors[t].shape);
    return runOn(data, mode.observers, mode.jobs);
  }
  const std::optional<double> value = constantOf(mode);
  const auto done = runKinds(mode, value.has_value(), [&](Dpu &dpu) {
    if (!value) return;
    for (const lower::upmem::Fill &f : plan.fills(*value))
      dpu.fillMram(static_cast<std::uint32_t>(f.offset), f.size, f.pattern);
  });
  if (!done) return done.diagnostics();
  if (*done) return std::move(**done);
  if (mode.values != nullptr && readsInputsAlone()) return runGenerated(mode);
  return dataDecideTime(graph_.kernels[static_cast<std::size_t>(kernel_)], machine_);
}

Result<std::unique_ptr<Slices>> UpmemCompiled::slices(const RunMode &mode) const {
  const Scheme &scheme = lowered_.plan->scheme();
  ShareSlices share;
  share.dpus = dpus();
  share.ranks = lowered_.host.ranks;
  double points = 0;  // of all DPUs, in those of the first
  const auto product = [](const std::vector<std::int64_t> &valid) {
    double all = 1;
    for (const std::int64_t v : valid) all *= static_cast<double>(v);
    return all;
  };
  for (const Kind &kind : kinds()) points += static_cast<double>(kind.count) * product(scheme.validOf(kind.first));
  share.fullDpus = std::llround(points / std::max(1.0, product(scheme.validOf(0))));
  share.whole = [this, mode] {
    RunMode simulation = mode;
    simulation.isFastForward = false;
    return run(simulation);
  };
  std::vector<std::size_t> dims;
  for (auto d = scheme.nest.rbegin(); d != scheme.nest.rend(); ++d) {
    if (scheme.axis(*d).isWhole || !scheme.axis(*d).isTiled()) continue;
    dims.push_back(static_cast<std::size_t>(*d));
    share.loops.push_back({scheme.axis(*d).tile, scheme.axis(*d).range});
  }
  share.load = [this, mode, dims](const std::vector<std::int64_t> &points) -> Result<Dpu> {
    const Plan &plan = *lowered_.plan;
    std::vector<std::int64_t> ranges = plan.scheme().sizesPerTasklet(), valid = plan.scheme().validOf(0);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Axis &axis = plan.scheme().axes[dims[i]];
      ranges[dims[i]] = points[i];  // and padding in proportion
      valid[dims[i]] =
          valid[dims[i]] == axis.perDpu() ? points[i] * axis.tasklets : ceilDiv(valid[dims[i]] * points[i], axis.range);
    }
    Dpu dpu = shortened(ranges, valid);
    if (const kernel::DataSet *contents = contentsOf(mode)) {
      for (const Block &b : plan.operands(0, *contents)) dpu.writeMram(static_cast<std::uint32_t>(b.offset), b.bytes);
    } else if (const std::optional<double> value = constantOf(mode)) {
      for (const lower::upmem::Fill &f : plan.fills(*value))
        dpu.fillMram(static_cast<std::uint32_t>(f.offset), f.size, f.pattern);
    } else if (mode.values != nullptr && readsInputsAlone()) {
      fillMade(dpu, *mode.values, "piece");
    } else if (!Dpu(dpu).estimate()) {
      return dataDecideTime(graph_.kernels[static_cast<std::size_t>(kernel_)], machine_);
    }
    return dpu;
  };
  return dpuSlices(std::move(share));
}

Result<DeviceRun> UpmemCompiled::runMade(const RunMode &mode) const {
  kernel::DataSet data = kernel::makeData(graph_, *mode.values);
  for (std::size_t t = 0; t < data.size(); ++t)
    if (data[t].bytes.empty()) data[t] = kernel::TensorData(graph_.tensors[t].type, graph_.tensors[t].shape);
  return runOn(data, mode.observers, mode.jobs);
}

int UpmemCompiled::sampledDim() const {
  const Scheme &scheme = lowered_.plan->scheme();
  int best = -1;
  for (const int d : scheme.nest)
    if (!scheme.axis(d).isWhole && (best < 0 || scheme.axis(d).range > scheme.axis(best).range)) best = d;
  return best;
}

Dpu UpmemCompiled::shortened(const std::vector<std::int64_t> &ranges, const std::vector<std::int64_t> &valid) const {
  Dpu dpu(lowered_.image, *machine_.dpu);
  const program::Code::Segment s = lowered_.plan->shortened(ranges, valid);
  dpu.writeWram(s.address, std::as_bytes(std::span(s.bytes)));
  return dpu;
}

void UpmemCompiled::fillMade(Dpu &dpu, const kernel::DataSpec &values, const std::string &sample) const {
  constexpr std::int64_t kMade = 1 << 18;  // elements; larger arrays repeat them
  for (const lower::upmem::Fill &f : lowered_.plan->fills(0)) {
    const Operand &o = lowered_.plan->operandAt(f.offset);
    kernel::Graph graph;
    const auto size = static_cast<std::int64_t>(f.pattern.size());
    graph.tensors.push_back(
        {fmt::format("{}, {}", sample, o.name), o.type, {std::min(kMade, f.size / size)}, kernel::Role::kInput});
    const kernel::TensorData made = std::move(kernel::makeData(graph, values).front());
    for (std::int64_t at = 0; at < f.size; at += static_cast<std::int64_t>(made.bytes.size())) {
      const std::int64_t n = std::min<std::int64_t>(f.size - at, static_cast<std::int64_t>(made.bytes.size()));
      dpu.writeMram(static_cast<std::uint32_t>(f.offset + at),
                    std::span(made.bytes).first(static_cast<std::size_t>(n)));
    }
  }
}

RunResult UpmemCompiled::runSample(const kernel::DataSpec &values, int dim, std::int64_t points,
                                   std::int64_t sample) const {
  const Scheme &scheme = lowered_.plan->scheme();
  std::vector<std::int64_t> ranges = scheme.sizesPerTasklet(), valid = scheme.validOf(0);
  ranges[static_cast<std::size_t>(dim)] = points;
  valid[static_cast<std::size_t>(dim)] = points * scheme.axis(dim).tasklets;
  Dpu dpu = shortened(ranges, valid);
  fillMade(dpu, values, fmt::format("sample {} of {}", sample, points));
  return dpu.simulate();
}

Result<DeviceRun> UpmemCompiled::runGenerated(const RunMode &mode) const {
  constexpr double kShortRun = 12e6, kSampleInstructions = 0.6e6, kLevel = 0.99;
  constexpr std::int64_t kUnit = 8, kFewest = 4 * kUnit;  // points; of four lengths that keep rows aligned
  constexpr int kSeeds = 6;
  const int dim = sampledDim();
  if (!mode.isFastForward || mode.observers.any() || dim < 0) return runMade(mode);
  const std::int64_t all = lowered_.plan->scheme().axis(dim).range;
  if (all < kFewest) return runMade(mode);
  double issued[2];  // what points take, and what all runs do besides
  for (const std::int64_t units : {1, 2}) {
    const RunResult probe = runSample(*mode.values, dim, units * kUnit, 0);
    if (probe.fault) return faultOf(*probe.fault, 0);
    issued[units - 1] = static_cast<double>(probe.counts.instructions);
  }
  const double perPoint = std::max(1.0, issued[1] - issued[0]) / kUnit,
               besides = std::max(0.0, 2 * issued[0] - issued[1]);
  if ((perPoint * static_cast<double>(all) + besides) * static_cast<double>(dpus()) <= kShortRun) return runMade(mode);
  std::int64_t most = static_cast<std::int64_t>(kSampleInstructions / perPoint) / kFewest * kFewest;
  most = std::clamp(most, kFewest, all / kFewest * kFewest);
  std::vector<SampledRun> samples;
  for (const std::int64_t points : {most / 4, most / 2, most})
    for (int s = 0; s < kSeeds; ++s) samples.push_back({points, 0});
  std::vector<RunResult> runs(samples.size());
  parallelFor(mode.jobs, static_cast<std::int64_t>(samples.size()), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    runs[n] = runSample(*mode.values, dim, samples[n].rounds, i + 1);
    samples[n].cycles = static_cast<double>(runs[n].cycles.value);
  });
  Cycles simulated{};
  for (const RunResult &r : runs) {
    if (r.fault) return faultOf(*r.fault, 0);
    simulated += r.cyclesSimulated;
  }
  const Prediction p = predict(samples, all, dpus(), kLevel);
  sim::dpu::Counts ofAll;
  addCounts(ofAll, extrapolated(runs, samples, all, kSeeds), dpus());
  DeviceRun out;
  out.cycles = Cycles(std::llround(p.cycles));
  out.cyclesSimulated = simulated;
  out.actions = dpuActions(ofAll, lowered_.host.ranks, out.cycles);
  out.counts = dpuCounts(ofAll);
  out.unit = "DPU";
  out.units = dpus();
  out.interval = Interval{kLevel, Cycles(static_cast<std::int64_t>(std::floor(p.low))),
                          Cycles(static_cast<std::int64_t>(std::ceil(p.high)))};
  return out;
}

Result<DeviceRun> UpmemCompiled::runOn(kernel::DataSet &data, const Observers &observers, int jobs) const {
  const Plan &plan = *lowered_.plan;
  std::vector<RunResult> runs(static_cast<std::size_t>(dpus()));
  std::vector<std::vector<Block>> results(runs.size());
  const kernel::DataSet &given = data;
  parallelFor(jobs, dpus(), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    Dpu dpu = loaded(i);
    for (const Block &b : plan.operands(i, given)) dpu.writeMram(static_cast<std::uint32_t>(b.offset), b.bytes);
    runs[n] = dpu.simulate({.observer = i == 0 ? observers.dpu : nullptr});
    results[n] = plan.results();
    for (Block &b : results[n]) dpu.readMram(static_cast<std::uint32_t>(b.offset), b.bytes);
  });
  DpuTotal total;
  lower::upmem::compiled::Collector collector(plan, data);
  for (std::size_t n = 0; n < runs.size(); ++n) {
    if (runs[n].fault) return faultOf(*runs[n].fault, static_cast<std::int64_t>(n));
    total.add(runs[n], 1);
    collector.add(results[n]);
    results[n] = {};
  }
  collector.finish();
  return total.run(lowered_.host.ranks, dpus(), dpus());
}

namespace {

/// Least occupancy of all transfers of an operand in the whole tiles of a tasklet with so many values of each dim.
double transfersOf(const Scheme &scheme, const Operand &o, const std::vector<std::int64_t> &sizes,
                   const machine::Dpu &machine) {
  const bool isRead = o.use == Use::kInput;
  const auto occupancyOf = [&](std::int64_t bytes) { return sim::dpu::Dma::leastOccupancy(machine, isRead, bytes); };
  double times = 1, pieces = 1;
  for (std::size_t n = 0; n < scheme.nest.size() && static_cast<int>(n) <= o.level; ++n) {
    const auto d = static_cast<std::size_t>(scheme.nest[n]);
    if (scheme.axes[d].isTiled()) times *= static_cast<double>(sizes[d] / scheme.axes[d].tile);
  }
  std::vector<std::int64_t> tile = scheme.sizesPerTile();
  for (std::size_t d = 0; d < tile.size(); ++d) tile[d] = std::min(tile[d], sizes[d]);
  for (std::size_t p = 0; p < o.block; ++p) pieces *= static_cast<double>(o.positions[p].extent(tile));
  if (o.positions.empty()) return times * occupancyOf(8);
  const std::int64_t pitch = o.block + 1 == o.positions.size() ? o.size() : o.mramPitch[o.block];
  const std::int64_t bytes = multiplySaturated(o.positions[o.block].extent(tile), pitch),
                     largest = lower::upmem::compiled::kLargestTransfer;
  const double piece = static_cast<double>(bytes / largest) * occupancyOf(largest) +
                       (bytes % largest > 0 ? occupancyOf(ceilDiv(bytes % largest, 8) * 8) : 0);
  return times * pieces * piece;
}

/// Elements that points with so many values of each dim touch at least: per position one per value of a dim that no
/// position before it hangs on, so that their indices tell those values.
std::int64_t elementsOf(const Operand &o, const std::vector<std::int64_t> &sizes) {
  std::int64_t elements = 1;
  std::vector<bool> isUsed(sizes.size());
  for (const auto &p : o.positions) {
    std::int64_t most = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (p.coefficient[d] != 0 && !isUsed[d]) most = std::max(most, sizes[d]);
    elements = multiplySaturated(elements, most);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (p.coefficient[d] != 0) isUsed[d] = true;
  }
  return elements;
}

}  // namespace

DeviceRun UpmemCompiled::bound(const kernel::DataSpec *values) const {
  const std::optional<double> constant = constantOf({true, {}, values, nullptr});
  DpuTotal total;
  for (const Kind &kind : kinds()) {
    const auto least = leastRun(*lowered_.plan, lowered_.image, *machine_.dpu, kind.first, constant);
    if (!least) return boundByElements();
    RunResult r;
    r.cycles = least->cycles;
    r.counts = least->counts;
    total.add(r, kind.count);
  }
  return total.run(lowered_.host.ranks, dpus(), 1);
}

// Few instructions compute more than eight points: those of a row of bytes that is copied.
Cycles UpmemCompiled::guess() const {
  std::int64_t points = 1;
  for (const std::int64_t n : lowered_.plan->scheme().validOf(0)) points = multiplySaturated(points, n);
  return Cycles(points / 8);
}

// The first DPU has most. Every element that a tasklet's points touch passes through the engine, and through a load or
// a store of at most eight bytes.
DeviceRun UpmemCompiled::boundByElements() const {
  const Scheme &scheme = lowered_.plan->scheme();
  const auto valid = scheme.validOf(0);
  double engine = 0;
  std::int64_t all = 0, longest = 0;
  for (std::int64_t t = 0; t < scheme.tasklets; ++t) {
    const auto low = scheme.lowOf(t);
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < low.size(); ++d)
      sizes.push_back(std::clamp<std::int64_t>(valid[d] - low[d], 0, scheme.axes[d].range));
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) continue;
    std::int64_t mine = 0;
    for (const Operand &o : scheme.operands) {
      if (o.use != Use::kInput && o.use != Use::kWrite) continue;
      if (!scheme.kernel().guards.empty()) continue;
      const std::int64_t elements = elementsOf(o, sizes);
      const std::int64_t bytes = multiplySaturated(elements, o.size());
      engine += transfersOf(scheme, o, sizes, *machine_.dpu);
      mine = addSaturated(mine, bytes / 8);
    }
    longest = std::max(longest, mine);
    all = addSaturated(all, mine);
  }
  RunResult r;
  r.counts.instructions = all;
  const std::int64_t issue =
      std::max(all, multiplySaturated(machine_.dpu->issueInterval.value, std::max<std::int64_t>(0, longest - 1)));
  // The last transfer's occupancy may end after the program does.
  const auto transfers =
      static_cast<std::int64_t>(engine * 0.98 / static_cast<double>(machine_.dpu->transferPorts)) -
      std::max<std::int64_t>(2048, static_cast<std::int64_t>(sim::dpu::Dma::mostOccupancy(*machine_.dpu)));
  r.cycles = Cycles(std::max(issue, transfers));
  DpuTotal total;
  total.add(r, kinds().front().count);
  return total.run(lowered_.host.ranks, dpus(), 1);
}

std::vector<std::string> UpmemCompiled::choices() const {
  return lower::upmem::compiled::notesOnMerging(lowered_.plan->scheme());
}

std::vector<std::string> UpmemCompiled::assembly() const {
  return {listing(*lowered_.program.processes.front().code)};
}

}  // namespace pimento::evaluate
