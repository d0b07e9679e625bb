#include "pimento/lower/accumulation.h"

namespace pimento::lower {

DType accumulatorOf(DType tensor) {
  return isFloat(tensor) && sizeOf(tensor).value < 4 ? DType::kF32 : tensor;
}

mapping::AccumulationRules accumulationRules(const kernel::Graph &graph, const kernel::Kernel &kernel) {
  mapping::AccumulationRules rules;
  for (const kernel::Store &s : kernel.stores)
    if (s.combine != kernel::Combine::kAssign)
      rules.unitType = rules.mergeType = accumulatorOf(graph.tensors[static_cast<std::size_t>(s.target.tensor)].type);
  return rules;
}

bool hasInitial(const kernel::Graph &graph, int kernel, const kernel::Store &store) {
  if (graph.tensors[static_cast<std::size_t>(store.target.tensor)].role == kernel::Role::kInOut) return true;
  for (int k = 0; k < kernel; ++k)
    for (const kernel::Store &s : graph.kernels[static_cast<std::size_t>(k)].stores)
      if (s.target.tensor == store.target.tensor) return true;
  return false;
}

}  // namespace pimento::lower
