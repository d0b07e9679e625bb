#include "pimento/targets/upmem/measured/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pimento/base/integer.h"

namespace pimento::targets::upmem::measured {

namespace {

constexpr std::int64_t kUnit = 8;             // bytes that a transfer is a multiple of
constexpr std::int64_t kRecord = 16;          // bytes of a partial sum or a counter
constexpr std::int64_t kLargestValue = 4095;  // of a histogram

std::int64_t roundUp(std::int64_t n, std::int64_t unit) {
  return multiplySaturated(ceilDiv(n, unit), unit);
}

std::uint32_t wordAt(const std::vector<std::byte> &bytes, std::int64_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// Element `i` of `bytes`, sign or zeros not extended beyond the type.
std::int64_t elementAt(const std::vector<std::byte> &bytes, std::int64_t offset, std::int64_t size) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes.data() + offset, static_cast<std::size_t>(size));
  return bits;
}

}  // namespace

Layout::Layout(Pattern pattern, Work work, Shares shares, std::int64_t firstByte)
    : pattern_(pattern), work_(work), shares_(std::move(shares)), firstByte_(firstByte) {
  using Part = Array::Part;
  const std::int64_t t = shares_.tasklets, per = work_.perTasklet;
  const auto elements = [&](std::int64_t n) { return multiplySaturated(n, elementBytes()); };
  const std::int64_t all = elements(multiplySaturated(t, per));
  switch (pattern_.shape) {
    case Shape::kVa:
      add(Part::kA, all, true);
      add(Part::kB, all, true);
      add(Part::kOut, all, false);
      break;
    case Shape::kRed:
      add(Part::kA, all, true);
      add(Part::kB, all, true);
      add(Part::kPartial, kRecord * t, false);
      break;
    case Shape::kSel:
      add(Part::kA, all, true);
      add(Part::kOut, all, false);
      add(Part::kKept, multiplySaturated(kRecord * t, per / work_.buffer), false);
      break;
    case Shape::kScan:
      add(Part::kA, all, true);
      add(Part::kOut, all, false);
      break;
    case Shape::kHst:
      add(Part::kA, all, true);
      add(Part::kPartial, t * work_.bins * 4, false);
      break;
    case Shape::kGemv:
      add(Part::kA, multiplySaturated(all, work_.inner), true);
      add(Part::kB, elements(work_.inner), true, true);
      add(Part::kOut, multiplySaturated(t, roundUp(elements(per), kUnit)), false);
      break;
    case Shape::kGemm:
      add(Part::kA, multiplySaturated(all, work_.inner), true);
      add(Part::kB, elements(multiplySaturated(work_.columns, work_.inner)), true, true);
      add(Part::kOut, multiplySaturated(all, work_.columns), false);
      break;
  }
}

void Layout::add(Array::Part part, std::int64_t bytes, bool isInput, bool isSame) {
  arrays_.push_back({part, arrays_.empty() ? firstByte_ : end(), bytes, isInput, isSame});
}

std::int64_t Layout::end() const {
  return addSaturated(arrays_.back().offset, arrays_.back().bytes);
}

std::int64_t Layout::rowsPerDpu() const {
  return work_.perTasklet * shares_.tasklets * (pattern_.takesPairs ? 2 : 1);
}

std::int64_t Layout::rowsOf(std::int64_t dpu) const {
  const std::int64_t extent = shares_.extents[static_cast<std::size_t>(pattern_.rows)];
  return std::clamp<std::int64_t>(extent - dpu * rowsPerDpu(), 0, rowsPerDpu());
}

template <typename Row>
void Layout::forEachRow(Array::Part part, std::int64_t dpu, Row &&row) const {
  const auto stride = [](const View &v, int dim) { return v.stride[static_cast<std::size_t>(dim)]; };
  const auto extent = [&](int dim) { return shares_.extents[static_cast<std::size_t>(dim)]; };
  const std::int64_t first = dpu * rowsPerDpu(), rows = rowsOf(dpu);
  const int dim = pattern_.rows;
  const View &v = part == Array::Part::kA || pattern_.takesPairs ? pattern_.a : pattern_.b;
  if (pattern_.inner < 0) {
    const std::int64_t half = rowsPerDpu() / 2;
    const std::int64_t from = pattern_.takesPairs && part == Array::Part::kB ? half : 0;
    const std::int64_t to = pattern_.takesPairs && part == Array::Part::kA ? std::min(half, rows) : rows;
    if (to > from) row(0, v.base + stride(v, dim) * (first + from), stride(v, dim), to - from);
    return;
  }
  const bool isA = part == Array::Part::kA;
  const int outer = isA ? dim : pattern_.columns;
  const std::int64_t lines = isA ? rows : outer < 0 ? 1 : extent(outer);
  for (std::int64_t r = 0; r < lines; ++r) {
    const std::int64_t at = outer < 0 ? 0 : stride(v, outer) * (r + (isA ? first : 0));
    row(r * work_.inner, v.base + at, stride(v, pattern_.inner), extent(pattern_.inner));
  }
}

Block Layout::operand(const Array &a, std::int64_t dpu, const kernel::DataSet &data) const {
  const std::int64_t size = elementBytes();
  Block block{a.offset, std::vector<std::byte>(static_cast<std::size_t>(a.bytes))};
  if (pattern_.shape == Shape::kSel)
    for (std::int64_t i = 0; i < a.bytes; i += size) block.bytes[static_cast<std::size_t>(i)] = std::byte{1};
  const View &v = a.part == Array::Part::kA || pattern_.takesPairs ? pattern_.a : pattern_.b;
  const std::byte *from = data[static_cast<std::size_t>(v.tensor)].bytes.data();
  forEachRow(a.part, dpu, [&](std::int64_t index, std::int64_t first, std::int64_t stride, std::int64_t count) {
    std::byte *to = block.bytes.data() + index * size;
    if (stride == 1) {
      std::memcpy(to, from + first * size, static_cast<std::size_t>(count * size));
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * size, from + (first + i * stride) * size, static_cast<std::size_t>(size));
    }
  });
  return block;
}

std::vector<Block> Layout::operands(std::int64_t dpu, const kernel::DataSet &data) const {
  std::vector<Block> blocks;
  for (const Array &a : arrays_)
    if (a.isInput) blocks.push_back(operand(a, dpu, data));
  return blocks;
}

std::vector<Fill> Layout::fills(std::int64_t dpu, double value) const {
  const std::int64_t size = elementBytes();
  kernel::TensorData element(pattern_.type, {1});
  element.setDouble(0, value);
  std::vector<std::byte> padding(static_cast<std::size_t>(size));
  if (pattern_.shape == Shape::kSel) padding[0] = std::byte{1};
  std::vector<Fill> fills;
  for (const Array &a : arrays_) {
    if (!a.isInput) continue;
    std::vector<Fill> rows;
    std::int64_t filled = 0;
    forEachRow(a.part, dpu, [&](std::int64_t index, std::int64_t, std::int64_t, std::int64_t count) {
      const std::int64_t offset = a.offset + index * size;
      filled += count * size;
      if (!rows.empty() && rows.back().offset + rows.back().size == offset)
        rows.back().size += count * size;
      else
        rows.push_back({offset, count * size, element.bytes});
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

std::unique_ptr<Results> Layout::collector(kernel::DataSet &data) const {
  return std::make_unique<Merger>(*this, data);
}

Status Layout::check(const kernel::DataSet &data) const {
  if (pattern_.shape != Shape::kHst) return okStatus();
  const kernel::TensorData &a = data[static_cast<std::size_t>(pattern_.a.tensor)];
  for (std::int64_t dpu = 0; dpu < shares_.dpus; ++dpu) {
    std::int64_t bad = -1;
    forEachRow(Array::Part::kA, dpu, [&](std::int64_t, std::int64_t first, std::int64_t stride, std::int64_t count) {
      for (std::int64_t i = 0; i < count && bad < 0; ++i) {
        const std::int64_t x = a.asInteger(first + i * stride);
        if (x < 0 || x > kLargestValue) bad = first + i * stride;
      }
    });
    if (bad >= 0)
      return unsupported("unsupported-data", {},
                         fmt::format("element {} of the histogram's data is {}; values have 12 bits, 0 to {}", bad,
                                     a.asInteger(bad), kLargestValue),
                         "use --data uniform:0,4095, or scale the data");
  }
  return okStatus();
}

evaluate::HostWork Layout::hostWork() const {
  evaluate::HostWork w;
  w.dpus = shares_.dpus;
  w.launches = 1;
  const std::int64_t argumentsOfAll = argumentBytes(pattern_.shape) * w.dpus;
  w.broadcast = Bytes(argumentsOfAll);
  for (const Array &a : arrays_) {
    const Bytes bytes(multiplySaturated(a.bytes, w.dpus));
    if (!a.isInput) {
      w.readBack = Bytes(addSaturated(w.readBack.value, bytes.value));
      continue;
    }
    if (a.isSame) w.broadcast = Bytes(addSaturated(w.broadcast.value, bytes.value));
    w.placed = Bytes(addSaturated(w.placed.value, bytes.value));
    // Gathered, unless it lies in one piece.
    std::int64_t pieces = 0;
    bool isStrided = false;
    std::int64_t next = -1;
    forEachRow(a.part, 0, [&](std::int64_t, std::int64_t first, std::int64_t stride, std::int64_t count) {
      if (stride != 1 && count > 1) isStrided = true;
      if (first != next) ++pieces;
      next = first + count;
    });
    const bool isPadded =
        pattern_.inner >= 0 && work_.inner != shares_.extents[static_cast<std::size_t>(pattern_.inner)];
    if (isStrided || pieces > 1 || isPadded)
      w.rearrangedIn = Bytes(addSaturated(w.rearrangedIn.value, a.isSame ? a.bytes : bytes.value));
  }
  w.placed = Bytes(addSaturated(w.placed.value, argumentsOfAll));
  const std::int64_t extent = shares_.extents[static_cast<std::size_t>(pattern_.rows)];
  const std::int64_t covered = std::min(extent, multiplySaturated(rowsPerDpu(), w.dpus));
  switch (pattern_.shape) {
    case Shape::kRed:
      w.merges = shares_.tasklets * w.dpus;
      break;
    case Shape::kHst:
      w.merges = multiplySaturated(shares_.tasklets * w.dpus, work_.bins);
      break;
    case Shape::kScan:  // the first DPU's sums stay
      w.merges = std::max<std::int64_t>(0, covered - rowsPerDpu());
      break;
    case Shape::kSel:  // all gaps may have to be closed
      w.rearrangedOut = Bytes(multiplySaturated(covered, elementBytes()));
      break;
    case Shape::kGemv:
      if (work_.perTasklet * elementBytes() % kUnit != 0) w.rearrangedOut = w.readBack;
      break;
    case Shape::kGemm:
      if (work_.columns != shares_.extents[static_cast<std::size_t>(pattern_.columns)]) w.rearrangedOut = w.readBack;
      break;
    case Shape::kVa:
      break;
  }
  return w;
}

// --- merging

void Merger::accumulate(const View &v, std::int64_t element, std::int64_t x) {
  kernel::TensorData &t = tensor(v);
  t.setInteger(element, static_cast<std::int64_t>(static_cast<std::uint64_t>(t.asInteger(element)) +
                                                  static_cast<std::uint64_t>(x)));
}

void Merger::add(const std::vector<Block> &results) {
  switch (layout_.pattern_.shape) {
    case Shape::kVa:
      addVa(results[0]);
      break;
    case Shape::kRed:
      addRed(results[0]);
      break;
    case Shape::kSel:
      addSel(results[0], results[1]);
      break;
    case Shape::kScan:
      addScan(results[0]);
      break;
    case Shape::kHst:
      addHst(results[0]);
      break;
    case Shape::kGemv:
    case Shape::kGemm:
      addProduct(results[0]);
      break;
  }
  ++dpu_;
}

void Merger::addVa(const Block &out) {
  const View &v = layout_.pattern_.out;
  const std::int64_t size = layout_.elementBytes(), stride = v.stride[0];
  const std::int64_t first = v.base + dpu_ * layout_.rowsPerDpu() * stride;
  std::byte *to = tensor(v).bytes.data();
  for (std::int64_t i = 0; i < layout_.rowsOf(dpu_); ++i)
    std::memcpy(to + (first + i * stride) * size, out.bytes.data() + i * size, static_cast<std::size_t>(size));
}

void Merger::addRed(const Block &partial) {
  for (std::int64_t t = 0; t < layout_.shares_.tasklets; ++t)
    accumulate(layout_.pattern_.out, layout_.pattern_.out.base, wordAt(partial.bytes, t * kRecord));
}

void Merger::addSel(const Block &out, const Block &kept) {
  const View &v = layout_.pattern_.out;
  const std::int64_t size = layout_.elementBytes(), buffer = layout_.work_.buffer;
  const auto rounds = static_cast<std::int64_t>(kept.bytes.size()) / kRecord;
  std::byte *to = tensor(v).bytes.data();
  for (std::int64_t r = 0; r < rounds; ++r) {
    const std::int64_t n = wordAt(kept.bytes, r * kRecord);
    PIMENTO_CHECK(n <= buffer);
    for (std::int64_t i = 0; i < n; ++i, ++count_)
      std::memcpy(to + (v.base + count_ * v.stride[0]) * size, out.bytes.data() + (r * buffer + i) * size,
                  static_cast<std::size_t>(size));
  }
}

void Merger::addScan(const Block &out) {
  const View &v = layout_.pattern_.out;
  const std::int64_t size = layout_.elementBytes(), first = dpu_ * layout_.rowsPerDpu();
  kernel::TensorData &to = tensor(v);
  for (std::int64_t i = 0; i < layout_.rowsOf(dpu_); ++i)
    to.setInteger(v.base + (first + i) * v.stride[0], elementAt(out.bytes, i * size, size) + carried_);
  const auto last = static_cast<std::int64_t>(out.bytes.size()) - size;
  carried_ = (carried_ + elementAt(out.bytes, last, size)) & 0xffffffff;
}

void Merger::addHst(const Block &partial) {
  const View &v = layout_.pattern_.out;
  const std::int64_t bins = layout_.work_.bins;
  for (std::int64_t i = 0; i < layout_.shares_.tasklets * bins; ++i)
    accumulate(v, v.base + i % bins, wordAt(partial.bytes, i * 4));
  accumulate(v, v.base, layout_.rowsOf(dpu_) - layout_.rowsPerDpu());  // padding fell into bin 0
}

void Merger::addProduct(const Block &out) {
  const Pattern &p = layout_.pattern_;
  const std::int64_t size = layout_.elementBytes(), per = layout_.work_.perTasklet;
  const std::int64_t rowStride = p.out.stride[static_cast<std::size_t>(p.rows)];
  const std::int64_t columnStride = p.columns < 0 ? 0 : p.out.stride[static_cast<std::size_t>(p.columns)];
  const std::int64_t columns = p.columns < 0 ? 1 : layout_.shares_.extents[static_cast<std::size_t>(p.columns)];
  for (std::int64_t r = 0; r < layout_.rowsOf(dpu_); ++r) {
    const std::int64_t at =
        p.columns < 0 ? (r / per) * roundUp(per * size, kUnit) + (r % per) * size : r * layout_.work_.columns * size;
    const std::int64_t element = p.out.base + (dpu_ * layout_.rowsPerDpu() + r) * rowStride;
    for (std::int64_t c = 0; c < columns; ++c)
      accumulate(p.out, element + c * columnStride, elementAt(out.bytes, at + c * size, size));
  }
}

void Merger::finish() {
  const Pattern &p = layout_.pattern_;
  if (p.shape == Shape::kSel && p.extra.exists()) accumulate(p.extra, p.extra.base, count_);
  if (p.shape == Shape::kScan) accumulate(p.extra, p.extra.base, carried_);
}

}  // namespace pimento::targets::upmem::measured
