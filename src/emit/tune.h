// What `tune` found, as text for a terminal and JSON (keys: docs/tune.md).
#pragma once

#include <string>
#include <vector>

#include "pimento/emit/explore.h"
#include "pimento/evaluate/choices.h"
#include "pimento/tune/tuning.h"

namespace pimento::evaluate {
struct Report;
}

namespace pimento::emit {

/// One kernel's best mapping.
struct TunedKernel {
  std::string kernel;
  std::vector<std::string> same;  ///< further kernels of the graph that differ from it in names alone
  tune::Tuned found;
  bool isKnown = false;  ///< the store had the answer
};

struct Tuning {
  ExploreHead head;
  double clockGHz = 1;               ///< for times of cycles
  evaluate::Objective objective{};   ///< what is minimised
  std::string space;                 ///< "own", "factors", "published"
  std::vector<TunedKernel> kernels;  ///< at least one
  std::string map;                   ///< what --map takes to run the input with all of these
  bool isChecked = false;            ///< it was run on data and compared with the interpreter
  std::string store;                 ///< file; empty: nothing is kept
};

/// `best`: of `map`.
std::string toTable(const Tuning &t, const evaluate::Report &best);
std::string toJson(const Tuning &t, const evaluate::Report &best, const RunText &bestRun);

}  // namespace pimento::emit
