// Whole result stores: what they hold, and how those of several tasks come together.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::tune {

/// Shares of one problem's plan (control.h) that a store has.
struct StoredShares {
  std::int64_t of = 1;
  std::set<std::int64_t> begun, done;  ///< by number

  std::vector<std::int64_t> missing() const;  ///< neither
};

struct StoredProblem {
  std::string about;
  std::map<std::string, std::int64_t> results;  ///< how many, by kind
  std::vector<StoredShares> plans;              ///< by rising `of`
};

struct StoreContents {
  std::string file;
  std::vector<StoredProblem> problems;
};

struct MergedStores {
  StoreContents all;            ///< afterwards
  std::int64_t results = 0;     ///< of the others
  std::int64_t newResults = 0;  ///< of those, that the first had not
};

/// Diagnostics: store-missing (no such file), those of Store::open.
Result<StoreContents> contentsOfStore(const std::string &file);

/// Puts all results of `from` into the store `into`, which is made where it does not exist. Each of `from` is taken as
/// a whole, or not at all. Diagnostics besides: store-twice (a file is named twice), store-plan (shares of two plans),
/// store-conflict (two results of one name that differ: a bug of ours, or a damaged store); then nothing of that file
/// was taken.
Result<MergedStores> mergeStores(const std::string &into, const std::vector<std::string> &from);

}  // namespace pimento::tune
