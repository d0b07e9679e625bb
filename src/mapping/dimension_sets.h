// Dimension sets: which dimensions of which tensors one loop variable walks, and by what function of it.
//
// DCC, section 4.2: a reference A[b+1][i*2] gives the mapping functions F(b) = b + 1 for dimension A0 and F(i) = 2 i
// for A1. All functions of a tensor dimension are its reference set, {b, b+1}. Tensor dimensions that share a loop
// variable form a complex set: a tile of one of them says which values the variable takes, and with them the tiles of
// all.
//
// A set is one loop variable here. A dimension with references by several variables, A[i] and A[j], is in the set of
// each of them with the functions of that variable: one set of both would tile their product by its diagonal alone.
// Subscripts of several variables (A[i+k]) give no function of one: such a dimension follows the tiles of its
// variables, which other dimensions give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/mapping/mapping_function.h"

namespace pimento::mapping {

/// Dimension number `axis` of a tensor, and its reference set by one variable, in the order of the references.
struct SetMember {
  int tensor = -1, axis = -1;
  std::int64_t size = 0;
  std::vector<MappingFunction> functions;
};

/// A dim of one of the kernels.
struct LoopVariable {
  int kernel = 0, dim = 0;

  bool operator==(const LoopVariable &) const = default;
};

struct DimensionSet {
  std::string name;  ///< of its first variable
  std::int64_t extent = 0;
  /// The same loop in several nests: equal names, extents and functions, of one nest each.
  std::vector<LoopVariable> variables;
  std::vector<SetMember> members;  ///< by tensor and axis
  bool isReduced = false;          ///< some nest sums over it: units that share an output are merged
  std::string whyWhole;            ///< it cannot be tiled; empty: it can
};

/// A tensor dimension whose subscript is no function of one variable.
struct FollowingDimension {
  int tensor = -1, axis = -1;
  std::string subscript;  ///< "i + k"
  bool isFromData = false;
};

struct DimensionSets {
  std::vector<DimensionSet> sets;  ///< in the order of the loops
  std::vector<FollowingDimension> following;
};

/// The sets of a graph without loops: of all its kernels.
DimensionSets dimensionSetsOf(const kernel::Graph &graph);
/// The dimensions that one dim of one kernel walks, by tensor and axis.
std::vector<SetMember> membersOf(const kernel::Graph &graph, const LoopVariable &variable);

/// One line per set and following dimension (`compile --emit dims`).
std::string print(const DimensionSets &sets, const kernel::Graph &graph);

}  // namespace pimento::mapping
