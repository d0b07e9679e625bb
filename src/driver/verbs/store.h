// `store merge ALL.db A.db ...`: brings result stores together; `store show FILE.db`: what one holds.
#pragma once

#include <optional>

#include "pimento/driver/options.h"
#include "pimento/tune/store_files.h"

namespace pimento::driver {

struct StoreAnswer {
  tune::StoreContents contents;
  std::optional<tune::MergedStores> merged;  ///< of `merge`
  std::vector<std::string> warnings;         ///< shares that are missing, or not finished
};

/// `options.inputs`: what to do, and the files. Diagnostics: store-action, those of tune::mergeStores.
Result<StoreAnswer> store(const Options &options);
Outcome show(const StoreAnswer &answer, const Options &options);

}  // namespace pimento::driver
