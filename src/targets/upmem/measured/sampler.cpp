#include "pimento/targets/upmem/measured/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pimento/targets/upmem/kernel.h"

namespace pimento::targets::upmem::measured {

Sampler::Sampler(const kernel::Graph &graph, const machine::Machine &machine, const Layout &layout,
                 std::shared_ptr<const sim::dpu::Image> image, const kernel::DataSpec &values)
    : graph_(graph),
      machine_(machine),
      layout_(layout),
      image_(std::move(image)),
      values_(values),
      shared_(graph.tensors.size()) {
  const Pattern &p = layout_.pattern();
  if (p.inner < 0) return;
  const auto t = static_cast<std::size_t>(p.b.tensor);
  shared_[t] = makeTensor(graph_.tensors[t].name, graph_.tensors[t].type, graph_.tensors[t].shape, values_);
}

int Sampler::ways() const {
  switch (layout_.pattern().shape) {
    case Shape::kGemv:
      return 2;
    case Shape::kGemm:
      return 3;
    default:
      return 1;
  }
}

std::int64_t Sampler::parts(int way) const {
  const Work &w = layout_.work();
  const Pattern &p = layout_.pattern();
  if (p.inner < 0) return w.perTasklet / w.buffer;
  const std::int64_t tiles = p.columns < 0 ? 1 : w.columns / w.buffer;
  if (way == 0) return w.perTasklet;
  if (way == 1 && p.columns >= 0) return w.perTasklet * tiles;
  return w.perTasklet * tiles * (w.inner / w.buffer);
}

Sampler::Cut Sampler::cut(int way, std::int64_t parts) const {
  const Pattern &p = layout_.pattern();
  Cut c{layout_.work(), layout_.extents()};
  if (parts == this->parts(way)) return c;
  const auto shorten = [&](int dim, std::int64_t &padded, std::int64_t to) {
    std::int64_t &extent = c.extents[static_cast<std::size_t>(dim)];
    padded = to;
    extent = std::min(extent, to);
  };
  if (p.inner < 0) {
    c.work.perTasklet = parts * c.work.buffer;
    return c;
  }
  c.work.perTasklet = way == 0 ? parts : 1;
  if (way == 1 && p.columns >= 0) shorten(p.columns, c.work.columns, parts * c.work.buffer);
  if (way == 2 && p.columns >= 0) shorten(p.columns, c.work.columns, c.work.buffer);
  if (way == ways() - 1 && way > 0) shorten(p.inner, c.work.inner, parts * c.work.buffer);
  return c;
}

sim::dpu::Dpu Sampler::loaded(const Layout &layout) const {
  return dpuWith(image_, arguments(image_->code, layout.pattern().shape, layout.tasklets(), layout.work()), machine_);
}

sim::dpu::Dpu Sampler::onSample(const Cut &cut, const std::string &sample, bool hasOwnShared) const {
  const Pattern &p = layout_.pattern();
  const Layout layout = layout_.cut(cut.work, cut.extents);
  sim::dpu::Dpu dpu = loaded(layout);
  const std::int64_t size = sizeOf(p.type).value;
  int number = 0;
  for (const lower::Operand *o : layout.arrays()) {
    if (!o->isShared()) continue;
    if (layout.isSame(*o) && !hasOwnShared) {
      write(dpu, {layout.operand(*o, 0, 0, shared_)});
      continue;
    }
    const std::int64_t arrays = p.takesPairs ? 2 : 1, elements = o->home.bytes / size / arrays;
    for (std::int64_t half = 0; half < arrays; ++half) {
      kernel::TensorData made = makeTensor(fmt::format("{}, array {}", sample, number++), p.type, {elements}, values_);
      if (p.inner >= 0) {  // rows end in padding
        const std::int64_t row = cut.work.inner, real = cut.extents[static_cast<std::size_t>(p.inner)];
        for (std::int64_t at = 0; real < row && at < elements; at += row)
          std::memset(made.bytes.data() + (at + real) * size, 0, static_cast<std::size_t>((row - real) * size));
      }
      write(dpu, {{layout.firstByte() + o->home.offset + half * elements * size, std::move(made.bytes)}});
    }
  }
  return dpu;
}

// Cut along the sum, a sample sees a piece of what rounds share: another one each time, or all would be off by the
// same.
sim::dpu::RunResult Sampler::run(int way, std::int64_t parts, std::int64_t sample) const {
  return onSample(cut(way, parts), fmt::format("sample {} of {} parts", sample, parts), way > 0 && way + 1 == ways())
      .simulate();
}

std::optional<sim::dpu::RunResult> Sampler::onConstants(int way, std::int64_t parts) const {
  const Cut c = cut(way, parts);
  const Layout layout = layout_.cut(c.work, c.extents);
  sim::dpu::Dpu dpu = loaded(layout);
  const std::vector<std::byte> zero(static_cast<std::size_t>(sizeOf(layout.pattern().type).value));
  for (const lower::Operand *o : layout.arrays())
    if (o->isShared())
      dpu.fillMram(static_cast<std::uint32_t>(layout.firstByte() + o->home.offset), o->home.bytes, zero);
  return dpu.estimate();
}

}  // namespace pimento::targets::upmem::measured
