// What a search may use, and what may stop it: explore.h and sweep.h take it.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento::tune {

class Store;

/// What a search may use, and what may stop it.
struct Control {
  int jobs = 1;
  Store *store = nullptr;                        ///< null: nothing is kept
  const std::atomic<bool> *isStopped = nullptr;  ///< asked for between two runs
  bool showsProgress = false;
  std::string scope = {};  ///< names of results in the store begin with it: which kernel of several
  std::string label = {};  ///< for progress: which kernel
};

/// What to say when the search was stopped: how to go on. `what`: "mappings were".
Diagnostic interrupted(const Control &control, std::string_view what);

}  // namespace pimento::tune
