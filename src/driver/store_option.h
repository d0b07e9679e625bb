// `--store` and `--model`: where results and predictors are kept, and where none is named.
#pragma once

#include <memory>
#include <string>

#include "pimento/driver/options.h"

namespace pimento::tune {
class Store;
}

namespace pimento::driver {

/// The file that `--store` names; null: nothing is kept (no option, or "none"). Diagnostics: those of
/// tune::Store::open.
Result<std::unique_ptr<tune::Store>> namedStore(const Options &options, const std::string &identity,
                                                const std::string &about);

/// The same; where no option names a file, the one that the environment's PIMENTO_STORE does, else pimento/results.db
/// in the user's cache folder, which is made. One that nobody named and that cannot be used is left out with a warning.
Result<std::unique_ptr<tune::Store>> usualStore(const Options &options, const std::string &identity,
                                                const std::string &about, std::vector<std::string> &warnings);

/// `--model`, else the file of the store above with the ending .predictor; empty: none is kept.
std::string modelFile(const Options &options);

}  // namespace pimento::driver
