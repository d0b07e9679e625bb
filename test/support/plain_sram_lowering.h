// A second lowering of scheduled regions, cell by cell and without patterns: slow, short, and obviously right. The
// lowering that runs (lower/l3_sram) is compared with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "pimento/base/element_bits.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/lanes.h"
#include "pimento/lower/l3_sram/region.h"
#include "pimento/tdfg/cells.h"

namespace pimento::test {

/// Cells that one operation reads and writes; the operation by what it does and in which wordlines.
struct CellGroup {
  std::string what;
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;  ///< from, to; sorted
  bool operator==(const CellGroup &) const = default;
};

/// Commands as groups: neighbours that do the same are one.
inline std::vector<CellGroup> groupsOf(const lower::l3_sram::RegionCode &code, const lower::l3_sram::Layout &layout) {
  using Kind = program::SramCommandKind;
  std::vector<CellGroup> groups;
  for (const program::SramCommand &c : code.commands.list) {
    std::string what;
    if (c.kind == Kind::kSync) {
      groups.push_back({"sync", {}});
      continue;
    }
    if (c.kind == Kind::kStream) {
      groups.push_back({"stream " + std::to_string(c.stream), {}});
      continue;
    }
    const auto rows = " " + std::to_string(c.operands[0]) + " to " + std::to_string(c.dest);
    if (c.kind == Kind::kCompute)
      what = std::string(kernel::name(c.op)) + " " + std::string(name(c.type)) + rows + " " +
             std::to_string(c.operands[1]) + " " + std::to_string(c.operands[2]);
    else if (c.kind == Kind::kConstant)
      what = "constant " + std::to_string(c.constant) + " to " + std::to_string(c.dest);
    else
      what = "move " + std::to_string(c.bits) + rows;
    if (groups.empty() || groups.back().what != what) groups.push_back({what, {}});
    const bool isMove = c.kind == Kind::kShift || c.kind == Kind::kTileShift || c.kind == Kind::kBroadcast;
    const std::int64_t distance = isMove ? c.tileDistance * layout.cellsPerTile + c.bitlineDistance : 0;
    c.tiles.forEach([&](std::int64_t t) {
      c.bitlines.forEach([&](std::int64_t b) {
        const std::int64_t from = t * layout.cellsPerTile + b;
        c.tileCopies.forEach([&](std::int64_t tc) {
          c.bitlineCopies.forEach([&](std::int64_t bc) {
            groups.back().cells.emplace_back(from, from + distance + tc * layout.cellsPerTile + bc);
          });
        });
      });
    });
  }
  for (CellGroup &g : groups) std::sort(g.cells.begin(), g.cells.end());
  return groups;
}

class PlainSramLowering {
 public:
  PlainSramLowering(const tdfg::Instance &instance, const tdfg::Schedule &schedule,
                    const lower::l3_sram::Layout &layout, const std::vector<std::uint64_t> &constants)
      : instance_(instance), schedule_(schedule), layout_(layout), constants_(constants) {}

  std::vector<CellGroup> run() {
    for (const tdfg::Step &step : schedule_.steps) lower(step);
    if (!pending_.empty()) groups_.push_back({"sync", {}});
    return std::move(groups_);
  }

 private:
  using Cells = std::vector<std::pair<std::int64_t, std::int64_t>>;

  const tdfg::BoundNode &bound(int n) const { return instance_.nodes[static_cast<std::size_t>(n)]; }
  std::int64_t at(const tdfg::Cell &x) const { return layout_.at({x[0], x[1], x[2]}); }
  int literal(int i) const { return schedule_.size.wordlines + i * lower::l3_sram::kLiteralRows; }

  bool isPending(int row, int bits) const {
    return row >= 0 && std::any_of(pending_.begin(), pending_.end(),
                                   [&](const auto &p) { return row < p.first + p.second && p.first < row + bits; });
  }
  void sync() {
    groups_.push_back({"sync", {}});
    pending_.clear();
  }
  void stream() {
    if (!pending_.empty()) sync();
    groups_.push_back({"stream " + std::to_string(streams_++), {}});
  }

  /// One operation; `rows` with their bits are what it touches.
  void group(std::string what, Cells cells, const std::vector<std::pair<int, int>> &rows, bool isAway, int dest,
             int bits) {
    if (cells.empty()) return;
    if (std::any_of(rows.begin(), rows.end(), [&](const auto &r) { return isPending(r.first, r.second); })) sync();
    if (isAway) pending_.emplace_back(dest, bits);
    std::sort(cells.begin(), cells.end());
    if (!groups_.empty() && groups_.back().what == what) {
      groups_.back().cells.insert(groups_.back().cells.end(), cells.begin(), cells.end());
      std::sort(groups_.back().cells.begin(), groups_.back().cells.end());
      return;
    }
    groups_.push_back({std::move(what), std::move(cells)});
  }

  Cells same(const tdfg::BoundBox &box) const {
    Cells cells;
    tdfg::forEachCell(box, [&](const tdfg::Cell &x) { cells.emplace_back(at(x), at(x)); });
    return cells;
  }
  void constant(int row, int bits, std::uint64_t value, const tdfg::BoundBox &box) {
    group("constant " + std::to_string(value) + " to " + std::to_string(row), same(box), {{row, bits}}, false, row,
          bits);
  }
  void move(int from, int to, int bits, Cells cells, bool isBroadcast) {
    bool isAway = isBroadcast;
    for (const auto &[a, b] : cells) isAway |= a / layout_.cellsPerTile != b / layout_.cellsPerTile;
    group("move " + std::to_string(bits) + " " + std::to_string(from) + " to " + std::to_string(to), std::move(cells),
          {{from, bits}, {to, bits}}, isAway, to, bits);
  }
  void compute(kernel::Op op, DType type, std::array<int, 3> rows, int dest, int operandBits, Cells cells) {
    group(std::string(kernel::name(op)) + " " + std::string(name(type)) + " " + std::to_string(rows[0]) + " to " +
              std::to_string(dest) + " " + std::to_string(rows[1]) + " " + std::to_string(rows[2]),
          std::move(cells),
          {{rows[0], operandBits}, {rows[1], operandBits}, {rows[2], operandBits}, {dest, bitsOf(type)}}, false, dest,
          bitsOf(type));
  }

  void lower(const tdfg::Step &step) {
    using tdfg::StepKind;
    if (step.kind == StepKind::kSpill || step.kind == StepKind::kRefill) return stream();
    if (step.kind == StepKind::kCopy)
      return move(step.operands[0], step.wordline, bitsOf(bound(step.node).node->type), same(bound(step.node).box),
                  false);
    if (step.kind == StepKind::kStore) {
      const tdfg::BoundOutput &o = instance_.outputs[static_cast<std::size_t>(step.output)];
      if (tdfg::isEmpty(o.box)) return;
      if (o.output->isStream) return stream();
      const int home = schedule_.residents[static_cast<std::size_t>(o.output->array)];
      if (home != step.wordline)
        move(step.wordline, home, bitsOf(bound(o.output->node).node->type), same(o.box), false);
      return;
    }
    const tdfg::BoundNode &b = bound(step.node);
    const tdfg::Node &node = *b.node;
    if (tdfg::isEmpty(b.box)) return;
    if (node.kind == tdfg::NodeKind::kStrm) return stream();
    if (node.kind == tdfg::NodeKind::kReduce) return reduce(step, b);
    const auto k = static_cast<std::size_t>(std::max(node.dim, 0));
    if (node.kind == tdfg::NodeKind::kMv || node.kind == tdfg::NodeKind::kBc) {
      Cells cells;
      tdfg::forEachCell(b.box, [&](const tdfg::Cell &to) {
        tdfg::Cell from = to;
        from[k] = node.kind == tdfg::NodeKind::kMv ? to[k] - b.distance : bound(node.args[0]).box[k].low;
        cells.emplace_back(at(from), at(to));
      });
      return move(step.operands[0], step.wordline, bitsOf(node.type), std::move(cells),
                  node.kind == tdfg::NodeKind::kBc);
    }
    std::array<int, 3> rows{-1, -1, -1};
    int operandBits = 0;
    for (std::size_t i = 0; i < node.args.size(); ++i) {
      const int bits = bitsOf(bound(node.args[i]).node->type);
      operandBits = std::max(operandBits, bits);
      rows[i] = step.operands[i] >= 0 ? step.operands[i] : literal(static_cast<int>(i));
      if (step.operands[i] < 0) constant(rows[i], bits, constants_[static_cast<std::size_t>(node.args[i])], b.box);
    }
    compute(node.op, node.type, rows, step.wordline, operandBits, same(b.box));
  }

  /// Every tile's upper half onto its lower one, by recursion.
  void reduce(const tdfg::Step &step, const tdfg::BoundNode &b) {
    const tdfg::Node &node = *b.node;
    const auto k = static_cast<std::size_t>(node.dim);
    const std::int64_t tile = layout_.tile[k];
    if (tile > 1) {
      const tdfg::BoundBox lines = bound(node.args[0]).box;
      tdfg::BoundBox tiles = lines;
      tiles[k] = {lines[k].low / tile * tile, (lines[k].high + tile - 1) / tile * tile, 1};
      std::uint64_t identity = 0;
      kernel::store(node.type, reinterpret_cast<std::byte *>(&identity), 0, kernel::identity(node.combine, node.type));
      constant(literal(0), bitsOf(node.type), identity, tiles);
      move(step.operands[0], literal(0), bitsOf(node.type), same(lines), false);
      halve(tiles, k, tile, tile / 2, literal(0), literal(1), node);
    }
    stream();
  }
  void halve(const tdfg::BoundBox &tiles, std::size_t k, std::int64_t tile, std::int64_t half, int at_, int other,
             const tdfg::Node &node) {
    if (half == 0) return;
    Cells upper, lower;
    tdfg::forEachCell(tiles, [&](const tdfg::Cell &x) {
      tdfg::Cell down = x;
      down[k] -= half;
      if (x[k] % tile >= half && x[k] % tile < 2 * half) upper.emplace_back(at(x), at(down));
      if (x[k] % tile < half) lower.emplace_back(at(x), at(x));
    });
    move(at_, literal(2), bitsOf(node.type), std::move(upper), false);
    compute(kernel::opOf(node.combine), node.type, {at_, literal(2), -1}, other, bitsOf(node.type), std::move(lower));
    halve(tiles, k, tile, half / 2, other, at_, node);
  }

  const tdfg::Instance &instance_;
  const tdfg::Schedule &schedule_;
  const lower::l3_sram::Layout &layout_;
  const std::vector<std::uint64_t> &constants_;
  std::vector<CellGroup> groups_;
  std::vector<std::pair<int, int>> pending_;
  int streams_ = 0;
};

}  // namespace pimento::test
