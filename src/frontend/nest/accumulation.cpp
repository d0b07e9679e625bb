#include "pimento/frontend/nest/accumulation.h"

#include <limits>
#include <utility>
#include <vector>

namespace pimento::frontend {

using kernel::Combine;
using kernel::Op;

int neutral(ExpressionPool &pool, Combine combine, DType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const int width = static_cast<int>(8 * sizeOf(type).value);
  const auto top = static_cast<std::int64_t>(std::uint64_t{1} << (width - 1));
  switch (combine) {
    case Combine::kMul:
      return isFloat(type) ? pool.real(type, 1) : pool.integer(type, 1);
    case Combine::kMin:
      if (isFloat(type)) return pool.real(type, kInfinity);
      return pool.integer(type, isSigned(type) ? static_cast<std::int64_t>(static_cast<std::uint64_t>(top) - 1) : -1);
    case Combine::kMax:
      if (isFloat(type)) return pool.real(type, -kInfinity);
      return pool.integer(type, isSigned(type) ? top : 0);
    default:
      // x + -0 is x for every x, +0 for -0 would not be.
      return isFloat(type) ? pool.real(type, -0.0) : pool.integer(type, 0);
  }
}

namespace {

class Finder {
 public:
  Finder(NestProgram &program, const NestStatement &s) : pool_(program.pool), s_(s) {}

  std::optional<NestAccumulation> run() {
    if (s_.predicate >= 0) {
      if (auto extreme = extremeUnder(s_.predicate)) return extreme;
    }
    auto found = plain(s_.value);
    if (!found || mentionsOld(found->term)) return std::nullopt;
    if (s_.predicate >= 0) {
      if (mentionsOld(s_.predicate)) return std::nullopt;
      const DType type = pool_[found->term].type;
      found->term = pool_.op(Op::kSelect, type, s_.predicate, found->term, neutral(pool_, found->combine, type));
    }
    return found;
  }

 private:
  /// if (c && x > old) old = x.
  std::optional<NestAccumulation> extremeUnder(int predicate) {
    if (auto extreme = conditional(predicate, s_.value, -1)) return extreme;
    const Expression node = pool_[predicate];
    if (node.op != Op::kAnd || node.type != DType::kU8) return std::nullopt;
    for (const auto &[part, rest] : {std::pair{node.args[0], node.args[1]}, std::pair{node.args[1], node.args[0]}}) {
      auto extreme = mentionsOld(rest) ? std::nullopt : extremeUnder(part);
      if (!extreme) continue;
      const DType type = pool_[extreme->term].type;
      extreme->term = pool_.op(Op::kSelect, type, rest, extreme->term, neutral(pool_, extreme->combine, type));
      return extreme;
    }
    return std::nullopt;
  }

  bool isOld(int e) const {
    const Expression &node = pool_[e];
    return node.op == Op::kLoad && node.buffer == s_.buffer && node.index == s_.index && node.data() == s_.data;
  }
  /// Whether the value depends on the element as it was. (Other elements are for the scheduler to look at.)
  bool mentionsOld(int root) const {
    bool isFound = false;
    pool_.visit(root, [&](int e) { isFound = isFound || isOld(e); });
    return isFound;
  }

  /// Whether every value of one type is one of the integer type `to`.
  static bool holds(DType to, DType from) {
    return from == to || (!isFloat(from) && sizeOf(from) < sizeOf(to) && (isSigned(to) || !isSigned(from)));
  }

  /// The integer that casts made wider without changing it, or what they made of it in type `enough`: C compares and
  /// chooses in int.
  int narrowed(int e, std::optional<DType> enough = std::nullopt) const {
    const Expression &wide = pool_[e];
    if (wide.op != Op::kCast || isFloat(wide.type) || wide.type == enough) return e;
    const int narrow = narrowed(wide.args[0], enough);
    return holds(wide.type, pool_[narrow].type) ? narrow : e;
  }

  /// (short)(c ? a : b), or (short)min(a, b), of two shorts.
  std::optional<NestAccumulation> narrowChoice(const Expression &cast) {
    const Expression choice = pool_[cast.args[0]];
    const bool isChoice = choice.op == Op::kSelect;
    if (!isChoice && choice.op != Op::kMin && choice.op != Op::kMax) return std::nullopt;
    int yes = narrowed(choice.args[isChoice ? 1 : 0], cast.type),
        no = narrowed(choice.args[isChoice ? 2 : 1], cast.type);
    if (!holds(cast.type, pool_[yes].type) || !holds(cast.type, pool_[no].type)) return std::nullopt;
    yes = pool_.cast(cast.type, yes);
    no = pool_.cast(cast.type, no);
    if (isChoice) return conditional(choice.args[0], yes, no);
    return either(choice.op == Op::kMin ? Combine::kMin : Combine::kMax, yes, no);
  }

  std::optional<NestAccumulation> plain(int value) {
    const Expression node = pool_[value];
    const int l = node.args[0], r = node.args[1];
    const bool isSum = node.op == Op::kAdd || node.op == Op::kSub || node.op == Op::kCast;
    if (isSum && !isFloat(node.type)) {
      auto sum = integerSum(value);
      return sum || node.op != Op::kCast ? sum : narrowChoice(node);
    }
    switch (node.op) {
      case Op::kAdd:
        return either(Combine::kAdd, l, r);
      case Op::kSub:
        if (!isOld(l)) return std::nullopt;
        return NestAccumulation{Combine::kAdd, pool_.op(Op::kNeg, node.type, r)};
      case Op::kMul:
        return either(Combine::kMul, l, r);
      case Op::kMin:
        return either(Combine::kMin, l, r);
      case Op::kMax:
        return either(Combine::kMax, l, r);
      case Op::kRelu:
        return std::nullopt;
      case Op::kSelect:
        return conditional(node.args[0], node.args[1], node.args[2]);
      default:
        return std::nullopt;
    }
  }

  std::optional<NestAccumulation> either(Combine combine, int l, int r) const {
    if (isOld(l)) return NestAccumulation{combine, r};
    if (isOld(r)) return NestAccumulation{combine, l};
    return std::nullopt;
  }

  /// old + a - b + ..., in any order and in any type that is at least as wide: integers wrap, so sums may be taken
  /// apart and low bits stay what they are.
  std::optional<NestAccumulation> integerSum(int value) {
    constexpr std::size_t kMostTerms = 64;
    const DType type = pool_[value].type;
    const auto isWide = [&](DType t) { return !isFloat(t) && sizeOf(t).value >= sizeOf(type).value; };
    int term = -1, olds = 0;
    std::vector<std::pair<int, bool>> pending{{value, false}};
    std::size_t seen = 0;
    while (!pending.empty()) {
      const auto [e, isNegative] = pending.back();
      pending.pop_back();
      if (++seen > kMostTerms) return std::nullopt;
      const Expression node = pool_[e];
      const bool isSum = (node.op == Op::kAdd || node.op == Op::kSub) && isWide(node.type);
      const bool isCast = node.op == Op::kCast && isWide(node.type) && isWide(pool_[node.args[0]].type);
      if (isOld(e)) {
        if (isNegative) return std::nullopt;
        ++olds;
      } else if (!mentionsOld(e)) {
        const int part = pool_.cast(type, e);
        if (term < 0) {
          term = isNegative ? pool_.op(Op::kNeg, type, part) : part;
        } else {
          term = pool_.op(isNegative ? Op::kSub : Op::kAdd, type, term, part);
        }
      } else if (isSum) {
        pending.emplace_back(node.args[1], isNegative != (node.op == Op::kSub));
        pending.emplace_back(node.args[0], isNegative);
      } else if (isCast) {
        pending.emplace_back(node.args[0], isNegative);
      } else {
        return std::nullopt;
      }
    }
    if (olds != 1 || term < 0) return std::nullopt;
    return NestAccumulation{Combine::kAdd, term};
  }

  /// x > old ? x : old, and its relatives; `no` is -1 where the element stays.
  std::optional<NestAccumulation> conditional(int condition, int yes, int no) {
    const Expression c = pool_[condition];
    const bool isLess = c.op == Op::kCmpLt || c.op == Op::kCmpLe, isMore = c.op == Op::kCmpGt || c.op == Op::kCmpGe;
    const bool keepsOld = no < 0 || isOld(no), takesOld = isOld(yes) && no >= 0;
    if (!keepsOld && !takesOld) return std::nullopt;
    const int x = keepsOld ? yes : no;
    if (!isLess && !isMore) return conditionalSum(condition, yes, no);
    // Whether the condition, as x against the element, is "more".
    bool xIsMore = false;
    const auto isX = [&](int e) { return e == x || narrowed(e) == narrowed(x); };
    if (isX(c.args[0]) && isOld(narrowed(c.args[1]))) {
      xIsMore = isMore;
    } else if (isX(c.args[1]) && isOld(narrowed(c.args[0]))) {
      xIsMore = isLess;
    } else {
      return conditionalSum(condition, yes, no);
    }
    if (mentionsOld(x)) return std::nullopt;
    const bool isStrict = keepsOld && (c.op == Op::kCmpLt || c.op == Op::kCmpGt);
    return NestAccumulation{xIsMore == keepsOld ? Combine::kMax : Combine::kMin, x, isFloat(pool_[x].type), isStrict};
  }

  /// c ? old + x : old.
  std::optional<NestAccumulation> conditionalSum(int condition, int yes, int no) {
    if (no < 0 || mentionsOld(condition)) return std::nullopt;
    const bool isPlain = isOld(no);
    auto found = plain(isPlain ? yes : no);
    if (!found) return std::nullopt;
    const DType type = pool_[found->term].type;
    const int nothing = neutral(pool_, found->combine, type);
    found->term = isPlain ? pool_.op(Op::kSelect, type, condition, found->term, nothing)
                          : pool_.op(Op::kSelect, type, condition, nothing, found->term);
    return found;
  }

  ExpressionPool &pool_;
  const NestStatement &s_;
};

}  // namespace

std::optional<NestAccumulation> accumulationOf(NestProgram &program, const NestStatement &s) {
  // A term that is computed in another type than the element would be rounded at another place.
  if (program.pool[s.value].type != program.buffers[static_cast<std::size_t>(s.buffer)].type) return std::nullopt;
  return Finder(program, s).run();
}

bool accumulatesOnly(NestProgram &program, int buffer, std::size_t first) {
  std::optional<kernel::Combine> how;
  for (std::size_t s = first; s < program.statements.size(); ++s) {
    if (program.statements[s].buffer != buffer) continue;
    const auto found = accumulationOf(program, program.statements[s]);
    if (!found || (how && *how != found->combine)) return false;
    how = found->combine;
  }
  return true;
}

}  // namespace pimento::frontend
