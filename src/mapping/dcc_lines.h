// Lines of DCC text that follow from a kernel and its tiles. Internal to the room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/mapping/dimension_sets.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// How a dim is shared: groups, cores, and elements of a core: values of the dim, or of the dimension that its borders
/// lie in.
struct DccTile {
  std::int64_t groups = 1, cores = 1, size = 1;
  std::optional<Borders> borders = {};
  std::vector<Stretch> values = {};  ///< with borders: of the dim, in each core, groups slowest
  std::int64_t longest() const;      ///< values of a core
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

  /// What line number `line` of functions(dim) says, as by(...) writes it, and the size of that dimension. No borders:
  /// tiles by it are those of the loop itself.
  struct Function {
    std::optional<Borders> borders;
    std::int64_t size = 0;
  };
  Function functionAt(std::size_t dim, std::size_t line) const;

  const std::vector<int> &parameters() const { return parameters_; }
  const std::vector<int> &results() const { return results_; }

 private:
  const kernel::Kernel &kernel() const { return graph_.kernels[static_cast<std::size_t>(k_)]; }
  /// As the text spells them.
  std::string nameOf(int tensor) const;
  std::string dimName(std::size_t dim) const;
  std::string nested(std::size_t dim, const SetMember *member) const;
  /// Members and functions of a dim's set, in the order of the lines.
  struct Walk {
    const SetMember *member = nullptr;
    MappingFunction function;
  };
  std::vector<Walk> walksOf(std::size_t dim) const;

  const kernel::Graph &graph_;
  int k_;
  std::vector<DccTile> tiles_;
  bool areContiguous_;
  DimensionSets sets_;
  std::vector<int> parameters_, results_;  ///< tensors that it reads alone, and that it stores to
};

/// Cuts a dim of `extent` values as function `f` says.
void cut(DccTile &tile, const DccLines::Function &f, std::int64_t extent);
/// Do the borders of dim `dim` bound what cores have (drafts.h), so that none share a tile?
bool haveCoresBorders(const Subspace &subspace, std::size_t dim, const machine::Machine &machine);

/// A line without blanks and without "[representative]", to compare.
std::string bare(std::string_view line);

}  // namespace pimento::mapping
