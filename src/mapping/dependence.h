// Which dims a mapping splits at the price of merging partial results, where, and how much there is to merge.
//
// CoMoNM, section IV-C2: splitting a reduction dim makes a dependency; a level that can accumulate partial results
// does so, otherwise they go up to the host. Subspaces that share outputs are merged last. Not here: what a merge
// costs in time (`lower`, `evaluate`) and the order of the additions (accumulationOrder).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// Partial results that one place in the hierarchy turns into fewer.
struct Merge {
  int subspace = -1;          ///< in written order; -1: between subspaces
  std::string level;          ///< whose instances hold the partial results; "subspaces" between subspaces
  std::string by;             ///< who merges them: Level::merge, "host" between subspaces
  std::vector<int> dims;      ///< the reduction dims split there
  std::int64_t partials = 1;  ///< partial results per result
  std::int64_t results = 0;   ///< results this merge yields; innermost merges yield partial results of outer ones

  /// Combine operations: results * (partials - 1).
  std::int64_t operations() const { return results * (partials - 1); }
};

/// All merges in the order they happen: per subspace in execution order from the innermost level outwards, then
/// between subspaces (one entry per number of sharing subspaces and dims between them, ascending). Results count the
/// parallel points inside the kernel's extents: one element per store that accumulates; padding is not counted.
std::vector<Merge> merges(const PlacedMapping &placed, const kernel::Kernel &kernel, const machine::Machine &machine);

/// Does the sequential dim only hand on one accumulated integer, by + or another operation that may be regrouped? Then
/// parts of it can be scanned apart, each shifted by the total of those before it: a level that merges partial results
/// may split it.
bool isPrefixSum(const kernel::Kernel &kernel);

}  // namespace pimento::mapping
