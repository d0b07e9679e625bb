// The order and precision in which a reduction is carried out.
//
// Floating-point results depend on it, so it is part of the answer: the interpreter evaluates a Kernel in an Order,
// and a compiled program must match that bit for bit. Orders are read off a Mapping by the `mapping` room, by code
// that no lowering uses; this header only declares what they are.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/base/dtype.h"

namespace pimento::kernel {

/// `count` reduction points: first, first + step, ... A reduction point is the row-major index over the kernel's
/// reduction dims.
struct Terms {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

/// How one output element is accumulated: a tree. A leaf starts at the identity of the combine operation and takes
/// its terms in the order listed; an inner node starts with its first child's value and merges the others from left
/// to right. Every operand is first rounded to the node's `type`, then every step is; terms that lie outside the
/// iteration space or that a guard leaves out are skipped.
struct Accumulation {
  DType type = DType::kF32;
  std::vector<Terms> terms;            ///< leaf
  std::vector<Accumulation> children;  ///< inner node (then `terms` is empty)
  bool isInitial = false;              ///< the first leaf, without terms: an in-out tensor's initial value
};

/// The accumulation of all outputs whose parallel-dim coordinates lie in [lower, upper).
struct OrderRegion {
  std::vector<std::int64_t> lower, upper;  ///< one entry per parallel dim of the kernel, in dim order
  Accumulation sum;
};

/// One kernel's order: regions that tile the parallel dims. The root's value is merged with the initial value of an
/// in-out tensor last (in the root's type; not where the first leaf is it), then rounded once to the tensor's
/// type.
/// An Order without regions means: row-major, in the output tensor's type, initial value first.
struct Order {
  std::vector<OrderRegion> regions;
};

}  // namespace pimento::kernel
