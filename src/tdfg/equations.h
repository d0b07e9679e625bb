// The rewrite rules of tensor graphs: equations 3 to 9 of Infinity Stream's appendix, for the operations and arrays of
// one region. Internal to the room.
//
// Every rule keeps the domain of what it rewrites. Those of floating-point sums and products in another order (3a, 3c)
// change rounding, and are left out unless they are asked for; integers wrap, so that theirs are exact.
#pragma once

#include <vector>

#include "pimento/tdfg/egraph/rules.h"
#include "pimento/tdfg/graph_terms.h"

namespace pimento::tdfg {

/// Tensors to the box around all of their array's, and boxes outward: equations 5 to 9. `widest`: by array, that box;
/// empty: it stays as it is. The result refers to `terms`.
std::vector<egraph::Rule> boxRules(GraphTerms &terms, const std::vector<Box> &widest);
/// Operations, moves and broadcasts: equations 3 and 4.
std::vector<egraph::Rule> operationRules(GraphTerms &terms, bool mayReassociate);

}  // namespace pimento::tdfg
