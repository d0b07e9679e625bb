#include "pimento/frontend/mlir/import.h"

#include <fmt/format.h>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "pimento/base/suggest.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/screen.h"

namespace pimento::frontend {
namespace {

/// What to do about ops that exporters like to put around linalg.
std::string hintFor(mlir::Operation &op) {
  const std::string name = op.getName().getStringRef().str();
  if (name.find("collapse_shape") != std::string::npos || name.find("expand_shape") != std::string::npos) {
    return "declare the argument with the shape its users index, or index it by sums of loops in a linalg.generic";
  }
  if (name == "tensor.pad") return "pass a padded argument, or write the sum with affine.if as a guard (affine loops)";
  if (name.find("slice") != std::string::npos || name == "memref.reinterpret_cast") {
    return "index the whole array: put offsets and strides in the maps of linalg.generic or in affine loops";
  }
  if (name == "linalg.softmax")
    return "write it as four ops: row maximum (linalg.reduce), exp of the difference, row sum, division";
  return kSupportedOps;
}

bool isShaped(mlir::Value value) {
  return mlir::isa<mlir::ShapedType>(value.getType());
}

bool isCast(mlir::Operation &op) {
  return mlir::isa<mlir::tensor::CastOp, mlir::memref::CastOp>(op);
}

bool isAllocation(mlir::Operation &op) {
  return mlir::isa<mlir::tensor::EmptyOp, mlir::memref::AllocOp, mlir::memref::AllocaOp>(op);
}

bool isSupported(mlir::Operation &op) {
  return mlir::isa<mlir::linalg::LinalgOp, mlir::func::ReturnOp, mlir::memref::DeallocOp, mlir::memref::CopyOp,
                   mlir::tensor::DimOp, mlir::memref::DimOp, mlir::arith::ConstantOp>(op) ||
         isCast(op) || isAllocation(op) || isScalarOp(op) || isNestOp(op) || mlir::isa<mlir::scf::WhileOp>(op);
}

}  // namespace

FunctionImporter::FunctionImporter(const ParsedModule &parsed, mlir::func::FuncOp function)
    : parsed_(parsed),
      function_(function),
      dims_(parsed, function),
      graph_(function.getName().str(), place(function.getLoc(), parsed.file)),
      program_(function.getName().str(), place(function.getLoc(), parsed.file), true),
      nests_(program_, {parsed_, dims_, graph_, buffers_, scalars_, [this](mlir::Value v) { return describe(v); }}) {}

Status FunctionImporter::checkOps() {
  Diagnostics found;
  if (!function_.getBody().hasOneBlock()) {
    return unsupported("unsupported-op", placeOf(*function_), "a function of several blocks is not supported",
                       "write straight-line code: one block that ends in func.return");
  }
  for (mlir::Operation &op : function_.getBody().front()) {
    if (isSupported(op)) continue;
    found.push_back(unsupportedOp(op.getName().getStringRef().str(), placeOf(op), hintFor(op)));
    if (found.size() >= 20) break;
  }
  if (!found.empty()) return found;
  return okStatus();
}

Result<Buffer> FunctionImporter::describe(mlir::Value value) {
  const Location where = place(value.getLoc(), parsed_.file);
  const auto shaped = mlir::dyn_cast<mlir::ShapedType>(value.getType());
  Buffer b;
  b.name = parsed_.identifierOf(value);
  if (!shaped || !shaped.hasRank() || !mlir::isa<mlir::MemRefType, mlir::RankedTensorType>(shaped)) {
    return unsupported("unsupported-type", where, fmt::format("type '{}' is not supported", typeText(value.getType())),
                       "use ranked memrefs and tensors");
  }
  if (const auto memref = mlir::dyn_cast<mlir::MemRefType>(value.getType())) {
    b.isMemref = true;
    if (!memref.getLayout().isIdentity() || memref.getMemorySpace()) {
      return unsupported("unsupported-type", where,
                         fmt::format("'{}' has a layout or a memory space", typeText(value.getType())),
                         "use dense row-major memrefs without a memory space; --map and --target decide placement");
    }
  } else if (mlir::cast<mlir::RankedTensorType>(value.getType()).getEncoding()) {
    return unsupported("unsupported-type", where, fmt::format("'{}' has an encoding", typeText(value.getType())),
                       "use dense tensors");
  }
  const auto type = elementType(shaped.getElementType());
  if (!type) {
    return unsupported("unsupported-type", where,
                       fmt::format("element type '{}' is not supported", typeText(shaped.getElementType())),
                       "element types: f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8 ui64 ui32 ui16 ui8");
  }
  b.type = *type;
  Result<std::vector<std::int64_t>> shape = dims_.shape(value);
  if (!shape) return std::move(shape.diagnostics());
  b.shape = std::move(*shape);
  return b;
}

Result<int> FunctionImporter::addBuffer(mlir::Value value) {
  Result<Buffer> b = describe(value);
  if (!b) return std::move(b.diagnostics());
  return buffers_[value] = graph_.addBuffer(std::move(*b));
}

Status FunctionImporter::addArguments() {
  Diagnostics found;
  for (const mlir::BlockArgument argument : function_.getArguments()) {
    if (argument.use_empty()) continue;
    if (isShaped(argument)) {
      Result<Buffer> b = describe(argument);
      if (b) {
        b->isConstant = function_.getArgAttr(argument.getArgNumber(), "pimento.constant") != nullptr;
        buffers_[argument] = argumentBuffers_[argument] = graph_.addArgument(std::move(*b));
      } else {
        found.insert(found.end(), b.diagnostics().begin(), b.diagnostics().end());
      }
      continue;
    }
    const auto type = scalarType(argument.getType());
    if (!type || argument.getType().isInteger(1)) {
      found.push_back(
          unsupported("unsupported-type", place(argument.getLoc(), parsed_.file),
                      fmt::format("an argument of type '{}' is not supported", typeText(argument.getType())),
                      "arguments are memrefs, tensors and scalars of floating or integer type"));
      continue;
    }
    Buffer scalar;
    scalar.name = parsed_.identifierOf(argument);
    scalar.type = *type;
    scalars_[argument] = argumentBuffers_[argument] = graph_.addArgument(std::move(scalar));
  }
  if (!found.empty()) return found;
  return okStatus();
}

Status FunctionImporter::importConstant(mlir::Operation &op) {
  if (!isShaped(op.getResult(0))) return okStatus();  // scalars are translated where they are used
  Result<int> b = addBuffer(op.getResult(0));
  if (!b) return std::move(b.diagnostics());
  const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(mlir::cast<mlir::arith::ConstantOp>(op).getValue());
  if (!dense || !dense.isSplat()) {
    return unsupported("unsupported-op", placeOf(op), "a constant with several values is not supported",
                       "pass it as a function argument; a one-value dense<c> works");
  }
  Buffer &buffer = graph_.buffer(*b);
  buffer.holds = Holds::kConstant;
  if (isFloat(buffer.type)) {
    llvm::APFloat value = dense.getSplatValue<llvm::APFloat>();
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    buffer.constant.real = value.convertToDouble();
  } else {
    const llvm::APInt value = dense.getSplatValue<llvm::APInt>();
    buffer.constant.integer =
        isSigned(buffer.type) ? value.getSExtValue() : static_cast<std::int64_t>(value.getZExtValue());
  }
  return okStatus();
}

Status FunctionImporter::importReturn(mlir::Operation &op) {
  for (const mlir::Value value : op.getOperands()) {
    const auto it = buffers_.find(value);
    if (it == buffers_.end()) {
      return unsupported("unsupported-op", placeOf(op),
                         fmt::format("returning a value of type '{}' is not supported", typeText(value.getType())),
                         "return tensors or memrefs (of rank 0 for a scalar)");
    }
    if (graph_.buffer(it->second).holds == Holds::kNothing) {
      return error("uninitialized", placeOf(op),
                   fmt::format("%{} is returned but never written", parsed_.nameOf(value)),
                   "return the result of a linalg op");
    }
    graph_.returned(it->second, placeOf(op));
  }
  return okStatus();
}

/// What loops do, and whatever uses what they made.
bool FunctionImporter::isOfNests(mlir::Operation &op) const {
  if (mlir::isa<mlir::func::ReturnOp>(op)) return false;
  return isNestOp(op) || mlir::isa<mlir::scf::WhileOp>(op) || nests_.concerns(op);
}

Status FunctionImporter::importOp(mlir::Operation &op) {
  const bool hasNotes = op.hasAttr("pimento.kernel") || op.hasAttr("pimento.mapping");
  if (isOfNests(op)) {
    if (Status s = hasNotes ? nests_.flush(op) : okStatus(); !s) return s;
    Status s = nests_.read(op);
    return s && hasNotes ? nests_.flush(op) : s;
  }
  if (mlir::isa<mlir::linalg::LinalgOp, mlir::memref::CopyOp, mlir::func::ReturnOp>(op)) {
    for (const mlir::Value operand : op.getOperands()) {
      const auto buffer = buffers_.find(operand);
      if (buffer != buffers_.end() && graph_.buffer(buffer->second).isMemref) nests_.protect(buffer->second, op);
    }
    if (Status s = nests_.flush(op); !s) return s;
  }
  if (auto structured = mlir::dyn_cast<mlir::linalg::LinalgOp>(op)) return importStructured(structured);
  if (mlir::isa<mlir::arith::ConstantOp>(op)) return importConstant(op);
  if (mlir::isa<mlir::func::ReturnOp>(op)) return importReturn(op);
  if (isAllocation(op)) {
    Result<int> b = addBuffer(op.getResult(0));
    if (!b) return std::move(b.diagnostics());
    return okStatus();
  }
  if (isCast(op)) {
    const auto from = buffers_.find(op.getOperand(0));
    if (from == buffers_.end() || !mlir::cast<mlir::ShapedType>(op.getResult(0).getType()).hasRank()) {
      return unsupported("unsupported-type", placeOf(op), "a cast from or to an unranked type is not supported",
                         "use ranked memrefs and tensors");
    }
    const int b = from->second;
    // On tensors two values now stand for one content; a memref stays one buffer whatever it is called.
    if (!graph_.buffer(b).isMemref) graph_.buffer(b).isShared = true;
    buffers_[op.getResult(0)] = b;
    return okStatus();
  }
  if (auto copy = mlir::dyn_cast<mlir::memref::CopyOp>(op)) {
    const auto from = buffers_.find(copy.getSource()), to = buffers_.find(copy.getTarget());
    PIMENTO_CHECK(from != buffers_.end() && to != buffers_.end());
    if (graph_.buffer(from->second).holds == Holds::kNothing) {
      return error("uninitialized", placeOf(op),
                   fmt::format("%{} is copied but never written", parsed_.nameOf(copy.getSource())),
                   "use linalg.fill first");
    }
    if (from->second != to->second) graph_.copy(from->second, to->second, placeOf(op));
  }
  return okStatus();  // sizes and scalars are read where they are used; dealloc changes nothing
}

/// What `compile --emit mlir` wrote on an op: the kernel's name and its mapping.
void FunctionImporter::readNotes(mlir::Operation &op) {
  const auto name = op.getAttrOfType<mlir::StringAttr>("pimento.kernel");
  const auto mapping = op.getAttrOfType<mlir::StringAttr>("pimento.mapping");
  if (name || mapping) graph_.annotate(name ? name.str() : "", mapping ? mapping.str() : "");
}

/// After the graph is finished.
TensorsOfFunction FunctionImporter::tensors() {
  TensorsOfFunction made{{}, graph_.results()};
  for (const mlir::BlockArgument argument : function_.getArguments()) {
    const auto b = argumentBuffers_.find(argument);
    made.arguments.push_back(b == argumentBuffers_.end() ? -1 : graph_.tensorOfArgument(b->second));
  }
  return made;
}

Result<Imported> FunctionImporter::run(const kernel::Sizes &sizes) {
  if (Status s = checkOps(); !s) return std::move(s.diagnostics());
  if (Status s = dims_.collect(sizes); !s) return std::move(s.diagnostics());
  if (Status s = addArguments(); !s) return std::move(s.diagnostics());
  for (mlir::Operation &op : function_.getBody().front()) {
    const std::size_t before = graph_.kernelCount();
    if (Status s = importOp(op); !s) return std::move(s.diagnostics());
    if (graph_.kernelCount() > before) readNotes(op);
  }
  Result<kernel::Graph> graph = graph_.finish();
  if (!graph) return std::move(graph.diagnostics());
  Imported imported{std::move(*graph), tensors(), {}, {}};
  for (const kernel::Kernel &k : imported.graph.kernels) imported.mappings.push_back(graph_.mappingOf(k.name));
  if (const auto target = function_->getAttrOfType<mlir::StringAttr>("pimento.target")) imported.target = target.str();
  return imported;
}

Result<mlir::func::FuncOp> chooseFunction(const ParsedModule &parsed, const std::string &wanted) {
  std::vector<std::string> names;
  mlir::func::FuncOp chosen;
  parsed.module.get()->walk([&](mlir::func::FuncOp f) {
    if (f.isExternal()) return;
    names.push_back(f.getName().str());
    const bool isWanted = wanted.empty() ? f.isPublic() : f.getName() == wanted;
    if (isWanted && !chosen) chosen = f;
  });
  if (chosen) return chosen;
  const Location where{parsed.file};
  if (names.empty()) {
    return error("no-function", where, "the file has no func.func with a body",
                 "wrap the ops: func.func @name(%x: memref<8xf32>) { ... return }");
  }
  if (wanted.empty()) {
    return error("no-function", where, "all functions of the file are private",
                 suggest("", names) + " (--function NAME)");
  }
  return error("unknown-function", where, fmt::format("the file has no function '{}'", wanted), suggest(wanted, names));
}

bool hasMlir() {
  return true;
}

struct MlirFile::Read {
  std::unique_ptr<ParsedModule> module;
  mutable mlir::func::FuncOp function;
};

Result<MlirFile> MlirFile::read(std::string_view text, std::string_view file, const std::string &function) {
  if (Status s = screenText(text, file); !s) return std::move(s.diagnostics());
  Result<std::unique_ptr<ParsedModule>> parsed = parseModule(text, file);
  if (!parsed) return std::move(parsed.diagnostics());
  Result<mlir::func::FuncOp> chosen = chooseFunction(**parsed, function);
  if (!chosen) return std::move(chosen.diagnostics());
  return MlirFile(std::make_shared<const Read>(Read{std::move(*parsed), *chosen}));
}

Result<Imported> MlirFile::bind(const kernel::Sizes &sizes) const {
  return FunctionImporter(*read_->module, read_->function).run(sizes);
}

Result<Imported> importMlirFile(std::string_view text, std::string_view file, const MlirOptions &options) {
  Result<MlirFile> read = MlirFile::read(text, file, options.function);
  if (!read) return std::move(read.diagnostics());
  return read->bind(options.sizes);
}

Result<kernel::Graph> importMlir(std::string_view text, std::string_view file, const MlirOptions &options) {
  Result<Imported> imported = importMlirFile(text, file, options);
  if (!imported) return std::move(imported.diagnostics());
  return std::move(imported->graph);
}

}  // namespace pimento::frontend
