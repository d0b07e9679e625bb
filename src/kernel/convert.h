// A graph in other element types: `--convert f32=f16`.
//
// Tensors, constants, accumulators and body operations of one floating type become those of another; integers, indices
// and the other types stay. What the original computes is what the interpreter says of the original graph. Quantisation
// to integers is quantize.h's.
#pragma once

#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Every `from` of a graph becomes `to`.
struct TypeRule {
  DType from = DType::kF32, to = DType::kF16;
};

/// A graph with the tensors of another one, in other types.
struct Converted {
  Graph graph;
  /// By tensor: what 1 of an element stands for in the original's numbers.
  std::vector<double> scales;
  Diagnostics warnings;  ///< constants that the new type has no room for
};

/// Whether a tensor, or a value of a body, has this type.
bool uses(const Graph &graph, DType type);

/// `graph` by `rules`, which are of floating types, each source once; all apply at once. Constants are rounded to
/// nearest even. A cast that has become one to its own type is gone. Warning: convert-overflow, a constant that becomes
/// infinite or NaN (the largest number of its type aside, which stands for infinity).
Converted converted(const Graph &graph, const std::vector<TypeRule> &rules);

/// What `original`, operands of the original graph, are in the types of `to`: divided by their scale, rounded to
/// nearest even; integers saturate. Tensors without contents have none.
DataSet convertedData(const Converted &to, const DataSet &original);

}  // namespace pimento::kernel
