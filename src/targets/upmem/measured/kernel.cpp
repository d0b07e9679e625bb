#include "pimento/targets/upmem/measured/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/base/integer.h"
#include "pimento/targets/upmem/measured/sampler.h"

namespace pimento::targets::upmem::measured {

namespace {

constexpr std::int64_t kProbeParts = 4;
/// The longest samples have at least so many parts. Parts that make one longer than kLongestSample are cut finer.
constexpr std::int64_t kFewestParts = 16;
constexpr double kLongestSample = 2e6;
constexpr double kWidest = 0.025;  // half an interval, of the cycles

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
Result<Plan> planOf(const Sampler &sampler, std::int64_t dpus) {
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
void correctForWholeRounds(const Sampler &sampler, int way, std::int64_t most, Prediction &p) {
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

MeasuredKernel::MeasuredKernel(const GraphPart &part, const machine::Machine &machine, Lowered lowered)
    : DpuKernel(part, machine,
                {std::move(lowered.program), std::move(lowered.placed), lowered.host, lowered.plan, lowered.image}),
      layout_(std::move(lowered.plan)) {}

Dpu MeasuredKernel::loaded(std::int64_t /*dpu*/) const {
  const auto &code = std::get<program::MachineCode>(program().processes.front().body);
  return dpuWith(lowered_.image, code.arguments.front(), machine_);
}

// Every DPU runs a whole share; what differs is how much of it is padding: all, some or none.
std::vector<DpuKernel::Kind> MeasuredKernel::kinds(bool isFilled) const {
  const Layout &layout = *layout_;
  if (!isFilled) return {{0, dpus()}};
  std::vector<Kind> out;
  for (std::int64_t first = 0; first < dpus(); first += out.back().count) {
    std::int64_t next = first + 1;
    while (next < dpus() && layout.rowsOf(next) == layout.rowsOf(first)) ++next;
    out.push_back({first, next - first});
  }
  return out;
}

namespace {

/// Where the points of each loop of ShareSlices go: innermost first, as the programs nest them.
Sampler::Cut cutTo(const std::vector<std::int64_t> &points, const Layout &layout) {
  const targets::upmem::measured::Pattern &p = layout.pattern();
  Sampler::Cut cut{layout.work(), layout.extents()};
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

Result<std::unique_ptr<evaluate::Slices>> MeasuredKernel::slices(const RunMode &mode) const {
  const Layout &layout = *layout_;
  const Pattern &p = layout.pattern();
  ShareSlices share = sharesOf(mode);
  std::int64_t rows = 0;
  for (std::int64_t d = 0; d < dpus(); ++d) rows += layout.rowsOf(d);
  share.fullDpus = std::max<std::int64_t>(1, rows / std::max<std::int64_t>(1, layout.rowsOf(0)));
  if (p.inner >= 0) share.loops.push_back({layout.work().buffer, layout.work().inner});
  if (p.columns >= 0) share.loops.push_back({layout.work().buffer, layout.work().columns});
  share.loops.push_back({p.inner < 0 ? layout.work().buffer : 1, layout.work().perTasklet});
  const auto sampler = std::make_shared<Sampler>(*part_.graph, machine_, *layout_, lowered_.image,
                                                 mode.values != nullptr ? *mode.values : kernel::DataSpec{});
  share.load = [this, mode, sampler](const std::vector<std::int64_t> &points) -> Result<Dpu> {
    const Sampler::Cut cut = cutTo(points, *layout_);
    const kernel::DataSet *contents = contentsOf(mode);
    const std::optional<double> value = constantOf(mode);
    if (contents == nullptr && !value && mode.values != nullptr && readsInputsAlone())
      return sampler->onSample(cut, "piece", false);
    const Layout layout = layout_->cut(cut.work, cut.extents);
    Dpu dpu = sampler->loaded(layout);
    if (contents != nullptr)
      write(dpu, layout.operands(0, *contents));
    else if (value)
      fill(dpu, layout.fills(0, *value));
    else if (!Dpu(dpu).estimate())
      return dataDecideTime();
    return dpu;
  };
  return dpuSlices(std::move(share));
}

Result<DeviceRun> MeasuredKernel::runGenerated(const RunMode &mode) const {
  if (!mode.isFastForward || mode.observer != nullptr) return runMade(mode);
  const Sampler sampler(*part_.graph, machine_, *layout_, lowered_.image, *mode.values);
  const Result<Plan> planned = planOf(sampler, dpus());
  if (!planned) return planned.diagnostics();
  if (planned->way < 0) return runMade(mode);
  const int way = planned->way;
  const std::int64_t all = sampler.parts(way);
  Samples samples;
  Prediction p;
  // Longer samples until the interval is narrow; where that takes as long as the run, the run.
  for (std::int64_t most = planned->most;; most *= 2) {
    if (most > sampler.span(way) || !planned->isWorth(most)) return runMade(mode);
    Result<Samples> ran = runSamples(
        most, mode.jobs, [&](std::int64_t parts, std::int64_t sample) { return sampler.run(way, parts, sample); });
    if (!ran) return ran.diagnostics();
    samples = std::move(*ran);
    p = predict(samples.lengths, all, dpus(), kLevel);
    if (way > 0) correctForWholeRounds(sampler, way, most, p);
    if (way > 0 && way + 1 == sampler.ways()) {  // rows share the other factor: they are off together
      const double together = std::sqrt(static_cast<double>(all / sampler.span(way)));
      p.low = p.cycles - (p.cycles - p.low) * together;
      p.high = p.cycles + (p.high - p.cycles) * together;
    }
    if (p.high - p.low <= 2 * kWidest * p.cycles) break;
  }
  // A share that is padding in part takes less.
  const Layout &layout = *layout_;
  const double padded =
      static_cast<double>(layout.work().perTasklet * layout.tasklets() * (layout.pattern().takesPairs ? 2 : 1));
  const double padding = 1 - static_cast<double>(layout.rowsOf(0)) / padded;
  p.low -= p.cycles * padding;
  p.cycles *= 1 - padding / 2;
  return sampled(samples, all, p);
}

// One instruction issues per cycle, and a tasklet waits between two of its own. Every DPU runs a whole share.
DeviceRun MeasuredKernel::bound(const kernel::DataSpec * /*values*/) const {
  const Layout &layout = *layout_;
  const std::int64_t tasklets = layout.tasklets();
  const std::int64_t least =
      leastInstructions(layout.pattern().shape, layout.work(), machine_.dpu->multiplier.value > 0);
  RunResult r;
  r.counts.instructions = multiplySaturated(tasklets, least);
  r.cycles = Cycles(std::max(r.counts.instructions, multiplySaturated(machine_.dpu->issueInterval.value,
                                                                      std::max<std::int64_t>(0, least - 1))));
  DpuTotal total;
  total.add(r, dpus());
  return total.run(machine_, lowered_.host.ranks, dpus(), 1);
}

}  // namespace pimento::targets::upmem::measured
