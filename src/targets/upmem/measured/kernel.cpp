#include "pimento/targets/upmem/measured/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/base/integer.h"

namespace pimento::targets::upmem::measured {

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

std::vector<Way> MeasuredKernel::ways() const {
  const Pattern &p = layout_->pattern();
  if (p.inner < 0) return {{{}, p.rows}};
  if (p.columns < 0) return {{{}, p.rows}, {{p.rows}, p.inner}};
  return {{{}, p.rows}, {{p.rows}, p.columns}, {{p.rows, p.columns}, p.inner}};
}

std::int64_t MeasuredKernel::granule(int dim) const {
  const Pattern &p = layout_->pattern();
  return p.inner >= 0 && dim == p.rows ? 1 : layout_->work().buffer;
}

Cuttable::Shortened MeasuredKernel::shortened(std::int64_t /*dpu*/, const lower::PerDim &ranges,
                                              const lower::PerDim & /*valid*/) const {
  const Pattern &p = layout_->pattern();
  const auto rangeOf = [&](int dim, std::int64_t otherwise) {
    return dim < 0 ? otherwise : ranges[static_cast<std::size_t>(dim)];
  };
  Work work = layout_->work();
  work.perTasklet = rangeOf(p.rows, 0) / (p.takesPairs ? 2 : 1);
  work.columns = rangeOf(p.columns, work.columns);
  work.inner = rangeOf(p.inner, work.inner);
  auto layout = std::make_shared<const Layout>(layout_->cut(work));
  const auto &code = lowered_.image->code;
  Dpu dpu = dpuWith(lowered_.image, arguments(code, p.shape, layout->tasklets(), work), machine_);
  return {std::move(dpu), std::move(layout)};
}

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
  const std::shared_ptr<const SampleData> data = samplesOf(mode);
  // Loops count points innermost first, as the programs nest them.
  share.load = [this, mode, data](const std::vector<std::int64_t> &points) {
    const Pattern &p = layout_->pattern();
    lower::PerDim ranges = layout_->scheme().sizesPerThread();
    ranges[static_cast<std::size_t>(p.rows)] = points.back() * (p.takesPairs ? 2 : 1);
    if (p.inner >= 0) ranges[static_cast<std::size_t>(p.inner)] = points[0];
    if (p.columns >= 0) ranges[static_cast<std::size_t>(p.columns)] = points[1];
    return piece(mode, *data, ranges);
  };
  return dpuSlices(std::move(share));
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
