// What HBM-PIM's unit can do with a kernel: recognised by its accesses and body, not by its name.
//
// Three shapes: element-wise expressions over one iteration space (any affine operand access: the host gathers while
// placing); matrix-vector products y[m] += w[m,n] * x[n] with any number of dims of each kind, a batch and groups, one
// factor in the banks and the other broadcast; and sums or products of element-wise expressions, all operands in the
// banks. A sum of products may have several of them (alternatives()). All else is a diagnostic that names the operation
// and what could be done instead.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"

namespace pimento::targets::hbm_pim {

/// What keeps points out that a guard leaves out.
enum class Masked : std::uint8_t {
  kInput,    ///< zeros among the broadcast operand
  kWeights,  ///< zeros in the banks
  kOutput,   ///< the host leaves the results alone
};

/// y[g, m, b] += w[g, m, n] * x[g, n, b]: loads and dims by role. Dims are kernel dim numbers in kernel order; lowering
/// nests reductionDims as the mapping's order(...) says.
struct MatVec {
  int weights = -1, input = -1;  ///< indices into Kernel::loads
  std::vector<int> outputDims, reductionDims, batchDims;
  std::vector<int> groupDims;  ///< of both factors and the result: a product for each
  std::vector<Masked> masks;   ///< by guard of the kernel
  bool isUpdate = false;       ///< the sum is added to what the output tensor already holds
  int burstDim = -1;           ///< isDirect: the reduction dim that gives an index alone
  bool isDirect = false;       ///< elements of w that several points share lie in the banks once (direct_layout.h)

  /// The vendor's simulator has such products: without groups and guards.
  bool isPlain() const { return groupDims.empty() && masks.empty() && !isDirect; }
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

/// y[p] += e(p, q) or y[p] *= e(p, q).
struct Streamed {
  Chain expression;
  bool isProduct = false;
  bool isUpdate = false;  ///< onto what the output tensor already holds
  /// Points that do not run are 0, or 1 in a product, where all operands of theirs are. Else the expression is
  /// multiplied by a further operand.
  bool isMasked = false;
};

struct Pattern {
  enum class Kind { kElementwise, kMatVec, kStreamed } kind = Kind::kElementwise;
  MatVec matVec;
  Elementwise elementwise;
  Streamed streamed;

  bool isMatVec() const { return kind == Kind::kMatVec; }
};

/// How kernel number `index` of `graph` may run on `machine`: at least one way, the usual one first.
/// Diagnostics: unsupported-type, unsupported-form, unsupported-op, unsupported-pattern.
Result<std::vector<Pattern>> alternatives(const kernel::Graph &graph, int index, const machine::Machine &machine);
/// The first of them.
Result<Pattern> recognise(const kernel::Graph &graph, int index, const machine::Machine &machine);

/// The mapping parameters that name an alternative: which factor of a product lies in the banks (1: the first, 2: the
/// second, 0: both), and whether elements that several points share lie there once.
inline constexpr const char *kResident = "resident", *kDirect = "direct";
std::map<std::string, std::int64_t> parametersOf(const Pattern &pattern, const kernel::Kernel &kernel);

}  // namespace pimento::targets::hbm_pim
