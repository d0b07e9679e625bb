#include "pimento/frontend/mlir/prepare.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "pimento/frontend/mlir/calls.h"
#include "pimento/frontend/mlir/foreign.h"
#include "pimento/frontend/mlir/softmax.h"

namespace pimento::frontend {

namespace {

namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;
using mlir::func::FuncOp;

/// All ops of one kind, in the order of the text: what is done with them may erase them.
template <typename Op>
std::vector<Op> all(FuncOp function) {
  std::vector<Op> found;
  function.walk([&](Op op) { found.push_back(op); });
  return found;
}

// ---- tosa ----

bool isTosa(mlir::Operation &op) {
  return op.getDialect() != nullptr &&
         op.getDialect()->getNamespace() == mlir::tosa::TosaDialect::getDialectNamespace();
}

bool hasTosa(FuncOp function) {
  return function
      .walk(
          [](mlir::Operation *op) { return isTosa(*op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance(); })
      .wasInterrupted();
}

/// What ops say of their kernels: the passes that lower an op drop it, but keep the op's place.
class Notes {
 public:
  explicit Notes(FuncOp function) {
    function.walk([&](mlir::Operation *op) {
      std::vector<mlir::NamedAttribute> ours;
      for (const mlir::NamedAttribute a : op->getDiscardableAttrs())
        if (a.getName().getValue().starts_with("pimento.")) ours.push_back(a);
      if (isTosa(*op) && !ours.empty()) notes_.push_back({op->getLoc(), std::move(ours)});
    });
  }

  /// To the last op that sums, of those made of an op; if none does, to the last one.
  void restore(FuncOp function) const {
    for (const Note &note : notes_) {
      linalg::LinalgOp chosen;
      function.walk([&](linalg::LinalgOp op) {
        if (op->getLoc() != note.where || mlir::isa<linalg::FillOp>(op.getOperation())) return;
        if (!chosen || chosen.getNumReductionLoops() == 0 || op.getNumReductionLoops() > 0) chosen = op;
      });
      for (const mlir::NamedAttribute a : note.attributes)
        if (chosen) chosen->setAttr(a.getName(), a.getValue());
    }
  }

 private:
  struct Note {
    mlir::Location where;
    std::vector<mlir::NamedAttribute> attributes;
  };
  std::vector<Note> notes_;
};

/// By MLIR's own passes.
Status lowerTosa(FuncOp function, const std::string &file) {
  const Notes notes(function);
  std::optional<Diagnostic> said;
  const mlir::ScopedDiagnosticHandler handler(function.getContext(), [&](mlir::Diagnostic &d) {
    if (said || d.getSeverity() != mlir::DiagnosticSeverity::Error) return;
    said = unsupported("unsupported-op", place(d.getLocation(), file),
                       fmt::format("MLIR's passes cannot lower it to linalg: {}", d.str()),
                       "use static shapes and the types that tosa-to-linalg supports, or linalg ops");
  });
  mlir::PassManager passes(function.getContext(), FuncOp::getOperationName());
  passes.enableVerifier(false);
  // What tosa::addTosaToLinalgPasses() runs on all functions of a module.
  passes.addPass(mlir::tosa::createTosaOptionalDecompositions());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::tosa::createTosaInferShapesPass());
  passes.addPass(mlir::tosa::createTosaMakeBroadcastablePass());
  passes.addPass(mlir::tosa::createTosaToLinalgNamed());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::tosa::createTosaLayerwiseConstantFoldPass());
  passes.addPass(mlir::tosa::createTosaMakeBroadcastablePass());
  passes.addPass(mlir::tosa::createTosaToLinalg());
  passes.addPass(mlir::tosa::createTosaToTensor());
  passes.addPass(mlir::tosa::createTosaToArith(true, false));
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  if (mlir::succeeded(passes.run(function))) {
    notes.restore(function);
    return okStatus();
  }
  if (said) return *said;
  return unsupportedOp("tosa", place(function.getLoc(), file), "use linalg ops");
}

// ---- Ops made of several ----

class Lowering {
 public:
  Lowering(FuncOp function, const std::string &file)
      : function_(function), file_(file), rewriter_(function.getContext()) {}

  Status run() {
    for (auto op : all<mlir::bufferization::AllocTensorOp>(function_)) lower(op);
    for (auto op : all<mlir::ml_program::GlobalLoadConstOp>(function_)) lowerGlobal(op, op.getGlobalAttr());
    for (auto op : all<mlir::ml_program::GlobalLoadOp>(function_)) lowerGlobal(op, op.getGlobalAttr());
    for (auto op : all<linalg::AggregatedOpInterface>(function_)) lower(op);
    for (auto op : all<tensor::PackOp>(function_)) lowerPack(op);
    for (auto op : all<tensor::UnPackOp>(function_)) lowerPack(op);
    concatenations();
    for (auto op : all<tensor::PadOp>(function_)) lower(op);
    for (auto op : all<tensor::GenerateOp>(function_)) inDestination(op);
    for (auto op : all<tensor::FromElementsOp>(function_)) inDestination(op);
    for (auto op : all<tensor::SplatOp>(function_)) lower(op);
    for (auto op : all<tensor::ReshapeOp>(function_)) lower(op);
    for (auto op : all<mlir::arith::ConstantOp>(function_)) hoist(op);
    if (!found_.empty()) return std::move(found_);
    return okStatus();
  }

 private:
  mlir::Value empty(mlir::Operation *at, mlir::Value like, mlir::ValueRange sizes) {
    rewriter_.setInsertionPoint(at);
    const auto type = mlir::cast<mlir::RankedTensorType>(like.getType());
    return rewriter_.create<tensor::EmptyOp>(at->getLoc(), type.getShape(), type.getElementType(), sizes);
  }

  void lower(mlir::bufferization::AllocTensorOp op) {
    mlir::Value made;
    if (const mlir::Value copied = op.getCopy()) {
      if (!mlir::cast<mlir::ShapedType>(copied.getType()).hasStaticShape()) return;
      made = rewriter_.create<linalg::CopyOp>(op.getLoc(), copied, empty(op, op, {})).getResult(0);
    } else {
      made = empty(op, op, op.getDynamicSizes());
    }
    rewriter_.replaceOp(op, made);
  }

  /// A global that keeps its first value is a constant.
  void lowerGlobal(mlir::Operation *op, mlir::SymbolRefAttr name) {
    auto global = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::ml_program::GlobalOp>(op, name);
    const auto value = global ? mlir::dyn_cast_or_null<mlir::TypedAttr>(global.getValueAttr()) : mlir::TypedAttr();
    bool isStored = false;
    if (global && global.getIsMutable())
      op->getParentOfType<mlir::ModuleOp>().walk(
          [&](mlir::ml_program::GlobalStoreOp store) { isStored |= store.getGlobal() == name; });
    if (!value || isStored || value.getType() != op->getResult(0).getType()) return;
    rewriter_.setInsertionPoint(op);
    rewriter_.replaceOpWithNewOp<mlir::arith::ConstantOp>(op, value);
  }

  void lower(linalg::AggregatedOpInterface op) {
    if (op->getNumResults() == 0) {
      if (auto softmax = mlir::dyn_cast<linalg::SoftmaxOp>(op.getOperation())) lowerSoftmax(rewriter_, softmax);
      return;
    }
    rewriter_.setInsertionPoint(op);
    mlir::FailureOr<llvm::SmallVector<mlir::Value>> values = op.decomposeOperation(rewriter_);
    if (mlir::succeeded(values)) rewriter_.replaceOp(op, *values);
  }

  void lowerPack(tensor::PackOp op) {
    rewriter_.setInsertionPoint(op);
    (void)linalg::lowerPack(rewriter_, op);
  }
  void lowerPack(tensor::UnPackOp op) {
    rewriter_.setInsertionPoint(op);
    (void)linalg::lowerUnPack(rewriter_, op);
  }

  void concatenations() {
    std::vector<mlir::Operation *> ops;
    for (auto op : all<tensor::ConcatOp>(function_)) ops.push_back(op);
    if (ops.empty()) return;
    mlir::RewritePatternSet patterns(function_.getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    mlir::GreedyRewriteConfig config;
    config.strictMode = mlir::GreedyRewriteStrictness::ExistingOps;
    (void)mlir::applyOpPatternsAndFold(ops, std::move(patterns), config);
  }

  /// Amounts that are constants, or computed of some, in the op; its result has an extent where they say one.
  tensor::PadOp withConstantPads(tensor::PadOp op) {
    const auto known = [](mlir::OpFoldResult x) -> mlir::OpFoldResult {
      const auto value = mlir::dyn_cast<mlir::Value>(x);
      auto apply = value ? value.getDefiningOp<mlir::affine::AffineApplyOp>() : nullptr;
      llvm::SmallVector<mlir::Attribute> operands, results;
      for (unsigned o = 0; apply && o < apply.getNumOperands(); ++o)
        operands.push_back(mlir::getConstantIntValue(apply.getOperand(o))
                               ? mlir::IntegerAttr::get(mlir::IndexType::get(apply.getContext()),
                                                        *mlir::getConstantIntValue(apply.getOperand(o)))
                               : mlir::IntegerAttr());
      if (apply && mlir::succeeded(apply.getAffineMap().constantFold(operands, results))) return results.front();
      const auto constant = mlir::getConstantIntValue(x);
      return constant && value ? mlir::OpFoldResult(mlir::IntegerAttr::get(value.getType(), *constant)) : x;
    };
    const auto low = llvm::map_to_vector(op.getMixedLowPad(), known);
    const auto high = llvm::map_to_vector(op.getMixedHighPad(), known);
    if (low == op.getMixedLowPad() && high == op.getMixedHighPad()) return op;
    llvm::SmallVector<std::int64_t> extents(op.getResultType().getShape());
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const auto before = mlir::getConstantIntValue(low[d]), after = mlir::getConstantIntValue(high[d]);
      const std::int64_t extent = op.getSourceType().getDimSize(static_cast<unsigned>(d));
      if (!mlir::ShapedType::isDynamic(extent) && before && after && *before >= 0 && *after >= 0)
        extents[d] = *before + extent + *after;
    }
    rewriter_.setInsertionPoint(op);
    const auto type = mlir::RankedTensorType::get(extents, op.getResultType().getElementType());
    auto made = rewriter_.create<tensor::PadOp>(op.getLoc(), type, op.getSource(), low, high, op.getNofold());
    rewriter_.inlineRegionBefore(op.getRegion(), made.getRegion(), made.getRegion().end());
    mlir::Value result = made;
    if (type != op.getResultType()) result = rewriter_.create<tensor::CastOp>(op.getLoc(), op.getResultType(), result);
    rewriter_.replaceOp(op, result);
    return made;
  }

  void lower(tensor::PadOp op) {
    op = withConstantPads(op);
    const auto isNegative = [](mlir::OpFoldResult x) {
      const auto n = mlir::getConstantIntValue(x);
      return n && *n < 0;
    };
    if (llvm::any_of(op.getMixedLowPad(), isNegative) || llvm::any_of(op.getMixedHighPad(), isNegative)) {
      found_.push_back(unsupported("unsupported-op", place(op.getLoc(), file_), "tensor.pad removes elements",
                                   "use tensor.extract_slice, then pad"));
      return;
    }
    if (op.hasZeroLowPad() && op.hasZeroHighPad() && op.getSourceType() == op.getResultType()) {
      rewriter_.replaceOp(op, op.getSource());
      return;
    }
    rewriter_.setInsertionPoint(op);
    (void)linalg::GeneralizePadOpPattern(function_.getContext()).matchAndRewrite(op, rewriter_);
  }

  template <typename Op>
  void inDestination(Op op) {
    rewriter_.setInsertionPoint(op);
    (void)linalg::rewriteInDestinationPassingStyle(rewriter_, op);
  }

  void lower(tensor::SplatOp op) {
    const mlir::Value to = empty(op, op, op.getDynamicSizes());
    rewriter_.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), to);
  }

  /// By way of one dimension.
  void lower(tensor::ReshapeOp op) {
    const auto from = mlir::dyn_cast<mlir::RankedTensorType>(op.getSource().getType());
    const auto to = mlir::dyn_cast<mlir::RankedTensorType>(op.getResult().getType());
    if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape()) return;
    const auto flat = mlir::RankedTensorType::get({from.getNumElements()}, from.getElementType());
    const auto group = [](std::int64_t rank) {
      llvm::SmallVector<mlir::ReassociationIndices> groups;
      if (rank > 0) groups.emplace_back(llvm::to_vector(llvm::seq<std::int64_t>(0, rank)));
      return groups;
    };
    rewriter_.setInsertionPoint(op);
    mlir::Value value = op.getSource();
    if (from.getRank() == 0) {
      value = rewriter_.create<tensor::ExpandShapeOp>(op.getLoc(), flat, value, group(0));
    } else if (from.getRank() > 1) {
      value = rewriter_.create<tensor::CollapseShapeOp>(op.getLoc(), flat, value, group(from.getRank()));
    }
    if (to.getRank() == 0) {
      value = rewriter_.create<tensor::CollapseShapeOp>(op.getLoc(), to, value, group(0));
    } else if (to.getRank() > 1) {
      value = rewriter_.create<tensor::ExpandShapeOp>(op.getLoc(), to, value, group(to.getRank()));
    }
    rewriter_.replaceOp(op, value);
  }

  /// Tensors of constants are known everywhere.
  void hoist(mlir::arith::ConstantOp op) {
    mlir::Block &entry = function_.getBody().front();
    if (mlir::isa<mlir::ShapedType>(op.getType()) && op->getBlock() != &entry) op->moveBefore(&entry, entry.begin());
  }

  FuncOp function_;
  const std::string &file_;
  mlir::PatternRewriter rewriter_;
  Diagnostics found_;
};

Status prepareFunction(FuncOp function, const std::string &file, Diagnostics &warnings) {
  if (Status s = inlineCalls(function, file); !s) return s;
  if (Status s = lookThrough(function, file, warnings); !s) return s;
  if (hasTosa(function))
    if (Status s = lowerTosa(function, file); !s) return s;
  return Lowering(function, file).run();
}

}  // namespace

Status prepare(ParsedModule &parsed, FuncOp function, Diagnostics &warnings) {
  Status done = okStatus();
  const Location where = place(function.getLoc(), parsed.file);
  if (survives([&] { done = prepareFunction(function, parsed.file, warnings); })) return done;
  (void)parsed.module.release();  // not safe to take apart
  (void)parsed.context.release();
  return error("mlir-crash", where, "MLIR's passes crashed on the function",
               "check the attributes of the ops; write the function in linalg ops");
}

}  // namespace pimento::frontend
