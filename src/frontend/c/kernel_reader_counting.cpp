// Loops: by which variable they count, and how often they run.
#include <fmt/format.h>

#include <algorithm>

#include "llvm/Support/Casting.h"
#include "pimento/frontend/c/kernel_assigned.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/nest/conditions.h"
#include "pimento/frontend/nest/forms.h"
#include "pimento/kernel/scalar.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;
using llvm::dyn_cast;

namespace {

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// The first n-- or ++i of a condition that happens whenever the condition is asked.
const clang::Expr *stepIn(const clang::Expr *condition) {
  const clang::Expr *e = condition->IgnoreParenImpCasts();
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(e))
    return unary->isIncrementDecrementOp() ? unary : stepIn(unary->getSubExpr());
  const auto *binary = dyn_cast<clang::BinaryOperator>(e);
  if (binary == nullptr) return nullptr;
  const clang::Expr *left = stepIn(binary->getLHS());
  return left != nullptr || binary->isLogicalOp() ? left : stepIn(binary->getRHS());
}

}  // namespace

/// The variable and the constant of i++, i -= 2, i = i + 3.
std::optional<CReader::Counting> CReader::stepOf(const clang::Expr *e) {
  e = e->IgnoreParenImpCasts();
  const auto variableOf = [](const clang::Expr *x) -> const clang::VarDecl * {
    const auto *reference = dyn_cast<clang::DeclRefExpr>(x->IgnoreParenImpCasts());
    return reference != nullptr ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  };
  const auto constant = [&](const clang::Expr *x) -> std::optional<std::int64_t> {
    if (!x->getType()->isIntegerType()) return std::nullopt;
    const Variables kept = variables_;
    const int value = scalar(x);
    variables_ = kept;
    return isFine() ? pool_.integerOf(value) : std::nullopt;
  };
  Counting counting;
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(e); unary != nullptr && unary->isIncrementDecrementOp()) {
    counting.variable = variableOf(unary->getSubExpr());
    counting.step = unary->isIncrementOp() ? 1 : -1;
  } else if (const auto *binary = dyn_cast<clang::BinaryOperator>(e)) {
    const bool isPlus = binary->getOpcode() == clang::BO_AddAssign,
               isMinus = binary->getOpcode() == clang::BO_SubAssign;
    std::optional<std::int64_t> step;
    if (isPlus || isMinus) {
      counting.variable = variableOf(binary->getLHS());
      step = constant(binary->getRHS());
      if (step && isMinus) step = -*step;
    } else if (binary->getOpcode() == clang::BO_Assign) {
      const auto *sum = dyn_cast<clang::BinaryOperator>(binary->getRHS()->IgnoreParenImpCasts());
      if (sum == nullptr || !sum->isAdditiveOp()) return std::nullopt;
      const clang::VarDecl *v = variableOf(binary->getLHS());
      const bool isMirrored = sum->getOpcode() == clang::BO_Add && v != nullptr && variableOf(sum->getRHS()) == v;
      if (v == nullptr || (!isMirrored && variableOf(sum->getLHS()) != v)) return std::nullopt;
      counting.variable = v;
      step = constant(isMirrored ? sum->getLHS() : sum->getRHS());
      if (step && sum->getOpcode() == clang::BO_Sub) step = -*step;
    }
    if (!step) return std::nullopt;
    counting.step = *step;
  }
  if (counting.variable == nullptr || !counting.variable->getType()->isIntegerType() || counting.step == 0) {
    return std::nullopt;
  }
  return counting;
}

/// Which variable the loop counts by: the one that its condition asks for and its step moves.
std::optional<CReader::Counting> CReader::countingOf(const LoopParts &parts) {
  if (parts.condition == nullptr) {
    fail("c-loop-form", parts.where, "the loop has no condition and never ends", kLoopHint);
    return std::nullopt;
  }
  const std::set<const clang::VarDecl *> asked = variablesIn(parts.condition);
  std::vector<const clang::Stmt *> steps;
  if (parts.step != nullptr) {
    std::vector<const clang::Expr *> pending{parts.step};
    while (!pending.empty()) {
      const clang::Expr *e = pending.back();
      pending.pop_back();
      const auto *comma = dyn_cast<clang::BinaryOperator>(e->IgnoreParens());
      if (comma != nullptr && comma->getOpcode() == clang::BO_Comma) {
        pending.push_back(comma->getRHS());
        pending.push_back(comma->getLHS());
      } else {
        steps.push_back(e);
      }
    }
  } else if (const clang::Expr *step = stepIn(parts.condition)) {
    steps.push_back(step);  // while (n--)
  } else if (const auto *block = dyn_cast<clang::CompoundStmt>(parts.body); block != nullptr && !block->body_empty()) {
    steps.push_back(block->body_back());  // while (i < n) { ...; i++; }
  }
  for (const clang::Stmt *s : steps) {
    const auto *e = dyn_cast<clang::Expr>(s);
    auto counting = e != nullptr ? stepOf(e) : std::nullopt;
    if (!isFine()) return std::nullopt;
    if (!counting || !asked.contains(counting->variable)) continue;
    counting->isInCondition = parts.step == nullptr && e == stepIn(parts.condition);
    if (parts.step == nullptr && !counting->isInCondition) counting->skipped = s;
    for (const clang::Stmt *other : steps) {
      if (other != s && parts.step != nullptr) counting->others.push_back(other);
    }
    const std::set<const clang::VarDecl *> assigned = variablesAssigned(parts.body, counting->skipped);
    if (assigned.contains(counting->variable)) {
      fail("c-loop-form", parts.where,
           fmt::format("the body changes the loop variable '{}'", counting->variable->getNameAsString()), kLoopHint);
      return std::nullopt;
    }
    return counting;
  }
  fail("c-loop-form", parts.where,
       parts.step != nullptr
           ? "the loop does not count: no variable of its condition changes by a constant"
           : "the loop does not count: its last statement does not change a variable of its condition by a constant",
       kLoopHint);
  return std::nullopt;
}

/// A condition on the loop's variable and on what it does not change: variable < value, and the like. Where it is one,
/// the loop has its end.
bool CReader::boundByData(int truth, const Counting &counting, int loop) {
  const Expression c = pool_[truth];
  if (!kernel::isComparison(c.op) || c.op == Op::kCmpEq || counting.step < 1) return false;
  const bool isLeft =
      c.op == Op::kCmpLt || c.op == Op::kCmpLe ||
      (c.op == Op::kCmpNe && pool_.formOf(c.args[0]) && coefficient(*pool_.formOf(c.args[0]), loop) != 0);
  const int variable = c.args[isLeft ? 0 : 1], value = c.args[isLeft ? 1 : 0];
  const auto form = pool_.formOf(variable);
  const bool mentions = pool_.contains(value, [&](const Expression &e) {
    return coefficient(e.form, loop) != 0 ||
           std::any_of(e.index.begin(), e.index.end(), [&](const Affine &i) { return coefficient(i, loop) != 0; });
  });
  if (!form || coefficient(*form, loop) != counting.step || mentions || isFloat(pool_[value].type)) return false;
  if (c.op == Op::kCmpNe && counting.step != 1) return false;
  // start + step * iteration < value; iterations are those below (value - start) / step, rounded up.
  Affine start = *form;
  start.coefficients[static_cast<std::size_t>(loop)] = 0;
  const bool isUpTo = c.op == Op::kCmpLe || c.op == Op::kCmpGe;
  const auto less = plus(Affine{{}, (isUpTo ? 1 : 0) + counting.step - 1}, trimmed(start), -1);
  if (!less) return false;
  int end = value;
  if (trimmed(*less) != Affine{})
    end = pool_.op(Op::kAdd, DType::kI64, pool_.cast(DType::kI64, value), pool_.form(DType::kI64, *less));
  if (counting.step > 1) end = pool_.op(Op::kDiv, DType::kI64, end, pool_.integer(DType::kI64, counting.step));
  program_.loops[static_cast<std::size_t>(loop)].end = end;
  return true;
}

/// A loop that data bound ends behind `last`, too.
void CReader::endBy(int loop, Affine last) {
  int &end = program_.loops[static_cast<std::size_t>(loop)].end;
  ++last.constant;
  const int other = pool_.form(DType::kI64, std::move(last));
  end = end < 0 ? other : pool_.op(Op::kMin, DType::kI64, pool_.cast(DType::kI64, end), other);
}

/// Takes what data bound from a condition that must hold altogether.
bool CReader::takeDataBound(int &truth, const Counting &counting, int loop) {
  const auto readsData = [&](int e) {
    return pool_.contains(e, [&](const Expression &x) {
      return x.op == Op::kLoad && x.buffer >= 0 && !program_.buffers[static_cast<std::size_t>(x.buffer)].isScalar;
    });
  };
  const auto readsNumbers = [&](int e) {  // that --size could bind
    return pool_.contains(e, [&](const Expression &x) {
      return x.op == Op::kLoad && x.buffer >= 0 && program_.buffers[static_cast<std::size_t>(x.buffer)].isScalar;
    });
  };
  if (disjointGuards(pool_, truth) || !readsData(truth) || readsNumbers(truth)) return false;
  int rest = -1;
  bool isFound = false;
  std::vector<int> parts{truth};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Expression node = pool_[parts[p]];
    if (node.op == Op::kAnd && node.type == DType::kU8) {
      parts.insert(parts.end(), {node.args[0], node.args[1]});
    } else if (!isFound && !disjointGuards(pool_, parts[p])) {
      isFound = boundByData(parts[p], counting, loop);
      if (!isFound) return false;
    } else {
      rest = pool_.both(rest, parts[p]);
    }
  }
  truth = rest < 0 ? pool_.integer(DType::kU8, 1) : rest;
  return isFound;
}

/// Once the body is known: the loop runs as far as the arrays let it that it indexes, and leaves alone what bounds it.
bool CReader::settleBounded(const LoopParts &parts, int loop, const std::set<int> &stored) {
  NestLoop &l = program_.loops[static_cast<std::size_t>(loop)];
  for (const int bound : {l.first, l.end}) {
    const bool isStored = bound >= 0 && pool_.contains(bound, [&](const Expression &e) {
      return e.op == Op::kLoad && stored.contains(e.buffer);
    });
    if (!isStored) continue;
    fail("c-loop-form", parts.where, "the loop body changes its own trip count",
         "keep its bounds in an array that the loop does not write");
    return false;
  }
  if (l.most >= 0) {
    l.extent = std::max<std::int64_t>(1, l.most);
  } else if (!isTrial_) {
    failInput(
        "c-bounds", parts.where,
        fmt::format(
            "the range of '{}' is unknown: its bounds come from data, and it does not index an array with an extent",
            l.name),
        "declare an array that it indexes with its extent: float val[n]");
    return false;
  }
  return true;
}

/// An index of a loop that data bound must be one of the array.
void CReader::seeExtent(const CPointer &p) {
  const std::vector<std::int64_t> &shape = program_.buffers[static_cast<std::size_t>(p.buffer)].shape;
  for (std::size_t i = 0; i < p.index.size(); ++i) {
    for (std::size_t l = 0; l < p.index[i].coefficients.size(); ++l) {
      const std::int64_t factor = p.index[i].coefficients[l];
      if (factor <= 0 || shape[i] == 0 || !program_.loops[l].isBounded()) continue;
      Affine rest = p.index[i];
      rest.coefficients[l] = 0;
      const auto range = rangeOf(rest, program_.extents());
      if (!range || range->high > shape[i] - 1) continue;
      const std::int64_t most = (shape[i] - 1 - range->high) / factor + 1;
      program_.loops[l].most = program_.loops[l].most < 0 ? most : std::min(program_.loops[l].most, most);
    }
  }
}

/// Extent of the loop, and what guards it beyond that. False: the loop runs never, or has failed.
bool CReader::countIterations(const LoopParts &parts, const Counting &counting, int loop, std::vector<Affine> &guards,
                              bool &isKnown) {
  int truth = condition(parts.condition);
  if (!isFine()) return false;
  const Expression c = pool_[truth];
  // i != n ends as i < n does where the steps meet n.
  if (c.op == Op::kCmpNe) {
    const auto left = pool_.formOf(c.args[0]), right = pool_.formOf(c.args[1]);
    const auto gap = left && right ? plus(*right, *left, -1) : std::nullopt;
    const std::int64_t factor = gap ? coefficient(*gap, loop) : 0;
    const bool meets = factor == 1 || factor == -1 ||
                       (factor != 0 &&
                        std::all_of(gap->coefficients.begin(), gap->coefficients.end(),
                                    [&](std::int64_t x) { return x % factor == 0; }) &&
                        gap->constant % factor == 0);
    if (meets) truth = pool_.op(factor < 0 ? Op::kCmpLt : Op::kCmpGt, DType::kU8, c.args[0], c.args[1]);
  }
  if (const auto known = pool_.integerOf(truth)) {
    if (*known != 0) fail("c-loop-form", parts.where, "the loop never ends", kLoopHint);
    return false;
  }
  bool readsData = pool_.contains(truth, [&](const Expression &e) { return e.op == Op::kLoad && e.buffer >= 0; });
  const bool isBounded = takeDataBound(truth, counting, loop) || counting.startsFromData;
  const auto pieces = disjointGuards(pool_, truth);
  if (!pieces || pieces->size() > 1) {
    if (isTrial_ && !readsData) {
      isKnown = false;
      return true;
    }
    // Names that --size could bind.
    std::string missing;
    pool_.visit(truth, [&](int e) {
      const Expression &node = pool_[e];
      if (node.op != Op::kLoad || node.buffer < 0) return;
      const NestBuffer &b = program_.buffers[static_cast<std::size_t>(node.buffer)];
      if (!b.isScalar || isFloat(b.type)) return;
      missing += (missing.empty() ? "" : ",") + b.name + "=64";
    });
    if (!missing.empty()) {
      failInput("c-bounds", parts.where, "the trip count of the loop is unknown", "set it: --size " + missing);
    } else if (readsData) {
      fail("c-not-affine", parts.where, "the trip count of the loop depends on data", kLoopHint);
    } else {
      fail("c-not-affine", parts.where, "the loop condition does not compare sums of loops", kLoopHint);
    }
    return false;
  }
  if (pieces->empty()) return false;
  std::int64_t extent = -1;
  std::vector<Affine> open;
  for (const Affine &guard : pieces->front()) {
    const std::int64_t factor = coefficient(guard, loop);
    Affine rest = guard;
    if (static_cast<std::size_t>(loop) < rest.coefficients.size())
      rest.coefficients[static_cast<std::size_t>(loop)] = 0;
    rest = trimmed(std::move(rest));
    if (factor > 0) {
      fail("c-loop-form", parts.where, "the loop moves away from its bound and never ends", kLoopHint);
      return false;
    }
    if (factor == 0) {
      open.push_back(guard);
      continue;
    }
    if (isBounded) {  // the end is the first of both
      if (factor == -1)
        endBy(loop, rest);
      else
        open.push_back(guard);
      continue;
    }
    for (std::size_t l = 0; l < rest.coefficients.size(); ++l) {
      if (rest.coefficients[l] != 0 && program_.loops[l].isSymbol) isKnown = false;
    }
    // guard >= 0 for iterations up to rest / -factor.
    const auto range = rangeOf(rest, program_.extents());
    if (!range) {
      fail("c-too-large", parts.where, "the loop bound does not fit in 64 bits", "use smaller sizes");
      return false;
    }
    const std::int64_t most = range->high < 0 ? 0 : floorDiv(range->high, -factor) + 1;
    extent = extent < 0 ? most : std::min(extent, most);
    if (!rest.coefficients.empty()) open.push_back(guard);
  }
  if (extent < 0 && !isBounded) {
    fail("c-loop-form", parts.where, "the loop's condition does not depend on its variable", kLoopHint);
    return false;
  }
  if (isBounded) {
    isKnown = false;
    guards = std::move(open);
    return true;
  }
  if (!isKnown) extent = 1;
  constexpr std::int64_t kMostIterations = std::int64_t{1} << 40;
  if (extent > kMostIterations) {
    fail("c-too-large", parts.where, fmt::format("the loop runs {} times", extent), "use smaller sizes");
    return false;
  }
  program_.loops[static_cast<std::size_t>(loop)].extent = std::max<std::int64_t>(extent, 1);
  if (!open.empty())
    isKnown =
        isKnown && std::all_of(open.begin(), open.end(), [&](const Affine &g) { return coefficient(g, loop) == 0; });
  guards = std::move(open);
  return extent > 0;
}

}  // namespace pimento::frontend
