// Loops: how they count, which variables they carry.
#include <fmt/format.h>

#include <algorithm>

#include "llvm/Support/Casting.h"
#include "pimento/frontend/c/kernel_accumulation.h"
#include "pimento/frontend/c/kernel_assigned.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/nest.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;
using llvm::dyn_cast;

namespace {

constexpr const char *kLoopHint =
    "write for (int i = 0; i < n; i++): a variable of the loop's own, bounds that are sums of outer loops and sizes, a "
    "constant step";

/// Of a loop whose bound is being read, and of symbols: small enough for 32-bit arithmetic.
constexpr std::int64_t kUnknownExtent = std::int64_t{1} << 20;

Affine unit(int loop, std::int64_t factor = 1) {
  Affine form;
  form.coefficients.resize(static_cast<std::size_t>(loop) + 1);
  form.coefficients.back() = factor;
  return form;
}

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
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
  } else if (const auto *block = dyn_cast<clang::CompoundStmt>(parts.body); block != nullptr && !block->body_empty()) {
    steps.push_back(block->body_back());  // while (i < n) { ...; i++; }
  }
  for (const clang::Stmt *s : steps) {
    const auto *e = dyn_cast<clang::Expr>(s);
    auto counting = e != nullptr ? stepOf(e) : std::nullopt;
    if (!isFine()) return std::nullopt;
    if (!counting || !asked.contains(counting->variable)) continue;
    if (parts.step == nullptr) counting->skipped = s;
    for (const clang::Stmt *other : steps) {
      if (other != s && parts.step != nullptr) counting->others.push_back(other);
    }
    const std::set<const clang::VarDecl *> assigned = variablesAssigned(parts.body, counting->skipped);
    if (assigned.contains(counting->variable)) {
      fail("c-loop-form", parts.where,
           fmt::format("the body changes the loop's variable '{}'", counting->variable->getNameAsString()), kLoopHint);
      return std::nullopt;
    }
    return counting;
  }
  fail("c-loop-form", parts.where,
       "the loop does not count: no variable of its condition goes up or down by a constant", kLoopHint);
  return std::nullopt;
}

/// Extent of the loop, and what guards it beyond that. False: the loop runs never, or has failed.
bool CReader::countIterations(const LoopParts &parts, int loop, std::vector<Affine> &guards, bool &isKnown) {
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
  const auto pieces = affine(truth);
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
      const CBuffer &b = program_.buffers[static_cast<std::size_t>(node.buffer)];
      if (!b.isScalar || isFloat(b.type)) return;
      missing += (missing.empty() ? "" : ",") + b.name + "=64";
    });
    if (!missing.empty()) {
      fail("c-bounds", parts.where, "how often the loop runs is not known", "say it: --size " + missing);
    } else if (readsData) {
      fail("c-not-affine", parts.where, "how often the loop runs depends on data", kLoopHint);
    } else {
      fail("c-not-affine", parts.where, "the loop's condition is no comparison of sums of loops", kLoopHint);
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
    for (std::size_t l = 0; l < rest.coefficients.size(); ++l) {
      if (rest.coefficients[l] != 0 && program_.loops[l].isSymbol) isKnown = false;
    }
    // guard >= 0 for iterations up to rest / -factor.
    const auto range = rangeOf(rest, program_.extents());
    if (!range) {
      fail("c-too-large", parts.where, "the loop's bound does not fit 64 bits", "use smaller sizes");
      return false;
    }
    const std::int64_t most = range->high < 0 ? 0 : floorDiv(range->high, -factor) + 1;
    extent = extent < 0 ? most : std::min(extent, most);
    if (!rest.coefficients.empty()) open.push_back(guard);
  }
  if (extent < 0) {
    fail("c-loop-form", parts.where, "the loop's condition does not depend on its variable", kLoopHint);
    return false;
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

bool CReader::mentions(const CValue &v, int symbol) const {
  const auto inForm = [&](const Affine &form) { return coefficient(form, symbol) != 0; };
  if (v.kind == CValue::Kind::kPointer) {
    return std::any_of(v.pointer.index.begin(), v.pointer.index.end(), inForm) ||
           (v.pointer.lastIndex >= 0 && mentions(CValue{CValue::Kind::kScalar, v.pointer.lastIndex, {}}, symbol));
  }
  if (v.kind == CValue::Kind::kNothing) return false;
  return pool_.contains(v.scalar, [&](const Expression &e) {
    if (e.op == Op::kIndex) return inForm(e.form);
    return e.op == Op::kLoad && (e.buffer == -2 - symbol || std::any_of(e.index.begin(), e.index.end(), inForm));
  });
}

/// The constant that lies between two values of one variable.
std::optional<std::int64_t> CReader::stepBetween(const CValue &from, const CValue &to) const {
  if (from.kind != to.kind || from.kind == CValue::Kind::kNothing) return std::nullopt;
  std::optional<Affine> gap;
  if (from.kind == CValue::Kind::kScalar) {
    const auto a = pool_.formOf(from.scalar), b = pool_.formOf(to.scalar);
    if (a && b) gap = plus(*b, *a, -1);
  } else {
    const CPointer &a = from.pointer, &b = to.pointer;
    if (a.buffer != b.buffer || a.level != b.level || a.scalar != b.scalar || a.lastIndex >= 0 || b.lastIndex >= 0) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < a.index.size(); ++i) {
      if (i != a.level && a.index[i] != b.index[i]) return std::nullopt;
    }
    if (a.level < a.index.size()) gap = plus(b.index[a.level], a.index[a.level], -1);
  }
  if (!gap || !trimmed(*gap).coefficients.empty()) return std::nullopt;
  return gap->constant;
}

/// The variable after so many iterations.
CValue CReader::advanced(const Carried &c, const Affine &iterations) const {
  CValue v = c.before;
  const auto add = [&](const Affine &form) { return plus(form, iterations, *c.step).value_or(form); };
  if (v.kind == CValue::Kind::kScalar) {
    v.scalar = pool_.form(pool_[v.scalar].type, add(*pool_.formOf(v.scalar)));
  } else {
    Affine &moved = v.pointer.index[v.pointer.level];
    moved = trimmed(add(moved));
  }
  return v;
}

std::vector<CReader::Carried> CReader::carriedBy(const LoopParts &parts, const Counting &counting) {
  std::set<const clang::VarDecl *> assigned = variablesAssigned(parts.body, counting.skipped);
  for (const clang::Stmt *s : counting.others) assigned.merge(variablesAssigned(s, nullptr));
  // Through a pointer to a scalar, which only parameters of inlined functions are.
  for (const clang::VarDecl *v : variablesIn(parts.body)) {
    const auto at = variables_.find(v);
    if (at != variables_.end() && at->second.value.pointer.scalar != nullptr) {
      assigned.insert(at->second.value.pointer.scalar);
    }
  }
  std::vector<Carried> carried;
  // In the order of the text, so that names and numbers do not depend on addresses.
  std::vector<const clang::VarDecl *> ordered(assigned.begin(), assigned.end());
  std::sort(ordered.begin(), ordered.end(), [](const auto *a, const auto *b) { return a->getID() < b->getID(); });
  for (const clang::VarDecl *v : ordered) {
    const auto at = variables_.find(v);
    if (at == variables_.end() || at->second.buffer >= 0 || v == counting.variable) continue;
    Carried c;
    c.variable = v;
    c.before = at->second.value;
    carried.push_back(std::move(c));
  }
  return carried;
}

bool CReader::runBody(const LoopParts &parts, const Counting &counting) {
  const bool isTail = isTail_;
  isTail_ = true;
  if (counting.skipped != nullptr) {
    const auto *block = llvm::cast<clang::CompoundStmt>(parts.body);
    runAll({block->body_begin(), block->body_end() - 1}, 0);
  } else {
    run(parts.body);
  }
  isTail_ = isTail;
  for (const clang::Stmt *s : counting.others) run(s);
  return isFine();
}

/// The body on symbols: what it does to each variable.
bool CReader::tryBody(const LoopParts &parts, const Counting &counting, int loop, std::vector<Carried> &carried) {
  const State state = save();
  const bool wasTrial = isTrial_;
  isTrial_ = true;
  std::set<int> readBefore, storedBefore;
  readBefore.swap(readSymbols_);
  storedBefore.swap(storedBuffers_);
  for (Carried &c : carried) {
    c.symbol = newLoop("?", kUnknownExtent, true);
    CValue v = c.before;
    if (v.kind == CValue::Kind::kPointer && v.pointer.level < v.pointer.index.size()) {
      Affine &moved = v.pointer.index[v.pointer.level];
      moved = plus(moved, unit(c.symbol), 1).value_or(moved);
    } else if (v.kind != CValue::Kind::kPointer) {
      const clang::QualType type = c.variable->getType();
      const DType t = typeOf(type).value_or(DType::kI32);
      const int symbol = type->isIntegerType() && !type->isBooleanType() ? pool_.form(t, unit(c.symbol))
                                                                         : pool_.load(t, -2 - c.symbol, {}, -1, {});
      if (!type->isPointerType()) v = scalarValue(symbol);
    }
    c.symbolic = v;
    variables_[c.variable].value = v;
  }
  variables_[counting.variable].value = scalarValue(pool_.form(
      scalarType(counting.variable->getType(), parts.where),
      plus(*pool_.formOf(variables_[counting.variable].value.scalar), unit(loop), counting.step).value_or(Affine{})));
  loops_.push_back(loop);
  runBody(parts, counting);
  loops_.pop_back();
  for (Carried &c : carried) {
    c.after = variables_[c.variable].value;
    c.isRead = readSymbols_.contains(c.symbol) || mentions(c.after, c.symbol);
    c.step = stepBetween(c.symbolic, c.after);
    // Only what began as a sum of loops goes on as one.
    const bool isForm = c.before.kind == CValue::Kind::kPointer ||
                        (c.before.kind == CValue::Kind::kScalar && pool_.formOf(c.before.scalar));
    if (!isForm) c.step.reset();
    if (c.isRead && c.before.kind == CValue::Kind::kNothing && readSymbols_.contains(c.symbol)) {
      // Carried from iteration to iteration with nothing to start from.
      fail("c-uninitialized", c.variable->getLocation(),
           fmt::format("'{}' is read in a loop before anything is stored in it", c.variable->getNameAsString()),
           "give it a value before the loop");
    }
  }
  restore(state);
  isTrial_ = wasTrial;
  readSymbols_.merge(readBefore);
  std::set<int> stored = storedBuffers_;
  storedBuffers_.merge(storedBefore);
  if (!isFine()) return false;
  // What is read in the body at its start was read before the loop.
  for (const Carried &c : carried) {
    if (c.isRead && c.before.kind == CValue::Kind::kScalar) markRead(c.before.scalar);
    if (c.isRead && c.before.kind == CValue::Kind::kPointer) {
      for (const Affine &form : c.before.pointer.index) markRead(form);
    }
  }
  // Values from before the loop that the loop would change under our hands.
  for (const int buffer : stored) keepOldValues(buffer);
  for (Carried &c : carried) c.before = variables_[c.variable].value;
  return isFine();
}

/// Carried variables get their place: a sum of loops, an element of a buffer, or one element for each iteration.
void CReader::enterCarried(std::vector<Carried> &carried, int loop) {
  for (Carried &c : carried) {
    Variable &v = variables_[c.variable];
    if (c.step && c.isRead) {
      v.value = advanced(c, unit(loop));
      continue;
    }
    if (!c.isRead) {
      v.value = {};
      continue;
    }
    if (isTrial_) {
      v.value = c.symbolic;
      continue;
    }
    if (c.before.kind != CValue::Kind::kScalar) {
      if (c.before.kind == CValue::Kind::kNothing) {  // carried without being used
        v.value = {};
        continue;
      }
      return fail("c-not-affine", c.variable->getLocation(),
                  fmt::format("pointer '{}' does not move by the same distance in every iteration",
                              c.variable->getNameAsString()),
                  "index the array with the loops instead");
    }
    const DType type = pool_[c.before.scalar].type;
    CBuffer buffer{c.variable->getNameAsString(),     CBuffer::Kind::kCarried, type, {}, false, false,
                   placeOf(c.variable->getLocation())};
    std::vector<Affine> index;
    for (const int l : loops_) {
      buffer.shape.push_back(program_.loops[static_cast<std::size_t>(l)].extent);
      index.push_back(unit(l));
    }
    if (c.isTimed) {
      buffer.shape.push_back(program_.loops[static_cast<std::size_t>(loop)].extent + 1);
    } else if (buffer.shape.empty()) {
      buffer.shape.push_back(1);
    }
    index.resize(buffer.shape.size());
    c.buffer = addBuffer(std::move(buffer));
    CStatement start;
    start.buffer = c.buffer;
    start.index = index;
    start.value = c.before.scalar;
    start.where = placeOf(c.variable->getLocation());
    emit(std::move(start), predicates_.size());
    c.index = index;
    if (c.isTimed) {
      c.index.back() = unit(loop);
      v.value = scalarValue(pool_.load(type, c.buffer, c.index, -1, placeOf(c.variable->getLocation())));
    } else {
      v.buffer = c.buffer;
      v.index = index;
      v.predicates = predicates_.size();
      v.value = {};
    }
  }
}

/// Whether all statements that store to the variable since `first` accumulate into it in one way.
bool CReader::accumulatesOnly(const Carried &c, std::size_t first) const {
  std::optional<kernel::Combine> how;
  for (std::size_t s = first; s < program_.statements.size(); ++s) {
    const CStatement &statement = program_.statements[s];
    if (statement.buffer != c.buffer) continue;
    const auto found = accumulationOf(program_, statement);
    if (!found || (how && *how != found->combine)) return false;
    how = found->combine;
  }
  return true;
}

bool CReader::runForReal(const LoopParts &parts, const Counting &counting, int loop, std::vector<Carried> &carried) {
  const State state = save();
  const CValue variable = variables_[counting.variable].value;
  for (bool isDone = false; !isDone && isFine();) {
    isDone = true;
    enterCarried(carried, loop);
    if (!isFine()) return false;
    const std::size_t first = program_.statements.size();
    variables_[counting.variable].value =
        scalarValue(pool_.form(pool_[variable.scalar].type,
                               plus(*pool_.formOf(variable.scalar), unit(loop), counting.step).value_or(Affine{})));
    loops_.push_back(loop);
    runBody(parts, counting);
    if (isFine() && !isTrial_) {
      for (Carried &c : carried) {
        if (c.buffer < 0) continue;
        if (!c.isTimed && !accumulatesOnly(c, first)) {
          c.isTimed = true;
          isDone = false;
        }
      }
      for (const Carried &c : carried) {
        if (!isDone || c.buffer < 0 || !c.isTimed) continue;
        CStatement next;
        next.buffer = c.buffer;
        next.index = c.index;
        next.index.back().constant += 1;
        next.value = variables_[c.variable].value.scalar;
        next.where = placeOf(c.variable->getLocation());
        emit(std::move(next), predicates_.size());
      }
    }
    loops_.pop_back();
    if (!isDone) restore(state);
  }
  return isFine();
}

void CReader::leaveLoop(const Counting &counting, int loop, const Affine &start, bool isKnown,
                        std::vector<Carried> &carried) {
  const std::int64_t extent = program_.loops[static_cast<std::size_t>(loop)].extent;
  const Affine all{{}, extent};
  Variable &counter = variables_[counting.variable];
  const DType type = scalarType(counting.variable->getType(), counting.variable->getLocation());
  counter.value = isKnown ? scalarValue(pool_.form(type, plus(start, all, counting.step).value_or(start))) : CValue{};
  for (Carried &c : carried) {
    Variable &v = variables_[c.variable];
    if (c.buffer >= 0 && !c.isTimed) {
      v.buffer = -1;
      v.index.clear();
    }
    if (c.step && c.isRead) {
      v.value = isKnown ? advanced(c, all) : CValue{};
    } else if (c.buffer >= 0) {
      std::vector<Affine> last = c.index;
      if (c.isTimed) last.back() = all;
      v.value =
          scalarValue(pool_.load(pool_[c.before.scalar].type, c.buffer, last, -1, placeOf(c.variable->getLocation())));
      if (c.isTimed && !isKnown) {
        return fail("c-loop-form", c.variable->getLocation(),
                    fmt::format("'{}' is carried through a loop whose length changes, and does more than accumulate",
                                c.variable->getNameAsString()),
                    "let the loop always run as often, and guard its body by if");
      }
    } else {
      // The last iteration's value, where that is a sum of loops.
      const auto form = v.value.kind == CValue::Kind::kScalar ? pool_.formOf(v.value.scalar) : std::nullopt;
      CValue lastValue;
      if (form && isKnown && !isTrial_) {
        Affine last = *form;
        const std::int64_t factor = coefficient(last, loop);
        if (factor != 0) last.coefficients[static_cast<std::size_t>(loop)] = 0;
        last.constant += factor * (extent - 1);
        lastValue = scalarValue(pool_.form(pool_[v.value.scalar].type, last));
      }
      v.value = lastValue;
    }
    if (isTrial_ && v.value.kind == CValue::Kind::kNothing) v.value = c.symbolic;
  }
}

CReader::Flow CReader::runLoop(const LoopParts &parts) {
  constexpr std::size_t kMostLoops = 24;
  if (loops_.size() >= kMostLoops) {
    fail("c-too-large", parts.where, "loops are nested too deeply", "write fewer loops");
    return Flow::kNext;
  }
  const auto counting = countingOf(parts);
  if (!counting) return Flow::kNext;
  const auto at = variables_.find(counting->variable);
  const auto start = at != variables_.end() && at->second.buffer < 0 && at->second.value.kind == CValue::Kind::kScalar
                         ? pool_.formOf(at->second.value.scalar)
                         : std::nullopt;
  if (!start) {
    fail("c-not-affine", parts.where,
         fmt::format("the first value of '{}' is no sum of loops and sizes", counting->variable->getNameAsString()),
         kLoopHint);
    return Flow::kNext;
  }
  const DType type = pool_[at->second.value.scalar].type;
  const CValue before = at->second.value;
  const int loop = newLoop(counting->variable->getNameAsString(), kUnknownExtent, false);
  std::vector<Carried> carried = carriedBy(parts, *counting);
  // The condition, with the variable at iteration `loop` and nothing known of what the body changes.
  const Variables kept = variables_;
  for (const Carried &c : carried) variables_[c.variable].value = {};
  const auto current = plus(*start, unit(loop), counting->step);
  variables_[counting->variable].value = scalarValue(pool_.form(type, current.value_or(*start)));
  std::vector<Affine> guards;
  bool isKnown = true;
  const bool runs = countIterations(parts, loop, guards, isKnown);
  variables_ = kept;
  if (!isFine() || !runs) return Flow::kNext;
  variables_[counting->variable].value = before;
  guards_.push_back({{std::move(guards)}, -1});
  if (tryBody(parts, *counting, loop, carried) && !isTrial_) runForReal(parts, *counting, loop, carried);
  guards_.pop_back();
  if (isFine()) leaveLoop(*counting, loop, *start, isKnown, carried);
  return Flow::kNext;
}

}  // namespace pimento::frontend
