// `--rules`: which drafts are left out.
#pragma once

#include <optional>

#include "pimento/driver/options.h"
#include "pimento/mapping/draft_rules.h"

namespace pimento::driver {

/// Nothing: none is. Diagnostic: bad-rules.
Result<std::optional<mapping::DraftRules>> parseRules(const Options &options);

}  // namespace pimento::driver
