#include "pimento/frontend/c/kernel_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Casting.h"
#include "pimento/frontend/nest/conditions.h"

namespace pimento::frontend {

using llvm::dyn_cast;
using llvm::isa;

namespace {

/// Far more than programs need; what generated texts could reach.
constexpr int kDeepest = 400;
constexpr long kMostSteps = 400'000;
constexpr std::size_t kMostStatements = 4000;

/// The parts of { ... }, or the one statement.
std::vector<const clang::Stmt *> listOf(const clang::Stmt *s) {
  if (s == nullptr) return {};
  if (const auto *block = dyn_cast<clang::CompoundStmt>(s)) return {block->body_begin(), block->body_end()};
  return {s};
}

/// Whether a branch ends in `continue`, `break` or `return`.
bool leaves(const clang::Stmt *s) {
  const std::vector<const clang::Stmt *> list = listOf(s);
  return !list.empty() && isa<clang::ContinueStmt, clang::BreakStmt, clang::ReturnStmt>(list.back());
}

bool isSame(const CValue &a, const CValue &b) {
  return a.kind == b.kind && a.scalar == b.scalar && a.pointer.buffer == b.pointer.buffer &&
         a.pointer.index == b.pointer.index && a.pointer.level == b.pointer.level && a.pointer.data == b.pointer.data &&
         a.pointer.scalar == b.pointer.scalar;
}

}  // namespace

Location CReader::placeOf(clang::SourceLocation where) const {
  const clang::SourceManager &sources = context_.getSourceManager();
  const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(where));
  if (at.isInvalid()) return {program_.where.file};
  return {at.getFilename(), static_cast<int>(at.getLine()), static_cast<int>(at.getColumn())};
}

void CReader::fail(std::string code, clang::SourceLocation where, std::string message, std::string hint) {
  // The first mistake; what follows from it would confuse.
  if (isFine()) errors_.push_back(unsupported(std::move(code), placeOf(where), std::move(message), std::move(hint)));
}

void CReader::failInput(std::string code, clang::SourceLocation where, std::string message, std::string hint) {
  if (isFine()) errors_.push_back(error(std::move(code), placeOf(where), std::move(message), std::move(hint)));
}

int CReader::newLoop(std::string name, std::int64_t extent, bool isSymbol) {
  program_.loops.push_back({std::move(name), extent, isSymbol});
  return static_cast<int>(program_.loops.size()) - 1;
}

CReader::State CReader::save() const {
  return {variables_, predicates_, program_.statements.size()};
}

/// Buffers and loops stay: expressions may name them, and what no statement uses is dropped later.
void CReader::restore(const State &state) {
  variables_ = state.variables;
  predicates_ = state.predicates;
  program_.statements.resize(state.statements);
  delayed_.clear();
}

bool CReader::enter(const clang::Stmt *s) {
  if (!isFine()) return false;
  if (++steps_ > kMostSteps || depth_ > kDeepest || program_.statements.size() > kMostStatements) {
    fail("c-too-large", s->getBeginLoc(), "the function is too large or too deeply nested",
         "split it into functions and select one with --function");
  }
  return isFine();
}

bool CReader::read(const clang::FunctionDecl &function) {
  frames_.push_back({&function, {}, 0});
  declareParameters(function);
  if (isFine()) run(function.getBody());
  program_.statements.insert(program_.statements.begin(), constants_.begin(), constants_.end());
  if (!isFine()) return false;
  const CValue result = frames_.back().result;
  if (result.kind == CValue::Kind::kPointer) {
    fail("c-type", function.getLocation(), "the function returns a pointer", "write results to parameters");
  }
  // A constant is a status, not a result.
  if (!isFine() || result.kind != CValue::Kind::kScalar || pool_.isConstant(result.scalar)) return isFine();
  NestBuffer buffer{"result", NestBuffer::Kind::kResult, pool_[result.scalar].type, {1}, false, false, program_.where};
  CPointer place;
  place.buffer = addBuffer(std::move(buffer));
  place.index.push_back({{}, 0});
  store(place, result.scalar, function.getLocation());
  return isFine();
}

CReader::Flow CReader::run(const clang::Stmt *s) {
  if (s == nullptr || !enter(s)) return Flow::kNext;
  if (isa<clang::CompoundStmt>(s)) return runAll(listOf(s), 0);
  if (isa<clang::NullStmt>(s)) return Flow::kNext;
  if (const auto *declaration = dyn_cast<clang::DeclStmt>(s)) {
    for (const clang::Decl *d : declaration->decls()) {
      if (const auto *v = dyn_cast<clang::VarDecl>(d)) runDeclaration(*v);
    }
    return Flow::kNext;
  }
  if (const auto *branch = dyn_cast<clang::IfStmt>(s)) return runIf(*branch, nullptr, 0);
  if (const auto *loop = dyn_cast<clang::ForStmt>(s)) {
    run(loop->getInit());
    return isFine() ? runLoop({loop->getCond(), loop->getInc(), loop->getBody(), loop->getForLoc()}) : Flow::kNext;
  }
  if (const auto *loop = dyn_cast<clang::WhileStmt>(s)) {
    return runLoop({loop->getCond(), nullptr, loop->getBody(), loop->getWhileLoc()});
  }
  if (const auto *loop = dyn_cast<clang::DoStmt>(s)) return runDo(*loop);
  if (isa<clang::ContinueStmt>(s)) return Flow::kContinue;
  if (const auto *leave = dyn_cast<clang::BreakStmt>(s)) return runBreak(*leave);
  if (const auto *back = dyn_cast<clang::ReturnStmt>(s)) {
    runReturn(*back);
    return Flow::kReturn;
  }
  if (const auto *e = dyn_cast<clang::Expr>(s)) {
    evaluate(e);
    flushDelayed();
    return Flow::kNext;
  }
  if (const auto *attributed = dyn_cast<clang::AttributedStmt>(s)) return run(attributed->getSubStmt());
  fail("c-control-flow", s->getBeginLoc(), fmt::format("'{}' is not supported in a kernel", quoted(s, true)),
       "kernels consist of for loops with known bounds, if, assignments and calls; no goto or switch");
  return Flow::kNext;
}

std::string CReader::quoted(const clang::Stmt *s, bool isFirstWord) const {
  constexpr std::size_t kMost = 40;
  const auto range = clang::CharSourceRange::getTokenRange(s->getSourceRange());
  const std::string text =
      clang::Lexer::getSourceText(range, context_.getSourceManager(), context_.getLangOpts()).str();
  if (text.empty()) return s->getStmtClassName();  // made of macros
  std::size_t end = text.find('\n');
  if (isFirstWord) end = std::min(end, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
  return end > kMost && text.size() > kMost ? text.substr(0, kMost) + "..." : text.substr(0, end);
}

CReader::Flow CReader::runAll(const std::vector<const clang::Stmt *> &list, std::size_t from) {
  const bool isTail = isTail_;
  Flow flow = Flow::kNext;
  for (std::size_t s = from; s < list.size() && isFine() && flow == Flow::kNext; ++s) {
    const auto *branch = dyn_cast<clang::IfStmt>(list[s]);
    // if (c) { ...; continue; } rest   is   if (c) { ... } else { rest }
    if (branch != nullptr && branch->getElse() == nullptr && leaves(branch->getThen())) {
      flow = runIf(*branch, &list, s + 1);
      break;
    }
    isTail_ = isTail && s + 1 == list.size();
    flow = run(list[s]);
    isTail_ = isTail;
  }
  return flow;
}

CReader::Flow CReader::runIf(const clang::IfStmt &s, const std::vector<const clang::Stmt *> *rest, std::size_t next) {
  if (s.getInit() != nullptr) run(s.getInit());
  const int truth = condition(s.getCond());
  flushDelayed();
  if (!isFine()) return Flow::kNext;
  const auto onTrue = [&] { return run(s.getThen()); };
  const auto onFalse = [&] { return rest != nullptr ? runAll(*rest, next) : run(s.getElse()); };
  if (const auto known = pool_.integerOf(truth)) return *known != 0 ? onTrue() : onFalse();
  const auto pieces = disjointGuards(pool_, truth);
  return runBranches(truth, pieces ? &*pieces : nullptr, onTrue, onFalse, s.getIfLoc());
}

CReader::Flow CReader::runBranches(int truth, const DisjointGuards *pieces, const std::function<Flow()> &onTrue,
                                   const std::function<Flow()> &onFalse, clang::SourceLocation where) {
  const Variables before = variables_;
  const CValue resultBefore = frames_.back().result;
  // One side: its variables and how it ends.
  struct Side {
    Variables variables;
    CValue result;
    int predicate = -1;
    Flow flow = Flow::kNext;
  };
  const auto runSide = [&](const std::function<Flow()> &body, int predicate, const DisjointGuards *guards) {
    Side side{before, resultBefore, predicate, Flow::kNext};
    if (guards != nullptr && guards->empty()) return side;
    const bool isTail = isTail_;
    variables_ = before;
    frames_.back().result = resultBefore;
    if (guards != nullptr) {
      guards_.push_back({*guards, predicate});
    } else {
      predicates_.push_back(predicate);
    }
    side.flow = body();
    if (guards != nullptr) {
      guards_.pop_back();
    } else {
      // Stores may have changed what the condition was made of; then it was kept.
      side.predicate = predicates_.back();
      predicates_.pop_back();
    }
    side.variables = variables_;
    side.result = frames_.back().result;
    isTail_ = isTail;
    return side;
  };
  const Side first = runSide(onTrue, truth, pieces);
  if (!isFine()) return Flow::kNext;
  if (pieces == nullptr) truth = first.predicate;
  DisjointGuards otherwise;
  const int isNot = pool_.isFalse(truth);
  if (pieces != nullptr) {
    const auto negated = disjointGuards(pool_, isNot);
    if (!negated) {
      fail("c-not-affine", where, "the condition has too many cases", "use nested conditions");
      return Flow::kNext;
    }
    otherwise = *negated;
  }
  const Side second = runSide(onFalse, isNot, pieces != nullptr ? &otherwise : nullptr);
  if (!isFine()) return Flow::kNext;
  if (pieces == nullptr && second.predicate != isNot) truth = pool_.isFalse(second.predicate);
  if (first.flow != second.flow && !isTail_) {
    fail("c-control-flow", where, "'continue', 'break' or 'return' leaves more than the innermost condition",
         "move what follows into the other branch of the if");
    return Flow::kNext;
  }
  variables_ = before;
  const bool endsFirst = first.flow != Flow::kNext, endsSecond = second.flow != Flow::kNext;
  const bool isReturn = first.flow == Flow::kReturn || second.flow == Flow::kReturn;
  if (isReturn) {
    const bool isVoid = frames_.back().function->getReturnType()->isVoidType();
    const bool mixes = first.flow != second.flow && !(isVoid && (!endsFirst || !endsSecond));
    const auto value = mixes ? std::nullopt : merge(truth, first.result, second.result);
    if (!value || frames_.back().loops != loops_.size()) {
      fail("c-control-flow", where, "only some paths through the function return here",
           "return once, at the end; use if to skip work");
      return Flow::kNext;
    }
    frames_.back().result = *value;
    return Flow::kReturn;
  }
  if (!mergeVariables(truth, first.variables, second.variables)) {
    fail("c-control-flow", where, "a pointer has different values after the branches of this condition",
         "index one array, or store in both branches");
  }
  return endsFirst && endsSecond ? Flow::kContinue : Flow::kNext;
}

std::optional<CValue> CReader::merge(int truth, const CValue &a, const CValue &b) {
  if (isSame(a, b) || b.kind == CValue::Kind::kNothing) return a;
  if (a.kind == CValue::Kind::kNothing) return b;
  if (a.kind != CValue::Kind::kScalar || b.kind != CValue::Kind::kScalar) return std::nullopt;
  const DType type = pool_[a.scalar].type;
  return scalarValue(pool_.op(kernel::Op::kSelect, type, truth, a.scalar, pool_.cast(type, b.scalar)));
}

bool CReader::mergeVariables(int truth, const Variables &onTrue, const Variables &onFalse) {
  for (auto &[declaration, variable] : variables_) {
    const auto a = onTrue.find(declaration), b = onFalse.find(declaration);
    if (a == onTrue.end() || b == onFalse.end() || variable.buffer >= 0) continue;
    const auto value = merge(truth, a->second.value, b->second.value);
    if (!value) return false;
    variable.value = *value;
  }
  return true;
}

void CReader::runDeclaration(const clang::VarDecl &v) {
  if (v.isStaticLocal() && !v.getType().isConstQualified()) {
    return fail("c-type", v.getLocation(), fmt::format("'{}' keeps its value between calls", v.getNameAsString()),
                "make it a parameter, or remove 'static'");
  }
  if (v.getType()->isArrayType()) return declareArray(v, NestBuffer::Kind::kLocal);
  Variable variable;
  if (!v.getType()->isPointerType()) scalarType(v.getType(), v.getLocation());
  const clang::Expr *init = v.getInit();
  if (init != nullptr && isFine()) variable.value = evaluate(init);
  if (isFine()) variables_[&v] = std::move(variable);
  flushDelayed();
}

void CReader::runReturn(const clang::ReturnStmt &s) {
  if (frames_.back().loops != loops_.size()) {
    return fail("c-control-flow", s.getReturnLoc(), "the function returns from inside a loop",
                "let the loop run to its end and keep the result in a variable");
  }
  if (s.getRetValue() != nullptr) frames_.back().result = evaluate(s.getRetValue());
  flushDelayed();
}

void CReader::markRead(const kernel::Affine &form) {
  for (std::size_t l = 0; l < form.coefficients.size(); ++l) {
    if (form.coefficients[l] != 0 && program_.loops[l].isSymbol) readSymbols_.insert(static_cast<int>(l));
  }
}

void CReader::markRead(int root) {
  if (!isTrial_) return;
  pool_.visit(root, [&](int e) {
    const Expression &node = pool_[e];
    if (node.op == kernel::Op::kIndex) markRead(node.form);
    if (node.op != kernel::Op::kLoad) return;
    if (node.buffer <= -2) readSymbols_.insert(-2 - node.buffer);
    for (const kernel::Affine &form : node.index) markRead(form);
  });
}

}  // namespace pimento::frontend
