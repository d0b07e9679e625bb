#include "pimento/frontend/mlir/access.h"

#include <fmt/format.h>

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pimento::frontend {
namespace {

/// Why an expression has no affine form; null if it has.
const char *addScaled(mlir::AffineExpr expr, std::int64_t factor, kernel::Affine &form) {
  switch (expr.getKind()) {
    case mlir::AffineExprKind::Constant: {
      std::int64_t term = 0;
      const std::int64_t value = mlir::cast<mlir::AffineConstantExpr>(expr).getValue();
      if (__builtin_mul_overflow(value, factor, &term) || __builtin_add_overflow(form.constant, term, &form.constant)) {
        return "its constant does not fit in 64 bits";
      }
      return nullptr;
    }
    case mlir::AffineExprKind::DimId: {
      std::int64_t &c = form.coefficients[mlir::cast<mlir::AffineDimExpr>(expr).getPosition()];
      return __builtin_add_overflow(c, factor, &c) ? "a coefficient does not fit in 64 bits" : nullptr;
    }
    case mlir::AffineExprKind::Add: {
      const auto sum = mlir::cast<mlir::AffineBinaryOpExpr>(expr);
      const char *why = addScaled(sum.getLHS(), factor, form);
      return why ? why : addScaled(sum.getRHS(), factor, form);
    }
    case mlir::AffineExprKind::Mul: {
      const auto product = mlir::cast<mlir::AffineBinaryOpExpr>(expr);
      const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(product.getRHS());  // constants stand right
      if (!constant) return "it multiplies loops";
      std::int64_t scaled = 0;
      if (__builtin_mul_overflow(factor, constant.getValue(), &scaled)) return "a coefficient does not fit in 64 bits";
      return addScaled(product.getLHS(), scaled, form);
    }
    case mlir::AffineExprKind::SymbolId:
      return "it uses a symbol";
    default:
      return "it uses floordiv, ceildiv or mod";
  }
}

}  // namespace

Result<std::vector<kernel::Affine>> affineForms(mlir::AffineMap map, int dims, const Location &where) {
  std::vector<kernel::Affine> forms;
  for (const mlir::AffineExpr expr : map.getResults()) {
    kernel::Affine form{std::vector<std::int64_t>(static_cast<std::size_t>(dims), 0), 0};
    if (const char *why = addScaled(expr, 1, form)) {
      std::string text;
      llvm::raw_string_ostream(text) << expr;
      return unsupported("unsupported-access", where, fmt::format("index '{}' is not affine here: {}", text, why),
                         "indices are sums of loops times integer constants");
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

std::optional<int> soleLoop(const kernel::Affine &form) {
  std::optional<int> loop;
  for (std::size_t d = 0; d < form.coefficients.size(); ++d) {
    if (form.coefficients[d] == 0) continue;
    if (form.coefficients[d] != 1 || loop) return std::nullopt;
    loop = static_cast<int>(d);
  }
  return form.constant == 0 ? loop : std::nullopt;
}

std::optional<DType> elementType(mlir::Type type) {
  if (type.isF64()) return DType::kF64;
  if (type.isF32()) return DType::kF32;
  if (type.isF16()) return DType::kF16;
  if (type.isBF16()) return DType::kBF16;
  if (type.isFloat8E4M3FN()) return DType::kF8E4M3;
  if (type.isFloat8E5M2()) return DType::kF8E5M2;
  const auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  if (!integer) return std::nullopt;
  const bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
    case 64:
      return isUnsigned ? DType::kU64 : DType::kI64;
    case 32:
      return isUnsigned ? DType::kU32 : DType::kI32;
    case 16:
      return isUnsigned ? DType::kU16 : DType::kI16;
    case 8:
      return isUnsigned ? DType::kU8 : DType::kI8;
    default:
      return std::nullopt;
  }
}

std::optional<DType> scalarType(mlir::Type type) {
  if (type.isInteger(1)) return DType::kU8;
  if (type.isIndex()) return DType::kI64;
  return elementType(type);
}

std::string typeText(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

}  // namespace pimento::frontend
