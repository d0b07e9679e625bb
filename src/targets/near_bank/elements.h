// Element-wise kernels on near-bank units that have the operations: recognition, data layout and command stream.
//
// Two forms, by what units can do:
//   products  z = x * y. In every bank group the first bank holds x, the second y, the third takes the products
//             (near_bank.multiply_elements): a burst of each group per command. The mapping's banks are dealt to the
//             groups in turn.
//   sums      z = x + c * y, or relu of that, or of x. An accumulator begins with x (near_bank.preload), a product of
//   the
//             unit's own y and c is added, a function follows where asked for (near_bank.function): an element of each
//             unit at a time. The other lanes of the buffer's entry are -0, so that a sum with their products changes
//             nothing, the sign of a zero included.
// Either operand may be a constant. An operation that units lack is a diagnostic that says which.
#pragma once

#include <array>
#include <vector>

#include "pimento/lower/shares.h"
#include "pimento/targets/near_bank/kernel_data.h"

namespace pimento::targets::near_bank {

/// Affine, one assignment, no dim but parallel ones: what lowerElements() takes or names what is missing for.
bool isElementwise(const kernel::Kernel &kernel);

/// An element for each point: of a tensor, or the same for all.
struct ElementOperand {
  int load = -1;     ///< index into Kernel::loads; -1: a constant
  double value = 0;  ///< of the constant
  bool isNegated = false;
};

/// What an element-wise kernel is to the units.
struct Elements {
  bool isProduct = false;
  bool hasTerm = false;      ///< sums: is there a second operand?
  bool hasFunction = false;  ///< sums: is relu the last step?
  ElementOperand first, second;
  double scale = 1;  ///< of the second, in sums
};

/// Diagnostics: unsupported-op, unsupported-type, unsupported-machine.
Result<Elements> recogniseElements(const kernel::Graph &graph, int kernel, const machine::Machine &machine);

/// Diagnostics: those of recogniseElements and mapping::place, capacity.
Result<LoweredKernel> lowerElements(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                    const machine::Machine &machine);

/// Spreads the points over channels, then over as many banks as work at a time.
Result<mapping::Mapping> elementsReference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                           const mapping::MapSpec &spec);

}  // namespace pimento::targets::near_bank
