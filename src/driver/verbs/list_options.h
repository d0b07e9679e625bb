// `options [VERB]`: the table of options, for people, for completion scripts and for docs/cli.md.
#pragma once

#include <optional>

#include "pimento/driver/option_table.h"

namespace pimento::driver {

struct OptionList {
  std::optional<VerbId> verb;  ///< those of one verb; nothing: all
};

/// `options.input` holds the verb.
Result<OptionList> options(const Options &options);
Outcome show(const OptionList &of, const Options &options);

}  // namespace pimento::driver
