// pimento-offload: outlines the ops that pimento-annotate has decided to offload.
#include <string>
#include <vector>

#include "attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes.h"
#include "slice.h"

namespace pimento::mlirplugin {

namespace {

class OffloadPass : public mlir::PassWrapper<OffloadPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OffloadPass)

  OffloadPass() = default;
  OffloadPass(const OffloadPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "pimento-offload"; }
  llvm::StringRef getDescription() const override {
    return "replace linalg ops with pimento.offload = true by calls to device functions";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::func::FuncDialect>();
  }

  void runOnOperation() override {
    std::vector<mlir::Operation *> offloaded;
    getOperation()->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(op);
      if (function && function->hasAttr(kDevice)) {
        if (isDeclared_ && !function.isExternal()) function.eraseBody();
        return mlir::WalkResult::skip();
      }
      if (!isWork(op)) return mlir::WalkResult::advance();
      const auto wanted = op->getAttrOfType<mlir::BoolAttr>(kOffload);
      if (wanted && wanted.getValue()) offloaded.push_back(op);
      return mlir::WalkResult::skip();
    });
    for (mlir::Operation *op : offloaded) outline(op);
  }

 private:
  static std::string nameFor(mlir::Operation *op) {
    std::string name = "module";
    if (auto function = op->getParentOfType<mlir::FunctionOpInterface>()) name = function.getName().str();
    std::string kind = op->getName().stripDialect().str();
    return name + "_device_" + kind;
  }

  void outline(mlir::Operation *op) {
    mlir::Operation *table = mlir::SymbolTable::getNearestSymbolTable(op);
    if (table == nullptr) {  // within an op that nobody knows: it might have symbols of its own
      op->emitWarning("pimento: not outlined: the pass cannot add a function here");
      return;
    }
    const Slice slice = sliceOf(op);
    mlir::OpBuilder builder(op);
    std::vector<mlir::Type> types;
    for (const mlir::Value v : slice.arguments) types.push_back(v.getType());
    auto function =
        mlir::func::FuncOp::create(op->getLoc(), nameFor(op), builder.getFunctionType(types, op->getResultTypes()));
    function.setPrivate();
    function->setAttr(kDevice, builder.getUnitAttr());
    for (const char *name : {kTarget, kMapping, kTimeNs, kEnergyPj})
      if (const mlir::Attribute value = op->getAttr(name)) function->setAttr(name, value);
    markConstants(slice, function);
    mlir::SymbolTable symbols(table);
    symbols.insert(function);
    if (!isDeclared_) fillBody(slice, *function.addEntryBlock());
    auto call = builder.create<mlir::func::CallOp>(op->getLoc(), function, slice.arguments);
    op->replaceAllUsesWith(call.getResults());
    op->erase();
    for (auto before = slice.before.rbegin(); before != slice.before.rend(); ++before)
      if ((*before)->use_empty()) (*before)->erase();
  }

  Option<bool> isDeclared_{
      *this, "declare",
      llvm::cl::desc(
          "leave device functions, including existing ones, without bodies: a run-time library provides them"),
      llvm::cl::init(false)};
};

}  // namespace

std::unique_ptr<mlir::Pass> makeOffloadPass() {
  return std::make_unique<OffloadPass>();
}

}  // namespace pimento::mlirplugin
