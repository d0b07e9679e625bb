// Tiles whose borders lie in a tensor dimension: what by(...) of a mapping gives every unit, and which of them a search
// may try.
//
// The functions are those of the dim's set (dimension_sets.h), the tiles those of a draft (mapping_function.h).
#pragma once

#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// PlacedMapping::tiles of a mapping whose factors fit kernel and machine. Diagnostics: those of by(...) in place().
Result<std::vector<std::vector<Stretch>>> tilesOf(const Mapping &mapping, const kernel::Graph &graph, int kernel,
                                                  const machine::Machine &machine);

/// The drafts of a mapping's factors: its units with their tiles cut by other representatives than the loops
/// themselves. Of representatives that cut alike the first stays (rule 1 of drafts.h).
class BorderChoices {
 public:
  /// Of kernel number `kernel`; the machine must outlive it.
  BorderChoices(const kernel::Graph &graph, int kernel, const machine::Machine &machine);

  /// No dim has a function that could cut otherwise.
  bool isEmpty() const;
  /// All that differ from `mapping`, which has no by(...) itself, and from one another; in a fixed order, ranges as
  /// long as the longest tile asks. None of mappings with several subspaces, or over other dims than the kernel's.
  std::vector<Mapping> of(const Mapping &mapping) const;

 private:
  struct Choice {
    Borders borders;
    std::int64_t size = 0;  ///< of the tensor's dimension
  };
  struct Cut {
    const Choice *choice = nullptr;  ///< null: the loop itself
    std::int64_t range = 0;
  };
  std::vector<Cut> cutsOf(const Mapping &mapping, std::size_t dim) const;
  std::int64_t rangeFor(const Mapping &mapping, std::size_t dim, std::int64_t longest) const;

  const machine::Machine *machine_;
  std::vector<kernel::Dim> dims_;
  std::vector<std::vector<Choice>> choices_;  ///< by dim
};

}  // namespace pimento::mapping
