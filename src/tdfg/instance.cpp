// A region with numbers for names: domains of nodes, and whether every cell that is used has a value.
#include <algorithm>

#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

namespace {

class Binder {
 public:
  Binder(const Program &program, int region, const Values &values) : program_(program) {
    instance_.region = &program.regions[static_cast<std::size_t>(region)];
    instance_.values = values;
  }

  Result<Instance> run() {
    auto shapes = shapesOf(program_, instance_.values);
    if (!shapes) return shapes.diagnostics();
    shapes_ = std::move(*shapes);
    const BoundBox domain = box(region().domain, "the region's domain");
    if (!found_.empty()) return found_;
    instance_.isEmpty = isEmpty(domain);
    if (instance_.isEmpty) return std::move(instance_);
    findBounding();
    for (std::size_t n = 0; n < region().nodes.size() && found_.empty(); ++n) bindNode(n);
    for (std::size_t o = 0; o < region().outputs.size() && found_.empty(); ++o) bindOutput(o);
    if (!found_.empty()) return found_;
    return std::move(instance_);
  }

 private:
  const Region &region() const { return *instance_.region; }
  std::size_t rank() const { return static_cast<std::size_t>(region().lattice); }

  void fail(const std::string &code, const std::string &what, const std::string &hint = {}) {
    found_.push_back(error(code, region().where, "region '" + region().name + "': " + what, hint));
  }
  void failRange(const std::string &what) { fail("tdfg-range", what + " is a number beyond what a lattice holds"); }

  std::int64_t number(const Form &form, const std::string &what) {
    const auto x = valueOf(form, instance_.values);
    constexpr std::int64_t kMost = kMostCoordinate;
    if (!x || *x > kMost || *x < -kMost) failRange(what);
    return x && *x <= kMost && *x >= -kMost ? *x : 0;
  }

  BoundBox box(const Box &box, const std::string &what) {
    const auto bound = bindBox(box, instance_.values);
    if (!bound) failRange(what);
    return bound ? *bound : BoundBox(rank());
  }

  void widen(const BoundBox &box) {
    if (isEmpty(box)) return;
    for (std::size_t d = 0; d < rank(); ++d) instance_.bounding[d] = std::max(instance_.bounding[d], box[d].high);
  }

  void widenByArray(int array) {
    const auto &shape = shapes_[static_cast<std::size_t>(array)];
    for (std::size_t d = 0; d < std::min(rank(), shape.size()); ++d)
      instance_.bounding[d] = std::max(instance_.bounding[d], shape[shape.size() - 1 - d]);
  }

  /// The smallest box at the origin that holds all arrays of tensors and outputs, and what streams lay out.
  void findBounding() {
    instance_.bounding.assign(rank(), 1);
    for (const Node &node : region().nodes) {
      if (node.kind == NodeKind::kTensor) widenByArray(node.array);
      if (node.kind == NodeKind::kStrm) widen(box(node.box, "a stream's box"));
    }
    for (const Output &output : region().outputs)
      output.isStream ? widen(box(output.box, "an output's box")) : widenByArray(output.array);
  }

  BoundBox clipped(BoundBox box) const {
    BoundBox whole(rank());
    for (std::size_t d = 0; d < rank(); ++d) whole[d] = {0, instance_.bounding[d], 1};
    return intersect(box, whole);
  }

  const BoundNode &argument(const Node &node, std::size_t a) const {
    return instance_.nodes[static_cast<std::size_t>(node.args[a])];
  }

  void bindNode(std::size_t n) {
    const Node &node = region().nodes[n];
    const std::string self = "%" + std::to_string(n);
    BoundNode bound;
    bound.node = &node;
    const auto d = static_cast<std::size_t>(std::max(node.dim, 0));
    switch (node.kind) {
      case NodeKind::kTensor:
        bound.box = box(node.box, self);
        checkInArray(bound.box, node.array, self);
        break;
      case NodeKind::kStrm:
        bound.box = box(node.box, self);
        if (!isEmpty(bound.box) &&
            std::any_of(bound.box.begin(), bound.box.end(), [](const auto &r) { return r.low < 0; }))
          fail("tdfg-outside", self + " lays out cells below the lattice's origin");
        checkIndirect(node.pattern, bound.box, self);
        break;
      case NodeKind::kConst:
        bindConstant(node, bound, self);
        break;
      case NodeKind::kCmp:
        bound.box = sharedBox(node);
        break;
      case NodeKind::kMv:
        bound.box = argument(node, 0).box;
        bound.distance = number(node.distance, self);
        bound.box[d].low += bound.distance, bound.box[d].high += bound.distance;
        bound.box = clipped(bound.box);
        break;
      case NodeKind::kBc:
        bindBroadcast(node, bound, d, self);
        break;
      case NodeKind::kShrink:
        bound.box = box(node.box, self);
        checkCovered(argument(node, 0).box, bound.box, self + " keeps");
        break;
      case NodeKind::kReduce:
        bound.box = argument(node, 0).box;
        // A line without cells leaves what was there before.
        if (bound.box[d].count() > 0 || node.args.size() > 1) bound.box[d].high = bound.box[d].low + 1;
        bound.box[d].stride = 1;
        if (node.args.size() > 1) checkCovered(argument(node, 1).box, bound.box, self + " starts from");
        break;
    }
    instance_.nodes.push_back(std::move(bound));
  }

  BoundBox sharedBox(const Node &node) const {
    BoundBox shared;
    for (std::size_t a = 0; a < node.args.size(); ++a) {
      const BoundNode &from = argument(node, a);
      if (from.node->kind == NodeKind::kConst) continue;
      shared = shared.empty() ? from.box : intersect(shared, from.box);
    }
    return shared;
  }

  void bindConstant(const Node &node, BoundNode &bound, const std::string &self) {
    if (node.source == ConstantKind::kLiteral) return;
    if (node.source == ConstantKind::kForm) {
      const auto x = valueOf(node.form, instance_.values);
      if (!x) return failRange(self);
      bound.integer = wrapInteger(node.type, *x);
      return;
    }
    const auto &shape = shapes_[static_cast<std::size_t>(node.array)];
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t x = number(node.index[i], self);
      if (x < 0 || x >= shape[i]) return failOutside(self, node.array);
      bound.integer = bound.integer * shape[i] + x;
    }
  }

  void bindBroadcast(const Node &node, BoundNode &bound, std::size_t d, const std::string &self) {
    bound.box = argument(node, 0).box;
    bound.distance = number(node.distance, self);
    bound.count = number(node.count, self);
    if (bound.box[d].count() > 1)
      fail("tdfg-undefined", self + " repeats more than one cell along dim " + std::to_string(d));
    const std::int64_t low = bound.box[d].low + bound.distance;
    const bool isNothing = bound.box[d].count() == 0 || bound.count <= 0;
    bound.box[d] = {low, isNothing ? low : low + bound.count, 1};
    bound.box = clipped(bound.box);
  }

  void bindOutput(std::size_t o) {
    const Output &output = region().outputs[o];
    BoundOutput bound{&output, box(output.box, "an output's box")};
    const BoundNode &from = instance_.nodes[static_cast<std::size_t>(output.node)];
    const std::string &array = program_.arrays[static_cast<std::size_t>(output.array)].name;
    if (from.node->kind != NodeKind::kConst) checkCovered(from.box, bound.box, "output " + array + " takes");
    if (!output.isStream) checkInArray(bound.box, output.array, "output");
    if (output.isStream) checkIndirect(output.pattern, bound.box, "output " + array);
    instance_.outputs.push_back(std::move(bound));
  }

  void checkIndirect(const Pattern &pattern, const BoundBox &box, const std::string &who) {
    if (pattern.indirectAt < 0) return;
    const BoundNode &from = instance_.nodes[static_cast<std::size_t>(pattern.indirect)];
    if (from.node->kind != NodeKind::kConst) checkCovered(from.box, box, who + " takes an index from");
  }

  void checkCovered(const BoundBox &has, const BoundBox &takes, const std::string &who) {
    if (!covers(has, takes)) {
      fail("tdfg-undefined", who + " cells that have no value",
           "what leaves the bounding box of the arrays is undefined");
    }
  }

  void failOutside(const std::string &who, int array) {
    fail("tdfg-outside", who + " leaves array '" + program_.arrays[static_cast<std::size_t>(array)].name + "'");
  }

  void checkInArray(const BoundBox &box, int array, const std::string &who) {
    if (isEmpty(box)) return;
    const auto &shape = shapes_[static_cast<std::size_t>(array)];
    for (std::size_t d = 0; d < box.size(); ++d) {
      const std::int64_t extent = d < shape.size() ? shape[shape.size() - 1 - d] : 1;
      if (box[d].low < 0 || box[d].high > extent) return failOutside(who, array);
    }
  }

  const Program &program_;
  std::vector<std::vector<std::int64_t>> shapes_;
  Instance instance_;
  Diagnostics found_;
};

}  // namespace

Result<Instance> bindRegion(const Program &program, int region, const Values &values) {
  return Binder(program, region, values).run();
}

}  // namespace pimento::tdfg
