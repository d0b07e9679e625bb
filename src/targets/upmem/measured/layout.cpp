#include "pimento/targets/upmem/measured/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/lower/host_data.h"

namespace pimento::targets::upmem::measured {

using lower::Use;

namespace {

constexpr std::int64_t kUnit = 8;             // bytes that a transfer is a multiple of
constexpr std::int64_t kRecord = 16;          // bytes of a partial sum or a counter
constexpr std::int64_t kLargestValue = 4095;  // of a histogram

}  // namespace

Layout::Layout(const kernel::Graph &graph, int kernel, const Pattern &pattern, const Work &work, std::int64_t dpus,
               std::int64_t tasklets, const std::vector<std::int64_t> &extents, std::int64_t firstByte)
    : pattern_(pattern), work_(work), firstByte_(firstByte), end_(firstByte) {
  scheme_.graph = &graph;
  scheme_.number = kernel;
  scheme_.units = dpus;
  scheme_.threads = tasklets;
  scheme_.instances = {dpus, tasklets};
  scheme_.doIdleThreadsRun = true;
  scheme_.stores.resize(scheme_.kernel().stores.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const int d = static_cast<int>(i);
    lower::Axis &a = scheme_.axes.emplace_back();
    a.extent = extents[i];
    a.factors = d == pattern.rows ? scheme_.instances : std::vector<std::int64_t>{1, 1};
    a.range = d == pattern.rows    ? work.perTasklet * (pattern.takesPairs ? 2 : 1)
              : d == pattern.inner ? work.inner
                                   : work.columns;
  }
  const std::vector<int> row = {pattern.rows};
  const std::int64_t size = sizeOf(pattern.type).value;
  place(viewed(pattern_.a, {pattern.rows, pattern.inner}, Use::kInput), size);
  if (pattern.takesPairs) {  // the second half
    Array half = viewed(pattern_.a, row, Use::kInput);
    half.operand.positions[0].origin = half.sizes[static_cast<std::size_t>(pattern.rows)];
    place(std::move(half), size);
  } else if (pattern.b.exists()) {
    place(viewed(pattern_.b, pattern.inner < 0 ? row : std::vector{pattern.columns, pattern.inner}, Use::kInput), size);
  }
  if (pattern.extra.exists()) extra_ = viewed(pattern_.extra, {}, Use::kPartial);
  if (pattern.shape == Shape::kSel) {
    place(viewed(pattern_.out, row, Use::kSelected), size);
    Array &kept = arrays_.emplace_back();
    kept.offset = end_;
    kept.bytes = multiplySaturated(kRecord * tasklets, work.perTasklet / work.buffer);
    end_ = addSaturated(end_, kept.bytes);
  } else if (pattern.shape == Shape::kRed) {
    place(viewed(pattern_.out, {}, Use::kPartial), kRecord);
  } else if (pattern.shape == Shape::kHst) {
    place(viewed(pattern_.out, {}, Use::kTable), sizeOf(DType::kI32).value);
  } else {
    place(viewed(pattern_.out, {pattern.rows, pattern.columns}, Use::kWrite),
          pattern.shape == Shape::kGemv ? kUnit : size);
  }
}

/// An operand whose positions are the dims of `dims` that there are.
Array Layout::viewed(const View &view, const std::vector<int> &dims, Use use) {
  const std::size_t count = scheme_.axes.size();
  Array array;
  array.operand.use = use;
  array.operand.tensor = view.tensor;
  array.operand.first = view.base;
  array.operand.hasCarry = use == Use::kWrite && pattern_.shape == Shape::kScan;
  const bool isRecord = array.operand.isPartial() && &view != &pattern_.extra;
  array.operand.type = isRecord ? DType::kI32 : scheme_.tensorOf(array.operand).type;
  if (isRecord || (use == Use::kWrite && pattern_.shape == Shape::kGemv))
    array.operand.home.home = lower::TensorPlace::Home::kThread;
  array.sizes = scheme_.sizesOf(array.operand);
  if (pattern_.takesPairs && use == Use::kInput) array.sizes[static_cast<std::size_t>(pattern_.rows)] /= 2;
  if (use == Use::kTable) array.operand.positions.push_back({0, 1, 1, work_.bins, lower::PerDim(count, 0), 0, true, 0});
  for (const int d : dims) {
    if (d < 0) continue;
    const auto i = static_cast<std::size_t>(d);
    lower::Position p{0, 1, view.stride[i], scheme_.axes[i].extent, lower::PerDim(count, 0), 0, false, 0};
    p.coefficient[i] = 1;
    array.operand.positions.push_back(std::move(p));
  }
  const auto &stores = scheme_.kernel().stores;
  for (std::size_t s = 0; s < stores.size() && use != Use::kInput; ++s)
    if (stores[s].target.tensor == view.tensor) {
      array.operand.store = static_cast<int>(s);
      scheme_.stores[s].delta.assign(array.operand.positions.size(), 0);
    }
  return array;
}

/// The next array; rows begin at multiples of `unit` bytes.
void Layout::place(Array array, std::int64_t unit) {
  lower::Operand &o = array.operand;
  o.home.fit(o.positions, array.sizes, o.size(), unit);
  const bool isPerTasklet = o.home.home == lower::TensorPlace::Home::kThread;
  array.isInput = o.isShared();
  array.isSame = array.isInput && !o.involves(pattern_.rows);
  array.number = static_cast<int>(arrays_.size());
  array.offset = end_;
  array.bytes = multiplySaturated(o.home.bytes, isPerTasklet ? tasklets() : 1);
  end_ = addSaturated(end_, array.bytes);
  arrays_.push_back(std::move(array));
}

std::vector<std::int64_t> Layout::extents() const {
  std::vector<std::int64_t> out;
  for (const lower::Axis &a : scheme_.axes) out.push_back(a.extent);
  return out;
}

std::int64_t Layout::rowsOf(std::int64_t dpu) const {
  return scheme_.validOf(dpu)[static_cast<std::size_t>(pattern_.rows)];
}

Block Layout::operand(const Array &a, std::int64_t dpu, const kernel::DataSet &data) const {
  Block block{a.offset, std::vector<std::byte>(static_cast<std::size_t>(a.bytes))};
  if (pattern_.shape == Shape::kSel)
    for (std::int64_t i = 0; i < a.bytes; i += a.operand.size())
      block.bytes[static_cast<std::size_t>(i)] = std::byte{1};
  lower::gather(a.operand, scheme_.baseOf(dpu), a.sizes, data[static_cast<std::size_t>(a.operand.tensor)],
                block.bytes.data());
  return block;
}

std::vector<Block> Layout::operands(std::int64_t dpu, const kernel::DataSet &data) const {
  std::vector<Block> blocks;
  for (const Array &a : arrays_)
    if (a.isInput) blocks.push_back(operand(a, dpu, data));
  return blocks;
}

std::vector<Fill> Layout::fills(std::int64_t dpu, double value) const {
  kernel::TensorData element(pattern_.type, {1});
  std::vector<std::byte> padding = element.bytes;
  element.setDouble(0, value);
  if (pattern_.shape == Shape::kSel) padding[0] = std::byte{1};
  const auto size = static_cast<std::int64_t>(padding.size());
  std::vector<Fill> fills;
  for (const Array &a : arrays_) {
    if (!a.isInput) continue;
    std::vector<Fill> rows;
    std::int64_t filled = 0;
    lower::forEachRow(a.operand, a.operand.home, scheme_.baseOf(dpu), a.sizes, [&](const lower::Row &row) {
      const std::int64_t offset = a.offset + row.byte;
      filled += row.count * size;
      if (!rows.empty() && rows.back().offset + rows.back().size == offset)
        rows.back().size += row.count * size;
      else
        rows.push_back({offset, row.count * size, element.bytes});
    });
    if (filled < a.bytes) fills.push_back({a.offset, a.bytes, padding});
    fills.insert(fills.end(), rows.begin(), rows.end());
  }
  return fills;
}

std::vector<Block> Layout::results() const {
  std::vector<Block> blocks;
  for (const Array &a : arrays_)
    if (!a.isInput) blocks.push_back({a.offset, std::vector<std::byte>(static_cast<std::size_t>(a.bytes))});
  return blocks;
}

std::vector<int> Layout::tensors() const {
  std::vector<int> out;
  for (const View &v : {pattern_.a, pattern_.b})
    if (v.exists()) out.push_back(v.tensor);
  return out;
}

Status Layout::check(const kernel::DataSet &data) const {
  if (pattern_.shape != Shape::kHst) return okStatus();
  const kernel::TensorData &a = data[static_cast<std::size_t>(pattern_.a.tensor)];
  std::int64_t bad = -1;
  for (std::int64_t dpu = 0; dpu < dpus() && bad < 0; ++dpu)
    lower::forEachRow(arrays_[0].operand, arrays_[0].operand.home, scheme_.baseOf(dpu), arrays_[0].sizes,
                      [&](const lower::Row &row) {
                        for (std::int64_t i = 0; i < row.count && bad < 0; ++i) {
                          const std::int64_t element = row.element + i * row.stride, x = a.asInteger(element);
                          if (x < 0 || x > kLargestValue) bad = element;
                        }
                      });
  if (bad < 0) return okStatus();
  return unsupported("unsupported-data", {},
                     fmt::format("element {} of the histogram's data is {}; values have 12 bits, 0 to {}", bad,
                                 a.asInteger(bad), kLargestValue),
                     "use --data uniform:0,4095, or scale the data");
}

evaluate::HostWork Layout::hostWork() const {
  evaluate::HostWork w;
  w.dpus = dpus();
  w.launches = 1;
  const auto add = [](Bytes &to, std::int64_t bytes) { to = Bytes(addSaturated(to.value, bytes)); };
  const std::int64_t argumentsOfAll = argumentBytes(pattern_.shape) * w.dpus;
  add(w.broadcast, argumentsOfAll);
  add(w.placed, argumentsOfAll);
  const auto isPadded = [&](int d) { return d >= 0 && scheme_.axis(d).range != scheme_.axis(d).extent; };
  for (const Array &a : arrays_) {
    const std::int64_t bytes = multiplySaturated(a.bytes, w.dpus);
    add(a.isInput ? w.placed : w.readBack, bytes);
    if (!a.isInput) continue;
    if (a.isSame) add(w.broadcast, bytes);
    // Gathered, unless it lies in one piece.
    bool isStrided = false;
    std::int64_t pieces = 0, next = -1;
    lower::forEachRow(a.operand, a.operand.home, scheme_.baseOf(0), a.sizes, [&](const lower::Row &row) {
      isStrided = isStrided || (row.stride != 1 && row.count > 1);
      pieces += row.element != next ? 1 : 0;
      next = row.element + row.count;
    });
    if (isStrided || pieces > 1 || isPadded(pattern_.inner)) add(w.rearrangedIn, a.isSame ? a.bytes : bytes);
  }
  const std::int64_t covered = std::min(scheme_.axis(pattern_.rows).extent, multiplySaturated(rowsPerDpu(), w.dpus));
  switch (pattern_.shape) {
    case Shape::kRed:
      w.merges = tasklets() * w.dpus;
      break;
    case Shape::kHst:
      w.merges = multiplySaturated(tasklets() * w.dpus, work_.bins);
      break;
    case Shape::kScan:  // the first DPU's sums stay
      w.merges = std::max<std::int64_t>(0, covered - rowsPerDpu());
      break;
    case Shape::kSel:  // all gaps may have to be closed
      w.rearrangedOut = Bytes(multiplySaturated(covered, sizeOf(pattern_.type).value));
      break;
    case Shape::kGemv:
      if (work_.perTasklet * sizeOf(pattern_.type).value % kUnit != 0) w.rearrangedOut = w.readBack;
      break;
    case Shape::kGemm:
      if (isPadded(pattern_.columns)) w.rearrangedOut = w.readBack;
      break;
    case Shape::kVa:
      break;
  }
  return w;
}

// --- merging

namespace {

class Merger final : public Results {
 public:
  /// All must outlive it.
  Merger(const Layout &layout, const lower::Scheme &scheme, const lower::Operand &extra, kernel::DataSet &data)
      : layout_(layout),
        shape_(layout.pattern().shape),
        extra_(extra),
        collector_(scheme, data, shape_ == Shape::kScan ? &extra : nullptr) {}

  void add(const std::vector<Block> &results) override {
    const auto out = std::find_if(layout_.arrays().begin(), layout_.arrays().end(), [](auto &a) { return !a.isInput; });
    const lower::Operand &o = out->operand;
    const std::byte *const bytes = results[0].bytes.data();
    if (shape_ == Shape::kSel)
      addSelected(o, bytes, results[1].bytes);
    else
      collector_.add(o, bytes);
    if (shape_ == Shape::kScan) collector_.carry(kernel::load(o.type, bytes, out->bytes / o.size() - 1));
    if (shape_ == Shape::kHst)  // padding fell into bin 0
      addTo(o, layout_.rowsOf(collector_.unit()) - layout_.tasklets() * layout_.work().perTasklet);
    collector_.closeUnit();
  }
  void finish() override { collector_.finish(); }

 private:
  /// What rounds keep of their buffers.
  void addSelected(const lower::Operand &o, const std::byte *bytes, const std::vector<std::byte> &counters) {
    const std::int64_t before = collector_.selected(), buffer = layout_.work().buffer;
    for (std::size_t at = 0; at < counters.size(); at += kRecord, bytes += buffer * o.size()) {
      const std::int64_t kept = kernel::load(DType::kU32, counters.data() + at, 0).i;
      PIMENTO_CHECK(kept <= buffer);
      collector_.addSelected(o, bytes, kept);
    }
    if (extra_.store >= 0) addTo(extra_, collector_.selected() - before);
  }

  /// To the first element.
  void addTo(const lower::Operand &o, std::int64_t n) {
    kernel::Scalar x;
    x.i = n;
    collector_.sumsOf(o).add(o.first, kernel::convert(DType::kI64, o.type, x));
  }

  const Layout &layout_;
  Shape shape_;
  const lower::Operand &extra_;
  lower::Collector collector_;
};

}  // namespace

std::unique_ptr<Results> Layout::collector(kernel::DataSet &data) const {
  return std::make_unique<Merger>(*this, scheme_, extra_.operand, data);
}

}  // namespace pimento::targets::upmem::measured
