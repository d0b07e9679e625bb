// Lines of DCC text that follow from a kernel and its tiles. Internal to the room.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/mapping/dimension_sets.h"

namespace pimento::mapping {

/// How a dim is shared: groups, cores, and elements of a core.
struct DccTile {
  std::int64_t groups = 1, cores = 1, size = 1;
};

class DccLines {
 public:
  /// Of kernel `k`; `tiles`: by dim. Without `areContiguous` the values of tiles are not listed.
  DccLines(const kernel::Graph &graph, int k, std::vector<DccTile> tiles, bool areContiguous);

  /// "complex_dimset %i {...} parallel", and its mapping functions, of a dim.
  std::string set(std::size_t dim) const;
  std::vector<std::string> functions(std::size_t dim) const;
  /// Of all dims; of all tensors of the kernel.
  std::vector<std::string> computeTiles() const;
  std::vector<std::string> tensorTiles() const;
  std::vector<std::string> toCores() const, toHost() const;

  const std::vector<int> &parameters() const { return parameters_; }
  const std::vector<int> &results() const { return results_; }

 private:
  const kernel::Kernel &kernel() const { return graph_.kernels[static_cast<std::size_t>(k_)]; }
  /// As the text spells them.
  std::string nameOf(int tensor) const;
  std::string dimName(std::size_t dim) const;
  std::string nested(std::size_t dim, const SetMember *member) const;

  const kernel::Graph &graph_;
  int k_;
  std::vector<DccTile> tiles_;
  bool areContiguous_;
  DimensionSets sets_;
  std::vector<int> parameters_, results_;  ///< tensors that it reads alone, and that it stores to
};

/// A line without blanks and without "[representative]", to compare.
std::string bare(std::string_view line);

}  // namespace pimento::mapping
