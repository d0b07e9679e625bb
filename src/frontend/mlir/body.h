// Scalar ops as values: of a kernel's body, or of the expressions of a loop nest.
//
// Every arith or math op becomes one node of its own type, so the precision of each step is that of the text. Signless
// integers are signed; an unsigned op casts its arguments to the unsigned type, computes there and casts back. i1 is a
// u8 that holds 0 or 1. maximumf/minimumf/maxnumf/minnumf become kMax/kMin (kernel.h says what those do with NaN);
// maximumf(x, 0) and maxsi(x, 0)
// become kRelu.
#pragma once

#include <optional>
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "pimento/base/diagnostics.h"
#include "pimento/frontend/graph_builder.h"
#include "pimento/kernel/builder.h"

namespace pimento::frontend {

/// Whether an op is scalar arithmetic that BodyTranslator may be asked for.
bool isScalarOp(mlir::Operation &op);

/// The constant an op or value gives, in the type of its scalar; none if it is no constant.
std::optional<Constant> constantOf(mlir::Value value);

/// out = combine(out, term), or out - term where `negate`.
struct Accumulation {
  kernel::Combine combine = kernel::Combine::kAssign;
  mlir::Value term;
  bool negate = false;
};

/// Recognizes a yielded value that merges one term into the output's old element and, if `isSole`, that neither is used
/// elsewhere.
std::optional<Accumulation> accumulationOf(mlir::Value yielded, mlir::Value out, bool isSole = true);

/// Where the values of a body go; they are numbers.
class ScalarSink {
 public:
  virtual ~ScalarSink() = default;
  virtual int real(DType type, double x) = 0;
  virtual int integer(DType type, std::int64_t x) = 0;
  virtual int indexValue(int dim, DType type) = 0;
  virtual int load(DType type, const kernel::Access &access) = 0;
  virtual int op(kernel::Op op, DType type, int a, int b = -1, int c = -1) = 0;
  virtual int cast(DType type, int a) = 0;
  virtual DType typeOf(int value) const = 0;
};

/// Values of the kernel that `builder` makes.
class KernelSink final : public ScalarSink {
 public:
  explicit KernelSink(kernel::KernelBuilder &builder) : builder_(builder) {}
  int real(DType type, double x) override { return builder_.constant(type, x); }
  int integer(DType type, std::int64_t x) override { return builder_.integer(type, x); }
  int indexValue(int dim, DType type) override { return builder_.indexValue(dim, type); }
  int load(DType type, const kernel::Access &access) override { return builder_.load(type, access); }
  int op(kernel::Op op, DType type, int a, int b, int c) override { return builder_.op(op, type, a, b, c); }
  int cast(DType type, int a) override { return builder_.cast(type, a); }
  DType typeOf(int value) const override { return builder_.typeOf(value); }

 private:
  kernel::KernelBuilder &builder_;
};

class BodyTranslator {
 public:
  using Values = llvm::MapVector<mlir::Value, int>;

  /// `where` is the op's place, for what has none of its own.
  BodyTranslator(ScalarSink &sink, Location where) : sink_(sink), where_(std::move(where)) {}

  /// What a block argument (of the op or of the function) stands for.
  void bindElement(mlir::Value value, kernel::Access access, DType type, bool isBit = false);
  void bindConstant(mlir::Value value, Constant constant, DType type);
  void bindComputed(mlir::Value value, int bodyValue) { done_[value] = bodyValue; }
  void bindValue(mlir::Value value, mlir::Value same) { same_[value] = same; }

  /// Appends what `root` needs and returns the body value that holds it.
  Result<int> translate(mlir::Value root);
  /// Appends -value.
  int negate(int value);
  /// Appends one op whose operands are known.
  Status translateNow(mlir::Operation &op);
  /// What is known by now.
  Values &values() { return done_; }

 private:
  struct Element {
    kernel::Access access;
    DType type = DType::kF32;
    bool isBit = false;  ///< the lowest bit
  };
  struct Literal {
    Constant constant;
    DType type = DType::kF32;
  };

  mlir::Value resolve(mlir::Value value) const;
  Status collect(mlir::Value root, std::vector<mlir::Operation *> &ops);
  Result<int> valueOf(mlir::Value value);
  Result<int> translateOp(mlir::Operation &op);
  Result<int> translateCompare(mlir::Operation &op);
  int translateOrder(mlir::arith::CmpFPredicate predicate, int left, int right);
  Result<int> translateCast(mlir::Operation &op, const std::string &name);
  std::optional<int> translateBinary(mlir::Operation &op, const std::string &name);
  std::optional<int> translateUnary(mlir::Operation &op, const std::string &name);

  int constant(Constant constant, DType type);
  DType typeAt(int value) const { return sink_.typeOf(value); }
  int cast(int value, DType type) { return sink_.cast(type, value); }
  Location placeOf(mlir::Operation &op) const;

  ScalarSink &sink_;
  Location where_;
  llvm::DenseMap<mlir::Value, Element> elements_;
  llvm::DenseMap<mlir::Value, Literal> literals_;
  llvm::DenseMap<mlir::Value, mlir::Value> same_;
  Values done_;
};

}  // namespace pimento::frontend
