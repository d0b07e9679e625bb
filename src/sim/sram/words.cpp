#include "pimento/sim/sram/words.h"

#include <cstring>
#include <map>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/base/element_bits.h"
#include "pimento/kernel/lanes.h"
#include "pimento/sim/sram/command_operation.h"

namespace pimento::sim::sram {

using program::SramCommand;
using program::SramPattern;
using Kind = program::SramCommandKind;

namespace {

class WordExecutor final : public Executor {
 public:
  explicit WordExecutor(const LatticeShape &shape) : shape_(shape) {}

  void claim(int row, int bits) override { value(row, bits); }
  void store(int row, int bits, std::int64_t first, std::span<const std::uint64_t> elements) override {
    std::byte *to = value(row, bits) + first * (bits / 8);
    for (std::size_t i = 0; i < elements.size(); ++i)
      std::memcpy(to + static_cast<std::ptrdiff_t>(i) * (bits / 8), &elements[i], static_cast<std::size_t>(bits / 8));
  }
  void load(int row, int bits, std::int64_t first, std::span<std::uint64_t> elements) override {
    const auto at = values_.find(row);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = 0;
      if (at == values_.end()) continue;
      const std::ptrdiff_t bytes = bits / 8;
      std::memcpy(&elements[i], at->second.data() + (first + static_cast<std::ptrdiff_t>(i)) * bytes,
                  static_cast<std::size_t>(bytes));
    }
  }

  Status run(const SramCommand &c) override {
    switch (c.kind) {
      case Kind::kCompute:
        return compute(c);
      case Kind::kConstant: {
        std::byte *to = value(c.dest, c.bits);
        const int bytes = c.bits / 8;
        forEachCell(c, [&](std::int64_t cell) {
          std::memcpy(to + cell * bytes, &c.constant, static_cast<std::size_t>(bytes));
        });
        break;
      }
      case Kind::kStream:
      case Kind::kSync:
        break;
      default:
        move(c);
        break;
    }
    return okStatus();
  }

 private:
  /// The elements of a value; what was at its first wordline in another width is gone.
  std::byte *value(int row, int bits) {
    std::vector<std::byte> &v = values_[row];
    const auto size = static_cast<std::size_t>(shape_.cells() * (bits / 8));
    if (v.size() < size) v.resize(size);
    return v.data();
  }

  /// Calls body(first, stride, count) for runs of cells.
  template <typename Body>
  void forEachRun(const SramCommand &c, const Body &body) const {
    const bool isWhole = c.bitlines.count() == shape_.cellsPerTile;
    c.tiles.forEachRun([&](std::int64_t tile, std::int64_t step, std::int64_t tiles) {
      if (isWhole && step == 1) return body(tile * shape_.cellsPerTile, std::int64_t{1}, tiles * shape_.cellsPerTile);
      for (std::int64_t t = 0; t < tiles; ++t) {
        const std::int64_t base = (tile + t * step) * shape_.cellsPerTile;
        c.bitlines.forEachRun(
            [&](std::int64_t first, std::int64_t stride, std::int64_t count) { body(base + first, stride, count); });
      }
    });
  }
  template <typename Body>
  void forEachCell(const SramCommand &c, const Body &body) const {
    forEachRun(c, [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) body(first + i * stride);
    });
  }

  template <typename Word>
  void moveWords(const SramCommand &c) {
    const auto *from = reinterpret_cast<const Word *>(value(c.operands[0], c.bits));
    auto *to = reinterpret_cast<Word *>(value(c.dest, c.bits));
    const std::int64_t distance = c.tileDistance * shape_.cellsPerTile + c.bitlineDistance;
    forEachCell(c, [&](std::int64_t cell) {
      c.tileCopies.forEach([&](std::int64_t t) {
        Word *place = to + cell + distance + t * shape_.cellsPerTile;
        c.bitlineCopies.forEachRun([&](std::int64_t first, std::int64_t stride, std::int64_t count) {
          for (std::int64_t i = 0; i < count; ++i) place[first + i * stride] = from[cell];
        });
      });
    });
  }
  void move(const SramCommand &c) {
    switch (c.bits) {
      case 8:
        return moveWords<std::uint8_t>(c);
      case 16:
        return moveWords<std::uint16_t>(c);
      case 32:
        return moveWords<std::uint32_t>(c);
      default:
        return moveWords<std::uint64_t>(c);
    }
  }

  struct Run {
    std::int64_t first, stride;
    int count;
  };

  Status compute(const SramCommand &c) {
    const kernel::Value node{.op = c.op, .type = c.type};
    const int arguments = kernel::argumentCount(c.op);
    std::array<DType, 3> types{c.argument, c.argument, c.argument};
    if (c.op == kernel::Op::kSelect) types[1] = types[2] = c.type;
    for (int i = 0; i < arguments; ++i)
      value(c.operands[static_cast<std::size_t>(i)], bitsOf(types[static_cast<std::size_t>(i)]));
    std::byte *result = value(c.dest, bitsOf(c.type));
    std::array<const std::byte *, 3> from{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(arguments); ++i)
      from[i] = value(c.operands[i], bitsOf(types[i]));
    const DType last = types[static_cast<std::size_t>(std::max(arguments - 1, 0))];
    int filled = 0;
    runs_.clear();
    const auto flush = [&] {
      for (std::size_t i = 0; i < static_cast<std::size_t>(arguments); ++i)
        for (int at = 0; const Run &r : runs_) {
          kernel::gather(types[i], from[i], r.first, r.stride, lanes_[i], at, r.count);
          at += r.count;
        }
      kernel::evaluate(node, last, out_, lanes_[0], lanes_[1], lanes_[2], filled);
      for (int at = 0; const Run &r : runs_) {
        kernel::scatter(c.type, result, r.first, r.stride, out_, at, r.count);
        at += r.count;
      }
      runs_.clear();
      filled = 0;
    };
    forEachRun(c, [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
      while (count > 0) {
        const int n = static_cast<int>(std::min<std::int64_t>(count, kernel::kBlock - filled));
        runs_.push_back({first, stride, n});
        filled += n;
        first += n * stride;
        count -= n;
        if (filled == kernel::kBlock) flush();
      }
    });
    if (filled > 0) flush();
    return okStatus();
  }

  LatticeShape shape_;
  std::map<int, std::vector<std::byte>> values_;
  std::vector<Run> runs_;
  std::array<kernel::Lanes, 3> lanes_{};
  kernel::Lanes out_{};
};

}  // namespace

std::unique_ptr<Executor> makeWordExecutor(const LatticeShape &shape) {
  return std::make_unique<WordExecutor>(shape);
}

}  // namespace pimento::sim::sram
