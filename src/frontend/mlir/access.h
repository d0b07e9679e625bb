// Indexing maps of structured ops as affine accesses, and element types as DTypes.
#pragma once

#include <optional>

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Types.h"
#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// The affine forms of a map over `dims` loops. floordiv, mod, products of loops and coefficients beyond 64 bits are
/// diagnostics.
Result<std::vector<kernel::Affine>> affineForms(mlir::AffineMap map, int dims, const Location &where);

/// The loop an affine form consists of alone; nothing else.
std::optional<int> soleLoop(const kernel::Affine &form);

/// The DType of a tensor element: f64 f32 f16 bf16 f8E4M3FN f8E5M2, i8..i64 (signed), ui8..ui64.
std::optional<DType> elementType(mlir::Type type);

/// The DType a scalar of the body is computed in: as elementType(), i1 as u8 holding 0 or 1, index as i64.
std::optional<DType> scalarType(mlir::Type type);

/// A type as MLIR prints it.
std::string typeText(mlir::Type type);

}  // namespace pimento::frontend
