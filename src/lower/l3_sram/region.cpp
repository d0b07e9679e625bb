#include "pimento/lower/l3_sram/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "pimento/base/element_bits.h"
#include "pimento/kernel/lanes.h"
#include "pimento/lower/l3_sram/pieces.h"

namespace pimento::lower::l3_sram {

using program::SramCommand;
using program::SramCommandKind;
using tdfg::BoundBox;
using tdfg::BoundNode;
using tdfg::BoundRange;
using tdfg::NodeKind;
using tdfg::Step;
using tdfg::StepKind;

namespace {

/// Bits of an identity.
std::uint64_t identityBits(kernel::Combine combine, DType type) {
  std::uint64_t bits = 0;
  kernel::store(type, reinterpret_cast<std::byte *>(&bits), 0, kernel::identity(combine, type));
  return bits;
}

/// Wordlines where moves to other tiles are on their way.
class Pending {
 public:
  bool touches(int first, int bits) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const auto &r) { return first < r.second && r.first < first + bits; });
  }
  void add(int first, int bits) {
    if (ranges_.empty() || ranges_.back() != std::pair(first, first + bits)) ranges_.emplace_back(first, first + bits);
  }
  bool isEmpty() const { return ranges_.empty(); }
  void clear() { ranges_.clear(); }

 private:
  std::vector<std::pair<int, int>> ranges_;
};

class RegionLowering {
 public:
  RegionLowering(const tdfg::Instance &instance, const tdfg::Schedule &schedule, const Layout &layout,
                 std::span<const std::uint64_t> constants, RegionCode used)
      : instance_(instance), schedule_(schedule), layout_(layout), constants_(constants), code_(std::move(used)) {
    code_.commands.list.clear();
    code_.streams.clear();
    code_.constants.clear();
  }

  Result<RegionCode> run() {
    code_.commands.list.reserve(schedule_.steps.size() * 32);
    for (const Step &step : schedule_.steps)
      if (const Status s = lower(step); !s) return s.diagnostics();
    flush();
    if (!pending_.isEmpty()) sync();
    return std::move(code_);
  }

 private:
  const BoundNode &bound(int node) const { return instance_.nodes[static_cast<std::size_t>(node)]; }
  int literalRow(std::size_t argument) const {
    return schedule_.size.wordlines + static_cast<int>(argument) * kLiteralRows;
  }

  void sync() {
    code_.commands.list.emplace_back();
    ++done_;
    pending_.clear();
  }

  /// Behind the commands of a node: a sync before them if they touch what is on its way.
  void flush() {
    std::vector<SramCommand> &list = code_.commands.list;
    if (done_ == list.size()) return;
    const SramCommand &first = list[done_];
    bool isTouched = pending_.touches(first.dest, widthOf(first));
    for (const int o : first.operands) isTouched |= o >= 0 && pending_.touches(o, operandBits_);
    if (isTouched) {
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(done_++), SramCommand());
      pending_.clear();
    }
    for (; done_ < list.size(); ++done_)
      if (const SramCommand &c = list[done_];
          c.kind == SramCommandKind::kTileShift || c.kind == SramCommandKind::kBroadcast)
        pending_.add(c.dest, c.bits);
  }
  static int widthOf(const SramCommand &c) { return c.kind == SramCommandKind::kCompute ? bitsOf(c.type) : c.bits; }

  void stream(StreamWork work) {
    flush();
    if (!pending_.isEmpty()) sync();
    SramCommand c;
    c.kind = SramCommandKind::kStream;
    c.stream = static_cast<int>(code_.streams.size());
    code_.streams.push_back(work);
    code_.commands.list.push_back(c);
    ++done_;
  }

  /// `node`: whose value it is; -1: none's.
  void constant(int row, int bits, std::uint64_t value, int node, const BoundBox &box) {
    SramCommand c;
    c.kind = SramCommandKind::kConstant;
    c.bits = operandBits_ = bits;
    c.dest = row;
    c.constant = value;
    const std::size_t before = code_.commands.list.size();
    emitOnBox(layout_, box, c, code_.commands.list);
    const std::size_t count = code_.commands.list.size() - before;
    flush();
    if (node < 0) return;
    for (std::size_t i = code_.commands.list.size() - count; i < code_.commands.list.size(); ++i)
      code_.constants.push_back({static_cast<int>(i), node});
  }

  Status lower(const Step &step) {
    switch (step.kind) {
      case StepKind::kSpill:
      case StepKind::kRefill:
        stream({.kind = step.kind == StepKind::kSpill ? StreamWork::Kind::kSpill : StreamWork::Kind::kRefill,
                .node = step.node,
                .wordline = step.wordline});
        return okStatus();
      case StepKind::kCopy:
        copy(step.operands[0], step.wordline, bitsOf(bound(step.node).node->type), bound(step.node).box);
        return okStatus();
      case StepKind::kStore:
        store(step);
        return okStatus();
      case StepKind::kNode:
        break;
    }
    const BoundNode &b = bound(step.node);
    if (tdfg::isEmpty(b.box)) return okStatus();
    switch (b.node->kind) {
      case NodeKind::kCmp:
        compute(step, b);
        break;
      case NodeKind::kMv:
      case NodeKind::kBc:
        move(step, b);
        break;
      case NodeKind::kStrm:
        stream({.kind = StreamWork::Kind::kLoad,
                .node = step.node,
                .wordline = step.wordline,
                .indirect = indirectOf(step)});
        break;
      case NodeKind::kReduce:
        return reduce(step, b);
      case NodeKind::kTensor:
      case NodeKind::kShrink:
      case NodeKind::kConst:
        break;  // they take no step
    }
    return okStatus();
  }

  /// Where a stream's indices from data stand in its step.
  static int indirectOf(const Step &step) { return step.operands.empty() ? -1 : step.operands[0]; }

  void copy(int from, int to, int bits, const BoundBox &box) {
    SramCommand c;
    c.kind = SramCommandKind::kCopy;
    c.bits = operandBits_ = bits;
    c.operands[0] = from;
    c.dest = to;
    emitOnBox(layout_, box, c, code_.commands.list);
    flush();
  }

  void compute(const Step &step, const BoundNode &b) {
    const tdfg::Node &node = *b.node;
    SramCommand c;
    c.kind = SramCommandKind::kCompute;
    c.op = node.op;
    c.type = node.type;
    c.argument = bound(node.args[0]).node->type;
    c.dest = step.wordline;
    int widest = 0;
    for (std::size_t i = 0; i < node.args.size(); ++i) {
      const int bits = bitsOf(bound(node.args[i]).node->type);
      widest = std::max(widest, bits);
      c.operands[i] = step.operands[i];
      if (step.operands[i] >= 0) continue;
      c.operands[i] = literalRow(i);
      constant(c.operands[i], bits, constants_[static_cast<std::size_t>(node.args[i])], node.args[i], b.box);
    }
    operandBits_ = widest;
    emitOnBox(layout_, b.box, c, code_.commands.list);
    flush();
  }

  void move(const Step &step, const BoundNode &b) {
    const auto k = static_cast<std::size_t>(b.node->dim);
    SramCommand c;
    c.bits = operandBits_ = bitsOf(b.node->type);
    c.operands[0] = step.operands[0];
    c.dest = step.wordline;
    BoundBox source = b.box;
    if (b.node->kind == NodeKind::kMv) {
      source[k].low -= b.distance;
      source[k].high -= b.distance;
      emitMove(layout_, source, b.node->dim, b.distance, c, code_.commands.list);
    } else {
      source[k] = bound(b.node->args[0]).box[k];
      emitBroadcast(layout_, source, b.node->dim, b.box[k], c, code_.commands.list);
    }
    flush();
  }

  void store(const Step &step) {
    const tdfg::BoundOutput &o = instance_.outputs[static_cast<std::size_t>(step.output)];
    if (tdfg::isEmpty(o.box)) return;
    if (o.output->isStream)
      return stream({.kind = StreamWork::Kind::kStore,
                     .output = step.output,
                     .wordline = step.wordline,
                     .indirect = indirectOf(step)});
    const int resident = schedule_.residents[static_cast<std::size_t>(o.output->array)];
    if (step.wordline != resident) copy(step.wordline, resident, bitsOf(bound(o.output->node).node->type), o.box);
  }

  Status reduce(const Step &step, const BoundNode &b) {
    const tdfg::Node &node = *b.node;
    const auto k = static_cast<std::size_t>(node.dim);
    const std::int64_t tile = layout_.tile[k];
    if (!std::has_single_bit(static_cast<std::uint64_t>(tile)))
      return unsupported(
          "no-command", instance_.region->where,
          fmt::format("a reduction needs a tile that is a power of two, this one has {} along dim {}", tile, node.dim),
          "choose another tile");
    const BoundBox lines = bound(node.args[0]).box;
    const int bits = bitsOf(node.type);
    int partials = step.operands[0];
    if (tile > 1) {
      BoundBox tiles = lines;
      tiles[k] = {lines[k].low / tile * tile, (lines[k].high + tile - 1) / tile * tile, 1};
      partials = halve(step.operands[0], lines, tiles, k, tile, node, bits);
    }
    stream({.kind = StreamWork::Kind::kReduce,
            .node = step.node,
            .wordline = step.wordline,
            .partials = partials,
            .before = step.operands.size() > 1 ? step.operands[1] : -1});
    return okStatus();
  }

  /// The upper half of every tile onto the lower one, until one is left; where that stands. A round shifts into one
  /// place and combines into another, which the next round combines onto: three places take turns.
  int halve(int from, const BoundBox &lines, const BoundBox &tiles, std::size_t k, std::int64_t tile,
            const tdfg::Node &node, int bits) {
    // Cells of a tile that no line has are the identity.
    int at = literalRow(0);
    const int moved = literalRow(2);
    constant(at, bits, identityBits(node.combine, node.type), -1, tiles);
    copy(from, at, bits, lines);
    int other = literalRow(1);
    for (std::int64_t half = tile / 2; half > 0; half /= 2) {
      SramCommand shift;
      shift.kind = SramCommandKind::kShift;
      shift.bits = operandBits_ = bits;
      shift.operands[0] = at;
      shift.dest = moved;
      shift.bitlineDistance = -half * layout_.cellStride[k];
      emitInTiles(layout_, tiles, static_cast<int>(k), half, half, shift, code_.commands.list);
      flush();
      SramCommand c;
      c.kind = SramCommandKind::kCompute;
      c.op = kernel::opOf(node.combine);
      c.type = c.argument = node.type;
      c.operands = {at, moved, -1};
      c.dest = other;
      emitInTiles(layout_, tiles, static_cast<int>(k), 0, half, c, code_.commands.list);
      flush();
      std::swap(at, other);
    }
    return at;
  }

  const tdfg::Instance &instance_;
  const tdfg::Schedule &schedule_;
  const Layout &layout_;
  std::span<const std::uint64_t> constants_;
  RegionCode code_;
  std::size_t done_ = 0;  ///< commands of the list before those of the node in hand
  int operandBits_ = 0;
  Pending pending_;
};

}  // namespace

Result<RegionCode> lowerRegion(const tdfg::Instance &instance, const tdfg::Schedule &schedule, const Layout &layout,
                               std::span<const std::uint64_t> constants, RegionCode used) {
  return RegionLowering(instance, schedule, layout, constants, std::move(used)).run();
}

}  // namespace pimento::lower::l3_sram
