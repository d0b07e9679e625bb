// What a statement adds to the element it stores to. Knows nothing of C or MLIR.
#pragma once

#include <cstddef>
#include <optional>

#include "pimento/frontend/nest/program.h"

namespace pimento::frontend {

/// target `combine`= term, in the type of the target, gives bit for bit what the statement stores. (Minimum and maximum
/// by comparison: except for the sign of a zero, and where the first value is NaN.)
struct NestAccumulation {
  kernel::Combine combine = kernel::Combine::kAdd;
  int term = -1;
  bool isLoose = false;   ///< a floating minimum or maximum by comparison: not bit for bit
  bool isStrict = false;  ///< stores only what is less (greater) than the element: the first of equals stays
};

/// None where the statement does something else. A condition is part of the term; one that only compares the term with
/// the element is a minimum or maximum. May make nodes.
std::optional<NestAccumulation> accumulationOf(NestProgram &program, const NestStatement &s);

/// Whether all statements that store to the buffer, from number `first` on, accumulate into it in one way.
bool accumulatesOnly(NestProgram &program, int buffer, std::size_t first);

/// The neutral element: nothing changes where it is merged, not even the sign of a zero.
int neutral(ExpressionPool &pool, kernel::Combine combine, DType type);

}  // namespace pimento::frontend
