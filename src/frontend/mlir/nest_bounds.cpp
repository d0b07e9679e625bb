// Loops of MLIR: where they start and end, by sums of loops and sizes or by data.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/nest_reader.h"
#include "pimento/frontend/nest/forms.h"

namespace pimento::frontend {

namespace affine = mlir::affine;
using kernel::Affine;
using kernel::Op;

namespace {

constexpr std::size_t kMostLoops = 64;

bool isConstantForm(const Affine &form) {
  return std::all_of(form.coefficients.begin(), form.coefficients.end(), [](std::int64_t c) { return c == 0; });
}

}  // namespace

// ---- By sums of loops ----

Result<NestReader::Bounds> NestReader::boundsOf(mlir::Operation &op) {
  Bounds bounds;
  if (auto loop = mlir::dyn_cast<affine::AffineForOp>(op)) {
    Result<std::vector<int>> low = resultsOf(loop.getLowerBoundMap(), loop.getLowerBoundOperands(), op);
    if (!low) return std::move(low.diagnostics());
    Result<std::vector<int>> high = resultsOf(loop.getUpperBoundMap(), loop.getUpperBoundOperands(), op);
    if (!high) return std::move(high.diagnostics());
    return Bounds{std::move(*low), std::move(*high), loop.getStepAsInt()};
  }
  auto loop = mlir::cast<mlir::scf::ForOp>(op);
  Result<std::vector<int>> values = valuesOf({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, op);
  if (!values) return std::move(values.diagnostics());
  return Bounds{{(*values)[0]}, {(*values)[1]}, pool_.integerOf((*values)[2]).value_or(0)};
}

/// A bound may be the smallest (upper) or largest (lower) of several.
Result<std::vector<Affine>> NestReader::boundForms(const std::vector<int> &bounds, Op choice, mlir::Operation &op) {
  std::vector<Affine> forms;
  std::vector<int> pending(bounds.rbegin(), bounds.rend());
  while (!pending.empty()) {
    const int e = pending.back();
    pending.pop_back();
    if (const auto form = pool_.formOf(e)) {
      forms.push_back(*form);
      continue;
    }
    const Expression &node = pool_[e];
    if (node.op == choice) {
      pending.insert(pending.end(), {node.args[1], node.args[0]});
      continue;
    }
    std::string sizes;
    bool readsMemory = false;
    pool_.visit(e, [&](int part) {
      const Expression &x = pool_[part];
      if (x.op != Op::kLoad) return;
      const NestBuffer &b = program_.buffers[static_cast<std::size_t>(x.buffer)];
      readsMemory = readsMemory || !b.isScalar;
      if (b.isScalar) sizes += (sizes.empty() ? "" : ",") + b.name + "=64";
    });
    if (!readsMemory && !sizes.empty()) {
      return error("missing-size", placeOf(op), "a bound of the loop is unknown", "--size " + sizes);
    }
    return notAffine(fmt::format("a bound of '{}' is {}", op.getName().getStringRef().str(),
                                 readsMemory ? "loaded from memory" : "not a sum of loops and sizes"),
                     op);
  }
  return forms;
}

int NestReader::newLoop(std::int64_t extent, const Location &where) {
  NestLoop loop{fmt::format("d{}", loops_.size()), extent};
  loop.where = where;
  program_.loops.push_back(std::move(loop));
  return static_cast<int>(program_.loops.size()) - 1;
}

/// Makes a loop, and gives its variable a form; none where it never runs.
Result<std::optional<NestReader::Entered>> NestReader::enter(mlir::Value iv, const Bounds &bounds,
                                                             mlir::Operation &op) {
  const auto tooLarge = [&] {
    return error("too-large", placeOf(op), "a bound of the loop does not fit in 64 bits", "use smaller bounds");
  };
  if (isBoundByData(bounds)) return enterBounded(iv, bounds, op);
  const Result<std::vector<Affine>> lower = boundForms(bounds.lower, Op::kMax, op);
  if (!lower) return lower.diagnostics();
  const Result<std::vector<Affine>> upper = boundForms(bounds.upper, Op::kMin, op);
  if (!upper) return upper.diagnostics();
  if (lower->empty() || upper->empty() || bounds.step < 1 || loops_.size() >= kMostLoops) {
    return unsupported("unsupported-loop", placeOf(op),
                       loops_.size() >= kMostLoops ? "loops are nested too deeply"
                                                   : "the loop has no bound or no positive constant step",
                       "for example: affine.for %i = 0 to 8 step 2");
  }
  const std::vector<std::int64_t> extents = program_.extents();
  // A tile counts from its own first value and needs no guard; other loops count from the lowest value they ever have.
  Affine start = lower->front();
  const bool isTile = lower->size() == 1 && std::any_of(upper->begin(), upper->end(), [&](const Affine &form) {
                        const std::optional<Affine> difference = plus(form, start, -1);
                        return difference && isConstantForm(*difference);
                      });
  const bool isCounted = isTile || (lower->size() == 1 && bounds.step != 1);
  if (!isCounted) {
    start = {{}, std::numeric_limits<std::int64_t>::min()};
    for (const Affine &form : *lower) {
      const auto range = rangeUnder(program_, loops_, guardsAround(), form);
      if (!range) return rangeOf(form, extents) ? Result<std::optional<Entered>>(std::nullopt) : tooLarge();
      start.constant = std::max(start.constant, range->low);
      if (!isConstantForm(form) && bounds.step != 1) {
        return unsupported("unsupported-loop", placeOf(op), "a loop with several lower bounds must have step 1",
                           "count from 0 by 1 and multiply in the index");
      }
    }
  }
  std::int64_t span = std::numeric_limits<std::int64_t>::max();
  for (const Affine &form : *upper) {
    const std::optional<Affine> difference = plus(form, start, -1);
    if (!difference || !rangeOf(*difference, extents)) return tooLarge();
    const auto range = rangeUnder(program_, loops_, guardsAround(), *difference);
    if (!range) return std::optional<Entered>();
    span = std::min(span, range->high);
  }
  if (span <= 0) return std::optional<Entered>();
  Entered entered;
  entered.loop = newLoop((span - 1) / bounds.step + 1, placeOf(op));
  const auto value = plus(start, unit(entered.loop), bounds.step);
  if (!value) return tooLarge();
  body_.values()[iv] = pool_.form(*scalarType(iv.getType()), *value);
  const std::vector<std::int64_t> all = program_.extents();
  const auto guard = [&](const Affine &a, const Affine &b, std::int64_t constant) {
    std::optional<Affine> form = plus(a, b, -1);
    if (!form || __builtin_add_overflow(form->constant, constant, &form->constant)) return false;
    const auto range = rangeOf(*form, all);
    if (!range || range->low < 0) entered.guards.push_back(trimmed(std::move(*form)));
    return true;
  };
  bool fits = true;
  if (!isCounted) {
    for (const Affine &form : *lower) fits = (isConstantForm(form) || guard(*value, form, 0)) && fits;
  }
  // A last step beyond a constant bound is cut off by the extent.
  const bool isFixed = isConstantForm(start);
  for (const Affine &form : *upper) fits = ((isFixed && isConstantForm(form)) || guard(form, *value, -1)) && fits;
  if (!fits) return tooLarge();
  entered.isKnown = entered.guards.empty();
  return std::optional<Entered>(std::move(entered));
}

// ---- By data ----

bool NestReader::readsData(int e) const {
  return pool_.contains(e, [&](const Expression &x) {
    return x.op == Op::kLoad && x.buffer >= 0 && !program_.buffers[static_cast<std::size_t>(x.buffer)].isScalar;
  });
}

bool NestReader::isBoundByData(const Bounds &bounds) const {
  const auto reads = [this](int e) { return readsData(e); };
  return std::any_of(bounds.lower.begin(), bounds.lower.end(), reads) ||
         std::any_of(bounds.upper.begin(), bounds.upper.end(), reads);
}

/// How far a loop may run that data bound: as far as the arrays do that its variable indexes. -1: it indexes none.
std::int64_t NestReader::extentIndexed(mlir::Value iv) {
  std::int64_t most = -1;
  llvm::SmallVector<mlir::OpOperand *> uses;
  for (mlir::OpOperand &use : iv.getUses()) uses.push_back(&use);
  for (std::size_t u = 0; u < uses.size(); ++u) {
    mlir::OpOperand &use = *uses[u];
    mlir::Operation &op = *use.getOwner();
    if (mlir::isa<mlir::arith::IndexCastOp, mlir::arith::ExtSIOp>(op))
      for (mlir::OpOperand &later : op.getResult(0).getUses()) uses.push_back(&later);
    const bool isLoad = mlir::isa<affine::AffineLoadOp, mlir::memref::LoadOp, mlir::tensor::ExtractOp>(op);
    const bool isStore = mlir::isa<affine::AffineStoreOp, mlir::memref::StoreOp, mlir::tensor::InsertOp>(op);
    const unsigned before = isLoad ? 1 : 2;  // operands that are no indices
    if ((!isLoad && !isStore) || use.getOperandNumber() < before) continue;
    unsigned at = use.getOperandNumber() - before;
    if (auto load = mlir::dyn_cast<affine::AffineMapAccessInterface>(op)) {
      const auto name = load.getAffineMapAttrForMemRef(op.getOperand(before - 1));
      const mlir::AffineMap map = mlir::cast<mlir::AffineMapAttr>(name.getValue()).getValue();
      const auto dim = mlir::getAffineDimExpr(at, op.getContext());
      const auto results = map.getResults();
      const auto found = std::find(results.begin(), results.end(), dim);
      if (found == results.end()) continue;
      at = static_cast<unsigned>(found - results.begin());
    }
    const auto type = mlir::cast<mlir::ShapedType>(op.getOperand(before - 1).getType());
    std::int64_t extent = type.getDimSize(at);
    if (mlir::ShapedType::isDynamic(extent)) {
      const Result<View> view = viewOf(op.getOperand(before - 1), op);
      if (!view || at >= view->steps.size()) continue;
      extent = bufferOf(*view).shape[view->steps[at].dim];
    }
    most = most < 0 ? extent : std::min(most, extent);
  }
  return most;
}

/// A loop of which a bound was loaded from memory.
Result<std::optional<NestReader::Entered>> NestReader::enterBounded(mlir::Value iv, const Bounds &bounds,
                                                                    mlir::Operation &op) {
  if (bounds.step != 1 || loops_.size() >= kMostLoops) {
    return unsupported(
        "unsupported-loop", placeOf(op),
        bounds.step != 1 ? "a loop with a bound loaded from memory must have step 1" : "loops are nested too deeply",
        "count by 1 and multiply in the index");
  }
  const std::int64_t most = extentIndexed(iv);
  if (most < 0) {
    return unsupported("unsupported-loop", placeOf(op),
                       "the range of the loop is unknown: its bound is loaded from memory, and its variable does not "
                       "index a memref or tensor",
                       "index a memref of known extent directly by the loop variable");
  }
  const auto bound = [&](const std::vector<int> &all, Op choice) {
    int value = -1;
    for (const int e : all) {
      const int wide = pool_.cast(DType::kI64, e);
      value = value < 0 ? wide : pool_.op(choice, DType::kI64, value, wide);
    }
    return value;
  };
  Entered entered;
  entered.isKnown = false;
  const int first = bound(bounds.lower, Op::kMax), end = bound(bounds.upper, Op::kMin);
  entered.loop = newLoop(std::max<std::int64_t>(1, most), placeOf(op));
  NestLoop &loop = program_.loops[static_cast<std::size_t>(entered.loop)];
  loop.first = pool_.integerOf(first) == 0 ? -1 : first;
  loop.end = end;
  body_.values()[iv] = pool_.form(*scalarType(iv.getType()), unit(entered.loop));
  return std::optional<Entered>(std::move(entered));
}

/// A loop leaves alone what says how often it runs. `first`: its first statement.
Status NestReader::keepsItsBounds(const Entered &entered, std::size_t first, mlir::Operation &op) const {
  const NestLoop &loop = program_.loops[static_cast<std::size_t>(entered.loop)];
  for (std::size_t s = first; s < program_.statements.size(); ++s) {
    const int stored = program_.statements[s].buffer;
    for (const int bound : {loop.first, loop.end}) {
      const bool isStored = bound >= 0 && pool_.contains(bound, [&](const Expression &x) {
        return x.op == Op::kLoad && x.buffer == stored;
      });
      if (!isStored) continue;
      return unsupported("unsupported-loop", placeOf(op), "the loop body changes its own trip count",
                         "keep its bounds in a memref that the loop does not write");
    }
  }
  return okStatus();
}

}  // namespace pimento::frontend
