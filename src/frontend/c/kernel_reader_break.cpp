// Loops that `break` leaves. What says that a loop was left is a variable of our own that it carries.
//
// A search does nothing but to look for the first iteration that fulfils a condition: for (...) if (c) { ...; break; }.
// Its variable is the smallest such iteration, a reduction; what stands in front of the break happens behind the loop,
// with the counter at that iteration. Any other loop runs all its iterations in order, and those behind the break do
// nothing.
#include <algorithm>
#include <limits>
#include <utility>

#include "llvm/Support/Casting.h"
#include "pimento/frontend/c/kernel_assigned.h"
#include "pimento/frontend/c/kernel_reader.h"

namespace pimento::frontend {

using kernel::Op;
using llvm::dyn_cast;
using llvm::isa;

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int32_t>::max();

std::vector<const clang::Stmt *> statementsOf(const clang::Stmt *s, const clang::Stmt *skipped) {
  std::vector<const clang::Stmt *> all;
  if (const auto *block = dyn_cast<clang::CompoundStmt>(s)) {
    all.assign(block->body_begin(), block->body_end());
  } else {
    all.push_back(s);
  }
  if (skipped != nullptr && !all.empty() && all.back() == skipped) all.pop_back();
  return all;
}

/// Whether a statement that `is` stands below `root`, where `skips` does not hide it.
template <typename Is, typename Skips>
bool hasBelow(const clang::Stmt *root, Is is, Skips skips) {
  if (root == nullptr) return false;
  if (is(*root)) return true;
  return std::any_of(root->child_begin(), root->child_end(), [&](const clang::Stmt *child) {
    return child != nullptr && !skips(*child) && hasBelow(child, is, skips);
  });
}

bool isLoopOrSwitch(const clang::Stmt &s) {
  return isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(s);
}

bool breaks(const clang::Stmt *body) {
  return !isLoopOrSwitch(*body) &&
         hasBelow(body, [](const clang::Stmt &s) { return isa<clang::BreakStmt>(s); }, isLoopOrSwitch);
}

bool isNothing(const clang::Stmt &) {
  return false;
}

/// Calls and assignments may change what others read.
bool isQuiet(const clang::Stmt *s) {
  const auto functions = functionsIn(s);
  return variablesAssigned(s, nullptr).empty() &&
         std::none_of(functions.begin(), functions.end(), [](const clang::FunctionDecl *f) { return f->hasBody(); }) &&
         !hasBelow(
             s,
             [](const clang::Stmt &x) {
               const auto *binary = dyn_cast<clang::BinaryOperator>(&x);
               return binary != nullptr && binary->isAssignmentOp();
             },
             isNothing);
}

/// Whether an element is read or written at the counter, or a variable of the body is used.
bool needsIteration(const clang::Stmt *s, const clang::VarDecl *counter, const std::set<const clang::VarDecl *> &own) {
  const std::set<const clang::VarDecl *> used = variablesIn(s);
  if (std::any_of(own.begin(), own.end(), [&](const clang::VarDecl *v) { return used.contains(v); })) return true;
  return hasBelow(
      s,
      [&](const clang::Stmt &x) {
        const auto *unary = dyn_cast<clang::UnaryOperator>(&x);
        const bool isElement =
            isa<clang::ArraySubscriptExpr>(x) || (unary != nullptr && unary->getOpcode() == clang::UO_Deref);
        return isElement && variablesIn(&x).contains(counter);
      },
      isNothing);
}

}  // namespace

const clang::IfStmt *CReader::searchOf(const LoopParts &parts, const Counting &counting) const {
  const auto list = statementsOf(parts.body, counting.skipped);
  const auto *choice = list.empty() ? nullptr : dyn_cast<clang::IfStmt>(list.back());
  const bool isPlain = choice != nullptr && choice->getElse() == nullptr && choice->getInit() == nullptr &&
                       counting.others.empty() && !counting.isInCondition && !parts.isDo;
  if (!isPlain || !isQuiet(choice->getCond())) return nullptr;
  std::set<const clang::VarDecl *> own;
  for (const clang::Stmt *s : list) {
    if (s == choice) continue;
    const auto *declaration = dyn_cast<clang::DeclStmt>(s);
    if (declaration == nullptr || !isQuiet(s)) return nullptr;
    for (const clang::Decl *d : declaration->decls())
      if (const auto *v = dyn_cast<clang::VarDecl>(d)) own.insert(v);
  }
  const auto found = statementsOf(choice->getThen(), nullptr);
  if (found.empty() || !isa<clang::BreakStmt>(found.back())) return nullptr;
  for (std::size_t s = 0; s + 1 < found.size(); ++s) {
    const bool isJump = hasBelow(
        found[s],
        [](const clang::Stmt &x) {
          return isLoopOrSwitch(x) || isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::DeclStmt>(x);
        },
        isNothing);
    if (isJump || needsIteration(found[s], counting.variable, own)) return nullptr;
  }
  return choice;
}

/// Gives a loop that `break` leaves its variables.
void CReader::prepareBreak(const LoopParts &parts, Counting &counting) {
  if (!breaks(parts.body)) return;
  counting.search = searchOf(parts, counting);
  auto &[stopped, at] = breakVariables_[parts.body];
  const auto make = [&](const char *name, clang::QualType type) {
    clang::DeclContext *const home = context_.getTranslationUnitDecl();
    return clang::VarDecl::Create(context_, home, parts.where, parts.where, &context_.Idents.get(name), type, nullptr,
                                  clang::SC_None);
  };
  if (at == nullptr) {
    stopped = make("stopped", context_.BoolTy);
    at = make("first", counting.search != nullptr ? context_.IntTy : counting.variable->getType());
  }
  counting.at = at;
  if (counting.search != nullptr) {
    variables_[at].value = scalarValue(pool_.integer(DType::kI32, kNever));
    return;
  }
  counting.stopped = stopped;
  variables_[stopped].value = scalarValue(pool_.integer(scalarType(context_.BoolTy, parts.where), 0));
  variables_[at].value = scalarValue(pool_.integer(scalarType(counting.variable->getType(), parts.where), 0));
}

CReader::Flow CReader::runBreak(const clang::BreakStmt &s) {
  if (leaving_.empty() || leaving_.back()->stopped == nullptr) {
    fail("c-control-flow", s.getBreakLoc(), "'break' leaves no loop that this reads",
         "break leaves for, while and do loops; replace switch by if");
    return Flow::kNext;
  }
  const Counting &counting = *leaving_.back();
  const CValue at = readVariable(*counting.variable, s.getBreakLoc());
  if (!isFine()) return Flow::kNext;
  assign(counting.at, at, s.getBreakLoc());
  const DType type = scalarType(context_.BoolTy, s.getBreakLoc());
  assign(counting.stopped, scalarValue(pool_.integer(type, 1)), s.getBreakLoc());
  return Flow::kContinue;
}

/// An iteration of a loop that `break` may have left.
bool CReader::runUnlessLeft(const clang::Stmt &body, const Counting &counting, const std::function<void()> &whole) {
  const auto goesOn = [&] { return pool_.isFalse(readVariable(*counting.stopped, body.getBeginLoc()).scalar); };
  const auto nothing = [] { return Flow::kNext; };
  const auto unlessLeft = [&](const std::function<void()> &what) {
    const int truth = goesOn();
    if (!isFine()) return;
    if (const auto known = pool_.integerOf(truth)) {
      if (*known != 0) what();
      return;
    }
    runBranches(
        truth, nullptr,
        [&] {
          what();
          return Flow::kNext;
        },
        nothing, body.getBeginLoc());
  };
  leaving_.push_back(&counting);
  unlessLeft([&] {
    whole();
    if (isFine() && !counting.others.empty()) {
      unlessLeft([&] {
        for (const clang::Stmt *s : counting.others) run(s);
      });
    }
  });
  leaving_.pop_back();
  return isFine();
}

/// The first iteration that fulfils the condition is the smallest one.
bool CReader::runSearch(const LoopParts &parts, const Counting &counting) {
  for (const clang::Stmt *s : statementsOf(parts.body, counting.skipped))
    if (s != counting.search) run(s);
  const int truth = isFine() ? pool_.isTrue(condition(counting.search->getCond())) : -1;
  if (!isFine()) return false;
  const int iteration = pool_.form(DType::kI32, unit(loops_.back()));
  const int here = pool_.op(Op::kSelect, DType::kI32, truth, iteration, pool_.integer(DType::kI32, kNever));
  const int before = readVariable(*counting.at, parts.where).scalar;
  if (!isFine()) return false;
  assign(counting.at, scalarValue(pool_.op(Op::kMin, DType::kI32, before, here)), parts.where);
  return isFine();
}

/// Behind the loop: where it was left, and what a search does there. `isKnown`: how often it runs if not left.
void CReader::finishBreak(const LoopParts &parts, const Counting &counting, bool isKnown) {
  if (counting.at == nullptr || !isFine()) return;
  const DType type = scalarType(counting.variable->getType(), parts.where);
  const CValue end = variables_[counting.variable].value;
  const int at = readVariable(*counting.at, parts.where).scalar;
  if (!isFine()) return;
  int isLeft = -1, where = at;
  if (counting.search != nullptr) {
    isLeft = pool_.op(Op::kCmpLt, DType::kU8, at, pool_.integer(DType::kI32, kNever));
    const int moved = pool_.op(Op::kMul, type, pool_.cast(type, at), pool_.integer(type, counting.step));
    where = pool_.op(Op::kAdd, type, moved, pool_.form(type, counting.start));
    variables_[counting.variable].value = scalarValue(where);
    const auto found = statementsOf(counting.search->getThen(), nullptr);
    const bool isTail = std::exchange(isTail_, false);
    if (found.size() > 1)
      runBranches(
          isLeft, nullptr,
          [&] {
            for (std::size_t s = 0; s + 1 < found.size() && isFine(); ++s) run(found[s]);
            return Flow::kNext;
          },
          [] { return Flow::kNext; }, parts.where);
    isTail_ = isTail;
  } else {
    isLeft = pool_.isTrue(readVariable(*counting.stopped, parts.where).scalar);
  }
  for (const clang::VarDecl *ours : {counting.at, counting.stopped}) variables_.erase(ours);
  if (!isFine()) return;
  const bool hasEnd = isKnown && end.kind == CValue::Kind::kScalar;
  if (isTrial_ && !hasEnd) return;
  variables_[counting.variable].value =
      hasEnd ? scalarValue(pool_.op(Op::kSelect, type, isLeft, pool_.cast(type, where), end.scalar)) : CValue{};
}

}  // namespace pimento::frontend
