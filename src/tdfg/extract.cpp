#include "pimento/tdfg/extract.h"

#include <algorithm>

#include "pimento/tdfg/hints.h"
#include "pimento/tdfg/lattice.h"
#include "pimento/tdfg/node_builder.h"

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
      region_.domain = nodes_.wholeBox();
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
    nodes_.order();
    const bool hasTensor = std::any_of(region_.nodes.begin(), region_.nodes.end(),
                                       [](const Node &n) { return n.kind == NodeKind::kTensor; });
    const bool isInPlace =
        std::any_of(region_.outputs.begin(), region_.outputs.end(), [](const Output &o) { return !o.isStream; });
    return hasTensor || isInPlace ? "" : "no array lies along the loops";
  }

  /// Lattice dims without a loop: the one coordinate where the first target, or else the first load, lies.
  void placeIdleDims() {
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
      LatticeDim &dim = lattice_.dims[l];
      if (dim.loop >= 0) continue;
      const auto placeAt = [&](const StreamAccess &access) {
        if (isAligned(access, lattice_) && !isOneElement(access) && l < access.index.size())
          dim.offset = indexOf(access, l).form;
      };
      std::vector<int> loads = liveLoads(streams_);
      std::ranges::sort(loads);
      for (const int load : loads) placeAt(streams_.loads[static_cast<std::size_t>(load)]);
      for (const StreamAccess &target : streams_.targets) placeAt(target);
      dim.range = {{dim.offset}, {plus(dim.offset, constantForm(1))}, 1};
    }
  }

  StreamIndex indexOf(const StreamAccess &access, std::size_t l) const {
    return withRounds(access.index[access.index.size() - 1 - l], lattice_);
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
    return nodes_.add(std::move(node));
  }

  int index(const kernel::Value &value) {
    const auto d = static_cast<std::size_t>(value.dim);
    Node node;
    node.type = value.type;
    if (lattice_.dimOf[d] < 0) {
      node.kind = NodeKind::kConst;
      node.source = ConstantKind::kForm;
      node.form = nameForm(lattice_.roundName[d]);
      return nodes_.add(std::move(node));
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
    return nodes_.stream(std::move(pattern), value.type, "a loop's value");
  }

  int operation(const kernel::Value &value) {
    std::vector<int> args;
    for (int a = 0; a < kernel::argumentCount(value.op); ++a)
      args.push_back(values_[static_cast<std::size_t>(value.args[static_cast<std::size_t>(a)])]);
    if (std::all_of(args.begin(), args.end(), [this](int a) { return nodes_.isConstant(a); })) {
      if (const auto folded = nodes_.fold(value, args)) return *folded;
      args[0] = nodes_.finite(args[0]);
    }
    return nodes_.compute(value.op, value.type, std::move(args));
  }

  // ---- Loads ----

  int load(const StreamAccess &access, DType type) {
    if (access.indirectAt < 0 && isOneElement(access)) return element(access, type);
    if (isAligned(access, lattice_)) return tensor(access, type);
    auto p = pattern(access);
    return p ? nodes_.stream(std::move(*p), type, whyStream(access)) : -1;
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
    return nodes_.add(std::move(node));
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
    int n = nodes_.add(std::move(node));
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l)
      if (hasLoop(access, l)) n = nodes_.move(n, l, minus(lattice_.dims[l].offset, at[l]));
    for (std::size_t l = 0; l < lattice_.dims.size(); ++l)
      if (!hasLoop(access, l)) n = nodes_.broadcast(n, l, at[l]);
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

  // ---- Stores ----

  void store(std::size_t s) {
    const kernel::Store &store = streams_.nest.stores[s];
    const StreamAccess &target = streams_.targets[s];
    const DType type = program_.arrays[static_cast<std::size_t>(target.array)].type;
    int node = nodes_.cast(nodes_.finite(values_[static_cast<std::size_t>(store.value)]), type);
    const bool hasFollower = followerOf(static_cast<int>(s)) >= 0;
    if (store.follows >= 0 || hasFollower) return minimum(s, node);
    Box box = nodes_.wholeBox();
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
    const DType type = nodes_.typeOf(node);
    const int old = load(target, type);
    if (old < 0) return;
    put(target, nodes_.compute(kernel::opOf(combine), type, {old, node}), std::move(box));
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

  /// Lines of the reduced dim in one element each, what was there before first.
  int reduce(const StreamAccess &target, Combine combine, int node, Box &box) {
    const auto l = static_cast<std::size_t>(reduced_);
    Range &range = box[l];
    if (range.lows.size() > 1) {
      reason_ = "a sum begins where one of several loops says";
      return -1;
    }
    if (range.highs.size() > 1 || range.stride != 1) node = nodes_.shrink(node, box);
    range = {{range.lows[0]}, {plus(range.lows[0], constantForm(1))}, 1};
    auto before = pattern(target);
    if (!before) return -1;
    Node old;
    old.kind = NodeKind::kStrm;
    old.type = nodes_.typeOf(node);
    old.box = box;
    old.pattern = std::move(*before);
    old.reason = "what a sum starts from";
    Node sum;
    sum.kind = NodeKind::kReduce;
    sum.type = nodes_.typeOf(node);
    sum.combine = combine;
    sum.dim = reduced_;
    sum.args = {node, nodes_.add(std::move(old))};
    return nodes_.add(std::move(sum));
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
    const int candidate = nodes_.cast(nodes_.finite(values_[static_cast<std::size_t>(first.value)]), type);
    const int best = load(firstTarget, type);
    const int old = best < 0 ? -1 : load(target, nodes_.typeOf(node));
    if (old < 0) return;
    const int isBetter =
        nodes_.compute(first.combine == Combine::kMin ? Op::kCmpLt : Op::kCmpGt, DType::kU8, {candidate, best});
    put(target, nodes_.compute(Op::kSelect, nodes_.typeOf(node), {isBetter, node, old}), nodes_.wholeBox());
  }

  /// Leaves a node's elements in the target.
  void put(const StreamAccess &target, int node, Box box) {
    Output output;
    output.array = target.array;
    if (isAligned(target, lattice_) && liesIn(target, box)) {
      for (std::size_t l = 0; l < lattice_.dims.size(); ++l) {
        const Form at = l < target.index.size() ? indexOf(target, l).form : Form{};
        const Form distance = minus(at, hasLoop(target, l) ? lattice_.dims[l].offset : box[l].lows[0]);
        node = nodes_.move(node, l, distance);
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
  NodeBuilder nodes_{region_, lattice_};
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
