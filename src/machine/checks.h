// What a target relies on in the machines of its family, checked: sections and levels.
//
// Not here: what must hold in any machine (sections/), and which targets there are.
#pragma once

#include <string_view>
#include <vector>

#include "pimento/machine/machine.h"

namespace pimento::machine {

struct LevelRule {
  std::string_view name;
  LevelRole role = LevelRole::kGroup;
  std::string_view count;  ///< path of the number that says how many there are; empty: any number
};

struct FamilyRules {
  bool hasSections = true;
  std::string_view sections;  ///< those that the family needs, for the message: "'organization' and 'pim'"
  std::string_view hint = "extend the preset of that family, or name another family";
  std::vector<LevelRule> levels = {};  ///< outermost first; none: any
};

/// Diagnostics: "missing-section", "wrong-levels".
Status checkFamily(const Machine &machine, const FamilyRules &rules);

}  // namespace pimento::machine
