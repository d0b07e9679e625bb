#include "pimento/targets/upmem/measured/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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
    : HostPlan(firstByte), pattern_(pattern), work_(work) {
  if (pattern.shape == Shape::kSel) padding_ = std::byte{1};
  scheme_.graph = &graph;
  scheme_.number = kernel;
  scheme_.units = dpus;
  scheme_.threads = tasklets;
  scheme_.instances = {dpus, tasklets};
  scheme_.runsIdleThreads = true;
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
  const std::int64_t size = sizeOf(pattern.type).value;
  place(viewed(pattern_.a, {pattern.rows, pattern.inner}, Use::kInput), size);
  if (pattern.b.exists())
    place(viewed(pattern_.b, {pattern.inner < 0 ? pattern.rows : pattern.columns, pattern.inner}, Use::kInput), size);
  if (pattern.extra.exists()) extra_ = viewed(pattern_.extra, {}, Use::kPartial);
  if (pattern.shape == Shape::kSel) {
    place(viewed(pattern_.out, {pattern.rows}, Use::kSelected), size);
    lower::Operand kept;  // counters of rounds
    kept.use = Use::kSelected;
    kept.home.home = lower::TensorPlace::Home::kThread;
    place(std::move(kept), multiplySaturated(kRecord, work.perTasklet / work.buffer));
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
lower::Operand Layout::viewed(const View &view, const std::vector<int> &dims, Use use) {
  const lower::PerDim none(scheme_.axes.size(), 0);
  lower::Operand o;
  o.use = use;
  o.tensor = view.tensor;
  o.first = view.base;
  o.hasCarry = use == Use::kWrite && pattern_.shape == Shape::kScan;
  const bool isRecord = o.isPartial() && &view != &pattern_.extra;
  o.type = isRecord ? DType::kI32 : scheme_.tensorOf(o).type;
  if (isRecord || (use == Use::kWrite && pattern_.shape == Shape::kGemv))
    o.home.home = lower::TensorPlace::Home::kThread;
  if (use == Use::kTable) o.positions.push_back({0, 1, 1, work_.bins, none, 0, true, 0});
  for (const int d : dims) {
    if (d < 0) continue;
    const auto i = static_cast<std::size_t>(d);
    o.positions.push_back({0, 1, view.stride[i], scheme_.axes[i].extent, none, 0, false, 0});
    o.positions.back().coefficient[i] = 1;
  }
  const auto &stores = scheme_.kernel().stores;
  for (std::size_t s = 0; s < stores.size() && use != Use::kInput; ++s)
    if (stores[s].target.tensor == view.tensor) {
      o.store = static_cast<int>(s);
      scheme_.stores[s].delta.assign(o.positions.size(), 0);
    }
  return o;
}

/// The next one; rows and arrays begin at multiples of `unit` bytes.
void Layout::place(lower::Operand o, std::int64_t unit) {
  o.home.fit(o.positions, scheme_.sizesOf(o), o.size(), unit);
  o.home.offset = bytes_;
  bytes_ = addSaturated(bytes_, multiplySaturated(o.home.bytes, scheme_.arraysOf(o)));
  arrays_.push_back(std::move(o));
}

std::vector<const lower::Operand *> Layout::arrays() const {
  std::vector<const lower::Operand *> out;
  for (const lower::Operand &o : arrays_) out.push_back(&o);
  return out;
}

std::vector<std::int64_t> Layout::extents() const {
  std::vector<std::int64_t> out;
  for (const lower::Axis &a : scheme_.axes) out.push_back(a.extent);
  return out;
}

std::int64_t Layout::rowsOf(std::int64_t dpu) const {
  return scheme_.validOf(dpu)[static_cast<std::size_t>(pattern_.rows)];
}

std::vector<Fill> Layout::fills(std::int64_t dpu, double value) const {
  kernel::TensorData element(pattern_.type, {1});
  std::vector<std::byte> padding = element.bytes;
  padding[0] = padding_;
  element.setDouble(0, value);
  const auto size = static_cast<std::int64_t>(padding.size());
  std::vector<Fill> fills;
  for (const lower::Operand &o : arrays_) {
    if (!o.isShared()) continue;
    std::vector<Fill> rows;
    std::int64_t filled = 0;
    lower::forEachRow(o, o.home, scheme_.baseOf(dpu), scheme_.sizesPerUnit(), [&](const lower::Row &row) {
      const std::int64_t offset = firstByte() + o.home.offset + row.byte;
      filled += row.count * size;
      if (!rows.empty() && rows.back().offset + rows.back().size == offset)
        rows.back().size += row.count * size;
      else
        rows.push_back({offset, row.count * size, element.bytes});
    });
    if (filled < o.home.bytes) fills.push_back({firstByte() + o.home.offset, o.home.bytes, padding});
    fills.insert(fills.end(), rows.begin(), rows.end());
  }
  return fills;
}

Status Layout::check(const kernel::DataSet &data) const {
  if (pattern_.shape != Shape::kHst) return okStatus();
  const kernel::TensorData &a = data[static_cast<std::size_t>(pattern_.a.tensor)];
  std::int64_t bad = -1;
  for (std::int64_t dpu = 0; dpu < dpus() && bad < 0; ++dpu)
    lower::forEachRow(arrays_[0], arrays_[0].home, scheme_.baseOf(dpu), scheme_.sizesPerUnit(),
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
  const std::int64_t argumentsOfAll = argumentBytes(pattern_.shape) * w.dpus;
  w.place(argumentsOfAll, 0);
  w.broadcast = Bytes(argumentsOfAll);
  const auto isPadded = [&](int d) { return d >= 0 && scheme_.axis(d).range != scheme_.axis(d).extent; };
  for (const lower::Operand &o : arrays_) {
    const std::int64_t bytes = multiplySaturated(multiplySaturated(o.home.bytes, scheme_.arraysOf(o)), w.dpus);
    if (!o.isShared()) {
      w.read(bytes, 0);
      continue;
    }
    if (isSame(o)) evaluate::HostWork::add(w.broadcast, bytes);
    // Gathered, unless it lies in one piece.
    bool isStrided = false;
    std::int64_t pieces = 0, next = -1;
    lower::forEachRow(o, o.home, scheme_.baseOf(0), scheme_.sizesPerUnit(), [&](const lower::Row &row) {
      isStrided = isStrided || (row.stride != 1 && row.count > 1);
      pieces += row.element != next ? 1 : 0;
      next = row.element + row.count;
    });
    w.place(bytes, !isStrided && pieces <= 1 && !isPadded(pattern_.inner) ? 0 : isSame(o) ? o.home.bytes : bytes);
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
  Merger(const Layout &layout, const lower::Operand &extra, kernel::DataSet &data)
      : layout_(layout),
        shape_(layout.pattern().shape),
        extra_(extra),
        collector_(layout.scheme(), data, shape_ == Shape::kScan ? &extra : nullptr) {}

  void add(const std::vector<Block> &results) override {
    const auto arrays = layout_.arrays();
    const lower::Operand &o = **std::find_if(arrays.begin(), arrays.end(), [](auto *a) { return !a->isShared(); });
    const std::byte *const bytes = results[0].bytes.data();
    if (shape_ == Shape::kSel)
      addSelected(o, bytes, results[1].bytes);
    else
      collector_.add(o, bytes);
    if (shape_ == Shape::kScan) collector_.carry(kernel::load(o.type, bytes, o.home.bytes / o.size() - 1));
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
    collector_.sumsOf(o).add(o.first, {kernel::convert(DType::kI64, o.type, x)});
  }

  const Layout &layout_;
  Shape shape_;
  const lower::Operand &extra_;
  lower::Collector collector_;
};

}  // namespace

std::unique_ptr<Results> Layout::collector(kernel::DataSet &data) const {
  return std::make_unique<Merger>(*this, extra_, data);
}

}  // namespace pimento::targets::upmem::measured
