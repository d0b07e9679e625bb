#include "pimento/frontend/mlir/lower_native.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "llvm/IR/IRBuilder.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "pimento/frontend/native/process.h"

namespace pimento::frontend {

namespace {

constexpr const char *kUndefined = "pimento_undefined";
constexpr const char *kFunction = "pimento_native_function";  // the text's own name may be that of a library function

void loadDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::bufferization::BufferizationDialect, mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect>();
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::linalg::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::scf::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// Leaves the one function, without notes that are ours, and the globals that it may read.
void isolate(mlir::ModuleOp module, mlir::func::FuncOp function) {
  auto inner = function->getParentOfType<mlir::ModuleOp>();
  if (inner != module)  // a module of its own
    for (auto global : llvm::make_early_inc_range(inner.getOps<mlir::memref::GlobalOp>()))
      global->moveBefore(module.getBody(), module.getBody()->begin());
  function->moveBefore(module.getBody(), module.getBody()->begin());
  for (mlir::Operation &op : llvm::make_early_inc_range(module.getBody()->getOperations()))
    if (&op != function.getOperation() && !mlir::isa<mlir::memref::GlobalOp>(op)) op.erase();
  // Ours, and those of LLVM's dialect, which was not loaded when the text was read: a front end's llvm.linkage is a
  // piece of text to it, and its lowering expects its own kind.
  const auto isNote = [](mlir::StringAttr name) {
    return name.getValue().starts_with("pimento.") || name.getValue().starts_with("llvm.");
  };
  const auto forget = [&](mlir::Operation *op) {
    for (const mlir::NamedAttribute a : llvm::to_vector(op->getDiscardableAttrs()))
      if (isNote(a.getName())) op->removeDiscardableAttr(a.getName());
  };
  forget(module);
  function->walk(forget);
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    function.setArgAttrs(i, llvm::ArrayRef<mlir::NamedAttribute>{});
    if (mlir::isa<mlir::TensorType>(function.getArgument(i).getType()))
      function.setArgAttr(i, mlir::bufferization::BufferizationDialect::kWritableAttrName,
                          mlir::BoolAttr::get(function.getContext(), false));
  }
  function.removeResAttrsAttr();
  function.setName(kFunction);
  function.setPublic();
  function->setAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName(), mlir::UnitAttr::get(function.getContext()));
}

/// Results become arguments that are written to.
void returnThroughArguments(mlir::func::FuncOp function, const std::vector<bool> &isReturned) {
  mlir::Operation *const exit = function.getBody().front().getTerminator();
  mlir::OpBuilder build(exit);
  for (unsigned r = 0; r < exit->getNumOperands(); ++r) {
    if (!isReturned[r]) continue;
    const mlir::Value value = exit->getOperand(r);
    const auto shaped = mlir::cast<mlir::ShapedType>(value.getType());
    const auto type = mlir::MemRefType::get(shaped.getShape(), shaped.getElementType());
    const unsigned at = function.getNumArguments();
    function.insertArgument(at, type, {}, exit->getLoc());
    const mlir::Value to = function.getArgument(at);
    if (mlir::isa<mlir::MemRefType>(value.getType())) {
      build.create<mlir::memref::CopyOp>(exit->getLoc(), value, to);
      continue;
    }
    auto move = build.create<mlir::bufferization::MaterializeInDestinationOp>(exit->getLoc(), mlir::Type(), value, to);
    move.setRestrict(true);
    move.setWritable(true);
  }
  exit->setOperands({});
  function.setType(mlir::FunctionType::get(function.getContext(), function.getArgumentTypes(), {}));
}

/// Functions whose last bit is a library's in double precision.
void widen(mlir::ModuleOp module) {
  using namespace mlir::math;
  module.walk([](mlir::Operation *op) {
    if (!mlir::isa<ExpOp, LogOp, TanhOp, ErfOp, PowFOp, SinOp, CosOp, Exp2Op, ExpM1Op, Log2Op, Log10Op, Log1pOp>(op))
      return;
    const mlir::Type type = op->getResult(0).getType();
    if (!mlir::isa<mlir::FloatType>(type) || type.isF64()) return;
    mlir::OpBuilder build(op);
    const mlir::Type wide = build.getF64Type();
    for (mlir::OpOperand &operand : op->getOpOperands())
      operand.set(build.create<mlir::arith::ExtFOp>(op->getLoc(), wide, operand.get()));
    op->getResult(0).setType(wide);
    build.setInsertionPointAfter(op);
    auto narrow = build.create<mlir::arith::TruncFOp>(op->getLoc(), type, op->getResult(0));
    op->getResult(0).replaceAllUsesExcept(narrow, narrow);
  });
}

/// Checks in front of what MLIR leaves undefined.
class Checks {
 public:
  explicit Checks(mlir::ModuleOp module) : module_(module), build_(module.getContext()) {}

  void insert() {
    module_.walk([&](mlir::Operation *op) { check(op); });
    if (!isUsed_) return;
    build_.setInsertionPointToStart(module_.getBody());
    const mlir::Type i32 = build_.getI32Type();
    build_.create<mlir::func::FuncOp>(module_.getLoc(), kUndefined, build_.getFunctionType({i32, i32, i32}, {}))
        .setPrivate();
  }

 private:
  void check(mlir::Operation *op) {
    using namespace mlir::arith;
    build_.setInsertionPoint(op);
    const auto integer =
        op->getNumResults() == 1 ? mlir::dyn_cast<mlir::IntegerType>(op->getResult(0).getType()) : mlir::IntegerType();
    if (!integer) return;
    if (mlir::isa<DivSIOp, DivUIOp, RemSIOp, RemUIOp, CeilDivSIOp, CeilDivUIOp, FloorDivSIOp>(op))
      return stopIf(compare(op, CmpIPredicate::eq, 0), op, Undefined::kDivision);
    if (mlir::isa<ShLIOp, ShRSIOp, ShRUIOp>(op))
      return stopIf(compare(op, CmpIPredicate::uge, integer.getWidth()), op, Undefined::kShift);
    if (mlir::isa<FPToSIOp, FPToUIOp>(op)) stopIf(isTooLarge(op, integer.getWidth()), op, Undefined::kConversion);
  }

  /// Of the second operand.
  mlir::Value compare(mlir::Operation *op, mlir::arith::CmpIPredicate predicate, std::int64_t with) {
    const mlir::Value x = op->getOperand(1);
    auto c = build_.create<mlir::arith::ConstantOp>(op->getLoc(), build_.getIntegerAttr(x.getType(), with));
    return build_.create<mlir::arith::CmpIOp>(op->getLoc(), predicate, x, c);
  }

  mlir::Value isTooLarge(mlir::Operation *op, unsigned width) {
    const bool isSigned = mlir::isa<mlir::arith::FPToSIOp>(op);
    const double high = std::ldexp(1.0, static_cast<int>(width) - (isSigned ? 1 : 0));
    const double low = isSigned ? -high : -1.0;
    mlir::Value x = op->getOperand(0);
    const mlir::Type wide = build_.getF64Type();
    if (x.getType() != wide) x = build_.create<mlir::arith::ExtFOp>(op->getLoc(), wide, x);
    const mlir::Value whole = build_.create<mlir::math::TruncOp>(op->getLoc(), x);
    const auto is = [&](mlir::arith::CmpFPredicate p, double limit) -> mlir::Value {
      auto c = build_.create<mlir::arith::ConstantOp>(op->getLoc(), build_.getF64FloatAttr(limit));
      return build_.create<mlir::arith::CmpFOp>(op->getLoc(), p, whole, c);
    };
    using P = mlir::arith::CmpFPredicate;
    return build_.create<mlir::arith::OrIOp>(op->getLoc(), is(P::UGE, high), is(isSigned ? P::ULT : P::ULE, low));
  }

  void stopIf(mlir::Value condition, mlir::Operation *op, Undefined what) {
    isUsed_ = true;
    const Location where = place(op->getLoc(), {});
    auto branch = build_.create<mlir::scf::IfOp>(op->getLoc(), condition, false);
    build_.setInsertionPointToStart(&branch.getThenRegion().front());
    llvm::SmallVector<mlir::Value> arguments;
    for (const int number : {static_cast<int>(what), where.line, where.column})
      arguments.push_back(build_.create<mlir::arith::ConstantOp>(op->getLoc(), build_.getI32IntegerAttr(number)));
    build_.create<mlir::func::CallOp>(op->getLoc(), kUndefined, mlir::TypeRange{}, arguments);
  }

  mlir::ModuleOp module_;
  mlir::OpBuilder build_;
  bool isUsed_ = false;
};

/// Parts of memrefs are copied by loops: MLIR's own lowering calls a library.
void copyInLoops(mlir::ModuleOp module) {
  module.walk([](mlir::memref::CopyOp copy) {
    mlir::OpBuilder build(copy);
    build.create<mlir::linalg::CopyOp>(copy.getLoc(), copy.getSource(), copy.getTarget());
    copy.erase();
  });
}

bool toLoops(mlir::ModuleOp module) {
  mlir::PassManager buffers(module.getContext()), loops(module.getContext());
  buffers.enableVerifier(false);
  loops.enableVerifier(false);
  mlir::bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.setFunctionBoundaryTypeConversion(mlir::bufferization::LayoutMapOption::IdentityLayoutMap);
  buffers.addPass(mlir::bufferization::createOneShotBufferizePass(options));
  if (mlir::failed(buffers.run(module))) return false;
  copyInLoops(module);
  loops.addNestedPass<mlir::func::FuncOp>(mlir::createForallToForLoopPass());
  loops.addPass(mlir::createConvertLinalgToLoopsPass());
  loops.addPass(mlir::memref::createExpandStridedMetadataPass());
  loops.addPass(mlir::createLowerAffinePass());
  return mlir::succeeded(loops.run(module));
}

/// Divisions that round down or up, which no later pass knows.
bool expandDivisions(mlir::ModuleOp module) {
  mlir::RewritePatternSet patterns(module.getContext());
  mlir::arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  return mlir::succeeded(mlir::applyPatternsAndFoldGreedily(module, std::move(patterns)));
}

bool toLlvmDialect(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(mlir::createConvertSCFToCFPass());
  passes.addPass(mlir::createConvertMathToLLVMPass());
  passes.addPass(mlir::createConvertMathToLibmPass());
  passes.addPass(mlir::createConvertIndexToLLVMPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(mlir::createConvertFuncToLLVMPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  return mlir::succeeded(passes.run(module));
}

/// void ENTRY(ptr): calls the interface for C with what the pointers point to.
void addEntry(llvm::Module &module, const char *entry) {
  llvm::Function *const callee = module.getFunction(std::string("_mlir_ciface_") + kFunction);
  PIMENTO_CHECK(callee != nullptr);
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> build(context);
  llvm::Type *const pointer = build.getPtrTy();
  auto *const made = llvm::Function::Create(llvm::FunctionType::get(build.getVoidTy(), {pointer}, false),
                                            llvm::GlobalValue::ExternalLinkage, entry, module);
  build.SetInsertPoint(llvm::BasicBlock::Create(context, "", made));
  llvm::SmallVector<llvm::Value *> arguments;
  for (llvm::Argument &a : callee->args()) {
    llvm::Value *const slot = build.CreateConstGEP1_64(pointer, made->getArg(0), a.getArgNo());
    llvm::Value *const at = build.CreateLoad(pointer, slot);
    arguments.push_back(a.getType()->isPointerTy() ? at : build.CreateLoad(a.getType(), at));
  }
  build.CreateCall(callee, arguments);
  build.CreateRetVoid();
}

/// The function on its way down, in one piece so that it can be abandoned in one piece.
std::optional<NativeModule> lower(ParsedModule &parsed, mlir::func::FuncOp function,
                                  const std::vector<bool> &isReturned, const char *entry, std::string &why) {
  const mlir::ModuleOp module = *parsed.module;
  std::string said;
  const mlir::ScopedDiagnosticHandler handler(parsed.context.get(), [&](mlir::Diagnostic &d) {
    if (said.empty() && d.getSeverity() == mlir::DiagnosticSeverity::Error) said = ": " + d.str();
  });
  const auto refuse = [&] {
    why = "MLIR's passes cannot lower it" + said;
    return std::nullopt;
  };
  loadDialects(*parsed.context);
  isolate(module, function);
  returnThroughArguments(function, isReturned);
  if (!toLoops(module)) return refuse();
  widen(module);
  Checks(module).insert();
  if (!expandDivisions(module)) return refuse();
  if (!toLlvmDialect(module)) return refuse();
  NativeModule made{std::make_unique<llvm::LLVMContext>(), nullptr};
  made.module = mlir::translateModuleToLLVMIR(module, *made.context);
  if (!made.module) return refuse();
  addEntry(*made.module, entry);
  return made;
}

}  // namespace

std::optional<NativeModule> lowerToNative(ParsedModule &parsed, mlir::func::FuncOp function,
                                          const std::vector<bool> &isReturned, const char *entry, std::string &why) {
  std::optional<NativeModule> made;
  if (!survives([&] { made = lower(parsed, function, isReturned, entry, why); })) {
    (void)parsed.module.release();  // not safe to take apart
    (void)parsed.context.release();
    why = "MLIR's passes crash on it";
    return std::nullopt;
  }
  return made;
}

}  // namespace pimento::frontend
