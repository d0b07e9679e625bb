#include "pimento/driver/rules_option.h"

#include <fmt/format.h>

#include "pimento/base/text.h"

namespace pimento::driver {

Result<std::optional<mapping::DraftRules>> parseRules(const Options &options) {
  std::optional<mapping::DraftRules> out;
  if (options.rules.empty()) return out;
  mapping::DraftRules rules{false, false, false, false};
  for (const std::string &item : options.rules) {
    const std::string_view rule = trim(item);
    if (rule == "1") {
      rules.equivalent = true;
    } else if (rule == "2") {
      rules.lanes = true;
    } else if (rule == "3") {
      rules.largestTile = true;
    } else if (rule == "3-rounded") {
      rules.largestTile = rules.roundsTiles = true;
    } else {
      return usageError("bad-rules", "--rules", fmt::format("there is no rule '{}'", rule),
                        "rules are 1, 2, 3 and 3-rounded");
    }
  }
  out = rules;
  return out;
}

}  // namespace pimento::driver
