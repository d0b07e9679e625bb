// The rules of tensor graphs that hold for all sizes.
#include <algorithm>
#include <array>
#include <set>

#include "pimento/kernel/type_rules.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

namespace {

using kernel::Op;

class Verifier {
 public:
  Verifier(const Program &program, const std::string &file) : program_(program), file_(file) {}

  Status run() {
    at_ = "program '" + program_.name + "'";
    where_ = {file_, 0, 0};
    checkNames();
    checkArrays();
    if (!found_.empty()) return found_;
    std::set<std::string> regions;
    for (const Region &region : program_.regions) {
      checkRegion(region);
      if (!regions.insert(region.name).second) fail("there are two regions of that name");
    }
    at_ = "program '" + program_.name + "'";
    where_ = {file_, 0, 0};
    checkLoops();
    if (!found_.empty()) return found_;
    return okStatus();
  }

 private:
  void fail(const std::string &what, const std::string &hint = {}) {
    Location where = where_;
    if (where.file.empty()) where.file = file_;
    found_.push_back(error("tdfg-invalid", where, at_ + ": " + what, hint));
  }

  void checkNames() {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < program_.names.size(); ++i) {
      const Name &name = program_.names[i];
      if (!seen.insert(name.name).second) fail("the name '" + name.name + "' stands for two numbers");
      if (name.kind != Name::Kind::kQuotient) continue;
      if (name.divisor < 2)
        fail("'" + name.name + "' is divided by " + std::to_string(name.divisor), "divide by at least 2");
      checkForm(name.of, static_cast<int>(i));
    }
  }

  void checkArrays() {
    std::set<std::string> seen;
    const std::vector<bool> isOfLoop = loopNames(program_);
    for (const Array &array : program_.arrays) {
      if (!seen.insert(array.name).second) fail("there are two arrays '" + array.name + "'");
      for (const Form &extent : array.shape) {
        checkForm(extent);
        for (const Term &term : extent.terms)
          if (isName(term.name) && isOfLoop[static_cast<std::size_t>(term.name)])
            fail("an extent of array '" + array.name + "' depends on a loop");
      }
    }
  }

  bool isName(int name) const { return name >= 0 && name < static_cast<int>(program_.names.size()); }
  bool isArray(int array) const { return array >= 0 && array < static_cast<int>(program_.arrays.size()); }
  const Array &arrayOf(int array) const { return program_.arrays[static_cast<std::size_t>(array)]; }

  void checkForm(const Form &form, int before = INT32_MAX) {
    for (std::size_t t = 0; t < form.terms.size(); ++t) {
      const Term &term = form.terms[t];
      if (!isName(term.name) || term.name >= before) {
        fail("a form uses a name that is not there yet");
      } else if (term.factor == 0 || (t > 0 && form.terms[t - 1].name >= term.name)) {
        fail("the terms of a form do not stand by ascending name, each once");
      }
    }
  }

  void checkBox(const Box &box, const std::string &who) {
    if (static_cast<int>(box.size()) != region_->lattice) {
      fail(who + " has a box of " + std::to_string(box.size()) + " dims in a lattice of " +
               std::to_string(region_->lattice),
           "name a range for each lattice dim, dim 0 first");
      return;
    }
    for (const Range &range : box) {
      if (range.lows.empty() || range.highs.empty()) fail(who + " has a range without a bound");
      if (range.stride < 1) fail(who + " has a stride of " + std::to_string(range.stride), "strides are at least 1");
      for (const Form &form : range.lows) checkForm(form);
      for (const Form &form : range.highs) checkForm(form);
    }
  }

  void checkRegion(const Region &region) {
    region_ = &region;
    at_ = "region '" + region.name + "'";
    where_ = region.where;
    if (region.lattice < 0 || region.lattice > 3) {
      fail("a lattice of " + std::to_string(region.lattice) + " dims", "1 to 3");
      return;
    }
    for (const Round &round : region.rounds) {
      if (!isName(round.name) || program_.names[static_cast<std::size_t>(round.name)].kind != Name::Kind::kLoop)
        fail("a round's name is no loop's");
      for (const Form &form : round.range.lows) checkForm(form);
      for (const Form &form : round.range.highs) checkForm(form);
      if (round.range.stride < 1) fail("a round with stride " + std::to_string(round.range.stride));
    }
    if (!region.nodes.empty() && region.lattice == 0) fail("a graph without a lattice", "give it 1 to 3 dims");
    if (!region.nodes.empty()) checkBox(region.domain, "the domain");
    for (std::size_t n = 0; n < region.nodes.size(); ++n) checkNode(static_cast<int>(n));
    for (const Output &output : region.outputs) checkOutput(output);
    checkStreams(region.streams);
  }

  // ---- Streams: what numbers refer to; kernel::verify() knows the rest once sizes have values ----

  void checkStreams(const Streams &s) {
    const auto values = static_cast<int>(s.nest.body.size());
    const auto isValue = [values](int v) { return v >= 0 && v < values; };
    for (const StreamDim &dim : s.dims) checkForm(dim.extent);
    for (const StreamIndex &guard : s.guards) checkStreamIndex(guard, s);
    for (const StreamAccess &load : s.loads) checkAccess(load, s);
    for (const StreamAccess &target : s.targets) checkAccess(target, s);
    for (int v = 0; v < values; ++v) {
      const kernel::Value &value = s.nest.body[static_cast<std::size_t>(v)];
      const std::string self = "v" + std::to_string(v);
      std::array<DType, 3> types{};
      for (int a = 0; a < kernel::argumentCount(value.op); ++a) {
        const int argument = value.args[static_cast<std::size_t>(a)];
        if (argument < 0 || argument >= v) {
          fail(self + " takes a value that is not before it");
        } else {
          types[static_cast<std::size_t>(a)] = s.nest.body[static_cast<std::size_t>(argument)].type;
        }
      }
      checkTypes(value.op, value.type, types, self,
                 [&](int a) { return "v" + std::to_string(value.args[asIndex(a)]); });
      if (value.op == Op::kLoad) checkLoad(v, s);
      if (value.op == Op::kIndex && (value.dim < 0 || value.dim >= static_cast<int>(s.dims.size())))
        fail(self + " is of no loop");
    }
    for (const Streams::FormValue &f : s.forms) {
      checkForm(f.form);
      if (isFloat(s.nest.body[static_cast<std::size_t>(f.value)].type))
        fail("v" + std::to_string(f.value) + " is a form of a floating type");
    }
    if (s.nest.stores.size() != s.targets.size()) fail("stores without targets");
    for (const kernel::Store &store : s.nest.stores)
      if (!isValue(store.value) || store.follows >= static_cast<int>(s.nest.stores.size()))
        fail("a store stream of no value");
    for (const kernel::DataBounds &b : s.nest.bounds)
      if ((b.first >= 0 && !isValue(b.first)) || (b.end >= 0 && !isValue(b.end))) fail("a bound of no value");
    if (s.nest.predicate >= 0 && !isValue(s.nest.predicate)) fail("a selection by no value");
  }

  void checkLoad(int v, const Streams &s) {
    const kernel::Value &value = s.nest.body[static_cast<std::size_t>(v)];
    if (value.access < 0 || value.access >= static_cast<int>(s.loads.size()))
      return fail("v" + std::to_string(v) + " is of no load stream");
    const int array = s.loads[static_cast<std::size_t>(value.access)].array;
    if (isArray(array) && arrayOf(array).type != value.type)
      fail("v" + std::to_string(v) + " loads " + std::string(name(value.type)) + " from '" + arrayOf(array).name +
               "', whose elements are " + std::string(name(arrayOf(array).type)),
           "load the array's type and cast");
  }

  void checkStreamIndex(const StreamIndex &index, const Streams &s) {
    checkForm(index.form);
    if (index.factors.size() != s.dims.size()) fail("a stream's index has not one factor per loop");
  }

  void checkAccess(const StreamAccess &access, const Streams &s) {
    if (!isArray(access.array)) return fail("a stream of no array");
    const Array &array = arrayOf(access.array);
    if (array.shape.size() != access.index.size())
      fail("a stream has not one index per dim of array '" + array.name + "'");
    for (const StreamIndex &index : access.index) checkStreamIndex(index, s);
    if (access.indirectAt >= 0 &&
        (access.indirectIndex < 0 || access.indirectIndex >= static_cast<int>(s.nest.body.size())))
      fail("a stream takes its index from no value");
  }

  const Node &node(int n) const { return region_->nodes[static_cast<std::size_t>(n)]; }

  void checkNode(int n) {
    const Node &node = region_->nodes[static_cast<std::size_t>(n)];
    const std::string self = "%" + std::to_string(n);
    for (const int argument : node.args) {
      if (argument < 0 || argument >= n) return fail(self + " takes a node that is not before it");
    }
    const std::size_t most =
        node.kind == NodeKind::kCmp      ? static_cast<std::size_t>(kernel::argumentCount(node.op))
        : node.kind == NodeKind::kReduce ? std::max<std::size_t>(1, std::min<std::size_t>(2, node.args.size()))
        : node.kind == NodeKind::kMv || node.kind == NodeKind::kBc || node.kind == NodeKind::kShrink ? 1
                                                                                                     : 0;
    if (node.args.size() != most)
      return fail(self + " takes " + std::to_string(node.args.size()) + " nodes, not " + std::to_string(most));
    const bool hasDim = node.kind == NodeKind::kMv || node.kind == NodeKind::kBc || node.kind == NodeKind::kReduce;
    if (hasDim && (node.dim < 0 || node.dim >= region_->lattice))
      return fail(self + " goes along dim " + std::to_string(node.dim) + " of a lattice of " +
                  std::to_string(region_->lattice));
    switch (node.kind) {
      case NodeKind::kTensor:
        return checkTensor(node, self);
      case NodeKind::kCmp:
        return checkCmp(node, self);
      case NodeKind::kMv:
      case NodeKind::kBc:
        checkForm(node.distance);
        checkForm(node.count);
        return checkSame(node, self);
      case NodeKind::kShrink:
        checkBox(node.box, self);
        return checkSame(node, self);
      case NodeKind::kReduce:
        if (node.combine == kernel::Combine::kAssign) fail(self + " reduces by assignment", "add, mul, min or max");
        return checkSame(node, self);
      case NodeKind::kStrm:
        checkBox(node.box, self);
        return checkPattern(node.pattern, n, node.type, self);
      case NodeKind::kConst:
        return checkConstant(node, self);
    }
  }

  void checkTensor(const Node &node, const std::string &self) {
    checkBox(node.box, self);
    if (!isArray(node.array)) return fail(self + " is of no array");
    if (arrayOf(node.array).type != node.type) fail(self + " has not the type of its array");
    if (static_cast<int>(arrayOf(node.array).shape.size()) > region_->lattice)
      fail(self + ": array '" + arrayOf(node.array).name + "' has more dims than the lattice");
  }

  void checkSame(const Node &node, const std::string &self) {
    for (const int argument : node.args) {
      if (this->node(argument).type != node.type) fail(self + " has not the type of its argument");
      if (this->node(argument).kind == NodeKind::kConst &&
          !(node.kind == NodeKind::kReduce && argument != node.args[0]))
        fail(self + " takes a constant, which is everywhere", "use the constant itself");
    }
  }

  void checkCmp(const Node &node, const std::string &self) {
    if (kernel::argumentCount(node.op) == 0)
      return fail(self + " computes nothing: '" + std::string(name(node.op)) + "'");
    const bool isFinite =
        std::any_of(node.args.begin(), node.args.end(), [&](int a) { return this->node(a).kind != NodeKind::kConst; });
    if (!isFinite) fail(self + " has constants alone", "fold them");
    std::array<DType, 3> types{};
    for (std::size_t a = 0; a < node.args.size(); ++a) types[a] = this->node(node.args[a]).type;
    checkTypes(node.op, node.type, types, self, [&](int a) { return "%" + std::to_string(node.args[asIndex(a)]); });
  }

  static std::size_t asIndex(int number) { return static_cast<std::size_t>(number); }

  /// `nameOf(a)`: what argument number a is called.
  template <typename NameOf>
  void checkTypes(Op op, DType type, const std::array<DType, 3> &arguments, const std::string &self, NameOf nameOf) {
    const auto fault = kernel::typeFault(op, type, arguments);
    if (fault)
      fail(kernel::describe(*fault, op, self, fault->argument < 0 ? "" : nameOf(fault->argument)),
           kernel::hintOf(*fault));
  }

  void checkConstant(const Node &node, const std::string &self) {
    if (node.source == ConstantKind::kForm) {
      checkForm(node.form);
      if (isFloat(node.type)) fail(self + " is a form of a floating type", "cast it");
    } else if (node.source == ConstantKind::kElement) {
      if (!isArray(node.array)) return fail(self + " is of no array");
      if (arrayOf(node.array).type != node.type) fail(self + " has not the type of its array");
      if (arrayOf(node.array).shape.size() != node.index.size()) fail(self + " has not one index per dim of its array");
      for (const Form &form : node.index) checkForm(form);
    }
  }

  /// `before`: nodes below it may give an index.
  void checkPattern(const Pattern &pattern, int before, DType type, const std::string &self) {
    if (pattern.array < 0) {
      if (pattern.index.size() != 1 || isFloat(type)) fail(self + " counts with one index, in an integer type");
    } else if (!isArray(pattern.array)) {
      return fail(self + " is of no array");
    } else {
      if (arrayOf(pattern.array).type != type) fail(self + " has not the type of its array");
      if (arrayOf(pattern.array).shape.size() != pattern.index.size())
        fail(self + " has not one index per dim of its array");
    }
    for (const Pattern::Index &index : pattern.index) {
      checkForm(index.form);
      if (static_cast<int>(index.factors.size()) != region_->lattice)
        fail(self + " has not one factor per lattice dim");
    }
    if (pattern.indirectAt < 0) return;
    if (pattern.indirectAt >= static_cast<int>(pattern.index.size()) || pattern.array < 0)
      return fail(self + " has no index " + std::to_string(pattern.indirectAt));
    if (pattern.indirect < 0 || pattern.indirect >= before)
      return fail(self + " takes its index from no node before it");
    if (isFloat(node(pattern.indirect).type)) fail(self + " takes its index from a floating-point tensor");
  }

  void checkOutput(const Output &output) {
    const std::string self = "an output";
    if (output.node < 0 || output.node >= static_cast<int>(region_->nodes.size())) return fail(self + " is of no node");
    if (!isArray(output.array)) return fail(self + " goes to no array");
    checkBox(output.box, self);
    const DType type = node(output.node).type;
    if (arrayOf(output.array).type != type)
      fail(self + " has not the type of array '" + arrayOf(output.array).name + "'");
    if (output.isStream) {
      if (output.pattern.array != output.array) fail(self + " streams to two arrays");
      checkPattern(output.pattern, static_cast<int>(region_->nodes.size()), type, self);
    } else {
      if (output.combine != kernel::Combine::kAssign) fail(self + " combines without a stream");
      if (static_cast<int>(arrayOf(output.array).shape.size()) > region_->lattice)
        fail(self + ": array '" + arrayOf(output.array).name + "' has more dims than the lattice");
    }
  }

  void checkLoops() {
    const int regions = static_cast<int>(program_.regions.size());
    for (std::size_t l = 0; l < program_.loops.size(); ++l) {
      const Loop &loop = program_.loops[l];
      if (!isName(loop.name) || program_.names[static_cast<std::size_t>(loop.name)].kind != Name::Kind::kLoop)
        fail("a loop's name is no loop's");
      checkForm(loop.extent);
      if (loop.first < 0 || loop.end > regions || loop.first >= loop.end) fail("a loop around no regions");
      for (std::size_t o = 0; o < l; ++o) {
        const Loop &outer = program_.loops[o];
        const bool isInside = outer.first <= loop.first && loop.end <= outer.end;
        if (!isInside && loop.first < outer.end) fail("loops cross");
      }
      for (const auto &[a, b] : loop.swaps) {
        if (!isArray(a) || !isArray(b)) {
          fail("a swap of no arrays");
        } else if (arrayOf(a).type != arrayOf(b).type || arrayOf(a).shape != arrayOf(b).shape) {
          fail("arrays of two types or shapes swap");
        }
      }
    }
  }

  const Program &program_;
  const std::string &file_;
  const Region *region_ = nullptr;
  std::string at_;
  Location where_;
  Diagnostics found_;
};

}  // namespace

Status verify(const Program &program, const std::string &file) {
  return Verifier(program, file).run();
}

}  // namespace pimento::tdfg
