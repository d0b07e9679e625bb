// C's scalar types as element types. A 64-bit machine: long has 64 bits.
#include "pimento/frontend/c/kernel_reader.h"

namespace pimento::frontend {

std::optional<DType> dtypeOf(const clang::ASTContext &context, clang::QualType type) {
  const clang::QualType plain = type.getCanonicalType().getUnqualifiedType();
  if (plain->isEnumeralType()) return DType::kI32;
  if (plain->isBooleanType()) return DType::kU8;
  if (plain->isIntegerType()) {
    const bool isSigned = plain->isSignedIntegerType();
    switch (context.getTypeSize(plain)) {
      case 8:
        return isSigned ? DType::kI8 : DType::kU8;
      case 16:
        return isSigned ? DType::kI16 : DType::kU16;
      case 32:
        return isSigned ? DType::kI32 : DType::kU32;
      case 64:
        return isSigned ? DType::kI64 : DType::kU64;
      default:
        return std::nullopt;
    }
  }
  const auto *builtin = plain->getAs<clang::BuiltinType>();
  if (builtin == nullptr) return std::nullopt;
  switch (builtin->getKind()) {
    case clang::BuiltinType::Float:
      return DType::kF32;
    case clang::BuiltinType::Double:
      return DType::kF64;
    case clang::BuiltinType::Float16:
      return DType::kF16;
    case clang::BuiltinType::BFloat16:
      return DType::kBF16;
    default:
      return std::nullopt;
  }
}

std::optional<DType> CReader::typeOf(clang::QualType type) const {
  return dtypeOf(context_, type);
}

DType CReader::scalarType(clang::QualType type, clang::SourceLocation where) {
  if (type.isVolatileQualified()) {
    fail("c-type", where,
         "type '" + type.getAsString() +
             "' is not supported in a kernel: devices and threads may change "
             "such a variable at any time",
         "remove 'volatile'");
    return DType::kI32;
  }
  if (const auto found = typeOf(type)) return *found;
  fail("c-type", where, "type '" + type.getAsString() + "' is not supported in a kernel",
       "use integers of 8 to 64 bits, float, double or _Float16");
  return DType::kI32;
}

}  // namespace pimento::frontend
