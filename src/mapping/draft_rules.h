// Rules that leave drafts out (drafts.h says what they are), and how many each does.
#pragma once

#include <cstdint>

namespace pimento::mapping {

struct DraftRules {
  bool equivalent = true, lanes = true, largestTile = true;  ///< rules 1, 2, 3
  bool roundsTiles = false;                                  ///< of rule 3
};

/// Drafts by what became of them; those that a rule drops count with the first rule that does.
struct DraftCounts {
  std::int64_t all = 0, rule1 = 0, rule2 = 0, rule3 = 0;
  std::int64_t kept() const { return all - rule1 - rule2 - rule3; }
};

}  // namespace pimento::mapping
