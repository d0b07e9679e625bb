#include "pimento/targets/upmem/compiled/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"
#include "pimento/targets/upmem/compiled/cuttable.h"
#include "pimento/targets/upmem/compiled/least.h"
#include "pimento/targets/upmem/compiled/operands.h"
#include "pimento/targets/upmem/compiled/transfers.h"

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

// DPUs differ at the upper ends of split dims alone, unless the program uses where they are, or by(...) cuts them.
std::vector<DpuKernel::Kind> CompiledKernel::kinds(bool /*isFilled*/) const {
  const Plan &plan = *plan_;
  if (plan.areAlike()) return {{0, dpus()}};
  const auto last = plan.kindOf(dpus() - 1);
  std::map<std::vector<std::int64_t>, Kind> found;
  std::vector<Kind> out;
  const auto &axes = plan.scheme().axes;
  const auto split = std::count_if(axes.begin(), axes.end(), [](const Axis &a) { return a.units() > 1; });
  if (split == 1 && last.size() == axes.size() &&
      !plan.scheme().isBordered()) {  // shares end earlier and earlier along the dim: equal ones adjoin
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
  share.fullDpus = std::llround(points / std::max(1.0, product(scheme.mostOf())));
  std::vector<std::size_t> dims;
  for (auto d = scheme.nest.rbegin(); d != scheme.nest.rend(); ++d) {
    if (scheme.axis(*d).isWhole || !scheme.axis(*d).isTiled()) continue;
    dims.push_back(static_cast<std::size_t>(*d));
    share.loops.push_back({scheme.axis(*d).tile, scheme.axis(*d).range});
  }
  const std::shared_ptr<const SampleData> data = samplesOf(mode);
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

DeviceRun CompiledKernel::bound(const kernel::DataSpec *values) const {
  // What earlier kernels leave is not like what inputs are made of.
  const KnownValues known = {constantOf({true, nullptr, values, nullptr}), readsInputsAlone() ? values : nullptr};
  DpuTotal total;
  bool isSampled = false;
  for (const Kind &kind : kinds(false)) {
    const auto least = leastRun(*plan_, lowered_.image, *machine_.dpu, kind.first, *cache_, known);
    if (!least) return boundByTransfers();
    isSampled |= least->isSampled;
    RunResult r;
    r.cycles = least->cycles;
    r.counts = least->counts;
    total.add(r, kind.count);
  }
  DeviceRun out = total.run(machine_, lowered_.host.ranks, dpus(), 1);
  if (isSampled) out.interval = evaluate::Interval{kLevel, out.cycles, out.cycles};
  return out;
}

DeviceRun CompiledKernel::boundByTransfers() const {
  DpuTotal total;
  const std::vector<std::int64_t> fullest = plan_->kindOf(plan_->scheme().fullest());
  const std::vector<Kind> all = kinds(false);
  const auto most = std::ranges::find_if(all, [&](const Kind &k) { return plan_->kindOf(k.first) == fullest; });
  total.add(leastByTransfers(plan_->scheme(), machine_, *cache_), most->count);
  return total.run(machine_, lowered_.host.ranks, dpus(), 1);
}

std::vector<std::string> CompiledKernel::choices() const {
  return notesOnMerging(plan_->scheme());
}

}  // namespace pimento::targets::upmem::compiled
