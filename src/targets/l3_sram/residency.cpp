#include "pimento/targets/l3_sram/residency.h"

#include <algorithm>
#include <cstring>

#include "pimento/base/element_bits.h"
#include "pimento/base/thread_pool.h"
#include "pimento/kernel/lanes.h"
#include "pimento/tdfg/cells.h"

namespace pimento::targets::l3_sram {

using lower::l3_sram::kMostDims;
using lower::l3_sram::Layout;
using tdfg::BoundBox;
using tdfg::BoundRange;

namespace {

/// Tiles that a thread takes at a time.
constexpr std::int64_t kTilesAtOnce = 64;

/// Shapes of arrays that are kept at a time: the memory of each is that of a whole cache at most.
constexpr std::size_t kMostShapes = 4;

/// What of a range lies in one tile: from which cell of it, and element of the range, how many.
struct InTile {
  std::int64_t cell = 0, element = 0, count = 0;
};

InTile partIn(const BoundRange &range, std::int64_t tile, std::int64_t extent) {
  const std::int64_t begin = tile * extent, end = begin + extent;
  const std::int64_t first = begin <= range.low ? 0 : (begin - range.low + range.stride - 1) / range.stride;
  const std::int64_t last = std::min(range.count(), end <= range.low ? 0 : (end - range.low - 1) / range.stride + 1);
  return {range.low + first * range.stride - begin, first, std::max<std::int64_t>(0, last - first)};
}

/// Lines of a box along dim 0 inside the tiles of a layout.
class TiledBox {
 public:
  TiledBox(const Layout &layout, const BoundBox &box) : layout_(layout) {
    std::copy(box.begin(), box.end(), box_.begin());
    for (std::size_t d = 0; d < kMostDims; ++d) {
      low_[d] = box_[d].low / layout.tile[d];
      tiles_[d] = (box_[d].high - 1) / layout.tile[d] + 1 - low_[d];
    }
  }

  std::int64_t tiles() const { return tiles_[0] * tiles_[1] * tiles_[2]; }

  /// begin(tile, cells of the box in it), then line(first cell, cells from one to the next, first element, count).
  template <typename Begin, typename Line>
  void visit(std::int64_t number, const Begin &begin, const Line &line) const {
    std::int64_t tile = 0;
    std::array<InTile, kMostDims> part;
    for (std::size_t d = 0; d < kMostDims; ++d) {
      const std::int64_t at = low_[d] + number % tiles_[d];
      number /= tiles_[d];
      tile += at * layout_.tileStride[d];
      part[d] = partIn(box_[d], at, layout_.tile[d]);
    }
    if (!begin(tile, part[0].count * part[1].count * part[2].count)) return;
    for (std::int64_t z = 0; z < part[2].count; ++z)
      for (std::int64_t y = 0; y < part[1].count; ++y)
        line(part[0].cell * layout_.cellStride[0] + (part[1].cell + y * box_[1].stride) * layout_.cellStride[1] +
                 (part[2].cell + z * box_[2].stride) * layout_.cellStride[2],
             box_[0].stride * layout_.cellStride[0],
             ((part[2].element + z) * box_[1].count() + part[1].element + y) * box_[0].count() + part[0].element,
             part[0].count);
  }

 private:
  const Layout &layout_;
  std::array<BoundRange, kMostDims> box_{BoundRange{0, 1, 1}, BoundRange{0, 1, 1}, BoundRange{0, 1, 1}};
  lower::l3_sram::Extents low_{}, tiles_{};
};

template <typename Body>
void forEachShare(int jobs, std::int64_t tiles, const Body &body) {
  const std::int64_t shares = (tiles + kTilesAtOnce - 1) / kTilesAtOnce;
  parallelFor(shares > 1 ? jobs : 1, shares,
              [&](std::int64_t share) { body(share * kTilesAtOnce, std::min(tiles, (share + 1) * kTilesAtOnce)); });
}

/// Calls see(first element of the array, of the box, count) for lines of a box along dim 0.
template <typename See>
void forEachArrayLine(const kernel::TensorData &array, const BoundBox &box, const See &see) {
  if (tdfg::isEmpty(box)) return;
  BoundBox rows = box;
  rows[0] = {box[0].low, box[0].low + 1, 1};
  std::int64_t element = 0;
  tdfg::forEachCell(rows, [&](const tdfg::Cell &x) {
    see(tdfg::elementAt(array.shape, x), element, box[0].count());
    element += box[0].count();
  });
}

template <typename Word>
void readLines(const kernel::TensorData &array, const BoundBox &box, std::vector<std::uint64_t> &elements) {
  const auto *from = reinterpret_cast<const Word *>(array.bytes.data());
  forEachArrayLine(array, box, [&](std::int64_t first, std::int64_t element, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      elements[static_cast<std::size_t>(element + i)] = from[first + i * box[0].stride];
  });
}
template <typename Word>
void writeLines(kernel::TensorData &array, const BoundBox &box, std::span<const std::uint64_t> elements) {
  auto *to = reinterpret_cast<Word *>(array.bytes.data());
  forEachArrayLine(array, box, [&](std::int64_t first, std::int64_t element, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      to[first + i * box[0].stride] = static_cast<Word>(elements[static_cast<std::size_t>(element + i)]);
  });
}

/// Calls body(word) with a word of the type's size.
template <typename Body>
void withWord(DType type, const Body &body) {
  switch (sizeOf(type).value) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

}  // namespace

std::uint64_t bitsOfElement(DType type, kernel::Scalar x) {
  std::uint64_t bits = 0;
  kernel::store(type, reinterpret_cast<std::byte *>(&bits), 0, x);
  return bits;
}

kernel::Scalar elementOfBits(DType type, std::uint64_t bits) {
  return kernel::load(type, reinterpret_cast<const std::byte *>(&bits), 0);
}

std::vector<std::uint64_t> Residency::load(int row, DType type, const BoundBox &box) {
  std::vector<std::uint64_t> elements(static_cast<std::size_t>(tdfg::elementsOf(box)));
  if (elements.empty()) return elements;
  const TiledBox tiled(*layout_, box);
  executor_->settle();
  forEachShare(jobs_, tiled.tiles(), [&](std::int64_t first, std::int64_t end) {
    std::vector<std::uint64_t> cells(static_cast<std::size_t>(layout_->cellsPerTile));
    for (std::int64_t t = first; t < end; ++t)
      tiled.visit(
          t,
          [&](std::int64_t tile, std::int64_t count) {
            if (count > 0) executor_->load(row, bitsOf(type), tile * layout_->cellsPerTile, cells);
            return count > 0;
          },
          [&](std::int64_t cell, std::int64_t step, std::int64_t element, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i)
              elements[static_cast<std::size_t>(element + i)] = cells[static_cast<std::size_t>(cell + i * step)];
          });
  });
  return elements;
}

void Residency::store(int row, DType type, const BoundBox &box, std::span<const std::uint64_t> elements) {
  if (tdfg::isEmpty(box)) return;
  const TiledBox tiled(*layout_, box);
  executor_->settle();
  executor_->claim(row, bitsOf(type));
  forEachShare(jobs_, tiled.tiles(), [&](std::int64_t first, std::int64_t end) {
    std::vector<std::uint64_t> cells(static_cast<std::size_t>(layout_->cellsPerTile));
    for (std::int64_t t = first; t < end; ++t) {
      std::int64_t at = -1;
      tiled.visit(
          t,
          [&](std::int64_t tile, std::int64_t count) {
            if (count == 0) return false;
            at = tile * layout_->cellsPerTile;
            if (count < layout_->cellsPerTile) executor_->load(row, bitsOf(type), at, cells);
            return true;
          },
          [&](std::int64_t cell, std::int64_t step, std::int64_t element, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i)
              cells[static_cast<std::size_t>(cell + i * step)] = elements[static_cast<std::size_t>(element + i)];
          });
      if (at >= 0) executor_->store(row, bitsOf(type), at, cells);
    }
  });
}

void Residency::begin(const Layout &layout, const tdfg::Schedule &schedule, const std::vector<int> &names) {
  const int wordlines = schedule.size.wordlines + lower::l3_sram::kOperandRows;
  if (!layout_ || !(*layout_ == layout) || wordlines_ != wordlines) {
    takeOutAll();
    residents_.clear();
    if (wordlines_ != wordlines || executors_.size() == kMostShapes) executors_.clear();
    layout_ = layout;
    wordlines_ = wordlines;
    auto &executor = executors_[{layout.tileCount(), layout.cellsPerTile}];
    if (executor == nullptr)
      executor = sim::sram::makeExecutor(mode_, {wordlines, layout.tileCount(), layout.cellsPerTile}, jobs_);
    executor_ = executor.get();
    ++counts_.layouts;
  }
  byArray_ = names;
  rows_ = schedule.residents;
  // Wordlines that the region uses for anything else.
  std::erase_if(residents_, [&](Resident &r) {
    for (std::size_t a = 0; a < rows_.size(); ++a)
      if (rows_[a] == r.row && byArray_[a] == r.data) return false;
    takeOut(r);
    return true;
  });
}

Residency::Resident *Residency::find(int data) {
  const auto at = std::ranges::find(residents_, data, &Resident::data);
  return at == residents_.end() ? nullptr : &*at;
}

BoundBox Residency::whole(int data) const {
  const kernel::TensorData &array = data_[static_cast<std::size_t>(data)];
  BoundBox box(static_cast<std::size_t>(layout_->dims), {0, 1, 1});
  for (std::size_t i = 0; i < array.shape.size(); ++i) box[array.shape.size() - 1 - i].high = array.shape[i];
  return box;
}

void Residency::bringIn(int array, const BoundBox &box) {
  if (tdfg::isEmpty(box)) return;
  const int data = byArray_[static_cast<std::size_t>(array)];
  Resident *r = find(data);
  if (r == nullptr) r = &residents_.emplace_back(Resident{data, rows_[static_cast<std::size_t>(array)], {}, {}, 0});
  if (!r->valid.empty() && tdfg::covers(r->valid, box)) return;
  // A part of an array may be all that is ever needed; a second one says otherwise.
  takeOut(*r);
  r->valid = ++r->misses > 1 ? whole(data) : box;
  const kernel::TensorData &from = data_[static_cast<std::size_t>(data)];
  std::vector<std::uint64_t> elements(static_cast<std::size_t>(tdfg::elementsOf(r->valid)));
  withWord(from.type, [&](auto word) { readLines<decltype(word)>(from, r->valid, elements); });
  store(r->row, from.type, r->valid, elements);
  counts_.laidOut += static_cast<std::int64_t>(elements.size());
}

void Residency::wrote(int array, const BoundBox &box, bool isAlone) {
  if (tdfg::isEmpty(box)) return;
  const int data = byArray_[static_cast<std::size_t>(array)];
  Resident *r = find(data);
  if (r == nullptr) r = &residents_.emplace_back(Resident{data, rows_[static_cast<std::size_t>(array)], {}, {}, 0});
  const bool isApart = !r->newer.empty() && !tdfg::covers(r->newer, box) && !tdfg::covers(box, r->newer);
  if (isApart) takeOut(*r);
  if (r->newer.empty() || tdfg::covers(box, r->newer)) r->newer = box;
  if (isAlone || r->valid.empty() || !tdfg::covers(r->valid, box)) r->valid = r->newer;
}

void Residency::takeOut(Resident &r) {
  if (r.newer.empty()) return;
  kernel::TensorData &to = data_[static_cast<std::size_t>(r.data)];
  const std::vector<std::uint64_t> elements = load(r.row, to.type, r.newer);
  withWord(to.type, [&](auto word) { writeLines<decltype(word)>(to, r.newer, elements); });
  counts_.takenOut += static_cast<std::int64_t>(elements.size());
  r.newer.clear();
}

void Residency::takeOut(int data) {
  if (Resident *r = find(data)) takeOut(*r);
}

void Residency::takeOutAll() {
  for (Resident &r : residents_) takeOut(r);
}

void Residency::forget(int data) {
  takeOut(data);
  std::erase_if(residents_, [data](const Resident &r) { return r.data == data; });
}

}  // namespace pimento::targets::l3_sram
