#include "pimento/targets/upmem/compiled/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"
#include "pimento/sim/dpu/dma.h"
#include "pimento/targets/upmem/compiled/cuttable.h"
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
  const auto data =
      std::make_shared<const SampleData>(*part_.graph, mode.values != nullptr ? *mode.values : kernel::DataSpec{});
  share.load = [this, mode, data, dims](const std::vector<std::int64_t> &points) {
    lower::PerDim ranges = plan_->scheme().sizesPerThread();
    for (std::size_t i = 0; i < dims.size(); ++i) ranges[dims[i]] = points[i];
    return piece(mode, *data, ranges);
  };
  return dpuSlices(std::move(share));
}

// The dim with most granules.
std::vector<Way> CompiledKernel::ways() const {
  const Scheme &scheme = plan_->scheme();
  int best = -1;
  std::int64_t most = 0;
  for (const int d : scheme.nest) {
    const std::int64_t granules = scheme.axis(d).range / granule(d);
    if (granules <= most || scheme.axis(d).isWhole || !isCuttable(scheme, d)) continue;
    best = d;
    most = granules;
  }
  if (best < 0) return {};
  return {{{}, best}};
}

// Shares begin at whole units.
std::int64_t CompiledKernel::granule(int dim) const {
  std::int64_t points = 1;
  for (const Operand &o : plan_->scheme().operands)
    if (o.isShared() && !o.positions.empty() && o.positions.back().involves(dim))
      points = std::max(points, kUnit / o.size());
  return points;
}

std::int64_t CompiledKernel::tile(int dim) const {
  const Axis &a = plan_->scheme().axis(dim);
  return a.isTiled() ? a.tile : 0;
}

bool CompiledKernel::areDpusAlike() const {
  const Scheme &scheme = plan_->scheme();
  if (!kernel().bounds.empty()) return false;  // rows that data bound are of no length that a sample could have
  for (std::size_t d = 0; d < scheme.axes.size(); ++d)
    if (scheme.axes[d].units() > 1 && usesIndex(kernel(), d)) return false;
  return true;
}

Cuttable::Shortened CompiledKernel::shortened(std::int64_t dpu, const lower::PerDim &ranges,
                                              const lower::PerDim &valid) const {
  return {dpuWith(lowered_.image, plan_->shortened(dpu, ranges, valid), machine_), plan_};
}

namespace {

/// Transfers of one operand in the whole tiles of a tasklet, each of which moves the operand's box piece by piece: how
/// many there are at least, and for how many ticks they occupy the engine.
struct LeastTransfers {
  std::int64_t count = 0;
  double ticks = 0;
};

LeastTransfers transfersOf(const Scheme &scheme, const Operand &o, const std::vector<std::int64_t> &sizes,
                           const sim::dpu::LeastOccupancy &occupancy) {
  std::int64_t pieces = 1;
  for (std::size_t n = 0; n < scheme.nest.size() && static_cast<int>(n) <= o.level; ++n) {
    const auto d = static_cast<std::size_t>(scheme.nest[n]);
    if (scheme.axes[d].isTiled()) pieces = multiplySaturated(pieces, sizes[d] / scheme.axes[d].tile);
  }
  std::vector<std::int64_t> tile = scheme.sizesPerTile();
  for (std::size_t d = 0; d < tile.size(); ++d) tile[d] = std::min(tile[d], sizes[d]);
  for (std::size_t p = 0; p < o.block; ++p) pieces = multiplySaturated(pieces, o.positions[p].extent(tile));
  std::int64_t bytes = kUnit;
  if (!o.positions.empty()) {
    const std::int64_t pitch = o.block + 1 == o.positions.size() ? o.size() : o.home.pitch[o.block];
    bytes = multiplySaturated(o.positions[o.block].extent(tile), pitch);
  }
  return {multiplySaturated(pieces, ceilDiv(bytes, kLargestTransfer)),
          static_cast<double>(pieces) * occupancy.ticks(bytes)};
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
    if (!least) return boundByTransfers();
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

// Of the first DPU, which has most. Proof. The engine: every tile's box is moved, whatever is computed. A port is busy
// for what its transfers take, one after the other from cycle 0 on, and refreshes only add to that; the program ends no
// sooner than the last transfer begins, so no sooner than all have taken their time but the longest one. Of several
// ports the busiest has their mean at least. Issue: a transfer is an instruction; so is a store of at most eight bytes,
// and every element of a result is stored before it is moved. One issues per cycle, and those of a tasklet an interval
// apart. Loads do not count: a compiler may leave some out.
DeviceRun CompiledKernel::boundByTransfers() const {
  const Scheme &scheme = plan_->scheme();
  const auto valid = scheme.validOf(0);
  const sim::dpu::LeastOccupancy reads(*machine_.dpu, true), writes(*machine_.dpu, false);
  const bool isPlain = scheme.kernel().guards.empty() && scheme.kernel().bounds.empty();
  double ticks = 0;
  std::int64_t all = 0, longest = 0;
  for (std::int64_t t = 0; isPlain && t < scheme.threads; ++t) {
    const std::vector<std::int64_t> sizes = scheme.validOf(valid, t);
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) continue;
    std::int64_t mine = 0;
    for (const Operand &o : scheme.operands) {
      if ((o.use != Use::kInput && o.use != Use::kWrite) || o.isInMram) continue;
      const LeastTransfers least = transfersOf(scheme, o, sizes, o.isShared() ? reads : writes);
      ticks += least.ticks;
      mine = addSaturated(mine, least.count);
      if (!o.isShared()) mine = addSaturated(mine, multiplySaturated(elementsOf(o, sizes), o.size()) / kUnit);
    }
    longest = std::max(longest, mine);
    all = addSaturated(all, mine);
  }
  RunResult r;
  r.counts.instructions = all;
  const std::int64_t issue =
      std::max(all, multiplySaturated(machine_.dpu->issueInterval.value, std::max<std::int64_t>(0, longest - 1)));
  const double busy = ticks / static_cast<double>(machine_.dpu->transferPorts) -
                      static_cast<double>(sim::dpu::Dma::mostOccupancy(*machine_.dpu));
  r.cycles =
      Cycles(std::max(issue, static_cast<std::int64_t>(busy / static_cast<double>(machine_.dpu->ticksPerCycle)) - 1));
  DpuTotal total;
  total.add(r, kinds(false).front().count);
  return total.run(machine_, lowered_.host.ranks, dpus(), 1);
}

std::vector<std::string> CompiledKernel::choices() const {
  return notesOnMerging(plan_->scheme());
}

}  // namespace pimento::targets::upmem::compiled
