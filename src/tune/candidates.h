// The mappings a search looks at, one after the other in a fixed order: those that are proposed for the problem
// (evaluate/proposals.h), or every split of every dim, each followed by the drafts of its units with other
// representatives (mapping/borders.h); where the target proposes none of its own, each mapping with every loop order
// that the problem names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/mapping/drafts.h"
#include "pimento/tune/problem.h"

namespace pimento::evaluate {
class Proposals;
}
namespace pimento::mapping {
class BorderChoices;
}

namespace pimento::tune {

class Candidates {
 public:
  /// `problem` must outlive it.
  explicit Candidates(const Problem &problem);
  ~Candidates();

  /// Goes to the next one; false when all were given.
  bool next();
  /// The one it is at, printed.
  std::string text() const;
  /// The one it is at; its text is not its own.
  const mapping::Mapping &mapping() const { return current_; }
  /// Mappings so far that rules left out, by the first rule that does.
  const mapping::DraftCounts &counts() const { return counts_; }
  /// Whether the target names them itself: there are few, and each has its program.
  bool areListed() const;

 private:
  bool nextMapping();
  std::optional<mapping::Mapping> nextDraft();
  int droppedBy(const mapping::Mapping &m) const;

  const Problem &problem_;
  std::unique_ptr<evaluate::Proposals> proposals_;  // else space_
  mapping::MappingSpace space_;
  std::unique_ptr<mapping::BorderChoices> borders_;
  std::vector<mapping::Mapping> drafts_;  // of the mapping that came last
  std::size_t nextDraft_ = 0;
  mapping::Mapping current_;
  mapping::DraftCounts counts_;
  mapping::DimensionSets sets_;
  std::size_t unitLevel_ = 0;  // cores are its instances, groups those of the levels around it
  std::optional<mapping::DraftSpace> rules_;
  std::size_t order_;  // of the next candidate; orders.size(): take the next mapping
};

}  // namespace pimento::tune
