#include "pimento/evaluate/upmem_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/dpu_actions.h"
#include "pimento/evaluate/dpu_listing.h"
#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/upmem_sample.h"
#include "pimento/evaluate/upmem_sampler.h"
#include "pimento/evaluate/upmem_total.h"

namespace pimento::evaluate {

using lower::upmem::Block;
using lower::upmem::Fill;
using lower::upmem::Layout;
using sim::dpu::Dpu;
using sim::dpu::RunResult;

namespace {

/// Runs of so many instructions, of all DPUs together, are done on the data themselves: some tenths of a second.
constexpr double kShortRun = 12e6;

constexpr std::int64_t kProbeParts = 4;
/// Samples are of three lengths, so many of each; the longest has at least kFewestParts parts and about
/// kSampleInstructions instructions. Parts that make it longer than kLongestSample are cut finer.
constexpr int kSeeds = 6;
constexpr std::int64_t kFewestParts = 16;
constexpr double kSampleInstructions = 0.6e6, kLongestSample = 2e6;
constexpr double kWidest = 0.025;  // half an interval, of the cycles

void write(Dpu &dpu, const std::vector<Block> &blocks) {
  for (const Block &b : blocks) dpu.writeMram(static_cast<std::uint32_t>(b.offset), b.bytes);
}

bool isKnown(const kernel::DataSpec &spec) {
  return spec.kind != kernel::DataSpec::Kind::kRandom && spec.kind != kernel::DataSpec::Kind::kUniform;
}

double valueOf(const kernel::DataSpec &spec) {
  switch (spec.kind) {
    case kernel::DataSpec::Kind::kOne:
      return 1;
    case kernel::DataSpec::Kind::kConst:
      return spec.low;
    default:
      return 0;
  }
}

/// How a run is sampled: which parts, and how many of them the longest samples have. No way: it is not.
struct Plan {
  int way = -1;
  std::int64_t most = 0;
  double perPart = 0, full = 0;  ///< instructions: of a part, and of the whole run

  /// Of all samples: a quarter, a half and a whole of `longest` parts.
  double cost(std::int64_t longest) const { return 1.75 * kSeeds * static_cast<double>(longest) * perPart; }
  bool isWorth(std::int64_t longest) const { return 2 * cost(longest) < full; }
};

/// The coarsest parts of which samples are short; none where the run itself is short, or all samples are as long.
Result<Plan> planOf(const UpmemSampler &sampler, std::int64_t dpus) {
  Plan best;
  double full = 0;
  for (int way = 0; way < sampler.ways(); ++way) {
    const std::int64_t few = std::min(sampler.span(way), kProbeParts);
    const RunResult probe = sampler.run(way, few, 0);
    if (probe.fault) return faultOf(*probe.fault, 0);
    const double perPart = static_cast<double>(probe.counts.instructions) / static_cast<double>(few);
    if (way == 0) full = perPart * static_cast<double>(sampler.parts(way)) * static_cast<double>(dpus);
    if (full <= kShortRun) return Plan{};
    const std::int64_t most =
        std::min(sampler.span(way), std::max(kFewestParts, static_cast<std::int64_t>(kSampleInstructions / perPart)));
    if (most < kFewestParts) continue;
    const Plan plan{way, most, perPart, full};
    if (best.way < 0 || plan.cost(most) < best.cost(best.most)) best = plan;
    if (static_cast<double>(most) * perPart <= kLongestSample) break;
  }
  return best;
}

/// Parts of rounds leave out what whole rounds take besides: as much as a run on constants takes longer than its parts
/// say.
void correctForWholeRounds(const UpmemSampler &sampler, int way, std::int64_t most, Prediction &p) {
  const std::int64_t all = sampler.parts(way);
  const auto half = sampler.onConstants(way, most / 2), longer = sampler.onConstants(way, most),
             whole = sampler.onConstants(way, all);
  if (!half || !longer || !whole) return;
  const double perPart =
      static_cast<double>((longer->cycles - half->cycles).value) / static_cast<double>(most - most / 2);
  const double straight = static_cast<double>(longer->cycles.value) + perPart * static_cast<double>(all - most);
  const double missing = static_cast<double>(whole->cycles.value) - straight;
  p.cycles += missing;
  p.low += missing;
  p.high += missing;
}

}  // namespace

UpmemKernel::UpmemKernel(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                         lower::upmem::Lowered lowered, std::shared_ptr<const sim::dpu::Image> image)
    : graph_(graph), kernel_(kernel), machine_(machine), lowered_(std::move(lowered)), image_(std::move(image)) {}

Bytes UpmemKernel::footprint() const {
  return Bytes(multiplySaturated(lowered_.layout->end(), dpus()));
}

Dpu UpmemKernel::loaded() const {
  Dpu dpu(image_, *machine_.dpu);
  for (const program::Code::Segment &s : lowered_.program.processes.front().arguments)
    dpu.writeWram(s.address, std::as_bytes(std::span(s.bytes)));
  return dpu;
}

std::optional<RunResult> UpmemKernel::estimateUnknown() const {
  Dpu dpu = loaded();
  return dpu.estimate();
}

bool UpmemKernel::readsInputsAlone() const {
  const auto isInput = [&](const lower::upmem::View &v) {
    if (!v.exists()) return true;
    const kernel::Role role = graph_.tensors[static_cast<std::size_t>(v.tensor)].role;
    return role == kernel::Role::kInput || role == kernel::Role::kInOut;
  };
  return isInput(lowered_.layout->pattern().a) && isInput(lowered_.layout->pattern().b);
}

const kernel::DataSet *UpmemKernel::contentsOf(const RunMode &mode) const {
  const auto isThere = [&](const lower::upmem::View &v) {
    return !v.exists() || !(*mode.contents)[static_cast<std::size_t>(v.tensor)].bytes.empty();
  };
  const lower::upmem::Pattern &pattern = lowered_.layout->pattern();
  return mode.contents != nullptr && isThere(pattern.a) && isThere(pattern.b) ? mode.contents : nullptr;
}

Result<DeviceRun> UpmemKernel::run(const RunMode &mode) const {
  if (const kernel::DataSet *contents = contentsOf(mode)) {
    kernel::DataSet data = *contents;
    for (std::size_t t = 0; t < data.size(); ++t)
      if (data[t].bytes.empty()) data[t] = kernel::TensorData(graph_.tensors[t].type, graph_.tensors[t].shape);
    return runOn(data, mode.observers, 1);
  }
  const bool isConstant = mode.values != nullptr && isKnown(*mode.values) && readsInputsAlone();
  if (isConstant) return runKnown(valueOf(*mode.values), mode.isFastForward, mode.observers.dpu);
  if (const std::optional<RunResult> r = estimateUnknown()) {
    if (r->fault) return faultOf(*r->fault, 0);
    if (mode.isFastForward && !mode.observers.any()) {
      DpuTotal total;
      total.add(*r, dpus());
      return total.run(lowered_.host.ranks, dpus(), 1);
    }
    Dpu dpu = loaded();
    const RunResult simulated = dpu.simulate({.observer = mode.observers.dpu});
    if (simulated.fault) return faultOf(*simulated.fault, 0);
    DpuTotal total;
    total.add(simulated, dpus());
    return total.run(lowered_.host.ranks, dpus(), 1);
  }
  if (mode.values != nullptr && readsInputsAlone()) return runGenerated(mode);
  return dataDecideTime(graph_.kernels[static_cast<std::size_t>(kernel_)], machine_);
}

namespace {

/// Where the points of each loop of ShareSlices go: innermost first, as the programs nest them.
UpmemSampler::Cut cutTo(const std::vector<std::int64_t> &points, const Layout &layout) {
  const lower::upmem::Pattern &p = layout.pattern();
  UpmemSampler::Cut cut{layout.work(), layout.shares().extents};
  cut.work.perTasklet = points.back();
  const auto shorten = [&](int dim, std::int64_t &padded, std::int64_t to) {
    std::int64_t &extent = cut.extents[static_cast<std::size_t>(dim)];
    padded = to;
    extent = std::min(extent, to);
  };
  if (p.inner >= 0) shorten(p.inner, cut.work.inner, points[0]);
  if (p.columns >= 0) shorten(p.columns, cut.work.columns, points[1]);
  return cut;
}

}  // namespace

Result<std::unique_ptr<Slices>> UpmemKernel::slices(const RunMode &mode) const {
  const Layout &layout = *lowered_.layout;
  const lower::upmem::Pattern &p = layout.pattern();
  ShareSlices share;
  share.dpus = dpus();
  share.ranks = lowered_.host.ranks;
  std::int64_t rows = 0;
  for (std::int64_t d = 0; d < dpus(); ++d) rows += layout.rowsOf(d);
  share.fullDpus = std::max<std::int64_t>(1, rows / std::max<std::int64_t>(1, layout.rowsOf(0)));
  share.whole = [this, mode] {
    RunMode simulation = mode;
    simulation.isFastForward = false;
    return run(simulation);
  };
  if (p.inner >= 0) share.loops.push_back({layout.work().buffer, layout.work().inner});
  if (p.columns >= 0) share.loops.push_back({layout.work().buffer, layout.work().columns});
  share.loops.push_back({p.inner < 0 ? layout.work().buffer : 1, layout.work().perTasklet});
  const auto sampler = std::make_shared<UpmemSampler>(graph_, machine_, lowered_, image_,
                                                      mode.values != nullptr ? *mode.values : kernel::DataSpec{});
  share.load = [this, mode, sampler](const std::vector<std::int64_t> &points) -> Result<Dpu> {
    const UpmemSampler::Cut cut = cutTo(points, *lowered_.layout);
    const kernel::DataSet *contents = contentsOf(mode);
    const bool isMade = contents == nullptr && mode.values != nullptr && readsInputsAlone();
    if (isMade && !isKnown(*mode.values)) return sampler->onSample(cut, "piece", false);
    const Layout layout = sampler->layoutOf(cut);
    Dpu dpu = sampler->loaded(layout);
    if (contents != nullptr) {
      write(dpu, layout.operands(0, *contents));
    } else if (isMade) {
      for (const Fill &f : layout.fills(0, valueOf(*mode.values)))
        dpu.fillMram(static_cast<std::uint32_t>(f.offset), f.size, f.pattern);
    } else if (!Dpu(dpu).estimate()) {
      return dataDecideTime(graph_.kernels[static_cast<std::size_t>(kernel_)], machine_);
    }
    return dpu;
  };
  return dpuSlices(std::move(share));
}

Result<DeviceRun> UpmemKernel::runKnown(double value, bool isFastForward, sim::dpu::Observer *observer) const {
  const Layout &layout = *lowered_.layout;
  DpuTotal total;
  std::int64_t kinds = 0;
  // DPUs differ by how much of their share is padding: all, some or none.
  for (std::int64_t first = 0; first < dpus();) {
    std::int64_t next = first + 1;
    while (next < dpus() && layout.rowsOf(next) == layout.rowsOf(first)) ++next;
    Dpu dpu = loaded();
    for (const Fill &f : layout.fills(first, value))
      dpu.fillMram(static_cast<std::uint32_t>(f.offset), f.size, f.pattern);
    std::optional<RunResult> r;
    if (isFastForward && observer == nullptr) r = Dpu(dpu).estimate();
    if (!r) r = dpu.simulate({.observer = first == 0 ? observer : nullptr});
    if (r->fault) return faultOf(*r->fault, first);
    total.add(*r, next - first);
    ++kinds;
    first = next;
  }
  return total.run(lowered_.host.ranks, dpus(), kinds);
}

Result<DeviceRun> UpmemKernel::runMade(const RunMode &mode) const {
  kernel::DataSet data = kernel::makeData(graph_, *mode.values);
  for (std::size_t t = 0; t < data.size(); ++t)
    if (data[t].bytes.empty()) data[t] = kernel::TensorData(graph_.tensors[t].type, graph_.tensors[t].shape);
  return runOn(data, mode.observers, mode.jobs);
}

Result<DeviceRun> UpmemKernel::runGenerated(const RunMode &mode) const {
  if (!mode.isFastForward || mode.observers.any()) return runMade(mode);
  const UpmemSampler sampler(graph_, machine_, lowered_, image_, *mode.values);
  const Result<Plan> planned = planOf(sampler, dpus());
  if (!planned) return planned.diagnostics();
  if (planned->way < 0) return runMade(mode);
  const int way = planned->way;
  const std::int64_t all = sampler.parts(way);
  constexpr double kLevel = 0.99;
  std::vector<SampledRun> samples;
  std::vector<RunResult> runs;
  Prediction p;
  // Longer samples until the interval is narrow; where that takes as long as the run, the run.
  for (std::int64_t most = planned->most;; most *= 2) {
    if (most > sampler.span(way) || !planned->isWorth(most)) return runMade(mode);
    samples.clear();
    for (const std::int64_t parts : {most / 4, most / 2, most})
      for (int s = 0; s < kSeeds; ++s) samples.push_back({parts, 0});
    runs.assign(samples.size(), {});
    parallelFor(mode.jobs, static_cast<std::int64_t>(samples.size()), [&](std::int64_t i) {
      const auto n = static_cast<std::size_t>(i);
      runs[n] = sampler.run(way, samples[n].rounds, i + 1);
      samples[n].cycles = static_cast<double>(runs[n].cycles.value);
    });
    for (const RunResult &r : runs)
      if (r.fault) return faultOf(*r.fault, 0);
    p = predict(samples, all, dpus(), kLevel);
    if (way > 0) correctForWholeRounds(sampler, way, most, p);
    if (way > 0 && way + 1 == sampler.ways()) {  // rows share the other factor: they are off together
      const double together = std::sqrt(static_cast<double>(all / sampler.span(way)));
      p.low = p.cycles - (p.cycles - p.low) * together;
      p.high = p.cycles + (p.high - p.cycles) * together;
    }
    if (p.high - p.low <= 2 * kWidest * p.cycles) break;
  }
  // A share that is padding in part takes less.
  const Layout &layout = *lowered_.layout;
  const double padded =
      static_cast<double>(layout.work().perTasklet * layout.shares().tasklets * (layout.pattern().takesPairs ? 2 : 1));
  const double padding = 1 - static_cast<double>(layout.rowsOf(0)) / padded;
  p.low -= p.cycles * padding;

  sim::dpu::Counts counts = extrapolated(runs, samples, all, kSeeds);
  Cycles simulated{};
  for (const RunResult &r : runs) simulated += r.cyclesSimulated;
  sim::dpu::Counts ofAll;
  addCounts(ofAll, counts, dpus());
  DeviceRun out;
  out.cycles = Cycles(std::llround(p.cycles * (1 - padding / 2)));
  out.cyclesSimulated = simulated;
  out.actions = dpuActions(ofAll, lowered_.host.ranks, out.cycles);
  out.counts = dpuCounts(ofAll);
  out.unit = "DPU";
  out.units = dpus();
  out.interval = Interval{kLevel, Cycles(static_cast<std::int64_t>(std::floor(p.low))),
                          Cycles(static_cast<std::int64_t>(std::ceil(p.high)))};
  return out;
}

// One instruction issues per cycle, and a tasklet waits between two of its own. Every DPU runs a whole share.
DeviceRun UpmemKernel::bound(const kernel::DataSpec * /*values*/) const {
  const Layout &layout = *lowered_.layout;
  const std::int64_t tasklets = layout.shares().tasklets;
  const std::int64_t least =
      lower::upmem::leastInstructions(layout.pattern().shape, layout.work(), machine_.dpu->multiplier.value > 0);
  RunResult r;
  r.counts.instructions = multiplySaturated(tasklets, least);
  r.cycles = Cycles(std::max(r.counts.instructions, multiplySaturated(machine_.dpu->issueInterval.value,
                                                                      std::max<std::int64_t>(0, least - 1))));
  DpuTotal total;
  total.add(r, dpus());
  return total.run(lowered_.host.ranks, dpus(), 1);
}

Result<DeviceRun> UpmemKernel::runOn(kernel::DataSet &data, const Observers &observers, int jobs) const {
  const Layout &layout = *lowered_.layout;
  if (const Status s = layout.check(data); !s) return s.diagnostics();
  std::vector<RunResult> runs(static_cast<std::size_t>(dpus()));
  std::vector<std::vector<Block>> results(runs.size());
  parallelFor(jobs, dpus(), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    Dpu dpu = loaded();
    write(dpu, layout.operands(i, data));
    runs[n] = dpu.simulate({.observer = i == 0 ? observers.dpu : nullptr});
    results[n] = layout.results();
    for (Block &b : results[n]) dpu.readMram(static_cast<std::uint32_t>(b.offset), b.bytes);
  });
  DpuTotal total;
  lower::upmem::Merger merger(layout, data);
  for (std::size_t n = 0; n < runs.size(); ++n) {
    if (runs[n].fault) return faultOf(*runs[n].fault, static_cast<std::int64_t>(n));
    total.add(runs[n], 1);
    merger.add(results[n]);
    results[n] = {};
  }
  merger.finish();
  return total.run(lowered_.host.ranks, dpus(), dpus());
}

std::vector<std::string> UpmemKernel::assembly() const {
  return {listing(*lowered_.program.processes.front().code)};
}

}  // namespace pimento::evaluate
