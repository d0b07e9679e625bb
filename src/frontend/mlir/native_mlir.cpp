// A function of MLIR, lowered by MLIR's own passes and run on the operands of its graph.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "pimento/frontend/mlir/dims.h"
#include "pimento/frontend/mlir/import.h"
#include "pimento/frontend/mlir/lower_native.h"
#include "pimento/frontend/mlir/prepare.h"
#include "pimento/frontend/mlir/screen.h"
#include "pimento/frontend/native.h"
#include "pimento/frontend/native/operands.h"

namespace pimento::frontend {

namespace {

constexpr const char *kEntry = "pimento_native_entry";

NativeAnswer leftOut(std::string why) {
  return {{}, std::move(why), {}};
}

/// An 8-bit float that the function computes with; MLIR lowers no arithmetic on them.
bool hasSmallFloats(mlir::func::FuncOp function) {
  const auto isSmall = [](mlir::Type type) {
    const mlir::Type element = mlir::getElementTypeOrSelf(type);
    return mlir::isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() < 16;
  };
  return function
      .walk([&](mlir::Operation *op) {
        const bool found = llvm::any_of(op->getOperandTypes(), isSmall) || llvm::any_of(op->getResultTypes(), isSmall);
        return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// A constant whose values the file does not have.
bool hasElidedConstant(mlir::func::FuncOp function) {
  return function
      .walk([](mlir::arith::ConstantOp op) {
        const auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(op.getValue());
        const bool isElided = resource && resource.getRawHandle().getBlob() == nullptr;
        return isElided ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

class MlirRun {
 public:
  MlirRun(ParsedModule &parsed, mlir::func::FuncOp function, const kernel::Graph &graph,
          const TensorsOfFunction &tensors, const kernel::DataSet &data)
      : parsed_(parsed),
        function_(function),
        dims_(parsed, function),
        graph_(graph),
        tensors_(tensors),
        data_(data),
        operands_(graph, data, parsed.file) {}

  Result<NativeAnswer> run(const kernel::Sizes &sizes, const NativeLimits &limits) {
    if (hasSmallFloats(function_)) return leftOut("this machine has no arithmetic on 8-bit floats");
    if (Status s = dims_.collect(sizes); !s) return std::move(s.diagnostics());
    if (std::string why = bindArguments(); !why.empty()) return leftOut(std::move(why));
    if (std::string why = bindResults(); !why.empty()) return leftOut(std::move(why));
    if (hasElidedConstant(function_)) return leftOut("the file does not have the values of a constant");
    std::string why;
    std::optional<NativeModule> module = lowerToNative(parsed_, function_, isReturned_, kEntry, why);
    if (!module) return leftOut(std::move(why));
    const std::optional<NativeCode> code = compileNative(std::move(*module), kEntry, {}, why);
    if (!code) return leftOut(std::move(why));
    return operands_.run(code->entry(), arguments_, limits);
  }

 private:
  std::string bindArguments() {
    for (mlir::BlockArgument a : function_.getArguments()) {
      const int tensor = a.getArgNumber() < tensors_.arguments.size() ? tensors_.arguments[a.getArgNumber()] : -1;
      const Location where = place(a.getLoc(), parsed_.file);
      const bool isShaped = mlir::isa<mlir::ShapedType>(a.getType());
      const std::string name = parsed_.nameOf(a);
      const std::vector<std::int64_t> shape = shapeOf(a, tensor);
      const bool isBits = isReadAsBits(a, tensor);
      std::byte *const memory = tensor >= 0 && !isBits ? operands_.addTensor(name, tensor, true, where)
                                                       : operands_.addOther(name, bytesOf(a, shape), where);
      if (memory == nullptr) return kNoMemory;
      if (isBits)
        std::transform(data_[static_cast<std::size_t>(tensor)].bytes.begin(),
                       data_[static_cast<std::size_t>(tensor)].bytes.end(), memory,
                       [](std::byte b) { return b & std::byte{1}; });
      // Little-endian: the low bytes come first.
      if (const auto value = isShaped ? std::nullopt : dims_.index(a))
        std::memcpy(memory, &*value, std::min(sizeof *value, bytesOf(a, shape)));
      arguments_.push_back(isShaped ? describe(memory, shape) : memory);
    }
    return {};
  }

  /// An input of i1, of which the kernel reads the lowest bits: MLIR wants bytes that are 0 or 1.
  bool isReadAsBits(mlir::BlockArgument a, int tensor) const {
    return tensor >= 0 && mlir::getElementTypeOrSelf(a.getType()).isInteger(1) &&
           graph_.tensors[static_cast<std::size_t>(tensor)].role == kernel::Role::kInput;
  }

  std::string bindResults() {
    mlir::Operation *const exit = function_.getBody().front().getTerminator();
    for (unsigned r = 0; r < exit->getNumOperands(); ++r) {
      const int tensor = r < tensors_.results.size() ? tensors_.results[r] : -1;
      isReturned_.push_back(tensor >= 0);
      if (tensor < 0) continue;
      std::byte *const memory =
          operands_.addTensor(fmt::format("result {}", r), tensor, true, place(exit->getLoc(), parsed_.file), true);
      if (memory == nullptr) return kNoMemory;
      arguments_.push_back(describe(memory, graph_.tensors[static_cast<std::size_t>(tensor)].shape));
    }
    return {};
  }

  std::vector<std::int64_t> shapeOf(mlir::BlockArgument a, int tensor) {
    if (tensor >= 0) return graph_.tensors[static_cast<std::size_t>(tensor)].shape;
    if (const auto known = dims_.shape(a)) return *known;
    const auto type = mlir::dyn_cast<mlir::ShapedType>(a.getType());
    std::vector<std::int64_t> shape;
    if (!type || !type.hasRank()) return shape;
    for (const std::int64_t extent : type.getShape()) shape.push_back(mlir::ShapedType::isDynamic(extent) ? 1 : extent);
    return shape;
  }

  static std::size_t bytesOf(mlir::BlockArgument a, const std::vector<std::int64_t> &shape) {
    const mlir::Type element = mlir::getElementTypeOrSelf(a.getType());
    std::size_t bytes = element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : sizeof(std::int64_t);
    for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
    return bytes;
  }

  /// What MLIR calls a memref: two pointers, an offset, extents, strides.
  void *describe(std::byte *memory, const std::vector<std::int64_t> &shape) {
    std::vector<std::int64_t> &d = descriptors_.emplace_back();
    d.assign(2, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory)));
    d.push_back(0);
    d.insert(d.end(), shape.begin(), shape.end());
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    d.insert(d.end(), strides.begin(), strides.end());
    return d.data();
  }

  static constexpr const char *kNoMemory = "there is not enough memory for its arrays";

  ParsedModule &parsed_;
  mlir::func::FuncOp function_;
  FunctionDims dims_;
  const kernel::Graph &graph_;
  const TensorsOfFunction &tensors_;
  const kernel::DataSet &data_;
  NativeOperands operands_;
  std::deque<std::vector<std::int64_t>> descriptors_;
  std::vector<void *> arguments_;
  std::vector<bool> isReturned_;
};

}  // namespace

Result<NativeAnswer> runMlir(std::string_view text, std::string_view file, const MlirOptions &options,
                             const kernel::Graph &graph, const TensorsOfFunction &tensors, const kernel::DataSet &data,
                             const NativeLimits &limits) {
  if (Status s = screenText(text, file); !s) return std::move(s.diagnostics());
  const Result<std::unique_ptr<ParsedModule>> parsed = parseModule(text, file);
  if (!parsed) return parsed.diagnostics();
  const Result<mlir::func::FuncOp> function = chooseFunction(**parsed, options.function);
  if (!function) return function.diagnostics();
  Diagnostics said;  // when the file was imported
  if (Status s = prepare(**parsed, *function, said); !s) return std::move(s.diagnostics());
  return MlirRun(**parsed, *function, graph, tensors, data).run(options.sizes, limits);
}

}  // namespace pimento::frontend
