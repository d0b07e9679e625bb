#include "pimento/frontend/mlir/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "llvm/ADT/DenseSet.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "pimento/frontend/mlir/access.h"
#include "pimento/frontend/mlir/body_math.h"
#include "pimento/frontend/mlir/parse.h"

namespace pimento::frontend {

using kernel::Combine;
using kernel::Op;

namespace {

constexpr std::size_t kMaxOps = 4096;

/// Ops of two arguments and one result, all of one type.
struct BinaryOp {
  std::string_view name;
  Op op;
  bool isUnsigned = false;
};
constexpr std::array kBinaryOps{
    BinaryOp{"arith.addf", Op::kAdd},        BinaryOp{"arith.addi", Op::kAdd},
    BinaryOp{"arith.subf", Op::kSub},        BinaryOp{"arith.subi", Op::kSub},
    BinaryOp{"arith.mulf", Op::kMul},        BinaryOp{"arith.muli", Op::kMul},
    BinaryOp{"arith.divf", Op::kDiv},        BinaryOp{"arith.divsi", Op::kDiv},
    BinaryOp{"arith.divui", Op::kDiv, true}, BinaryOp{"arith.remf", Op::kRem},
    BinaryOp{"arith.remsi", Op::kRem},       BinaryOp{"arith.remui", Op::kRem, true},
    BinaryOp{"arith.maximumf", Op::kMax},    BinaryOp{"arith.maxnumf", Op::kMax},
    BinaryOp{"arith.maxsi", Op::kMax},       BinaryOp{"arith.maxui", Op::kMax, true},
    BinaryOp{"arith.minimumf", Op::kMin},    BinaryOp{"arith.minnumf", Op::kMin},
    BinaryOp{"arith.minsi", Op::kMin},       BinaryOp{"arith.minui", Op::kMin, true},
    BinaryOp{"arith.andi", Op::kAnd},        BinaryOp{"arith.ori", Op::kOr},
    BinaryOp{"arith.xori", Op::kXor},        BinaryOp{"arith.shli", Op::kShl},
    BinaryOp{"arith.shrsi", Op::kShr},       BinaryOp{"arith.shrui", Op::kShr, true},
};

struct UnaryOp {
  std::string_view name;
  Op op;
};
constexpr std::array kUnaryOps{
    UnaryOp{"arith.negf", Op::kNeg}, UnaryOp{"math.absf", Op::kAbs}, UnaryOp{"math.absi", Op::kAbs},
    UnaryOp{"math.exp", Op::kExp},   UnaryOp{"math.log", Op::kLog},  UnaryOp{"math.sqrt", Op::kSqrt},
    UnaryOp{"math.tanh", Op::kTanh},
};

/// Conversions; `isUnsigned` where the integer side is read as unsigned.
struct CastOp {
  std::string_view name;
  bool isUnsigned = false;
};
constexpr std::array kCastOps{
    CastOp{"arith.extf"},
    CastOp{"arith.truncf"},
    CastOp{"arith.sitofp"},
    CastOp{"arith.fptosi"},
    CastOp{"arith.extsi"},
    CastOp{"arith.trunci"},
    CastOp{"arith.index_cast"},
    CastOp{"arith.uitofp", true},
    CastOp{"arith.fptoui", true},
    CastOp{"arith.extui", true},
    CastOp{"arith.index_castui", true},
};

template <typename Table>
auto find(const Table &table, std::string_view name) {
  return std::find_if(table.begin(), table.end(), [&](const auto &row) { return row.name == name; });
}

std::string scalarOps() {
  return fmt::format(
      "ops in a body: arith add sub mul div rem max min (f, si, ui, i), and/or/xor/shifts, negf, cmpf, cmpi, select, "
      "casts; math absf absi exp log sqrt tanh; {}; linalg.index; constants",
      composedOps());
}

std::string nameOf(mlir::Operation &op) {
  return op.getName().getStringRef().str();
}

DType unsignedOf(DType t) {
  switch (t) {
    case DType::kI64:
      return DType::kU64;
    case DType::kI32:
      return DType::kU32;
    case DType::kI16:
      return DType::kU16;
    case DType::kI8:
      return DType::kU8;
    default:
      return t;
  }
}

int depthOf(mlir::Operation *op) {
  int depth = 0;
  for (; op; op = op->getParentOp()) ++depth;
  return depth;
}

Combine combineOf(std::string_view name) {
  const auto row = find(kBinaryOps, name);
  if (row == kBinaryOps.end() || row->isUnsigned) return Combine::kAssign;
  switch (row->op) {
    case Op::kAdd:
    case Op::kSub:
      return Combine::kAdd;
    case Op::kMul:
      return Combine::kMul;
    case Op::kMin:
      return Combine::kMin;
    case Op::kMax:
      return Combine::kMax;
    default:
      return Combine::kAssign;
  }
}

/// The same op on 0 and 1; 1 is -1 where it is signed. None: it can leave them (shifts, division by 0).
std::optional<Op> bitOp(const BinaryOp &row) {
  switch (row.op) {
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
      return row.op;
    case Op::kAdd:
    case Op::kSub:
      return Op::kXor;
    case Op::kMul:
      return Op::kAnd;
    case Op::kMax:
      return row.isUnsigned ? Op::kOr : Op::kAnd;
    case Op::kMin:
      return row.isUnsigned ? Op::kAnd : Op::kOr;
    default:
      return std::nullopt;
  }
}

bool isZero(mlir::Value value) {
  llvm::APFloat x(0.0f);
  llvm::APInt n;
  return (mlir::matchPattern(value, mlir::m_ConstantFloat(&x)) && x.isPosZero()) ||
         (mlir::matchPattern(value, mlir::m_ConstantInt(&n)) && n.isZero());
}

}  // namespace

bool isScalarOp(mlir::Operation &op) {
  const std::string name = nameOf(op);
  return find(kBinaryOps, name) != kBinaryOps.end() || find(kUnaryOps, name) != kUnaryOps.end() ||
         find(kCastOps, name) != kCastOps.end() || isComposedOp(name) || name == "arith.cmpf" || name == "arith.cmpi" ||
         name == "arith.select" || name == "arith.constant" || name == "linalg.index";
}

std::optional<Constant> constantOf(mlir::Value value) {
  const auto type = scalarType(value.getType());
  if (!type) return std::nullopt;
  llvm::APFloat real(0.0f);
  if (mlir::matchPattern(value, mlir::m_ConstantFloat(&real))) {
    bool losesInfo = false;
    real.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return Constant{real.convertToDouble(), 0};
  }
  llvm::APInt integer;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&integer)) && integer.getBitWidth() <= 64) {
    return Constant{0, isSigned(*type) ? integer.getSExtValue() : static_cast<std::int64_t>(integer.getZExtValue())};
  }
  return std::nullopt;
}

std::optional<Accumulation> accumulationOf(mlir::Value yielded, mlir::Value out, bool isSole) {
  mlir::Operation *op = yielded.getDefiningOp();
  if (!op || op->getBlock() != out.getParentBlock()) return std::nullopt;
  if (isSole && (!out.hasOneUse() || !yielded.hasOneUse())) return std::nullopt;
  if (op->getNumOperands() != 2 || !scalarType(out.getType()) || out.getType().isInteger(1)) return std::nullopt;
  const std::string name = nameOf(*op);
  const Combine combine = combineOf(name);
  if (combine == Combine::kAssign) return std::nullopt;
  const bool isSubtraction = name == "arith.subf" || name == "arith.subi";
  if (op->getOperand(0) == out) return Accumulation{combine, op->getOperand(1), isSubtraction};
  if (op->getOperand(1) == out && !isSubtraction) return Accumulation{combine, op->getOperand(0), false};
  return std::nullopt;
}

Location BodyTranslator::placeOf(mlir::Operation &op) const {
  Location where = place(op.getLoc(), where_.file);
  return where.line == 0 ? where_ : where;  // bodies of named ops carry no place
}

void BodyTranslator::bindElement(mlir::Value value, kernel::Access access, DType type, bool isBit) {
  elements_[value] = {std::move(access), type, isBit};
}

void BodyTranslator::bindConstant(mlir::Value value, Constant constant, DType type) {
  literals_[value] = {constant, type};
}

int BodyTranslator::constant(Constant constant, DType type) {
  return isFloat(type) ? sink_.real(type, constant.real) : sink_.integer(type, constant.integer);
}

int BodyTranslator::negate(int value) {
  return sink_.op(Op::kNeg, typeAt(value), value);
}

mlir::Value BodyTranslator::resolve(mlir::Value value) const {
  const auto it = same_.find(value);
  return it == same_.end() ? value : it->second;
}

/// The ops `root` needs, in an order in which each follows its arguments. No recursion: bodies may be long.
Status BodyTranslator::collect(mlir::Value root, std::vector<mlir::Operation *> &ops) {
  llvm::DenseSet<mlir::Operation *> seen;
  std::vector<mlir::Value> pending{resolve(root)};
  while (!pending.empty()) {
    const mlir::Value value = pending.back();
    pending.pop_back();
    mlir::Operation *op = value.getDefiningOp();
    const bool isKnown = done_.contains(value) || literals_.contains(value) || elements_.contains(value);
    if (!op || isKnown || constantOf(value) || !seen.insert(op).second) continue;
    if (!isScalarOp(*op) || op->getNumResults() != 1 || op->getNumRegions() != 0) {
      return unsupportedOp(nameOf(*op), placeOf(*op), scalarOps());
    }
    ops.push_back(op);
    if (ops.size() > kMaxOps) {
      return unsupported("too-long", where_, fmt::format("the body has more than {} ops", kMaxOps), "split the op");
    }
    for (const mlir::Value operand : op->getOperands()) pending.push_back(resolve(operand));
  }
  std::sort(ops.begin(), ops.end(), [](mlir::Operation *a, mlir::Operation *b) {
    // Ops around the body come first.
    if (a->getBlock() != b->getBlock()) return depthOf(a) < depthOf(b);
    return a->isBeforeInBlock(b);
  });
  return okStatus();
}

Result<int> BodyTranslator::translate(mlir::Value root) {
  std::vector<mlir::Operation *> ops;
  if (Status s = collect(root, ops); !s) return std::move(s.diagnostics());
  for (mlir::Operation *op : ops) {
    Result<int> value = translateOp(*op);
    if (!value) return value;
    done_[op->getResult(0)] = *value;
  }
  return valueOf(root);
}

Status BodyTranslator::translateNow(mlir::Operation &op) {
  Result<int> value = translateOp(op);
  if (!value) return std::move(value.diagnostics());
  done_[op.getResult(0)] = *value;
  return okStatus();
}

Result<int> BodyTranslator::valueOf(mlir::Value value) {
  value = resolve(value);
  if (const auto it = done_.find(value); it != done_.end()) return it->second;
  const auto type = scalarType(value.getType());
  if (!type) {
    return unsupported("unsupported-type", where_,
                       fmt::format("a scalar of type '{}' is not supported", typeText(value.getType())),
                       fmt::format("element types: {} (ui8..ui64 unsigned)", dtypeNames()));
  }
  int result = -1;
  if (const auto it = elements_.find(value); it != elements_.end()) {
    result = sink_.load(it->second.type, it->second.access);
    if (it->second.isBit) result = sink_.op(Op::kAnd, DType::kU8, result, constant({0, 1}, DType::kU8));
  } else if (const auto literal = literals_.find(value); literal != literals_.end()) {
    result = constant(literal->second.constant, literal->second.type);
  } else if (const auto folded = constantOf(value)) {
    result = constant(*folded, *type);
  } else {
    return error("uninitialized", where_, "the op reads an output that was never written", "use linalg.fill first");
  }
  done_[value] = result;
  return result;
}

std::optional<int> BodyTranslator::translateBinary(mlir::Operation &op, const std::string &name) {
  const auto row = find(kBinaryOps, name);
  if (row == kBinaryOps.end()) return std::nullopt;
  Result<int> a = valueOf(op.getOperand(0));
  Result<int> b = valueOf(op.getOperand(1));
  if (!a || !b) return std::nullopt;
  if (op.getResult(0).getType().isInteger(1)) {
    const auto bit = bitOp(*row);
    return bit ? std::optional(sink_.op(*bit, DType::kU8, *a, *b)) : std::nullopt;
  }
  const DType type = typeAt(*a);
  if (!row->isUnsigned) return sink_.op(row->op, type, *a, *b);
  const DType as = unsignedOf(type);
  const int left = cast(*a, as), right = cast(*b, as);
  return cast(sink_.op(row->op, as, left, right), type);
}

std::optional<int> BodyTranslator::translateUnary(mlir::Operation &op, const std::string &name) {
  const auto row = find(kUnaryOps, name);
  if (row == kUnaryOps.end()) return std::nullopt;
  Result<int> a = valueOf(op.getOperand(0));
  if (!a || op.getOperand(0).getType().isInteger(1)) return std::nullopt;
  return sink_.op(row->op, typeAt(*a), *a);
}

Result<int> BodyTranslator::translateCast(mlir::Operation &op, const std::string &name) {
  const bool isUnsigned = find(kCastOps, name)->isUnsigned;
  Result<int> a = valueOf(op.getOperand(0));
  if (!a) return a;
  const mlir::Type fromType = op.getOperand(0).getType(), toType = op.getResult(0).getType();
  const auto to = scalarType(toType);
  if (!to) {
    return unsupported("unsupported-type", placeOf(op),
                       fmt::format("'{}' to '{}' is not supported", name, typeText(toType)),
                       fmt::format("scalar types: {} (as MLIR spells them)", dtypeNames()));
  }
  if (fromType.isInteger(1)) {
    const int wide = cast(*a, *to);
    return isUnsigned ? wide : negate(wide);  // i1 sign-extends 1 to -1
  }
  if (toType.isInteger(1)) {
    if (name != "arith.trunci") return unsupportedOp(name, placeOf(op), "convert to i8 or wider, or compare");
    const int one = constant({1, 1}, typeAt(*a));
    return cast(sink_.op(Op::kAnd, typeAt(*a), *a, one), DType::kU8);
  }
  if (!isUnsigned) return cast(*a, *to);
  if (isFloat(typeAt(*a))) return cast(cast(*a, unsignedOf(*to)), *to);
  return cast(cast(*a, unsignedOf(typeAt(*a))), *to);
}

namespace {

/// A comparison as up to two kernel comparisons joined by or, then perhaps inverted.
struct Comparison {
  Op first = Op::kCmpEq;
  std::optional<Op> second;
  bool isInverted = false;
  bool isUnsigned = false;
};

Comparison comparisonOf(mlir::arith::CmpIPredicate p) {
  using P = mlir::arith::CmpIPredicate;
  switch (p) {
    case P::eq:
      return {Op::kCmpEq, {}, false, false};
    case P::ne:
      return {Op::kCmpNe, {}, false, false};
    case P::slt:
      return {Op::kCmpLt, {}, false, false};
    case P::sle:
      return {Op::kCmpLe, {}, false, false};
    case P::sgt:
      return {Op::kCmpGt, {}, false, false};
    case P::sge:
      return {Op::kCmpGe, {}, false, false};
    case P::ult:
      return {Op::kCmpLt, {}, false, true};
    case P::ule:
      return {Op::kCmpLe, {}, false, true};
    case P::ugt:
      return {Op::kCmpGt, {}, false, true};
    case P::uge:
      return {Op::kCmpGe, {}, false, true};
  }
  return {};
}

/// Unordered predicates are the inverse of the opposite ordered one. None for the constant predicates and for ord/uno.
std::optional<Comparison> comparisonOf(mlir::arith::CmpFPredicate p) {
  using P = mlir::arith::CmpFPredicate;
  switch (p) {
    case P::OEQ:
      return Comparison{Op::kCmpEq, {}, false, false};
    case P::OGT:
      return Comparison{Op::kCmpGt, {}, false, false};
    case P::OGE:
      return Comparison{Op::kCmpGe, {}, false, false};
    case P::OLT:
      return Comparison{Op::kCmpLt, {}, false, false};
    case P::OLE:
      return Comparison{Op::kCmpLe, {}, false, false};
    case P::ONE:
      return Comparison{Op::kCmpLt, Op::kCmpGt, false, false};
    case P::UEQ:
      return Comparison{Op::kCmpLt, Op::kCmpGt, true, false};
    case P::UGT:
      return Comparison{Op::kCmpLe, {}, true, false};
    case P::UGE:
      return Comparison{Op::kCmpLt, {}, true, false};
    case P::ULT:
      return Comparison{Op::kCmpGe, {}, true, false};
    case P::ULE:
      return Comparison{Op::kCmpGt, {}, true, false};
    case P::UNE:
      return Comparison{Op::kCmpNe, {}, false, false};
    default:
      return std::nullopt;
  }
}

}  // namespace

/// Whether there is a NaN, or neither.
int BodyTranslator::translateOrder(mlir::arith::CmpFPredicate predicate, int left, int right) {
  using P = mlir::arith::CmpFPredicate;
  if (predicate == P::AlwaysTrue || predicate == P::AlwaysFalse)
    return constant({0, predicate == P::AlwaysTrue ? 1 : 0}, DType::kU8);
  const Op same = predicate == P::ORD ? Op::kCmpEq : Op::kCmpNe;
  const int first = sink_.op(same, DType::kU8, left, left), second = sink_.op(same, DType::kU8, right, right);
  return sink_.op(predicate == P::ORD ? Op::kAnd : Op::kOr, DType::kU8, first, second);
}

Result<int> BodyTranslator::translateCompare(mlir::Operation &op) {
  Result<int> a = valueOf(op.getOperand(0));
  if (!a) return a;
  Result<int> b = valueOf(op.getOperand(1));
  if (!b) return b;
  int left = *a, right = *b;
  Comparison how;
  if (auto integers = mlir::dyn_cast<mlir::arith::CmpIOp>(op)) {
    how = comparisonOf(integers.getPredicate());
    const bool isBit = op.getOperand(0).getType().isInteger(1),
               isOrder = how.first != Op::kCmpEq && how.first != Op::kCmpNe;
    if (isBit && isOrder && !how.isUnsigned) std::swap(left, right);  // 1 is -1
  } else {
    const auto predicate = mlir::cast<mlir::arith::CmpFOp>(op).getPredicate();
    const auto known = comparisonOf(predicate);
    if (!known) return translateOrder(predicate, left, right);
    how = *known;
  }
  if (how.isUnsigned) {
    left = cast(left, unsignedOf(typeAt(left)));
    right = cast(right, unsignedOf(typeAt(right)));
  }
  int result = sink_.op(how.first, DType::kU8, left, right);
  if (how.second) result = sink_.op(Op::kOr, DType::kU8, result, sink_.op(*how.second, DType::kU8, left, right));
  return how.isInverted ? sink_.op(Op::kXor, DType::kU8, result, constant({1, 1}, DType::kU8)) : result;
}

Result<int> BodyTranslator::translateOp(mlir::Operation &op) {
  const std::string name = nameOf(op);
  if (name == "arith.constant")
    return unsupportedOp("arith.constant", placeOf(op), "scalar constants of f8..f64, i1..i64");
  if (name == "arith.maximumf" || (name == "arith.maxsi" && !op.getResult(0).getType().isInteger(1))) {
    for (const unsigned side : {0U, 1U}) {
      if (!isZero(resolve(op.getOperand(1 - side)))) continue;
      Result<int> x = valueOf(op.getOperand(side));
      return x ? Result<int>(sink_.op(Op::kRelu, typeAt(*x), *x)) : x;
    }
  }
  for (const mlir::Value operand : op.getOperands()) {
    if (Result<int> value = valueOf(operand); !value) return value;
  }
  if (name == "linalg.index") {
    return sink_.indexValue(static_cast<int>(op.getAttrOfType<mlir::IntegerAttr>("dim").getInt()), DType::kI64);
  }
  if (name == "arith.cmpf" || name == "arith.cmpi") return translateCompare(op);
  if (find(kCastOps, name) != kCastOps.end()) return translateCast(op, name);
  if (name == "arith.select") {
    const int condition = *valueOf(op.getOperand(0)), yes = *valueOf(op.getOperand(1)), no = *valueOf(op.getOperand(2));
    return sink_.op(Op::kSelect, typeAt(yes), condition, yes, no);
  }
  if (isComposedOp(name) && !op.getResult(0).getType().isInteger(1)) {
    std::vector<int> arguments;
    for (const mlir::Value operand : op.getOperands()) arguments.push_back(*valueOf(operand));
    const auto exponent = name == "math.powf" ? constantOf(resolve(op.getOperand(1))) : std::nullopt;
    return compose(sink_, name, arguments, exponent ? std::optional(exponent->real) : std::nullopt);
  }
  if (const auto v = translateBinary(op, name)) return *v;
  if (const auto v = translateUnary(op, name)) return *v;
  return unsupportedOp(name + " on i1", placeOf(op), "i1 has andi, ori, xori, addi, muli, max, min, cmpi and select");
}

}  // namespace pimento::frontend
