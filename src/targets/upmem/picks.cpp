#include "pimento/targets/upmem/picks.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/base/rng.h"
#include "pimento/kernel/linear.h"
#include "pimento/lower/host_data.h"
#include "pimento/targets/upmem/kernel.h"

namespace pimento::targets::upmem {

using lower::PerDim;

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;     // of a tensor that is made as a whole
constexpr std::int64_t kMadeElements = std::int64_t{1} << 16;  // of another one, for a sample; then they repeat

}  // namespace

SampleData::SampleData(const kernel::Graph &graph, const kernel::DataSpec &values)
    : graph_(graph), values_(values), tensors_(graph.tensors.size()) {}

SampleData::Reader::Reader(const SampleData &data, int tensor, std::uint64_t number) {
  const auto t = static_cast<std::size_t>(tensor);
  const kernel::Tensor &shape = data.graph_.tensors[t];
  if (multiplySaturated(shape.elements(), sizeOf(shape.type).value) > kMostBytes) {
    made_ = kernel::makeElements(data.graph_, tensor, data.values_, kMadeElements, number);
    return;
  }
  Tensor &whole = data.tensors_[t];
  std::call_once(whole.isMade, [&] { whole.data = kernel::makeTensor(data.graph_, tensor, data.values_); });
  own_ = &whole.data;
}

void SampleData::Reader::copy(const lower::Row &row, std::byte *to) {
  const kernel::TensorData &data = own_ != nullptr ? *own_ : made_;
  const std::int64_t size = sizeOf(data.type).value;
  for (std::int64_t i = 0; i < row.count; ++i) {
    const std::int64_t element = own_ != nullptr ? row.element + i * row.stride : next_++ % kMadeElements;
    std::memcpy(to + row.byte + i * size, data.bytes.data() + element * size, static_cast<std::size_t>(size));
  }
}

Picks::Picks(const lower::Scheme &whole, std::int64_t dpu, PerDim ranges)
    : Picks(whole, dpu, std::move(ranges), PerDim(whole.axes.size(), 0), 0) {}

Picks::Picks(const lower::Scheme &whole, std::int64_t dpu, PerDim ranges, const PerDim &granules, std::uint64_t number,
             bool areAlike)
    : whole_(whole),
      base_(whole.baseOf(dpu)),
      ranges_(std::move(ranges)),
      granules_(granules),
      valid_(whole.runsIdleThreads ? whole.sizesPerUnit() : whole.validOf(dpu)),
      number_(number),
      drawn_(ranges_.size()) {
  for (std::size_t d = 0; d < ranges_.size(); ++d) {
    const lower::Axis &a = whole.axes[d];
    const std::int64_t shares = valid_[d] / a.range;  // whole ones
    const bool isShared = areAlike && a.threads() > 1 && shares > 0;
    if (ranges_[d] == a.range && !isShared) continue;
    if (ranges_[d] == a.range) granules_[d] = 0;
    const std::int64_t one = isShared ? static_cast<std::int64_t>(number) % shares : 0;
    std::int64_t all = 0;
    for (std::int64_t c = 0; c < a.threads(); ++c) {
      const std::int64_t mine = std::clamp<std::int64_t>(valid_[d] - c * a.range, 0, a.range);
      drawn_[d].push_back(isShared ? draw(d, one, a.range) : draw(d, c, mine));
      if (isShared) cutTo(pointsOf(d, mine), drawn_[d].back());
      all += pointsOf(d, mine);
      for (Stretch &s : drawn_[d].back()) s.at += c * ranges_[d];
    }
    valid_[d] = all;
  }
}

/// How many points a sample has of a share whose first `valid` points are no padding.
std::int64_t Picks::pointsOf(std::size_t dim, std::int64_t valid) const {
  return valid == 0 ? 0 : std::max<std::int64_t>(1, valid * ranges_[dim] / whole_.axes[dim].range);
}

/// The first `points` of them.
void Picks::cutTo(std::int64_t points, Stretches &stretches) {
  std::erase_if(stretches, [points](const Stretch &s) { return s.at >= points; });
  for (Stretch &s : stretches) s.count = std::min(s.count, points - s.at);
}

/// Of a share whose first `valid` points are no padding.
Picks::Stretches Picks::draw(std::size_t dim, std::int64_t coordinate, std::int64_t valid) const {
  const std::int64_t range = whole_.axes[dim].range, low = coordinate * range;
  if (valid == 0) return {};
  const std::int64_t mine = pointsOf(dim, valid), granule = granules_[dim];
  if (granule == 0) return {{low, mine, 0}};
  Stretches out;
  const std::int64_t drawn = mine / granule, there = valid / granule, rest = mine % granule;
  std::uint64_t seed = number_ * 0x1000003 + dim * 8191 + static_cast<std::uint64_t>(coordinate);
  Rng rng(splitMix64(seed));
  for (std::int64_t i = 0; i < drawn; ++i) {
    const std::int64_t first = there * i / drawn, end = there * (i + 1) / drawn;
    const std::int64_t which = first + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(end - first)));
    out.push_back({low + which * granule, granule, i * granule});
  }
  if (rest > 0) out.push_back({low + valid - rest, rest, drawn * granule});
  return out;
}

/// What array number `array` of an operand has of a dim.
Picks::Stretches Picks::stretchesOf(const lower::Operand &o, std::int64_t array, std::size_t dim) const {
  const lower::Axis &a = whole_.axes[dim];
  const bool isOfUnit = o.home.home == lower::TensorPlace::Home::kUnit;
  const std::int64_t low = isOfUnit ? 0 : whole_.lowOf(array)[dim];
  if (!o.involves(static_cast<int>(dim))) return {{0, 1, 0}};
  if (drawn_[dim].empty()) return {{low, isOfUnit ? a.perUnit() : a.range, 0}};
  if (!isOfUnit) {
    Stretches out = drawn_[dim][static_cast<std::size_t>(low / a.range)];
    for (Stretch &s : out) s.at -= low / a.range * ranges_[dim];
    return out;
  }
  Stretches out;
  for (const Stretches &s : drawn_[dim]) out.insert(out.end(), s.begin(), s.end());
  return out;
}

Block Picks::block(const HostPlan &plan, const lower::Operand &o, std::int64_t array,
                   SampleData::Reader &reader) const {
  const bool isOfUnit = o.home.home == lower::TensorPlace::Home::kUnit;
  PerDim spans, zeros(ranges_.size(), 0), counts;
  std::vector<Stretches> stretches;
  for (std::size_t d = 0; d < ranges_.size(); ++d) {
    spans.push_back(ranges_[d] * (isOfUnit ? whole_.axes[d].threads() : 1));
    stretches.push_back(stretchesOf(o, array, d));
    counts.push_back(static_cast<std::int64_t>(stretches.back().size()));
  }
  std::int64_t bytes = o.size();
  for (std::size_t p = 0; p < o.positions.size(); ++p) bytes += (o.positions[p].extent(spans) - 1) * o.home.pitch[p];
  Block block = plan.empty(o, array, std::min(o.home.bytes, ceilDiv(bytes, 8) * 8));
  if (std::find(counts.begin(), counts.end(), 0) != counts.end()) return block;
  PerDim at = zeros, first = zeros, sizes = zeros;
  do {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const Stretch &s = stretches[d][static_cast<std::size_t>(at[d])];
      first[d] = base_[d] + s.from;
      sizes[d] = s.count;
      for (std::size_t p = 0; p < o.positions.size() && !drawn_[d].empty(); ++p)
        to += o.positions[p].coefficient[d] * s.at * o.home.pitch[p];
    }
    const auto end = static_cast<std::int64_t>(block.bytes.size());
    lower::forEachRow(o, o.home, first, sizes, [&](lower::Row row) {
      row.byte += to;
      row.count = std::min(row.count, (end - row.byte) / o.size());
      if (row.count > 0) reader.copy(row, block.bytes.data());
    });
  } while (kernel::advance(at, zeros, counts));
  return block;
}

void Picks::place(sim::dpu::Dpu &dpu, const HostPlan &plan, const SampleData &data) const {
  std::uint64_t n = number_ * 64;
  for (const lower::Operand *o : plan.arrays()) {
    if (!o->isPlaced()) continue;
    SampleData::Reader reader(data, o->tensor, n++);
    for (std::int64_t a = 0; a < whole_.arraysOf(*o); ++a) write(dpu, {block(plan, *o, a, reader)});
  }
}

}  // namespace pimento::targets::upmem
