// The best mapping of a problem for one objective, by exact evaluation: classes of equal mappings, lower bounds, best
// first (explore.h), or by running every one of them as the proof. Of equally good ones the first in the enumeration.
// Or by a predictor (predictor.h), which proves nothing: the best of those that it calls best, or the first of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/choices.h"
#include "pimento/evaluate/cost.h"
#include "pimento/search/search.h"
#include "pimento/tune/control.h"

namespace pimento::tune {

struct Problem;
class Predictor;

/// Of those that the predictor calls best, so many are run.
inline constexpr std::int64_t kPredicted = 16;

struct TuneOptions {
  evaluate::Objective objective = evaluate::Objective::kTime;
  bool isExhaustive = false;  ///< every legal mapping is run on its own
  std::int64_t budget = 0;    ///< most device runs; 0: no limit
  /// Null: exact evaluation. It is fitted for the objective.
  const Predictor *predictor = nullptr;
  std::int64_t predicted = kPredicted;  ///< of the predictor's best, so many are run; at least 1
};

/// Drafts by what became of them; the rest of them adds up to `all`.
struct DraftFates {
  std::int64_t all = 0;
  std::int64_t rule1 = 0, rule2 = 0, rule3 = 0;  ///< left out by a rule (mapping/drafts.h)
  std::int64_t equal = 0, bounded = 0, illegal = 0, evaluated = 0, open = 0;

  bool operator==(const DraftFates &) const = default;
};

struct TunedMapping {
  std::string mapping;
  evaluate::Cost cost;

  bool operator==(const TunedMapping &) const = default;
};

struct Tuned {
  TunedMapping best;
  std::vector<TunedMapping> front;        ///< of the evaluated ones, in total time and energy, by rising time
  std::optional<TunedMapping> reference;  ///< nothing where that is illegal
  DraftFates drafts;
  search::Stop stop = search::Stop::kDone;
  double gap = 0;               ///< no mapping costs less than (1 - gap) times the best; 0 where that is proved
  std::optional<double> guess;  ///< what the predictor said that the best costs, in the objective's unit
  bool isSampled = false;       ///< costs are estimates from samples: nothing is proved
  bool isChecked = false;       ///< the best was run on data (by whoever keeps the answer)
  std::int64_t deviceRuns = 0;  ///< command streams that were run, or whose runs the store had

  /// "optimal", "budget", "interrupted"; "sampled": the search is done, by sampled times; "predicted": by a predictor.
  std::string_view stopText() const;
  bool operator==(const Tuned &) const = default;
};

/// The answer that the control's store keeps, under its scope.
std::optional<Tuned> knownAnswer(const TuneOptions &options, const Control &control);
/// Searches. Diagnostics: those of explore().
Result<Tuned> tune(const Problem &problem, const TuneOptions &options, const Control &control);
/// Keeps an answer in the control's store, if there is one and the search was not stopped. Diagnostic:
/// store-unwritable.
Status keep(const Tuned &answer, const TuneOptions &options, const Control &control);

}  // namespace pimento::tune
