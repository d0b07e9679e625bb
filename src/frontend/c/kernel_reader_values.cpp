// Expressions: C's conversions are in Clang's tree already, each becomes a node.
#include <fmt/format.h>

#include <algorithm>

#include "clang/AST/Attr.h"
#include "llvm/Support/Casting.h"
#include "pimento/frontend/c/kernel_reader.h"
#include "pimento/frontend/nest/forms.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;
using llvm::dyn_cast;
using llvm::isa;

namespace {

double realOf(const llvm::APFloat &x) {
  llvm::APFloat value = x;
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Whether an integer is divided by a constant 0.
bool dividesByZero(const clang::ASTContext &context, const clang::BinaryOperator &e) {
  const clang::BinaryOperatorKind kind =
      e.isCompoundAssignmentOp() ? clang::BinaryOperator::getOpForCompoundAssignment(e.getOpcode()) : e.getOpcode();
  clang::Expr::EvalResult divisor;
  return (kind == clang::BO_Div || kind == clang::BO_Rem) && e.getType()->isIntegerType() &&
         e.getRHS()->getType()->isIntegerType() && e.getRHS()->EvaluateAsInt(divisor, context) &&
         divisor.Val.getInt() == 0;
}

class Deeper {
 public:
  explicit Deeper(int &depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper &) = delete;
  Deeper &operator=(const Deeper &) = delete;

 private:
  int &depth_;
};

}  // namespace

CValue CReader::evaluate(const clang::Expr *e) {
  const Deeper deeper(depth_);
  if (!enter(e)) return scalarValue(pool_.integer(DType::kI32, 0));
  const auto type = [&] { return scalarType(e->getType(), e->getBeginLoc()); };
  if (const auto *paren = dyn_cast<clang::ParenExpr>(e)) return evaluate(paren->getSubExpr());
  if (const auto *constant = dyn_cast<clang::ConstantExpr>(e)) return evaluate(constant->getSubExpr());
  if (const auto *literal = dyn_cast<clang::IntegerLiteral>(e)) {
    return scalarValue(pool_.integer(type(), static_cast<std::int64_t>(literal->getValue().getLimitedValue())));
  }
  if (const auto *literal = dyn_cast<clang::CharacterLiteral>(e)) {
    return scalarValue(pool_.integer(type(), static_cast<std::int64_t>(literal->getValue())));
  }
  if (const auto *literal = dyn_cast<clang::FloatingLiteral>(e)) {
    return scalarValue(pool_.real(type(), realOf(literal->getValue())));
  }
  if (const auto *reference = dyn_cast<clang::DeclRefExpr>(e)) return evaluateVariable(*reference);
  if (const auto *cast = dyn_cast<clang::CastExpr>(e)) return evaluateCast(*cast);
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(e)) return evaluateUnary(*unary);
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(e)) return evaluateBinary(*binary);
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(e)) return evaluateConditional(*choice);
  if (const auto *call = dyn_cast<clang::CallExpr>(e)) {
    clang::Expr::EvalResult known;  // INFINITY is a call
    const bool isConstant =
        call->getBuiltinCallee() != 0 && call->EvaluateAsRValue(known, context_) && known.Val.isFloat();
    return isConstant ? scalarValue(pool_.real(type(), realOf(known.Val.getFloat()))) : evaluateCall(*call);
  }
  if (const auto *list = dyn_cast<clang::InitListExpr>(e); list != nullptr && list->getNumInits() == 1) {
    return evaluate(list->getInit(0));
  }
  if (isa<clang::ImplicitValueInitExpr>(e)) {
    const DType t = type();
    return scalarValue(isFloat(t) ? pool_.real(t, 0) : pool_.integer(t, 0));
  }
  if (isa<clang::ArraySubscriptExpr>(e)) {
    // As a value: only where it is an array that decays.
    return {CValue::Kind::kPointer, -1, place(e)};
  }
  clang::Expr::EvalResult known;
  if (e->getType()->isIntegerType() && !e->isValueDependent() && e->EvaluateAsInt(known, context_)) {
    return scalarValue(pool_.integer(type(), known.Val.getInt().getExtValue()));
  }
  fail("c-type", e->getBeginLoc(), fmt::format("'{}' is not supported in a kernel", quoted(e, false)),
       "kernels compute with scalars and arrays of scalars; no structs, strings or complex numbers");
  return scalarValue(pool_.integer(DType::kI32, 0));
}

int CReader::scalar(const clang::Expr *e) {
  const CValue v = evaluate(e);
  if (v.kind == CValue::Kind::kScalar) return v.scalar;
  if (isFine()) {
    if (v.kind == CValue::Kind::kPointer)
      fail("c-type", e->getBeginLoc(), "a pointer is used as a number", "compute with elements and indices");
    else
      failInput("c-uninitialized", e->getBeginLoc(), "this value is never set", "set it on every path that leads here");
  }
  return pool_.integer(DType::kI32, 0);
}

int CReader::condition(const clang::Expr *e) {
  return pool_.isTrue(scalar(e));
}

CValue CReader::evaluateVariable(const clang::DeclRefExpr &e) {
  if (const auto *constant = dyn_cast<clang::EnumConstantDecl>(e.getDecl())) {
    return scalarValue(pool_.integer(scalarType(e.getType(), e.getLocation()), constant->getInitVal().getExtValue()));
  }
  const auto *v = dyn_cast<clang::VarDecl>(e.getDecl());
  if (v == nullptr) {
    fail("c-call", e.getLocation(), "a function is used as a value", "call it by its name");
    return {};
  }
  if (const auto array = arrayOf(*v)) return {CValue::Kind::kPointer, -1, *array};
  return readVariable(*v, e.getLocation());
}

CValue CReader::readVariable(const clang::VarDecl &v, clang::SourceLocation where) {
  const auto at = variables_.find(&v);
  if (at != variables_.end()) {
    if (at->second.buffer >= 0) {
      const DType type = program_.buffers[static_cast<std::size_t>(at->second.buffer)].type;
      return scalarValue(pool_.load(type, at->second.buffer, at->second.index, {}, placeOf(where)));
    }
    const CValue &value = at->second.value;
    if (value.kind == CValue::Kind::kScalar) markRead(value.scalar);
    if (value.kind == CValue::Kind::kPointer && isTrial_) {
      for (const Affine &form : value.pointer.index) markRead(form);
    }
    if (value.kind != CValue::Kind::kNothing) return value;
  } else if (v.hasGlobalStorage() && v.getType().isConstQualified() && v.getAnyInitializer() != nullptr) {
    return evaluate(v.getAnyInitializer());
  }
  failInput("c-uninitialized", where,
            fmt::format("the value of '{}' here is not known on every path", v.getNameAsString()),
            "set it first; after a loop only sums and other accumulators keep their values");
  return {};
}

CValue CReader::evaluateCast(const clang::CastExpr &e) {
  const clang::Expr *from = e.getSubExpr();
  const auto to = [&] { return scalarType(e.getType(), e.getBeginLoc()); };
  switch (e.getCastKind()) {
    case clang::CK_LValueToRValue: {
      const clang::Expr *plain = from->IgnoreParens();
      if (const auto *reference = dyn_cast<clang::DeclRefExpr>(plain)) {
        const auto *v = dyn_cast<clang::VarDecl>(reference->getDecl());
        const auto known = v != nullptr ? arrays_.find(v) : arrays_.end();
        if (known != arrays_.end() && !v->getType()->isArrayType() && !v->getType()->isPointerType()) {
          return load(known->second, e);  // a scalar at file scope, or a parameter by value
        }
        return evaluateVariable(*reference);
      }
      const CPointer p = place(plain);
      return isFine() ? load(p, e) : CValue{};
    }
    case clang::CK_NoOp:
    case clang::CK_ArrayToPointerDecay:
    case clang::CK_FunctionToPointerDecay:
      return evaluate(from);
    case clang::CK_IntegralCast:
    case clang::CK_FloatingCast:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral: {
      const int value = scalar(from);
      return isFine() ? scalarValue(pool_.cast(to(), value)) : CValue{};
    }
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToBoolean:
      return scalarValue(condition(from));
    case clang::CK_ToVoid:
      evaluate(from);
      return {};
    case clang::CK_BitCast: {
      // Through void *, or to another qualification: the same elements.
      const clang::QualType a = from->getType()->getPointeeType(), b = e.getType()->getPointeeType();
      const auto innermost = [&](clang::QualType t) { return typeOf(context_.getBaseElementType(t)); };
      const bool isSame = !a.isNull() && !b.isNull() && innermost(a) && innermost(a) == innermost(b) &&
                          a->isArrayType() == b->isArrayType();
      if (isSame) return evaluate(from);
      if (isa<clang::CallExpr>(from->IgnoreParens())) evaluate(from);  // malloc() is what is wrong
      break;
    }
    default:
      break;
  }
  fail("c-type", e.getBeginLoc(),
       fmt::format("the conversion from '{}' to '{}' is not supported in a kernel", from->getType().getAsString(),
                   e.getType().getAsString()),
       "access an array with its declared type; convert elements, not pointers");
  return {};
}

CPointer CReader::place(const clang::Expr *e) {
  const Deeper deeper(depth_);
  if (!enter(e)) return {};
  e = e->IgnoreParens();
  if (const auto *reference = dyn_cast<clang::DeclRefExpr>(e)) {
    if (const auto *v = dyn_cast<clang::VarDecl>(reference->getDecl())) {
      if (const auto array = arrayOf(*v)) return *array;
      CPointer p;
      p.scalar = v;
      return p;
    }
  }
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(e)) {
    if (unary->getOpcode() == clang::UO_Extension) return place(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_Deref) {
      const CValue v = evaluate(unary->getSubExpr());
      if (v.kind == CValue::Kind::kPointer) {
        CPointer p = v.pointer;
        if (p.scalar == nullptr && unary->getType()->isArrayType()) ++p.level;
        return p;
      }
    }
  }
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(e)) {
    const CValue base = evaluate(subscript->getBase());
    const int index = scalar(subscript->getIdx());
    if (isFine() && base.kind == CValue::Kind::kPointer) {
      CPointer p = movePointer(base.pointer, index, false, *subscript).pointer;
      if (subscript->getType()->isArrayType()) ++p.level;
      return p;
    }
  }
  if (const auto *cast = dyn_cast<clang::CastExpr>(e); cast != nullptr && cast->getCastKind() == clang::CK_NoOp) {
    return place(cast->getSubExpr());
  }
  if (isFine()) {
    fail("c-type", e->getBeginLoc(), "this is not a known variable or array element",
         "kernels store to parameters, arrays and local scalars; no structs");
  }
  return {};
}

CValue CReader::movePointer(CPointer p, int by, bool isBack, const clang::Expr &e) {
  const CValue moved{CValue::Kind::kPointer, -1, p};
  if (!isFine()) return moved;
  const auto form = pool_.formOf(by);
  if (p.scalar != nullptr || p.level >= p.index.size()) {
    if (form && form->coefficients.empty() && form->constant == 0) return moved;
    failInput("c-bounds", e.getBeginLoc(), "a pointer to a single variable is moved", "pass an array");
    return moved;
  }
  if (form && p.data.at != static_cast<int>(p.level)) {
    if (const auto sum = plus(p.index[p.level], *form, isBack ? -1 : 1)) {
      p.index[p.level] = trimmed(*sum);
      return {CValue::Kind::kPointer, -1, p};
    }
    fail("c-too-large", e.getBeginLoc(), "an index does not fit in 64 bits", "use smaller sizes");
    return moved;
  }
  const int level = static_cast<int>(p.level);
  if (p.data.isThere() && p.data.at != level) {
    fail("c-not-affine", e.getBeginLoc(), "two indices of an element come from data",
         "only one may: x[idx[i]][j]; copy a row to a local array first");
    return moved;
  }
  const int before = p.data.isThere() ? p.data.value : pool_.form(DType::kI64, p.index[p.level]);
  const bool isFirst = pool_.integerOf(before) == 0 && !isBack;
  p.data = {level, isFirst ? by
                           : pool_.op(isBack ? Op::kSub : Op::kAdd, DType::kI64, pool_.cast(DType::kI64, before),
                                      pool_.cast(DType::kI64, by))};
  p.index[p.level] = {};
  return {CValue::Kind::kPointer, -1, p};
}

CValue CReader::step(const clang::UnaryOperator &e) {
  const clang::Expr *target = e.getSubExpr()->IgnoreParens();
  const bool isUp = e.isIncrementOp();
  if (e.getType()->isPointerType()) {
    const CPointer where = place(target);
    if (where.scalar == nullptr) {
      if (isFine()) fail("c-type", e.getOperatorLoc(), "this is not a pointer variable", "move a local pointer");
      return {};
    }
    const CValue old = variables_[where.scalar].value;
    if (old.kind != CValue::Kind::kPointer) {
      failInput("c-uninitialized", e.getOperatorLoc(), "the pointer is not set here", "point it to an array first");
      return {};
    }
    for (const Affine &form : old.pointer.index) markRead(form);
    const CValue moved = movePointer(old.pointer, pool_.integer(DType::kI64, 1), !isUp, e);
    variables_[where.scalar].value = moved;
    return e.isPrefix() ? moved : old;
  }
  const DType type = scalarType(e.getType(), e.getOperatorLoc());
  const CPointer where = place(target);
  if (!isFine()) return {};
  const CValue old = load(where, e);
  if (!isFine() || old.kind != CValue::Kind::kScalar) return {};
  // Narrow types are computed in int and converted back, which is the same.
  const int one = isFloat(type) ? pool_.real(type, 1) : pool_.integer(type, 1);
  const int next = pool_.op(isUp ? Op::kAdd : Op::kSub, type, old.scalar, one);
  isDelaying_ = true;
  store(where, next, e.getOperatorLoc());
  isDelaying_ = false;
  return e.isPrefix() ? scalarValue(next) : old;
}

CValue CReader::evaluateUnary(const clang::UnaryOperator &e) {
  if (e.isIncrementDecrementOp()) return step(e);
  switch (e.getOpcode()) {
    case clang::UO_AddrOf: {
      CPointer p = place(e.getSubExpr());
      // &A[i] points to rows where A[i] is a row.
      if (p.scalar == nullptr && e.getSubExpr()->getType()->isArrayType() && p.level > 0) --p.level;
      return {CValue::Kind::kPointer, -1, p};
    }
    case clang::UO_Deref:
      return {CValue::Kind::kPointer, -1, place(&e)};
    case clang::UO_Plus:
    case clang::UO_Extension:
      return evaluate(e.getSubExpr());
    case clang::UO_LNot: {
      const int truth = condition(e.getSubExpr());
      return scalarValue(pool_.cast(DType::kI32, pool_.isFalse(truth)));
    }
    default:
      break;
  }
  const int value = scalar(e.getSubExpr());
  const DType type = scalarType(e.getType(), e.getOperatorLoc());
  if (!isFine()) return {};
  if (e.getOpcode() == clang::UO_Minus) return scalarValue(pool_.op(Op::kNeg, type, value));
  if (e.getOpcode() == clang::UO_Not && !isFloat(type)) {
    return scalarValue(pool_.op(Op::kXor, type, value, pool_.integer(type, -1)));
  }
  fail("c-type", e.getOperatorLoc(), "this operator is not supported in a kernel", "use + - * / % & | ^ << >> ! ~");
  return {};
}

int CReader::arithmetic(clang::BinaryOperatorKind kind, DType type, int a, int b, const clang::Expr &e) {
  const auto compared = [&](Op op) {
    if (pool_[a].type != pool_[b].type) b = pool_.cast(pool_[a].type, b);
    return pool_.cast(DType::kI32, pool_.op(op, DType::kU8, a, b));
  };
  switch (kind) {
    case clang::BO_Add:
      return pool_.op(Op::kAdd, type, a, b);
    case clang::BO_Sub:
      return pool_.op(Op::kSub, type, a, b);
    case clang::BO_Mul:
      return pool_.op(Op::kMul, type, a, b);
    case clang::BO_Div:
      return pool_.op(Op::kDiv, type, a, b);
    case clang::BO_Rem:
      return pool_.op(Op::kRem, type, a, b);
    case clang::BO_And:
      return pool_.op(Op::kAnd, type, a, b);
    case clang::BO_Or:
      return pool_.op(Op::kOr, type, a, b);
    case clang::BO_Xor:
      return pool_.op(Op::kXor, type, a, b);
    case clang::BO_Shl:
      return pool_.op(Op::kShl, type, a, pool_.cast(type, b));
    case clang::BO_Shr:
      return pool_.op(Op::kShr, type, a, pool_.cast(type, b));
    case clang::BO_LT:
      return compared(Op::kCmpLt);
    case clang::BO_GT:
      return compared(Op::kCmpGt);
    case clang::BO_LE:
      return compared(Op::kCmpLe);
    case clang::BO_GE:
      return compared(Op::kCmpGe);
    case clang::BO_EQ:
      return compared(Op::kCmpEq);
    case clang::BO_NE:
      return compared(Op::kCmpNe);
    default:
      break;
  }
  fail("c-type", e.getExprLoc(), "this operator is not supported in a kernel",
       "use + - * / % & | ^ << >> and comparisons");
  return a;
}

CValue CReader::evaluateBinary(const clang::BinaryOperator &e) {
  if (dividesByZero(context_, e)) {
    failInput("c-undefined", e.getOperatorLoc(), "an integer is divided by 0",
              "C does not define this: change the divisor");
    return {};
  }
  if (e.isAssignmentOp()) return evaluateAssignment(e);
  if (e.getOpcode() == clang::BO_Comma) {
    evaluate(e.getLHS());
    flushDelayed();
    return evaluate(e.getRHS());
  }
  if (e.isLogicalOp()) {
    const int a = condition(e.getLHS()), b = condition(e.getRHS());
    if (!isFine()) return {};
    const int truth = e.getOpcode() == clang::BO_LAnd ? pool_.both(a, b)
                                                      : pool_.isFalse(pool_.both(pool_.isFalse(a), pool_.isFalse(b)));
    return scalarValue(pool_.cast(DType::kI32, truth));
  }
  if (e.getType()->isPointerType() || e.getLHS()->getType()->isPointerType()) {
    const bool isBack = e.getOpcode() == clang::BO_Sub;
    const bool isLeft = e.getLHS()->getType()->isPointerType();
    const clang::Expr *offset = isLeft ? e.getRHS() : e.getLHS();
    if ((e.getOpcode() == clang::BO_Add || isBack) && !offset->getType()->isPointerType()) {
      const CValue p = evaluate(isLeft ? e.getLHS() : e.getRHS());
      const int by = scalar(offset);
      if (p.kind == CValue::Kind::kPointer) return movePointer(p.pointer, by, isBack, e);
    }
    if (isFine()) {
      fail("c-loop-form", e.getOperatorLoc(), "pointers are compared or subtracted",
           "count with an integer: for (int i = 0; i < n; i++), and index the array");
    }
    return {};
  }
  const int a = scalar(e.getLHS()), b = scalar(e.getRHS());
  const DType type = scalarType(e.getType(), e.getOperatorLoc());
  return isFine() ? scalarValue(arithmetic(e.getOpcode(), type, a, b, e)) : CValue{};
}

CValue CReader::evaluateConditional(const clang::ConditionalOperator &e) {
  const int truth = condition(e.getCond());
  if (!isFine()) return {};
  if (const auto known = pool_.integerOf(truth)) return evaluate(*known != 0 ? e.getTrueExpr() : e.getFalseExpr());
  const Variables before = variables_;
  const std::size_t statements = program_.statements.size();
  const CValue a = evaluate(e.getTrueExpr()), b = evaluate(e.getFalseExpr());
  const bool hasEffects = program_.statements.size() != statements || !delayed_.empty();
  if (!isFine()) return {};
  const auto value = merge(truth, a, b);
  if (hasEffects || !value) {
    fail("c-control-flow", e.getQuestionLoc(),
         hasEffects ? "a branch of '?:' stores" : "the branches of '?:' point to different arrays", "use if");
    return {};
  }
  return *value;
}

CValue CReader::evaluateAssignment(const clang::BinaryOperator &e) {
  const auto *compound = dyn_cast<clang::CompoundAssignOperator>(&e);
  if (e.getLHS()->getType()->isPointerType()) {
    const CPointer where = place(e.getLHS());
    CValue value = evaluate(e.getRHS());
    if (!isFine()) return {};
    if (where.scalar == nullptr || (compound == nullptr && value.kind != CValue::Kind::kPointer)) {
      fail("c-type", e.getOperatorLoc(), "a pointer is stored in memory",
           "index arrays; keep pointers in local variables");
      return {};
    }
    if (compound != nullptr) {
      const CValue old = variables_[where.scalar].value;
      if (old.kind != CValue::Kind::kPointer || value.kind != CValue::Kind::kScalar) {
        failInput("c-uninitialized", e.getOperatorLoc(), "the pointer is not set here", "point it to an array first");
        return {};
      }
      for (const Affine &form : old.pointer.index) markRead(form);
      value = movePointer(old.pointer, value.scalar, compound->getOpcode() == clang::BO_SubAssign, e);
    }
    variables_[where.scalar].value = value;
    return value;
  }
  const DType type = scalarType(e.getLHS()->getType(), e.getOperatorLoc());
  const int right = scalar(e.getRHS());
  const CPointer where = place(e.getLHS());
  if (!isFine()) return {};
  int value = right;
  if (compound != nullptr) {
    const CValue old = load(where, e);
    if (!isFine() || old.kind != CValue::Kind::kScalar) return {};
    const DType computed = scalarType(compound->getComputationResultType(), e.getOperatorLoc());
    const DType left = scalarType(compound->getComputationLHSType(), e.getOperatorLoc());
    if (!isFine()) return {};
    const auto kind = clang::BinaryOperator::getOpForCompoundAssignment(compound->getOpcode());
    value = arithmetic(kind, computed, pool_.cast(left, old.scalar), right, e);
  }
  value = e.getLHS()->getType()->isBooleanType() ? pool_.isTrue(value) : pool_.cast(type, value);
  if (!isFine()) return {};
  store(where, value, e.getOperatorLoc());
  if (!isFine() || isDelaying_) return scalarValue(value);
  // What the value reads has changed: from here on it is what was stored.
  const int buffer = where.scalar != nullptr ? variables_[where.scalar].buffer : where.buffer;
  const bool readsIt = buffer >= 0 && pool_.contains(value, [&](const Expression &x) {
    return x.op == Op::kLoad && x.buffer == buffer;
  });
  return readsIt ? load(where, e) : scalarValue(value);
}

}  // namespace pimento::frontend
