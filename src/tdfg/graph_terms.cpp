#include "pimento/tdfg/graph_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace pimento::tdfg {

using egraph::Fact;
using egraph::Terms;

GraphTerms::GraphTerms(const Program &program, const Region &region)
    : program_(program), region_(region), always_(program, region), bounding_(always_.bounding()) {
  mv_ = language_.intern("mv", 3);
  bc_ = language_.intern("bc", 4);
  shrink_ = language_.intern("shrink", 2);
  outputs_ = language_.intern("outputs", 2);
  none_ = language_.intern("none", 0);
  for (const Node &node : region.nodes)
    if ((node.kind == NodeKind::kMv || node.kind == NodeKind::kBc) && sizeOf(node.type) > sizeOf(moved_))
      moved_ = node.type;
  meanings_.resize(2);
  meanings_[1].what = What::kEverywhere;
}

// ---- Terms ----

egraph::Op GraphTerms::operatorOf(const std::string &name, int arity, const Node &node) {
  const egraph::Op op = language_.intern(name, arity);
  Node prototype = node;
  prototype.args.clear();
  const auto [at, isNew] = prototypes_.try_emplace(op, std::move(prototype));
  if (!isNew) return op;
  if (node.kind == NodeKind::kCmp) {
    DType type = node.type;
    for (const int a : node.args)
      if (region_.nodes[static_cast<std::size_t>(a)].type != type) type = DType::kU8;  // of two types: no arithmetic
    computes_.push_back({op, node.op, type, arity});
  }
  if (node.kind == NodeKind::kTensor) tensors_.push_back(op);
  return op;
}

egraph::Op GraphTerms::literal(const Box &box) {
  const Box plain = always_.plain(box);
  const auto [at, isNew] = boxes_.try_emplace(textOf(plain), egraph::Op{});
  if (!isNew) return at->second;
  at->second = language_.intern(fmt::format("box{}", boxes_.size() - 1), 0);
  literals_[at->second] = {What::kBox, plain, {}, -1};
  return at->second;
}

egraph::Op GraphTerms::literal(const Form &form) {
  const auto [at, isNew] = forms_.try_emplace(print(form, program_.names), egraph::Op{});
  if (!isNew) return at->second;
  at->second = language_.intern(fmt::format("form{}", forms_.size() - 1), 0);
  literals_[at->second] = {What::kForm, {}, form, -1};
  return at->second;
}

egraph::Op GraphTerms::literal(int dim) {
  const egraph::Op op = language_.intern(fmt::format("d{}", dim), 0);
  literals_[op] = {What::kDim, {}, {}, dim};
  return op;
}

egraph::Term GraphTerms::encode(Terms &terms, std::size_t index) {
  const Node &node = region_.nodes[index];
  std::vector<egraph::Term> arguments;
  const auto addArguments = [&] {
    for (const int a : node.args) arguments.push_back(encoded_[static_cast<std::size_t>(a)]);
  };
  std::string name;
  switch (node.kind) {
    case NodeKind::kTensor:
      name = fmt::format("tensor{}", node.array);
      arguments = {leaf(terms, literal(node.box))};
      break;
    case NodeKind::kCmp: {
      addArguments();
      // A comparison or a cast of another type is another operation.
      std::string types(pimento::name(node.type));
      for (const int a : node.args) {
        const DType type = region_.nodes[static_cast<std::size_t>(a)].type;
        if (type != node.type) types += fmt::format(".{}", pimento::name(type));
      }
      name = fmt::format("{}.{}", kernel::name(node.op), types);
      break;
    }
    case NodeKind::kMv:
      arguments = {leaf(terms, literal(node.dim)), leaf(terms, literal(node.distance))};
      addArguments();
      name = "mv";
      break;
    case NodeKind::kBc:
      arguments = {leaf(terms, literal(node.dim)), leaf(terms, literal(node.distance)),
                   leaf(terms, literal(node.count))};
      addArguments();
      name = "bc";
      break;
    case NodeKind::kShrink:
      arguments = {leaf(terms, literal(node.box))};
      addArguments();
      name = "shrink";
      break;
    case NodeKind::kReduce:
      addArguments();
      name = fmt::format("reduce.{}.{}.d{}", kernel::name(node.combine), pimento::name(node.type), node.dim);
      break;
    case NodeKind::kStrm:
      // Each is one of its own.
      if (node.pattern.indirect >= 0) arguments = {encoded_[static_cast<std::size_t>(node.pattern.indirect)]};
      name = fmt::format("strm{}", index);
      break;
    case NodeKind::kConst: {
      std::size_t first = 0;
      const auto isSame = [&](const Node &other) {
        return other.kind == NodeKind::kConst && other.type == node.type && other.source == node.source &&
               other.integer == node.integer &&
               std::bit_cast<std::int64_t>(other.constant) == std::bit_cast<std::int64_t>(node.constant) &&
               other.array == node.array && other.form == node.form && other.index == node.index;
      };
      while (!isSame(region_.nodes[first])) ++first;
      name = fmt::format("const{}", first);
      break;
    }
  }
  const egraph::Op op = operatorOf(name, static_cast<int>(arguments.size()), node);
  return terms.add(op, arguments).first;
}

egraph::Term GraphTerms::encode(Terms &terms) {
  encoded_.clear();
  for (std::size_t n = 0; n < region_.nodes.size(); ++n) encoded_.push_back(encode(terms, n));
  egraph::Term rest = leaf(terms, none_);
  for (std::size_t o = region_.outputs.size(); o-- > 0;) {
    const Output &output = region_.outputs[o];
    if (output.pattern.indirect >= 0 && output.isStream)
      rest = terms.add(outputs_, std::array{encoded_[static_cast<std::size_t>(output.pattern.indirect)], rest}).first;
    rest = terms.add(outputs_, std::array{encoded_[static_cast<std::size_t>(output.node)], rest}).first;
  }
  return rest;
}

std::optional<Node> GraphTerms::nodeOf(const Terms &terms, egraph::Term t) const {
  const auto prototype = prototypes_.find(terms.op(t));
  Node node;
  const std::span<const egraph::Term> arguments = terms.arguments(t);
  const auto meaning = [&](std::size_t k) { return literals_.at(terms.op(arguments[k])); };
  if (prototype != prototypes_.end()) node = prototype->second;
  if (terms.op(t) == mv_) {
    node.kind = NodeKind::kMv;
    node.type = moved_;
    node.dim = meaning(0).dim;
    node.distance = meaning(1).form;
  } else if (terms.op(t) == bc_) {
    node.kind = NodeKind::kBc;
    node.type = moved_;
    node.dim = meaning(0).dim;
    node.distance = meaning(1).form;
    node.count = meaning(2).form;
  } else if (terms.op(t) == shrink_) {
    node.kind = NodeKind::kShrink;
    node.box = meaning(0).box;
  } else if (prototype == prototypes_.end()) {
    return std::nullopt;
  } else if (node.kind == NodeKind::kTensor) {
    node.box = meaning(0).box;
  }
  return node;
}

int GraphTerms::decodeNode(const Terms &terms, egraph::Term t, Region &region,
                           std::map<egraph::Term, int> &done) const {
  if (const auto known = done.find(t); known != done.end()) return known->second;
  std::optional<Node> node = nodeOf(terms, t);
  PIMENTO_CHECK(node.has_value());
  for (const egraph::Term a : terms.arguments(t)) {
    if (literals_.contains(terms.op(a))) continue;
    node->args.push_back(decodeNode(terms, a, region, done));
  }
  if (node->kind == NodeKind::kStrm) {
    if (!node->args.empty()) node->pattern.indirect = node->args.front();
    node->args.clear();
  }
  // What moves is of the type of what it moves.
  if (node->kind == NodeKind::kMv || node->kind == NodeKind::kBc || node->kind == NodeKind::kShrink)
    node->type = region.nodes[static_cast<std::size_t>(node->args.front())].type;
  region.nodes.push_back(std::move(*node));
  return done[t] = static_cast<int>(region.nodes.size()) - 1;
}

void GraphTerms::decode(const Terms &terms, egraph::Term root, Region &region) const {
  region.nodes.clear();
  std::map<egraph::Term, int> done;
  const auto take = [&] {
    egraph::Term t = terms.arguments(root)[0];
    while (terms.op(t) == shrink_) t = terms.arguments(t)[1];
    root = terms.arguments(root)[1];
    return decodeNode(terms, t, region, done);
  };
  for (Output &output : region.outputs) {
    output.node = take();
    if (output.pattern.indirect >= 0 && output.isStream) output.pattern.indirect = take();
  }
}

// ---- Facts ----

Fact GraphTerms::fact(Meaning meaning) {
  if (meaning.what == What::kUnknown) return 0;
  if (meaning.what == What::kEverywhere) return 1;
  std::string text = fmt::format("{} {} {} {}", static_cast<int>(meaning.what), textOf(meaning.box),
                                 print(meaning.form, program_.names), meaning.dim);
  std::vector<Fact> &same = factsByText_[std::move(text)];
  if (same.empty()) {
    same.push_back(static_cast<Fact>(meanings_.size()));
    meanings_.push_back(std::move(meaning));
  }
  return same.front();
}

Fact GraphTerms::domainFact(std::optional<Box> box) {
  if (!box) return 0;
  return fact({What::kDomain, always_.plain(std::move(*box)), {}, -1});
}

const Box *GraphTerms::boxOf(Fact fact, What what) const {
  return meanings_[fact].what == what ? &meanings_[fact].box : nullptr;
}

const Form *GraphTerms::formLiteral(Fact fact) const {
  return meanings_[fact].what == What::kForm ? &meanings_[fact].form : nullptr;
}

std::optional<Box> GraphTerms::inBounds(Box box, int dim) const {
  const auto d = static_cast<std::size_t>(dim);
  if (!bounding_[d]) return std::nullopt;
  const std::optional<Range> range = always_.meet(box[d], *bounding_[d]);
  if (!range) return std::nullopt;
  box[d] = *range;
  return box;
}

std::optional<Box> GraphTerms::moved(const Box &box, int dim, const Form &by) const {
  Box out = box;
  Range &range = out[static_cast<std::size_t>(dim)];
  range = shifted(std::move(range), by);
  return inBounds(std::move(out), dim);
}

std::optional<Box> GraphTerms::repeated(const Box &box, int dim, const Form &first, const Form &count) const {
  Box out = box;
  Range &range = out[static_cast<std::size_t>(dim)];
  // One cell: the highest of its lows.
  Range row;
  row.lows.clear(), row.highs.clear();
  for (const Form &low : range.lows) row.lows.push_back(plus(low, first));
  if (range.lows.size() != 1 || range.stride != 1) return std::nullopt;
  row.highs = {plus(row.lows.front(), count)};
  range = std::move(row);
  return inBounds(std::move(out), dim);
}

Fact GraphTerms::of(egraph::Op op, std::span<const Fact> arguments) {
  if (const auto literal = literals_.find(op); literal != literals_.end()) return fact(literal->second);
  if (op == mv_) {
    const Box *box = domain(arguments[2]);
    if (isEverywhere(arguments[2])) return arguments[2];
    if (box == nullptr) return 0;
    return domainFact(moved(Box(*box), dimLiteral(arguments[0]), *formLiteral(arguments[1])));
  }
  if (op == bc_) {
    const Box *box = domain(arguments[3]);
    if (box == nullptr) return 0;
    return domainFact(
        repeated(Box(*box), dimLiteral(arguments[0]), *formLiteral(arguments[1]), *formLiteral(arguments[2])));
  }
  if (op == shrink_) return domainFact(*boxLiteral(arguments[0]));
  const auto prototype = prototypes_.find(op);
  if (prototype == prototypes_.end()) return 0;
  switch (prototype->second.kind) {
    case NodeKind::kConst:
      return 1;
    case NodeKind::kTensor:
      return domainFact(*boxLiteral(arguments[0]));
    case NodeKind::kStrm:
      return domainFact(prototype->second.box);
    case NodeKind::kReduce: {
      const Box *box = domain(arguments[0]);
      if (box == nullptr) return 0;
      Box out = *box;
      Range &range = out[static_cast<std::size_t>(prototype->second.dim)];
      // Without cells it is what was there before, if anything was: not known here.
      if (range.lows.size() != 1) return 0;
      range.highs = {plus(range.lows.front(), constantForm(1))};
      range.stride = 1;
      return domainFact(std::move(out));
    }
    case NodeKind::kCmp: {
      std::optional<Box> shared;
      for (const Fact a : arguments) {
        if (isEverywhere(a)) continue;
        const Box *box = domain(a);
        if (box == nullptr) return 0;
        shared = shared ? always_.meet(*shared, *box) : *box;
        if (!shared) return 0;
      }
      return domainFact(std::move(shared));
    }
    default:
      return 0;
  }
}

Fact GraphTerms::merge(Fact a, Fact b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  ++contradictions_;
  return std::min(a, b);
}

}  // namespace pimento::tdfg
