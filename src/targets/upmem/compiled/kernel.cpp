#include "pimento/targets/upmem/compiled/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"
#include "pimento/sim/dpu/dma.h"
#include "pimento/targets/upmem/compiled/least.h"
#include "pimento/targets/upmem/compiled/operands.h"

namespace pimento::targets::upmem::compiled {

CompiledKernel::CompiledKernel(const GraphPart &part, const machine::Machine &machine, Lowered lowered,
                               std::shared_ptr<Cache> cache)
    : DpuKernel(part, machine,
                {std::move(lowered.program), std::move(lowered.placed), lowered.host, lowered.plan, lowered.image}),
      plan_(std::move(lowered.plan)),
      cache_(std::move(cache)) {}

kernel::Order CompiledKernel::order() const {
  const bool isOrdered = kernel().form == kernel::Form::kAffine &&
                         std::none_of(kernel().dims.begin(), kernel().dims.end(),
                                      [](const kernel::Dim &d) { return d.kind == kernel::DimKind::kSequential; });
  if (!isOrdered || sumsRowsInOrder(*part_.graph, part_.first)) return {};
  return mapping::accumulationOrder(lowered_.placed, kernel(), machine_,
                                    lower::accumulationRules(*part_.graph, kernel()));
}

Dpu CompiledKernel::loaded(std::int64_t dpu) const {
  return dpuWith(lowered_.image, plan_->arguments(dpu), machine_);
}

// DPUs differ at the upper ends of split dims alone, unless the program uses where they are.
std::vector<DpuKernel::Kind> CompiledKernel::kinds(bool /*isFilled*/) const {
  const Plan &plan = *plan_;
  const auto last = plan.kindOf(dpus() - 1);
  if (plan.kindOf(0) == last) return {{0, dpus()}};
  std::map<std::vector<std::int64_t>, Kind> found;
  std::vector<Kind> out;
  const auto &axes = plan.scheme().axes;
  const auto split = std::count_if(axes.begin(), axes.end(), [](const Axis &a) { return a.units() > 1; });
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

Result<std::unique_ptr<evaluate::Slices>> CompiledKernel::slices(const RunMode &mode) const {
  const Scheme &scheme = plan_->scheme();
  ShareSlices share = sharesOf(mode);
  double points = 0;  // of all DPUs, in those of the first
  const auto product = [](const std::vector<std::int64_t> &valid) {
    double all = 1;
    for (const std::int64_t v : valid) all *= static_cast<double>(v);
    return all;
  };
  for (const Kind &kind : kinds(false)) points += static_cast<double>(kind.count) * product(scheme.validOf(kind.first));
  share.fullDpus = std::llround(points / std::max(1.0, product(scheme.validOf(0))));
  std::vector<std::size_t> dims;
  for (auto d = scheme.nest.rbegin(); d != scheme.nest.rend(); ++d) {
    if (scheme.axis(*d).isWhole || !scheme.axis(*d).isTiled()) continue;
    dims.push_back(static_cast<std::size_t>(*d));
    share.loops.push_back({scheme.axis(*d).tile, scheme.axis(*d).range});
  }
  share.load = [this, mode, dims](const std::vector<std::int64_t> &points) -> Result<Dpu> {
    const Plan &plan = *plan_;
    std::vector<std::int64_t> ranges = plan.scheme().sizesPerThread(), valid = plan.scheme().validOf(0);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Axis &axis = plan.scheme().axes[dims[i]];
      ranges[dims[i]] = points[i];  // and padding in proportion
      valid[dims[i]] = valid[dims[i]] == axis.perUnit() ? points[i] * axis.threads()
                                                        : ceilDiv(valid[dims[i]] * points[i], axis.range);
    }
    Dpu dpu = shortened(ranges, valid);
    if (const kernel::DataSet *contents = contentsOf(mode))
      write(dpu, plan.operands(0, *contents));
    else if (const std::optional<double> value = constantOf(mode))
      fill(dpu, plan.fills(*value, false));
    else if (mode.values != nullptr && readsInputsAlone() && plan.scheme().kernel().bounds.empty())
      fillMade(dpu, *mode.values, "piece");
    else if (!Dpu(dpu).estimate())
      return dataDecideTime();
    return dpu;
  };
  return dpuSlices(std::move(share));
}

int CompiledKernel::sampledDim() const {
  const Scheme &scheme = plan_->scheme();
  int best = -1;
  for (const int d : scheme.nest)
    if (!scheme.axis(d).isWhole && (best < 0 || scheme.axis(d).range > scheme.axis(best).range)) best = d;
  return best;
}

Dpu CompiledKernel::shortened(const std::vector<std::int64_t> &ranges, const std::vector<std::int64_t> &valid) const {
  return dpuWith(lowered_.image, plan_->shortened(ranges, valid), machine_);
}

void CompiledKernel::fillMade(Dpu &dpu, const kernel::DataSpec &values, const std::string &sample) const {
  constexpr std::int64_t kMade = 1 << 18;  // elements; larger arrays repeat them
  for (const Fill &f : plan_->fills(0, false)) {
    const Operand &o = plan_->operandAt(f.offset);
    const std::int64_t elements = std::min(kMade, f.size / static_cast<std::int64_t>(f.pattern.size()));
    const kernel::TensorData made = makeTensor(fmt::format("{}, {}", sample, o.name), o.type, {elements}, values);
    for (std::int64_t at = 0; at < f.size; at += static_cast<std::int64_t>(made.bytes.size())) {
      const std::int64_t n = std::min<std::int64_t>(f.size - at, static_cast<std::int64_t>(made.bytes.size()));
      dpu.writeMram(static_cast<std::uint32_t>(f.offset + at),
                    std::span(made.bytes).first(static_cast<std::size_t>(n)));
    }
  }
}

RunResult CompiledKernel::runSample(const kernel::DataSpec &values, int dim, std::int64_t points,
                                    std::int64_t sample) const {
  const Scheme &scheme = plan_->scheme();
  std::vector<std::int64_t> ranges = scheme.sizesPerThread(), valid = scheme.validOf(0);
  ranges[static_cast<std::size_t>(dim)] = points;
  valid[static_cast<std::size_t>(dim)] = points * scheme.axis(dim).threads();
  Dpu dpu = shortened(ranges, valid);
  fillMade(dpu, values, fmt::format("sample {} of {}", sample, points));
  return dpu.simulate();
}

Result<DeviceRun> CompiledKernel::runGenerated(const RunMode &mode) const {
  constexpr std::int64_t kUnit = 8, kFewest = 4 * kUnit;  // points; of four lengths that keep rows aligned
  const int dim = sampledDim();
  // Rows that data bound are of no length that a sample could have.
  if (!mode.isFastForward || mode.observer != nullptr || dim < 0 || !kernel().bounds.empty()) return runMade(mode);
  const std::int64_t all = plan_->scheme().axis(dim).range;
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
  const auto samples = runSamples(most, mode.jobs, [&](std::int64_t points, std::int64_t sample) {
    return runSample(*mode.values, dim, points, sample);
  });
  if (!samples) return samples.diagnostics();
  return sampled(*samples, all, predict(samples->lengths, all, dpus(), kLevel));
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
  const std::int64_t pitch = o.block + 1 == o.positions.size() ? o.size() : o.home.pitch[o.block];
  const std::int64_t bytes = multiplySaturated(o.positions[o.block].extent(tile), pitch), largest = kLargestTransfer;
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

DeviceRun CompiledKernel::bound(const kernel::DataSpec *values) const {
  const std::optional<double> constant = constantOf({true, nullptr, values, nullptr});
  DpuTotal total;
  for (const Kind &kind : kinds(false)) {
    const auto least = leastRun(*plan_, lowered_.image, *machine_.dpu, kind.first, *cache_, constant);
    if (!least) return boundByElements();
    RunResult r;
    r.cycles = least->cycles;
    r.counts = least->counts;
    total.add(r, kind.count);
  }
  return total.run(machine_, lowered_.host.ranks, dpus(), 1);
}

// Few instructions compute more than eight points: those of a row of bytes that is copied.
Cycles CompiledKernel::guess() const {
  std::int64_t points = 1;
  if (!kernel().bounds.empty()) return {};
  for (const std::int64_t n : plan_->scheme().validOf(0)) points = multiplySaturated(points, n);
  return Cycles(points / 8);
}

// The first DPU has most. Every element that a tasklet's points touch passes through the engine, and through a load or
// a store of at most eight bytes.
DeviceRun CompiledKernel::boundByElements() const {
  const Scheme &scheme = plan_->scheme();
  const auto valid = scheme.validOf(0);
  double engine = 0;
  std::int64_t all = 0, longest = 0;
  for (std::int64_t t = 0; t < scheme.threads; ++t) {
    const std::vector<std::int64_t> sizes = scheme.validOf(valid, t);
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) continue;
    std::int64_t mine = 0;
    for (const Operand &o : scheme.operands) {
      if (o.use != Use::kInput && o.use != Use::kWrite) continue;
      if (!scheme.kernel().guards.empty() || !scheme.kernel().bounds.empty()) continue;
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
  total.add(r, kinds(false).front().count);
  return total.run(machine_, lowered_.host.ranks, dpus(), 1);
}

std::vector<std::string> CompiledKernel::choices() const {
  return notesOnMerging(plan_->scheme());
}

}  // namespace pimento::targets::upmem::compiled
