// What a search may use, and what may stop it: explore.h and sweep.h take it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento::cluster {
class Ranks;
}

namespace pimento::tune {

class Store;

/// Part of a plan that one process computes, beside others: each `of`-th item, beginning with number `number`.
struct Share {
  std::int64_t number = 1, of = 1;  ///< 1 <= number <= of
  bool has(std::int64_t item) const { return item % of == number - 1; }
};

/// What a search may use, and what may stop it.
struct Control {
  int jobs = 1;
  Store *store = nullptr;                        ///< null: nothing is kept
  const std::atomic<bool> *isStopped = nullptr;  ///< asked for between two runs
  bool showsProgress = false;
  std::string scope = {};  ///< names of results in the store begin with it: which kernel of several
  std::string label = {};  ///< for progress: which kernel
  /// Null: this process alone. All of them have joined with a Computation (computation.h) or the like.
  cluster::Ranks *ranks = nullptr;
  std::int64_t problem = 0;  ///< number of the problem in that computation
  std::optional<Share> share = {};
};

/// What to say when the search was stopped: how to go on. `what`: "mappings were".
Diagnostic interrupted(const Control &control, std::string_view what);

}  // namespace pimento::tune
