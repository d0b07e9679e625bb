#include "pimento/targets/upmem/compiled/tiling.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/targets/upmem/compiled/operands.h"

namespace pimento::targets::upmem::compiled {

namespace {

constexpr std::int64_t kRowUnit = 8;  // points of dims that run along rows: whole transfers whatever the type
// Of choosing only: what a transfer takes besides its bytes, a byte, and issue slots of a tile, a transfer and a run of
// the innermost loop.
constexpr double kTransfer = 45, kByte = 0.55, kTileSlots = 20, kTransferSlots = 12, kLoopSlots = 14;

class Tiler {
 public:
  Tiler(Scheme &scheme, const machine::Machine &machine, std::int64_t buffer)
      : scheme_(scheme), machine_(machine), buffer_(buffer) {
    room_ = (machine.dpu->wram.value - kReservedWram) / scheme.threads - scheme.stackBytes;
  }

  Status run() {
    start();
    measureOperands(scheme_);
    if (scheme_.wramBytes > room_) moveTables();
    if (Status s =
            lower::checkCapacity(scheme_.kernel(), scheme_.wramBytes, "bytes of WRAM per tasklet at least", room_,
                                 fmt::format("each of {} tasklets has", scheme_.threads),
                                 fmt::format("{}leave the kernel on the host: --offload possible",
                                             scheme_.threads > 1 ? "use fewer tasklets, a smaller range, or " : ""));
        !s)
      return s;
    grow();
    return okStatus();
  }

 private:
  bool runsAlongRows(int d) const {
    return std::any_of(scheme_.operands.begin(), scheme_.operands.end(),
                       [d](const Operand &o) { return !o.positions.empty() && o.positions.back().involves(d); });
  }

  std::int64_t limitOf(int d) const {
    const Axis &a = scheme_.axis(d);
    if (isOfRow(scheme_.kernel(), static_cast<std::size_t>(d))) return 1;  // row by row
    if (buffer_ == 0 || d != scheme_.inner() || a.isWhole) return a.range;
    const std::int64_t unit = runsAlongRows(d) ? kRowUnit : 1;
    return std::min(a.range, std::max(unit, buffer_ / unit * unit));
  }

  void start() {
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
      Axis &a = scheme_.axes[d];
      const bool isRow = !isOfRow(scheme_.kernel(), d) && runsAlongRows(static_cast<int>(d)) &&
                         (!a.isOrdered || static_cast<int>(d) == scheme_.inner());
      a.tile = a.isWhole ? a.range : std::min(a.range, isRow ? kRowUnit : 1);
    }
    order();
    measureOperands(scheme_);
    // Rows of results begin at whole transfers.
    for (const Operand &o : scheme_.operands) {
      if (o.isShared() || o.isAligned) continue;
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
        if (o.positions.back().coefficient[d] != 0) scheme_.axes[d].tile = scheme_.axes[d].range;
    }
    order();
  }

  /// Points of ordered dims run row-major: what is inside a dim of several points is whole.
  void order() {
    bool isSeveral = false;
    for (const int d : scheme_.nest) {
      Axis &a = scheme_.axes[static_cast<std::size_t>(d)];
      if (!a.isOrdered) continue;
      if (isSeveral) a.tile = a.range;
      isSeveral |= a.tile > 1;
    }
  }

  void moveTables() {
    for (Operand &o : scheme_.operands) o.isInMram |= o.use == Use::kTable;
    measureOperands(scheme_);
  }

  /// May dim `d` have more points while ordered dims inside it are not whole?
  bool mayGrow(int d) const {
    const Axis &a = scheme_.axis(d);
    if (a.isWhole || a.tile >= limitOf(d)) return false;
    if (!a.isOrdered) return true;
    bool isInside = false;
    for (const int n : scheme_.nest) {
      if (isInside && scheme_.axis(n).isOrdered && scheme_.axis(n).isTiled()) return false;
      isInside |= n == d;
    }
    return true;
  }

  double cost() const {
    const double tasklets = static_cast<double>(scheme_.threads);
    double transfers = 0, slots = 0, tiles = 1, runs = 1, first = 0;
    for (const int d : scheme_.nest) {
      const Axis &a = scheme_.axis(d);
      tiles *= static_cast<double>(ceilDiv(a.range, a.tile));
      if (d != scheme_.inner()) runs *= static_cast<double>(a.tile);
    }
    slots = tiles * (kTileSlots + runs * kLoopSlots);
    const auto sizes = scheme_.sizesPerTile();
    for (const Operand &o : scheme_.operands) {
      if (o.isInMram && o.isPlaced()) continue;  // whatever the tiles are
      double times = 1, pieces = 1;
      for (int n = 0; n <= o.level; ++n) {
        const Axis &a = scheme_.axis(scheme_.nest[static_cast<std::size_t>(n)]);
        times *= static_cast<double>(ceilDiv(a.range, a.tile));
      }
      for (std::size_t p = 0; p < o.block; ++p) pieces *= static_cast<double>(o.positions[p].extent(sizes));
      const auto bytes = static_cast<double>(o.near.bytes);
      const double chunks = std::max(pieces, bytes / static_cast<double>(kLargestTransfer));
      transfers += times * (chunks * kTransfer + bytes * kByte);
      slots += times * chunks * kTransferSlots;
      first += bytes * kByte;
    }
    // Tasklets wait for each other's first transfers.
    return tasklets * (transfers + first) + slots * std::max(11.0, tasklets);
  }

  void grow() {
    double best = cost();
    for (bool isBetter = true; isBetter;) {
      isBetter = false;
      std::int64_t tile = 0;
      int chosen = -1;
      for (const int d : scheme_.nest) {
        if (!mayGrow(d)) continue;
        Axis &a = scheme_.axes[static_cast<std::size_t>(d)];
        const std::int64_t old = a.tile;
        a.tile = std::min(limitOf(d), 2 * old);
        measureOperands(scheme_);
        const double c = scheme_.wramBytes <= room_ ? cost() : best;
        if (c < best) {
          best = c;
          chosen = d;
          tile = a.tile;
          isBetter = true;
        }
        a.tile = old;
      }
      if (isBetter) scheme_.axes[static_cast<std::size_t>(chosen)].tile = tile;
    }
    measureOperands(scheme_);
  }

  Scheme &scheme_;
  const machine::Machine &machine_;
  std::int64_t buffer_, room_ = 0;
};

/// At most, as buildProgram() makes sure: routines of exp and the like call one another.
std::int64_t stackOf(const kernel::Kernel &kernel) {
  const bool isDeep = std::any_of(kernel.body.begin(), kernel.body.end(), [](const kernel::Value &v) {
    return isFloat(v.type) && v.op >= kernel::Op::kDiv && v.op != kernel::Op::kCast;
  });
  return isDeep ? 1024 : 512;
}

}  // namespace

Status chooseTiles(Scheme &scheme, const machine::Machine &machine, std::int64_t buffer) {
  scheme.stackBytes = stackOf(scheme.kernel());
  return Tiler(scheme, machine, buffer).run();
}

}  // namespace pimento::targets::upmem::compiled
