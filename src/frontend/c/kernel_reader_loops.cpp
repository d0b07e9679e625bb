// Loops: what they do for each iteration, and the variables they carry.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/frontend/c/kernel_assigned.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/nest/accumulation.h"
#include "pimento/frontend/nest/forms.h"
#include "pimento/frontend/nest/structured.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

namespace {

/// Of a loop whose bound is being read, and of symbols: small enough for 32-bit arithmetic.
constexpr std::int64_t kUnknownExtent = std::int64_t{1} << 20;

}  // namespace

bool CReader::mentions(const CValue &v, int symbol) const {
  const auto inForm = [&](const Affine &form) { return coefficient(form, symbol) != 0; };
  if (v.kind == CValue::Kind::kPointer) {
    return std::any_of(v.pointer.index.begin(), v.pointer.index.end(), inForm) ||
           (v.pointer.data.isThere() && mentions(CValue{CValue::Kind::kScalar, v.pointer.data.value, {}}, symbol));
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
    if (a.buffer != b.buffer || a.level != b.level || a.scalar != b.scalar || a.data.isThere() || b.data.isThere()) {
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
  std::set<const clang::VarDecl *> assigned;
  if (counting.search == nullptr) assigned = variablesAssigned(parts.body, counting.skipped);
  for (const clang::Stmt *s : counting.others) assigned.merge(variablesAssigned(s, nullptr));
  for (const clang::VarDecl *ours : {counting.at, counting.stopped})
    if (ours != nullptr) assigned.insert(ours);
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
  if (counting.search != nullptr) return runSearch(parts, counting);
  const auto whole = [&] {
    const bool isTail = isTail_;
    isTail_ = true;
    if (counting.skipped != nullptr) {
      const auto *block = llvm::cast<clang::CompoundStmt>(parts.body);
      runAll({block->body_begin(), block->body_end() - 1}, 0);
    } else {
      run(parts.body);
    }
    isTail_ = isTail;
  };
  if (counting.stopped != nullptr) return runUnlessLeft(*parts.body, counting, whole);
  whole();
  for (const clang::Stmt *s : counting.others) run(s);
  return isFine();
}

/// The loop's variable in iteration `loop`.
int CReader::counterAt(const Counting &counting, int loop) const {
  const DType type = typeOf(counting.variable->getType()).value_or(DType::kI32);
  return pool_.form(type, plus(counting.start, unit(loop), counting.step).value_or(counting.start));
}

/// The body on symbols: what it does to each variable.
bool CReader::tryBody(const LoopParts &parts, const Counting &counting, int loop, const Guard &guard,
                      std::vector<Carried> &carried) {
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
                                                                         : pool_.load(t, -2 - c.symbol, {}, {}, {});
      if (!type->isPointerType()) v = scalarValue(symbol);
    }
    c.symbolic = v;
    variables_[c.variable].value = v;
  }
  variables_[counting.variable].value = scalarValue(counterAt(counting, loop));
  loops_.push_back(loop);
  guards_.push_back(guard);
  runBody(parts, counting);
  guards_.pop_back();
  loops_.pop_back();
  for (Carried &c : carried) {
    c.after = variables_[c.variable].value;
    c.isRead = readSymbols_.contains(c.symbol) || mentions(c.after, c.symbol);
    c.step = stepBetween(c.symbolic, c.after);
    // Only what began as a sum of loops goes on as one.
    const bool isForm = c.before.kind == CValue::Kind::kPointer ||
                        (c.before.kind == CValue::Kind::kScalar && pool_.formOf(c.before.scalar));
    if (!isForm || counting.startsFromData) c.step.reset();
    if (c.isRead && c.before.kind == CValue::Kind::kNothing && readSymbols_.contains(c.symbol)) {
      // Carried from iteration to iteration with nothing to start from.
      failInput("c-uninitialized", c.variable->getLocation(),
                fmt::format("'{}' is read in a loop before it is set", c.variable->getNameAsString()),
                "initialize it before the loop");
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
  if (program_.loops[static_cast<std::size_t>(loop)].isBounded() && !settleBounded(parts, loop, stored)) return false;
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
                  fmt::format("pointer '{}' moves by different distances in different iterations",
                              c.variable->getNameAsString()),
                  "index the array with the loops instead");
    }
    const DType type = pool_[c.before.scalar].type;
    NestBuffer buffer{c.variable->getNameAsString(),     NestBuffer::Kind::kCarried, type, {}, false, false,
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
    NestStatement start;
    start.buffer = c.buffer;
    start.index = index;
    start.value = c.before.scalar;
    start.where = placeOf(c.variable->getLocation());
    emit(std::move(start), predicates_.size());
    c.index = index;
    if (c.isTimed) {
      c.index.back() = unit(loop);
      v.value = scalarValue(pool_.load(type, c.buffer, c.index, {}, placeOf(c.variable->getLocation())));
    } else {
      v.buffer = c.buffer;
      v.index = index;
      v.predicates = predicates_.size();
      v.value = {};
    }
  }
}

bool CReader::runForReal(const LoopParts &parts, const Counting &counting, int loop, const Guard &guard,
                         std::vector<Carried> &carried) {
  const State state = save();
  for (bool isDone = false; !isDone && isFine();) {
    isDone = true;
    enterCarried(carried, loop);
    if (!isFine()) return false;
    const std::size_t first = program_.statements.size();
    variables_[counting.variable].value = scalarValue(counterAt(counting, loop));
    loops_.push_back(loop);
    guards_.push_back(guard);
    runBody(parts, counting);
    if (isFine() && !isTrial_) {
      for (Carried &c : carried) {
        if (c.buffer < 0) continue;
        if (!c.isTimed && !accumulatesOnly(program_, c.buffer, first) && !isStructured(program_, c.buffer, first)) {
          c.isTimed = true;
          isDone = false;
        }
      }
      for (const Carried &c : carried) {
        if (!isDone || c.buffer < 0 || !c.isTimed) continue;
        NestStatement next;
        next.buffer = c.buffer;
        next.index = c.index;
        next.index.back().constant += 1;
        next.value = variables_[c.variable].value.scalar;
        next.where = placeOf(c.variable->getLocation());
        emit(std::move(next), predicates_.size());
      }
    }
    guards_.pop_back();
    loops_.pop_back();
    if (!isDone) restore(state);
  }
  return isFine();
}

void CReader::leaveLoop(const Counting &counting, int loop, bool isKnown, std::vector<Carried> &carried) {
  const std::int64_t extent = program_.loops[static_cast<std::size_t>(loop)].extent;
  const Affine all{{}, extent};
  Variable &counter = variables_[counting.variable];
  const DType type = scalarType(counting.variable->getType(), counting.variable->getLocation());
  const Affine last = plus(counting.start, all, counting.step).value_or(counting.start);
  counter.value = isKnown ? scalarValue(pool_.form(type, last)) : CValue{};
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
          scalarValue(pool_.load(pool_[c.before.scalar].type, c.buffer, last, {}, placeOf(c.variable->getLocation())));
      if (c.isTimed && !isKnown) {
        return fail("c-loop-form", c.variable->getLocation(),
                    fmt::format("'{}' is carried through a loop of varying length and is more than an accumulator",
                                c.variable->getNameAsString()),
                    "give the loop a fixed trip count and guard its body by if");
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

/// Where the loop's variable starts: at a sum of loops, or where data say.
bool CReader::startLoop(const LoopParts &parts, Counting &counting, int loop) {
  const auto at = variables_.find(counting.variable);
  const bool hasValue =
      at != variables_.end() && at->second.buffer < 0 && at->second.value.kind == CValue::Kind::kScalar;
  const auto start = hasValue ? pool_.formOf(at->second.value.scalar) : std::nullopt;
  if (start) {
    counting.start = *start;
    return true;
  }
  if (!hasValue || counting.step != 1) {
    fail("c-not-affine", parts.where,
         fmt::format("the initial value of '{}' is not a sum of loops and sizes", counting.variable->getNameAsString()),
         hasValue ? "a loop whose start comes from data must count up by 1" : kLoopHint);
    return false;
  }
  markRead(at->second.value.scalar);
  counting.startsFromData = true;
  program_.loops[static_cast<std::size_t>(loop)].first = at->second.value.scalar;
  return true;
}

/// Whether a do-while loop is a while loop, since its condition holds before the first iteration, too; runs the body
/// once where it does not. `asked`: how the condition sees the variable.
bool CReader::startsDo(const LoopParts &parts, const Counting &asked) {
  const Variables kept = variables_;
  const DType type = scalarType(asked.variable->getType(), asked.variable->getLocation());
  variables_[asked.variable].value = scalarValue(pool_.form(type, asked.start));
  const int truth = condition(parts.condition);
  const auto known = isFine() ? pool_.integerOf(truth) : std::nullopt;
  variables_ = kept;
  if (known) {
    if (*known != 0) return true;
    run(parts.body);
    if (isFine() && asked.isInCondition) evaluate(parts.condition);
    return false;
  }
  fail("c-loop-form", parts.where, "the trip count of the do-while loop is unknown",
       "write for (int i = 0; i < n; i++), with bounds known before the loop");
  return false;
}

CReader::Flow CReader::runDo(const clang::DoStmt &s) {
  clang::Expr::EvalResult known;  // macros like to be do { ... } while (0)
  if (s.getCond()->EvaluateAsInt(known, context_) && known.Val.getInt() == 0) return run(s.getBody());
  return runLoop({s.getCond(), nullptr, s.getBody(), s.getDoLoc(), true});
}

CReader::Flow CReader::runLoop(const LoopParts &parts) {
  constexpr std::size_t kMostLoops = 24;
  if (loops_.size() >= kMostLoops) {
    fail("c-too-large", parts.where, "loops are nested too deeply", "use fewer loops");
    return Flow::kNext;
  }
  auto counting = countingOf(parts);
  if (!counting) return Flow::kNext;
  const int loop = newLoop(counting->variable->getNameAsString(), kUnknownExtent, false);
  if (!startLoop(parts, *counting, loop)) return Flow::kNext;
  if (counting->isInCondition && counting->startsFromData) {
    fail("c-not-affine", parts.where, "the trip count of the loop depends on data", kLoopHint);
    return Flow::kNext;
  }
  // The body is a step ahead of a condition that steps.
  Counting asked = *counting;
  if (counting->isInCondition) {
    Affine &later = parts.isDo ? asked.start : counting->start;
    later.constant += parts.isDo ? -counting->step : counting->step;
  }
  if (parts.isDo && !startsDo(parts, asked)) return Flow::kNext;
  const CValue before = variables_[counting->variable].value;
  prepareBreak(parts, *counting);
  if (!isFine()) return Flow::kNext;
  std::vector<Carried> carried = carriedBy(parts, *counting);
  // The condition, with the variable at iteration `loop` and nothing known of what the body changes.
  const Variables kept = variables_;
  for (const Carried &c : carried) variables_[c.variable].value = {};
  variables_[counting->variable].value = scalarValue(counterAt(asked, loop));
  std::vector<Affine> guards;
  bool isKnown = true;
  const bool runs = countIterations(parts, *counting, loop, guards, isKnown);
  variables_ = kept;
  if (!isFine()) return Flow::kNext;
  if (!runs) {
    if (counting->isInCondition) evaluate(parts.condition);  // asked once
    return Flow::kNext;
  }
  variables_[counting->variable].value = before;
  // Of what runs in the loop: what it starts from is stored where it does not run at all, too.
  const Guard guard{{std::move(guards)}, -1};
  if (tryBody(parts, *counting, loop, guard, carried) && !isTrial_) {
    runForReal(parts, *counting, loop, guard, carried);
  }
  if (isFine()) leaveLoop(*counting, loop, isKnown, carried);
  finishBreak(parts, *counting, isKnown);
  return Flow::kNext;
}

}  // namespace pimento::frontend
