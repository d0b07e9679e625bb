// Conditions on loops as guards. Knows nothing of C or MLIR.
#pragma once

#include <optional>
#include <vector>

#include "pimento/frontend/nest/expression.h"

namespace pimento::frontend {

/// Lists of forms: the condition holds where all forms of exactly one list are >= 0, and nowhere else. None where it
/// depends on more than loops, or has too many cases.
std::optional<std::vector<std::vector<kernel::Affine>>> disjointGuards(const ExpressionPool &pool, int condition);

}  // namespace pimento::frontend
