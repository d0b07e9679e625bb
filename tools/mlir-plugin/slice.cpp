#include "slice.h"

#include <algorithm>

#include "attributes.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace pimento::mlirplugin {

namespace {

bool isScalarConstant(mlir::Operation *op) {
  return mlir::isa<mlir::arith::ConstantOp>(op) && !mlir::isa<mlir::ShapedType>(op->getResult(0).getType());
}

bool isStaticEmpty(mlir::Operation *op) {
  return mlir::isa<mlir::tensor::EmptyOp>(op) && op->getNumOperands() == 0;
}

/// A fill by a constant, which the accumulation that follows starts from.
bool isStart(mlir::Operation *op) {
  auto fill = mlir::dyn_cast<mlir::linalg::FillOp>(op);
  if (!fill || fill.getNumResults() != 1) return false;
  mlir::Operation *value = fill.getInputs()[0].getDefiningOp();
  return value != nullptr && isScalarConstant(value);
}

bool isInit(mlir::OpOperand &use) {
  auto user = mlir::dyn_cast<mlir::linalg::LinalgOp>(use.getOwner());
  return user && user.isDpsInit(&use);
}

/// Adds what `op` reads, from within its regions too.
class Slicer {
 public:
  explicit Slicer(mlir::Operation *op) {
    slice_.op = op;
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      const bool isOutput = isInit(operand);
      add(operand.get(), isOutput);
    }
    op->walk([&](mlir::Operation *inner) {
      if (inner == op) return;
      for (const mlir::Value v : inner->getOperands())
        if (!isInside(v)) add(v, false);
    });
  }
  Slice take() { return std::move(slice_); }

 private:
  bool isInside(mlir::Value v) const {
    return std::any_of(slice_.op->getRegions().begin(), slice_.op->getRegions().end(),
                       [&](mlir::Region &r) { return r.isAncestor(v.getParentRegion()); });
  }

  void add(mlir::Value v, bool isOutput) {
    mlir::Operation *from = v.getDefiningOp();
    if (from != nullptr && std::find(slice_.before.begin(), slice_.before.end(), from) != slice_.before.end()) return;
    const bool comes =
        from != nullptr && (isScalarConstant(from) || (isOutput && (isStaticEmpty(from) || isStart(from))));
    if (comes) {
      for (mlir::OpOperand &operand : from->getOpOperands()) add(operand.get(), isInit(operand));
      slice_.before.push_back(from);
    } else if (std::find(slice_.arguments.begin(), slice_.arguments.end(), v) == slice_.arguments.end()) {
      slice_.arguments.push_back(v);
    }
  }

  Slice slice_;
};

/// Dense, and in no special memory: what the kernel is about.
mlir::Type plainType(mlir::Type type) {
  if (auto memref = mlir::dyn_cast<mlir::MemRefType>(type))
    return mlir::MemRefType::get(memref.getShape(), memref.getElementType());
  return type;
}

bool isSameInEveryRun(mlir::Value value) {
  if (mlir::Operation *from = value.getDefiningOp()) {
    if (mlir::isa<mlir::arith::ConstantOp>(from)) return true;
    if (auto get = mlir::dyn_cast<mlir::memref::GetGlobalOp>(from)) {
      auto global = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::memref::GlobalOp>(from, get.getNameAttr());
      return global && global.getConstant();
    }
    return false;
  }
  const auto argument = mlir::cast<mlir::BlockArgument>(value);
  auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(), kConstant) != nullptr;
}

void removeOurAttributes(mlir::Operation *op) {
  std::vector<mlir::StringAttr> ours;
  for (const mlir::NamedAttribute a : op->getDiscardableAttrs())
    if (a.getName().strref().starts_with(kPrefix)) ours.push_back(a.getName());
  for (const mlir::StringAttr name : ours) op->removeDiscardableAttr(name);
}

}  // namespace

bool isWork(mlir::Operation *op) {
  if (op->getName().getDialectNamespace() != "linalg") return false;
  return !op->hasTrait<mlir::OpTrait::IsTerminator>() && !mlir::isa<mlir::linalg::IndexOp>(op);
}

bool isPartOfOthers(mlir::Operation *op) {
  if (!isStart(op)) return false;
  const mlir::Value result = op->getResult(0);
  return !result.use_empty() && std::all_of(result.use_begin(), result.use_end(), [](mlir::OpOperand &use) {
    return isInit(use) && !mlir::isa<mlir::linalg::FillOp>(use.getOwner());
  });
}

Slice sliceOf(mlir::Operation *op) {
  return Slicer(op).take();
}

void markConstants(const Slice &slice, mlir::func::FuncOp function) {
  for (std::size_t a = 0; a < slice.arguments.size(); ++a)
    if (mlir::isa<mlir::ShapedType>(slice.arguments[a].getType()) && isSameInEveryRun(slice.arguments[a]))
      function.setArgAttr(static_cast<unsigned>(a), kConstant, mlir::UnitAttr::get(function.getContext()));
}

mlir::Operation *fillBody(const Slice &slice, mlir::Block &entry) {
  mlir::IRMapping mapping;
  for (std::size_t a = 0; a < slice.arguments.size(); ++a)
    mapping.map(slice.arguments[a], entry.getArgument(static_cast<unsigned>(a)));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&entry);
  for (mlir::Operation *op : slice.before) removeOurAttributes(builder.clone(*op, mapping));
  mlir::Operation *copy = builder.clone(*slice.op, mapping);
  builder.create<mlir::func::ReturnOp>(slice.op->getLoc(), copy->getResults());
  return copy;
}

std::string textOf(const Slice &slice) {
  mlir::OpBuilder builder(slice.op->getContext());
  const mlir::Location here = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(here);
  builder.setInsertionPointToEnd(module->getBody());
  std::vector<mlir::Type> types;
  for (const mlir::Value v : slice.arguments) types.push_back(plainType(v.getType()));
  auto function =
      builder.create<mlir::func::FuncOp>(here, "kernel", builder.getFunctionType(types, slice.op->getResultTypes()));
  removeOurAttributes(fillBody(slice, *function.addEntryBlock()));
  markConstants(slice, function);
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, mlir::OpPrintingFlags().assumeVerified());
  return text;
}

}  // namespace pimento::mlirplugin
