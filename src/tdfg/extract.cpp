#include "pimento/tdfg/extract.h"

#include <algorithm>
#include <bit>

#include "pimento/kernel/lanes.h"
#include "pimento/kernel/scalar.h"
#include "pimento/tdfg/hints.h"
#include "pimento/tdfg/lattice.h"

namespace pimento::tdfg {

namespace {

using kernel::Combine;
using kernel::DimKind;
using kernel::Op;

/// What no bitline computes: streams and cores do.
std::string unfit(const kernel::Value &value) {
  if (value.type == DType::kF8E4M3 || value.type == DType::kF8E5M2)
    return "values of type " + std::string(name(value.type));
  if (value.op == Op::kExp || value.op == Op::kLog || value.op == Op::kSqrt || value.op == Op::kTanh)
    return "'" + std::string(name(value.op)) + "', which arrays do not compute";
  if (value.op == Op::kRem && isFloat(value.type)) return "a floating-point remainder, which arrays do not compute";
  return {};
}

bool same(const Node &a, const Node &b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op && a.combine == b.combine && a.args == b.args &&
         a.dim == b.dim && a.distance == b.distance && a.count == b.count && a.box == b.box && a.array == b.array &&
         a.pattern == b.pattern && a.source == b.source &&
         std::bit_cast<std::uint64_t>(a.constant) == std::bit_cast<std::uint64_t>(b.constant) &&
         a.integer == b.integer && a.form == b.form && a.index == b.index;
}

/// Builds one region's graph.
class Extractor {
 public:
  Extractor(Program &program, Region &region) : program_(program), region_(region), streams_(region.streams) {}

  void run() {
    std::string reason = forms();
    if (reason.empty()) {
      LatticeChoice choice = chooseLattice(program_, streams_);
      reason = choice.reason;
      if (choice.lattice) {
        lattice_ = std::move(*choice.lattice);
        reason = build();
      }
    }
    if (reason.empty()) {
      region_.lattice = static_cast<int>(lattice_.dims.size());
      region_.rounds = lattice_.rounds;
      region_.domain = wholeBox();
      return;
    }
    region_.nodes.clear();
    region_.outputs.clear();
    region_.reason = reason;
  }

 private:
  std::string forms() const {
    const kernel::Kernel &nest = streams_.nest;
    if (nest.form == kernel::Form::kSelect) return "elements are kept by a condition on data, one after the other";
    if (nest.form == kernel::Form::kIndirect) return "where a value goes comes from data";
    if (!nest.bounds.empty())
      return "loop " + streams_.dims[static_cast<std::size_t>(nest.bounds[0].dim)].name + " runs as far as data say";
    for (const kernel::Value &value : nest.body)
      if (const std::string what = unfit(value); !what.empty()) return what;
    return {};
  }

  std::string build() {
    for (LatticeDim &dim : lattice_.dims)
      if (dim.loop >= 0 && streams_.dims[static_cast<std::size_t>(dim.loop)].kind == DimKind::kReduction)
        reduced_ = static_cast<int>(&dim - lattice_.dims.data());
    placeIdleDims();
    values_.assign(streams_.nest.body.size(), -1);
    for (std::size_t v = 0; v < values_.size(); ++v) {
      values_[v] = value(static_cast<int>(v));
      if (!reason_.empty()) return reason_;
    }
    for (std::size_t s = 0; s < streams_.targets.size(); ++s) {
      store(s);
      if (!reason_.empty()) return reason_;
    }
    orderNodes();
    const bool hasTensor = std::any_of(region_.nodes.begin(), region_.nodes.end(),
                                       [](const Node &n) { return n.kind == NodeKind::kTensor; });
    const bool isInPlace =
        std::any_of(region_.outputs.begin(), region_.outputs.end(), [](const Output &o) { return !o.isStream; });
    return hasTensor || isInPlace ? "" : "no array lies along the loops";
  }

  /// Nodes that outputs hang on, each just before it is needed: few values wait in wordlines.
  void orderNodes() {
    std::vector<Node> ordered;
    std::vector<int> number(region_.nodes.size(), -1);
    for (Output &output : region_.outputs) {
      output.node = place(output.node, number, ordered);
      if (output.pattern.indirect >= 0) output.pattern.indirect = place(output.pattern.indirect, number, ordered);
    }
    region_.nodes = std::move(ordered);
  }

  int place(int root, std::vector<int> &number, std::vector<Node> &ordered) {
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

  /// Lattice dims without a loop: the one coordinate where the first target, or else the first load, lies.
  void placeIdleDims() {
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
      LatticeDim &dim = lattice_.dims[l];
      if (dim.loop >= 0) continue;
      for (const auto *accesses : {&streams_.loads, &streams_.targets})
        for (const StreamAccess &access : *accesses)
          if (isAligned(access, lattice_) && !isOneElement(access) && l < access.index.size())
            dim.offset = indexOf(access, l).form;
      dim.range = {{dim.offset}, {plus(dim.offset, constantForm(1))}, 1};
    }
  }

  StreamIndex indexOf(const StreamAccess &access, std::size_t l) const {
    return withRounds(access.index[access.index.size() - 1 - l], lattice_);
  }

  // ---- Nodes ----

  int add(Node node) {
    for (std::size_t n = 0; n < region_.nodes.size(); ++n)
      if (same(region_.nodes[n], node)) return static_cast<int>(n);
    region_.nodes.push_back(std::move(node));
    return static_cast<int>(region_.nodes.size()) - 1;
  }

  DType typeOf(int node) const { return region_.nodes[static_cast<std::size_t>(node)].type; }
  bool isConstant(int node) const { return region_.nodes[static_cast<std::size_t>(node)].kind == NodeKind::kConst; }

  int move(int node, std::size_t l, const Form &distance) {
    if (distance.isConstant() && distance.constant == 0) return node;
    Node mv;
    mv.kind = NodeKind::kMv;
    mv.type = typeOf(node);
    mv.args = {node};
    mv.dim = static_cast<int>(l);
    mv.distance = distance;
    return add(std::move(mv));
  }

  /// Repeats a tensor that is one cell thick at `at` over all coordinates of lattice dim `l`.
  int broadcast(int node, std::size_t l, const Form &at) {
    const Range &range = lattice_.dims[l].range;
    const Form count = minus(range.highs[0], range.lows[0]);
    if (count == constantForm(1)) return move(node, l, minus(range.lows[0], at));
    Node bc;
    bc.kind = NodeKind::kBc;
    bc.type = typeOf(node);
    bc.args = {node};
    bc.dim = static_cast<int>(l);
    bc.distance = minus(range.lows[0], at);
    bc.count = count;
    return add(std::move(bc));
  }

  int compute(Op op, DType type, std::vector<int> args) {
    Node cmp;
    cmp.kind = NodeKind::kCmp;
    cmp.op = op;
    cmp.type = type;
    cmp.args = std::move(args);
    return add(std::move(cmp));
  }

  int cast(int node, DType type) { return typeOf(node) == type ? node : compute(Op::kCast, type, {finite(node)}); }

  Box wholeBox() const {
    Box box;
    for (const LatticeDim &dim : lattice_.dims) box.push_back(dim.range);
    return box;
  }

  // ---- Values ----

  int value(int v) {
    const kernel::Value &value = streams_.nest.body[static_cast<std::size_t>(v)];
    switch (value.op) {
      case Op::kConstant:
        return constant(v, value);
      case Op::kIndex:
        return index(value);
      case Op::kLoad:
        return load(streams_.loads[static_cast<std::size_t>(value.access)], value.type);
      default:
        return operation(value);
    }
  }

  int constant(int v, const kernel::Value &value) {
    Node node;
    node.kind = NodeKind::kConst;
    node.type = value.type;
    node.constant = value.constant;
    node.integer = value.integer;
    for (const Streams::FormValue &f : streams_.forms) {
      if (f.value != v) continue;
      node.source = ConstantKind::kForm;
      node.integer = 0;
      node.form = f.form;
    }
    return add(std::move(node));
  }

  int index(const kernel::Value &value) {
    const auto d = static_cast<std::size_t>(value.dim);
    Node node;
    node.type = value.type;
    if (lattice_.dimOf[d] < 0) {
      node.kind = NodeKind::kConst;
      node.source = ConstantKind::kForm;
      node.form = nameForm(lattice_.roundName[d]);
      return add(std::move(node));
    }
    const LatticeDim &dim = lattice_.dims[static_cast<std::size_t>(lattice_.dimOf[d])];
    if (dim.stride != 1) {
      reason_ = "the value of loop " + streams_.dims[d].name + ", which goes over every " + std::to_string(dim.stride) +
                "th cell";
      return -1;
    }
    Pattern pattern;
    pattern.index.push_back({times(dim.offset, -1), std::vector<std::int64_t>(lattice_.dims.size(), 0)});
    pattern.index[0].factors[static_cast<std::size_t>(lattice_.dimOf[d])] = 1;
    return stream(std::move(pattern), value.type, "a loop's value");
  }

  int operation(const kernel::Value &value) {
    std::vector<int> args;
    for (int a = 0; a < kernel::argumentCount(value.op); ++a)
      args.push_back(values_[static_cast<std::size_t>(value.args[static_cast<std::size_t>(a)])]);
    if (std::all_of(args.begin(), args.end(), [this](int a) { return isConstant(a); })) {
      if (const auto folded = fold(value, args)) return *folded;
      args[0] = finite(args[0]);
    }
    return compute(value.op, value.type, std::move(args));
  }

  /// An operation on literals.
  std::optional<int> fold(const kernel::Value &value, const std::vector<int> &args) {
    std::array<kernel::Lanes, 3> lanes;
    for (std::size_t a = 0; a < args.size(); ++a) {
      const Node &node = region_.nodes[static_cast<std::size_t>(args[a])];
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

  /// A constant as a tensor: a stream lays it out in all cells.
  int finite(int node) {
    if (!isConstant(node)) return node;
    const Node from = region_.nodes[static_cast<std::size_t>(node)];
    if (from.source == ConstantKind::kLiteral) {
      // x is the same in any type: min(x, x) on the cells of a counting stream's select.
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

  // ---- Loads ----

  int load(const StreamAccess &access, DType type) {
    if (access.indirectAt < 0 && isOneElement(access)) return element(access, type);
    if (isAligned(access, lattice_)) return tensor(access, type);
    auto p = pattern(access);
    return p ? stream(std::move(*p), type, whyStream(access)) : -1;
  }

  bool isOneElement(const StreamAccess &access) const {
    for (const StreamIndex &index : access.index)
      for (std::size_t d = 0; d < index.factors.size(); ++d)
        if (index.factors[d] != 0 && lattice_.dimOf[d] >= 0) return false;
    return true;
  }

  int element(const StreamAccess &access, DType type) {
    Node node;
    node.kind = NodeKind::kConst;
    node.type = type;
    node.source = ConstantKind::kElement;
    node.array = access.array;
    for (const StreamIndex &index : access.index) node.index.push_back(withRounds(index, lattice_).form);
    return add(std::move(node));
  }

  static Range shifted(Range range, const Form &by) {
    for (Form &form : range.lows) form = plus(form, by);
    for (Form &form : range.highs) form = plus(form, by);
    return range;
  }

  bool hasLoop(const StreamAccess &access, std::size_t l) const {
    const int loop = lattice_.dims[l].loop;
    return loop >= 0 && l < access.index.size() &&
           access.index[access.index.size() - 1 - l].factors[static_cast<std::size_t>(loop)] != 0;
  }

  /// The array's part, moved and repeated to where the points are.
  int tensor(const StreamAccess &access, DType type) {
    Node node;
    node.type = type;
    node.array = access.array;
    std::vector<Form> at(lattice_.dims.size());
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
      const LatticeDim &dim = lattice_.dims[l];
      at[l] = l < access.index.size() ? indexOf(access, l).form : Form{};
      node.box.push_back(hasLoop(access, l) ? shifted(dim.range, minus(at[l], dim.offset))
                                            : Range{{at[l]}, {plus(at[l], constantForm(1))}, 1});
    }
    int n = add(std::move(node));
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l)
      if (hasLoop(access, l)) n = move(n, l, minus(lattice_.dims[l].offset, at[l]));
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l)
      if (!hasLoop(access, l)) n = broadcast(n, l, at[l]);
    return n;
  }

  /// An access as a function of lattice coordinates. Sets the reason where strides do not divide.
  std::optional<Pattern> pattern(const StreamAccess &access) {
    Pattern p;
    p.array = access.array;
    p.indirectAt = access.indirectAt;
    if (access.indirectAt >= 0) p.indirect = values_[static_cast<std::size_t>(access.indirectIndex)];
    for (const StreamIndex &source : access.index) {
      const StreamIndex index = withRounds(source, lattice_);
      Pattern::Index to{index.form, std::vector<std::int64_t>(lattice_.dims.size(), 0)};
      for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
        const LatticeDim &dim = lattice_.dims[l];
        const std::int64_t factor = dim.loop < 0 ? 0 : index.factors[static_cast<std::size_t>(dim.loop)];
        if (factor % dim.stride != 0) {
          reason_ = "array '" + arrayName(access.array) + "' is read in steps that do not go with those of the lattice";
          return std::nullopt;
        }
        // The loop's value is (x - offset) / stride.
        to.factors[l] = factor / dim.stride;
        to.form = minus(to.form, times(dim.offset, to.factors[l]));
      }
      p.index.push_back(std::move(to));
    }
    return p;
  }

  std::string arrayName(int array) const { return program_.arrays[static_cast<std::size_t>(array)].name; }

  std::string whyStream(const StreamAccess &access) const {
    if (access.indirectAt >= 0) return "an index comes from data";
    if (access.index.size() > 3) return "more than three dims";
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      const std::size_t l = access.index.size() - 1 - i;  // may be beyond the lattice
      const int loop = l < lattice_.dims.size() ? lattice_.dims[l].loop : -1;
      int loops = 0;
      bool isAcross = false;
      for (std::size_t d = 0; d < access.index[i].factors.size(); ++d) {
        if (access.index[i].factors[d] == 0 || lattice_.dimOf[d] < 0) continue;
        ++loops;
        isAcross = isAcross || static_cast<int>(d) != loop;
      }
      if (loops > 1) return "an index moves with two loops";
      if (isAcross) return "it lies across the lattice";
    }
    return "its steps are not those of the lattice";
  }

  /// A load stream's tensor: along the dims that it moves with, repeated along the others.
  int stream(Pattern pattern, DType type, const std::string &reason) {
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

  // ---- Stores ----

  void store(std::size_t s) {
    const kernel::Store &store = streams_.nest.stores[s];
    const StreamAccess &target = streams_.targets[s];
    const DType type = program_.arrays[static_cast<std::size_t>(target.array)].type;
    int node = cast(finite(values_[static_cast<std::size_t>(store.value)]), type);
    const bool hasFollower = followerOf(static_cast<int>(s)) >= 0;
    if (store.follows >= 0 || hasFollower) return minimum(s, node);
    Box box = wholeBox();
    if (reduced_ >= 0) {
      if (store.combine == Combine::kAssign) {
        reason_ = "the last of several values counts";
        return;
      }
      node = reduce(target, store.combine, node, box);
      if (node >= 0) put(target, node, std::move(box));
    } else if (store.combine == Combine::kAssign) {
      put(target, node, std::move(box));
    } else {
      accumulate(target, store.combine, node, std::move(box));
    }
  }

  int followerOf(int store) const {
    for (std::size_t s = 0; s < streams_.nest.stores.size(); ++s)
      if (streams_.nest.stores[s].follows == store) return static_cast<int>(s);
    return -1;
  }

  void accumulate(const StreamAccess &target, Combine combine, int node, Box box) {
    if (!isOneToOne(target)) {
      reason_ = "several points of one round go to one element of array '" + arrayName(target.array) + "'";
      return;
    }
    const DType type = typeOf(node);
    const int old = load(target, type);
    if (old < 0) return;
    put(target, compute(kernel::opOf(combine), type, {old, node}), std::move(box));
  }

  /// Whether no two cells of the lattice go to one element.
  bool isOneToOne(const StreamAccess &target) const {
    for (const LatticeDim &dim : lattice_.dims) {
      if (dim.loop < 0) continue;
      const auto moves = [&](const StreamIndex &i) { return i.factors[static_cast<std::size_t>(dim.loop)] != 0; };
      if (!std::any_of(target.index.begin(), target.index.end(), moves)) return false;
    }
    return target.indirectAt < 0;
  }

  int shrink(int from, const Box &box) {
    Node node;
    node.kind = NodeKind::kShrink;
    node.type = typeOf(from);
    node.args = {from};
    node.box = box;
    return add(std::move(node));
  }

  /// Lines of the reduced dim in one element each, what was there before first.
  int reduce(const StreamAccess &target, Combine combine, int node, Box &box) {
    const auto l = static_cast<std::size_t>(reduced_);
    Range &range = box[l];
    if (range.lows.size() > 1) {
      reason_ = "a sum begins where one of several loops says";
      return -1;
    }
    if (range.highs.size() > 1 || range.stride != 1) node = shrink(node, box);
    range = {{range.lows[0]}, {plus(range.lows[0], constantForm(1))}, 1};
    auto before = pattern(target);
    if (!before) return -1;
    Node old;
    old.kind = NodeKind::kStrm;
    old.type = typeOf(node);
    old.box = box;
    old.pattern = std::move(*before);
    old.reason = "what a sum starts from";
    Node sum;
    sum.kind = NodeKind::kReduce;
    sum.type = typeOf(node);
    sum.combine = combine;
    sum.dim = reduced_;
    sum.args = {node, add(std::move(old))};
    return add(std::move(sum));
  }

  /// A minimum with its index: both change where the new value is less.
  void minimum(std::size_t s, int node) {
    if (reduced_ >= 0) {
      reason_ = "the index of a minimum along a line";
      return;
    }
    const kernel::Store &store = streams_.nest.stores[s];
    const std::size_t leader = store.follows >= 0 ? static_cast<std::size_t>(store.follows) : s;
    const kernel::Store &first = streams_.nest.stores[leader];
    const StreamAccess &firstTarget = streams_.targets[leader];
    const StreamAccess &target = streams_.targets[s];
    if (!isOneToOne(target)) {
      reason_ = "several points of one round go to one element of array '" + arrayName(target.array) + "'";
      return;
    }
    const DType type = program_.arrays[static_cast<std::size_t>(firstTarget.array)].type;
    const int candidate = cast(finite(values_[static_cast<std::size_t>(first.value)]), type);
    const int best = load(firstTarget, type);
    const int old = best < 0 ? -1 : load(target, typeOf(node));
    if (old < 0) return;
    const int isBetter =
        compute(first.combine == Combine::kMin ? Op::kCmpLt : Op::kCmpGt, DType::kU8, {candidate, best});
    put(target, compute(Op::kSelect, typeOf(node), {isBetter, node, old}), wholeBox());
  }

  /// Leaves a node's elements in the target.
  void put(const StreamAccess &target, int node, Box box) {
    Output output;
    output.array = target.array;
    if (isAligned(target, lattice_) && liesIn(target, box)) {
      for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
        const Form at = l < target.index.size() ? indexOf(target, l).form : Form{};
        const Form distance = minus(at, hasLoop(target, l) ? lattice_.dims[l].offset : box[l].lows[0]);
        node = move(node, l, distance);
        box[l] = shifted(box[l], distance);
      }
      output.node = node;
    } else {
      auto p = pattern(target);
      if (!p) return;
      output.node = node;
      output.isStream = true;
      output.reason = whyStream(target);
      if (isAligned(target, lattice_)) output.reason = "its elements lie across the line that is summed";
      output.pattern = std::move(*p);
    }
    output.box = std::move(box);
    region_.outputs.push_back(std::move(output));
  }

  /// Whether the target moves with the loops of all dims in which the box has more than one cell.
  bool liesIn(const StreamAccess &target, const Box &box) const {
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
      if (hasLoop(target, l)) continue;
      const bool isOne = box[l].lows.size() == 1 && box[l].highs.size() == 1 &&
                         minus(box[l].highs[0], box[l].lows[0]) == constantForm(1);
      if (!isOne) return false;
    }
    return true;
  }

  Program &program_;
  Region &region_;
  const Streams &streams_;
  Lattice lattice_;
  int reduced_ = -1;  ///< lattice dim of a reduction loop
  std::vector<int> values_;
  std::string reason_;
};

}  // namespace

void extract(Program &program) {
  for (Region &region : program.regions) {
    Extractor(program, region).run();
    addHints(program, region);
  }
}

}  // namespace pimento::tdfg
