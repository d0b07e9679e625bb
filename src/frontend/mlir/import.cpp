#include "pimento/frontend/mlir/import.h"

#include <fmt/format.h>

#include <set>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "pimento/base/suggest.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/counted_loops.h"
#include "pimento/frontend/mlir/prepare.h"
#include "pimento/frontend/mlir/screen.h"

namespace pimento::frontend {
namespace {

constexpr const char *kConstantNote = "pimento.constant";

/// What to do about ops that MLIR has and this importer has not.
std::string hintFor(mlir::Operation &op) {
  const std::string name = op.getName().getStringRef().str();
  if (name == "memref.reinterpret_cast" || name == "memref.view")
    return "index the whole array: put offsets and strides in the maps of linalg.generic or in affine loops";
  if (name == "tensor.pad") return "pad with a constant, or with a value from outside the region";
  if (name.starts_with("ml_program.global"))
    return "pass what the program changes as an argument; a global that is only read is a constant";
  if (name == "func.call_indirect") return "call the function by its name";
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
                   mlir::tensor::DimOp, mlir::memref::DimOp, mlir::arith::ConstantOp, mlir::memref::GetGlobalOp>(op) ||
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
  const bool isBit = shaped.getElementType().isInteger(1);  // a byte that is 0 or 1
  const auto type = isBit || shaped.getElementType().isIndex() ? scalarType(shaped.getElementType())
                                                               : elementType(shaped.getElementType());
  if (!type) {
    return unsupported("unsupported-type", where,
                       fmt::format("element type '{}' is not supported", typeText(shaped.getElementType())),
                       "element types: f64 f32 f16 bf16 f8E4M3FN f8E5M2 i64 i32 i16 i8 i1 index ui64 ui32 ui16 ui8");
  }
  b.type = *type;
  b.isBit = isBit;
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

/// Whether an argument carries pimento.constant.
Result<bool> FunctionImporter::isConstant(mlir::BlockArgument argument) {
  const Location where = place(argument.getLoc(), parsed_.file);
  const auto attributes = function_.getArgAttrDict(argument.getArgNumber());
  if (!attributes) return false;
  for (const mlir::NamedAttribute a : attributes) {
    const std::string name = a.getName().str();
    if (name.starts_with("pimento.") && name != kConstantNote)
      return error("unknown-attribute", where, fmt::format("'{}' is no attribute of an argument", name),
                   suggest(name, {kConstantNote}));
  }
  const mlir::Attribute value = attributes.get(kConstantNote);
  if (!value) return false;
  const auto truth = mlir::dyn_cast<mlir::BoolAttr>(value);
  if (!truth && !mlir::isa<mlir::UnitAttr>(value))
    return error("bad-attribute", where, fmt::format("'{}' takes no value", kConstantNote),
                 "write {pimento.constant}; the values come with --data");
  if (!isShaped(argument))
    return error("bad-attribute", where, fmt::format("'{}' stands on a scalar", kConstantNote),
                 "it says that a memref or tensor stays where it was placed; scalars are passed in every run");
  return !truth || truth.getValue();
}

/// What is written in every run is no constant.
Status FunctionImporter::checkConstants() {
  Diagnostics found;
  for (const mlir::BlockArgument argument : function_.getArguments()) {
    const auto b = argumentBuffers_.find(argument);
    if (b == argumentBuffers_.end() || !graph_.buffer(b->second).isConstant) continue;
    if (graph_.isWritten(b->second))
      found.push_back(
          error("constant-written", place(argument.getLoc(), parsed_.file),
                fmt::format("%{} is '{}', but the function writes it", parsed_.nameOf(argument), kConstantNote),
                "remove the attribute, or write to another memref"));
  }
  if (!found.empty()) return found;
  return okStatus();
}

Status FunctionImporter::addArguments() {
  Diagnostics found;
  for (const mlir::BlockArgument argument : function_.getArguments()) {
    if (argument.use_empty()) continue;
    if (isShaped(argument)) {
      Result<Buffer> b = describe(argument);
      if (b) {
        if (const Result<bool> is = isConstant(argument); is) {
          b->isConstant = *is;
        } else {
          found.insert(found.end(), is.diagnostics().begin(), is.diagnostics().end());
        }
        buffers_[argument] = argumentBuffers_[argument] = graph_.addArgument(std::move(*b));
      } else {
        found.insert(found.end(), b.diagnostics().begin(), b.diagnostics().end());
      }
      continue;
    }
    if (const Result<bool> is = isConstant(argument); !is)
      found.insert(found.end(), is.diagnostics().begin(), is.diagnostics().end());
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

/// A constant with several values is an input of the graph that has its contents.
Status FunctionImporter::importContents(mlir::Operation &op, mlir::Attribute value) {
  Result<Buffer> described = describe(op.getResult(0));
  if (!described) return std::move(described.diagnostics());
  described->isConstant = true;
  if (described->name.empty()) described->name = "cst";
  std::int64_t elements = 1;
  for (const std::int64_t extent : described->shape) elements *= extent;
  const auto bytes = static_cast<std::size_t>(elements) * static_cast<std::size_t>(sizeOf(described->type).value);
  std::vector<std::byte> contents;
  const auto take = [&](llvm::ArrayRef<char> raw) {
    const auto *const first = reinterpret_cast<const std::byte *>(raw.data());
    contents.assign(first, first + raw.size());
  };
  if (const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
    if (dense.getElementType().isInteger(1)) {
      for (const bool bit : dense.getValues<bool>()) contents.push_back(bit ? std::byte{1} : std::byte{0});
    } else {
      take(dense.getRawData());
    }
  } else if (const auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(value)) {
    if (mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
      take(blob->getData());
    } else {
      Diagnostic d = error("elided-constant", placeOf(op), "the file does not have the values of this constant",
                           "print it without eliding resources, or pass the values: --data NAME=FILE.npy");
      d.severity = Severity::kWarning;
      warnings_.push_back(std::move(d));
    }
  } else {
    return unsupported("unsupported-op", placeOf(op), "a constant of this kind is not supported",
                       "use dense<...> or dense_resource<...>");
  }
  if (!contents.empty() && contents.size() != bytes) {
    return error("constant-size", placeOf(op),
                 fmt::format("the constant has {} bytes, its type '{}' needs {}", contents.size(),
                             typeText(op.getResult(0).getType()), bytes),
                 "write the resource as mlir-opt prints it: 4 bytes of alignment, then the elements");
  }
  const int b = buffers_[op.getResult(0)] = graph_.addArgument(std::move(*described));
  if (!contents.empty()) contents_[b] = std::move(contents);
  return okStatus();
}

Status FunctionImporter::importConstant(mlir::Operation &op) {
  if (op.getResult(0).use_empty()) return okStatus();
  if (!isShaped(op.getResult(0))) return okStatus();  // scalars are translated where they are used
  mlir::Attribute value;
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) value = constant.getValue();
  if (auto get = mlir::dyn_cast<mlir::memref::GetGlobalOp>(op)) {
    auto global = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::memref::GlobalOp>(get, get.getNameAttr());
    if (global && global.getConstant()) value = global.getInitialValueAttr();
    if (!mlir::isa_and_nonnull<mlir::ElementsAttr>(value)) {
      return unsupported("unsupported-op", placeOf(op),
                         fmt::format("the global '{}' is not a constant", get.getName().str()),
                         "pass it as an argument, or declare it constant with its value");
    }
  }
  const auto dense = mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(value);
  if (!dense || !dense.isSplat() || mlir::isa<mlir::MemRefType>(op.getResult(0).getType()))
    return importContents(op, value);
  Result<int> b = addBuffer(op.getResult(0));
  if (!b) return std::move(b.diagnostics());
  Buffer &buffer = graph_.buffer(*b);
  buffer.holds = Holds::kConstant;
  if (isFloat(buffer.type)) {
    llvm::APFloat real = dense.getSplatValue<llvm::APFloat>();
    bool losesInfo = false;
    real.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    buffer.constant.real = real.convertToDouble();
  } else {
    const llvm::APInt integer = dense.getSplatValue<llvm::APInt>();
    const bool isWide = isSigned(buffer.type) && integer.getBitWidth() > 1;
    buffer.constant.integer = isWide ? integer.getSExtValue() : static_cast<std::int64_t>(integer.getZExtValue());
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

namespace {

/// A reduction whose body does more than to add a term to its output: its loops run in order.
bool isOrderedReduction(mlir::Operation &op) {
  auto structured = mlir::dyn_cast<mlir::linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() == 0) return false;
  mlir::Block &body = *structured.getBlock();
  for (unsigned o = 0; o < structured.getNumDpsInits(); ++o) {
    mlir::OpOperand *const init = structured.getDpsInitOperand(o);
    if (init->getOperandNumber() >= body.getNumArguments()) return false;
    const mlir::Value old = structured.getMatchingBlockArgument(init);
    if (!accumulationOf(body.getTerminator()->getOperand(o), old)) return true;
  }
  return false;
}

}  // namespace

/// What loops do, and whatever uses what they made.
bool FunctionImporter::isOfNests(mlir::Operation &op) const {
  if (mlir::isa<mlir::func::ReturnOp>(op)) return false;
  if (isOrderedReduction(op)) return true;
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
  if (mlir::isa<mlir::arith::ConstantOp, mlir::memref::GetGlobalOp>(op)) return importConstant(op);
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
  if (Status s = checkConstants(); !s) return std::move(s.diagnostics());
  Result<kernel::Graph> graph = graph_.finish();
  if (!graph) return std::move(graph.diagnostics());
  Imported imported{std::move(*graph), tensors(), {}, {}, {}, std::move(warnings_)};
  for (auto &[buffer, contents] : contents_)
    if (const int t = graph_.tensorOfArgument(buffer); t >= 0) imported.contents[t] = std::move(contents);
  for (const kernel::Kernel &k : imported.graph.kernels) imported.mappings.push_back(graph_.mappingOf(k.name));
  if (const auto target = function_->getAttrOfType<mlir::StringAttr>("pimento.target")) imported.target = target.str();
  return imported;
}

Result<mlir::func::FuncOp> chooseFunction(const ParsedModule &parsed, const std::string &wanted) {
  std::set<std::string> called;
  parsed.module.get()->walk([&](mlir::func::CallOp call) { called.insert(call.getCallee().str()); });
  std::vector<std::string> names;
  mlir::func::FuncOp chosen, callee;
  parsed.module.get()->walk([&](mlir::func::FuncOp f) {
    if (f.isExternal()) return;
    names.push_back(f.getName().str());
    const bool isWanted = wanted.empty() ? f.isPublic() : f.getName() == wanted;
    mlir::func::FuncOp &place = wanted.empty() && called.contains(names.back()) ? callee : chosen;
    if (isWanted && !place) place = f;
  });
  if (!chosen) chosen = callee;
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
  Diagnostics warnings;
};

Result<MlirFile> MlirFile::read(std::string_view text, std::string_view file, const std::string &function) {
  if (Status s = screenText(text, file); !s) return std::move(s.diagnostics());
  Result<std::unique_ptr<ParsedModule>> parsed = parseModule(text, file);
  if (!parsed) return std::move(parsed.diagnostics());
  Result<mlir::func::FuncOp> chosen = chooseFunction(**parsed, function);
  if (!chosen) return std::move(chosen.diagnostics());
  Diagnostics warnings;
  if (Status s = prepare(**parsed, *chosen, warnings); !s) return std::move(s.diagnostics());
  countLoops(*chosen);
  return MlirFile(std::make_shared<const Read>(Read{std::move(*parsed), *chosen, std::move(warnings)}));
}

Result<Imported> MlirFile::bind(const kernel::Sizes &sizes) const {
  Result<Imported> made = FunctionImporter(*read_->module, read_->function).run(sizes);
  if (made) made->warnings.insert(made->warnings.begin(), read_->warnings.begin(), read_->warnings.end());
  return made;
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
