// What HBM-PIM's unit can do with a kernel: recognised by its accesses and body, not by its name.
//
// Two shapes: element-wise expressions over one iteration space (any affine operand access: the host gathers while
// placing), and matrix-vector products y[m] += w[m,n] * x[n] with any number of dims of each kind and a batch. All else
// is a diagnostic that names the operation and what could be done instead.
#pragma once

#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"

namespace pimento::targets::hbm_pim {

/// y[m, b] += w[m, n] * x[n, b]: loads and dims by role. Dims are kernel dim numbers in kernel order; lowering nests
/// reductionDims as the mapping's order(...) says.
struct MatVec {
  int weights = -1, input = -1;  ///< indices into Kernel::loads
  std::vector<int> outputDims, reductionDims, batchDims;
  bool isUpdate = false;  ///< the sum is added to what the output tensor already holds
};

/// One node of an element-wise expression the unit can evaluate. Constants are values of f16, and no operation has
/// constants alone.
struct Chain {
  enum class Kind { kLoad, kConstant, kAdd, kMul, kRelu };
  Kind kind = Kind::kLoad;
  int load = -1;        ///< kLoad: operand number (operandAccess)
  double constant = 0;  ///< kConstant
  std::vector<Chain> arguments;
};

/// Operand numbers continue behind Kernel::loads with the target of each store, for stores that update in place.
inline int targetLoad(const kernel::Kernel &kernel, std::size_t store) {
  return static_cast<int>(kernel.loads.size() + store);
}
inline const kernel::Access &operandAccess(const kernel::Kernel &kernel, int load) {
  const auto i = static_cast<std::size_t>(load);
  return i < kernel.loads.size() ? kernel.loads[i] : kernel.stores[i - kernel.loads.size()].target;
}

/// Stores evaluated one after the other; one expression per store.
struct Elementwise {
  std::vector<Chain> expressions;
};

struct Pattern {
  bool isMatVec = false;
  MatVec matVec;
  Elementwise elementwise;
};

/// Classifies kernel number `index` of `graph` for `machine`.
/// Diagnostics: unsupported-type, unsupported-form, unsupported-op, unsupported-pattern.
Result<Pattern> recognise(const kernel::Graph &graph, int index, const machine::Machine &machine);

}  // namespace pimento::targets::hbm_pim
