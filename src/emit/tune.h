// What `tune` found, as text for a terminal and JSON (keys: docs/tune.md).
#pragma once

#include <cstdint>
#include <optional>
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

/// A predictor that chose the drafts to run.
struct UsedPredictor {
  std::string engine;  ///< "predictor", "predictor-only"
  std::string file;    ///< empty: it is not kept
  std::string version;
  std::int64_t shapes = 0, drafts = 0;        ///< that it was taught in all
  std::int64_t newShapes = 0, newDrafts = 0;  ///< in this run
  double seconds = 0;                         ///< that took, fitting included
};

struct Tuning {
  ExploreHead head;
  double clockGHz = 1;               ///< for times of cycles
  evaluate::Objective objective{};   ///< what is minimised
  std::string space;                 ///< "own", "factors", "published"
  std::vector<TunedKernel> kernels;  ///< at least one
  std::string map;                   ///< what --map takes to run the input with all of these
  std::optional<UsedPredictor> predictor;
  bool isChecked = false;  ///< it was run on data and compared with the interpreter
  std::string store;       ///< file; empty: nothing is kept
};

/// `best`: of `map`.
std::string toTable(const Tuning &t, const evaluate::Report &best);
std::string toJson(const Tuning &t, const evaluate::Report &best, const RunText &bestRun);

}  // namespace pimento::emit
