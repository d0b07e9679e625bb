#include "pimento/tdfg/node_builder.h"

#include <algorithm>
#include <bit>

#include "pimento/kernel/lanes.h"
#include "pimento/kernel/scalar.h"

namespace pimento::tdfg {

namespace {

using kernel::Op;

bool same(const Node &a, const Node &b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op && a.combine == b.combine && a.args == b.args &&
         a.dim == b.dim && a.distance == b.distance && a.count == b.count && a.box == b.box && a.array == b.array &&
         a.pattern == b.pattern && a.source == b.source &&
         std::bit_cast<std::uint64_t>(a.constant) == std::bit_cast<std::uint64_t>(b.constant) &&
         a.integer == b.integer && a.form == b.form && a.index == b.index;
}

}  // namespace

int NodeBuilder::add(Node node) {
  for (std::size_t n = 0; n < region_.nodes.size(); ++n)
    if (same(region_.nodes[n], node)) return static_cast<int>(n);
  region_.nodes.push_back(std::move(node));
  return static_cast<int>(region_.nodes.size()) - 1;
}

int NodeBuilder::move(int node, std::size_t l, const Form &distance) {
  if (distance.isConstant() && distance.constant == 0) return node;
  Node mv;
  mv.kind = NodeKind::kMv;
  mv.type = typeOf(node);
  mv.args = {node};
  mv.dim = static_cast<int>(l);
  mv.distance = distance;
  return add(std::move(mv));
}

int NodeBuilder::broadcast(int node, std::size_t l, const Form &from) {
  const Range &range = lattice_.dims[l].range;
  const Form count = minus(range.highs[0], range.lows[0]);
  if (count == constantForm(1)) return move(node, l, minus(range.lows[0], from));
  Node bc;
  bc.kind = NodeKind::kBc;
  bc.type = typeOf(node);
  bc.args = {node};
  bc.dim = static_cast<int>(l);
  bc.distance = minus(range.lows[0], from);
  bc.count = count;
  return add(std::move(bc));
}

int NodeBuilder::compute(Op op, DType type, std::vector<int> args) {
  Node cmp;
  cmp.kind = NodeKind::kCmp;
  cmp.op = op;
  cmp.type = type;
  cmp.args = std::move(args);
  return add(std::move(cmp));
}

Box NodeBuilder::wholeBox() const {
  Box box;
  for (const LatticeDim &dim : lattice_.dims) box.push_back(dim.range);
  return box;
}

std::optional<int> NodeBuilder::fold(const kernel::Value &value, const std::vector<int> &args) {
  std::array<kernel::Lanes, 3> lanes;
  for (std::size_t a = 0; a < args.size(); ++a) {
    const Node &node = at(args[a]);
    if (node.source != ConstantKind::kLiteral) return std::nullopt;
    kernel::Value literal;
    literal.type = node.type;
    literal.constant = node.constant;
    literal.integer = node.integer;
    kernel::setLanes(node.type, lanes[a], 0, 1, kernel::constantOf(literal));
  }
  kernel::Lanes out;
  kernel::evaluate(value, typeOf(args.back()), out, lanes[0], lanes[1], lanes[2], 1);
  const kernel::Scalar x = kernel::laneOf(value.type, out, 0);
  Node node;
  node.kind = NodeKind::kConst;
  node.type = value.type;
  if (kernel::laneClass(value.type) == kernel::LaneClass::kInteger) {
    node.integer = x.i;
  } else {
    node.constant = kernel::laneClass(value.type) == kernel::LaneClass::kDouble ? x.d : static_cast<double>(x.f);
  }
  return add(std::move(node));
}

int NodeBuilder::finite(int node) {
  if (!isConstant(node)) return node;
  const Node from = at(node);
  if (from.source == ConstantKind::kLiteral) {
    // A select on the cells of a stream, whichever way it goes.
    Pattern pattern;
    pattern.index.push_back({{}, std::vector<std::int64_t>(lattice_.dims.size(), 0)});
    const int zero = stream(std::move(pattern), DType::kI32, "a literal where a tensor is needed");
    return compute(Op::kSelect, from.type, {zero, node, node});
  }
  Pattern pattern;
  pattern.array = from.source == ConstantKind::kElement ? from.array : -1;
  const std::vector<Form> index = from.source == ConstantKind::kElement ? from.index : std::vector<Form>{from.form};
  for (const Form &form : index) pattern.index.push_back({form, std::vector<std::int64_t>(lattice_.dims.size(), 0)});
  return stream(std::move(pattern), from.type, "one value where a tensor is needed");
}

int NodeBuilder::stream(Pattern pattern, DType type, const std::string &reason) {
  Node node;
  node.kind = NodeKind::kStrm;
  node.type = type;
  node.reason = reason;
  std::vector<bool> isRepeated(lattice_.dims.size(), false);
  for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
    const LatticeDim &dim = lattice_.dims[l];
    const bool moves = std::any_of(pattern.index.begin(), pattern.index.end(),
                                   [l](const Pattern::Index &i) { return i.factors[l] != 0; });
    isRepeated[l] = !moves && pattern.indirectAt < 0 && dim.loop >= 0;
    // At the origin, which is in the lattice whatever bounds the loop has.
    node.box.push_back(isRepeated[l] ? Range{{Form{}}, {constantForm(1)}, 1} : dim.range);
  }
  node.pattern = std::move(pattern);
  int n = add(std::move(node));
  for (std::size_t l = 0; l < lattice_.dims.size(); ++l)
    if (isRepeated[l]) n = broadcast(n, l, Form{});
  return n;
}

int NodeBuilder::cast(int node, DType type) {
  return typeOf(node) == type ? node : compute(Op::kCast, type, {finite(node)});
}

int NodeBuilder::shrink(int from, const Box &box) {
  Node node;
  node.kind = NodeKind::kShrink;
  node.type = typeOf(from);
  node.args = {from};
  node.box = box;
  return add(std::move(node));
}

void NodeBuilder::order() {
  std::vector<Node> ordered;
  std::vector<int> number(region_.nodes.size(), -1);
  for (Output &output : region_.outputs) {
    output.node = place(output.node, number, ordered);
    if (output.pattern.indirect >= 0) output.pattern.indirect = place(output.pattern.indirect, number, ordered);
  }
  region_.nodes = std::move(ordered);
}

int NodeBuilder::place(int root, std::vector<int> &number, std::vector<Node> &ordered) const {
  // Arguments first; a stack of our own, since sums may be long.
  std::vector<int> pending{root};
  while (!pending.empty()) {
    const auto n = static_cast<std::size_t>(pending.back());
    std::vector<int> needed = region_.nodes[n].args;
    if (region_.nodes[n].pattern.indirect >= 0) needed.push_back(region_.nodes[n].pattern.indirect);
    const std::size_t before = pending.size();
    for (std::size_t a = needed.size(); a-- > 0;)
      if (number[static_cast<std::size_t>(needed[a])] < 0) pending.push_back(needed[a]);
    if (pending.size() > before) continue;
    pending.pop_back();
    if (number[n] >= 0) continue;
    number[n] = static_cast<int>(ordered.size());
    ordered.push_back(region_.nodes[n]);
    for (int &a : ordered.back().args) a = number[static_cast<std::size_t>(a)];
    int &indirect = ordered.back().pattern.indirect;
    if (indirect >= 0) indirect = number[static_cast<std::size_t>(indirect)];
  }
  return number[static_cast<std::size_t>(root)];
}

}  // namespace pimento::tdfg
