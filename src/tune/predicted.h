// Searches by a predictor: which mappings it calls best, and which to teach it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/evaluate/choices.h"
#include "pimento/mapping/draft_rules.h"
#include "pimento/tune/control.h"

namespace pimento::tune {

class Predictor;
struct Draft;
struct Problem;

struct Guess {
  std::string mapping;
  double cost = 0;  ///< by the predictor
};

struct Guesses {
  std::vector<Guess> best;      ///< legal ones, the best first; of equal ones the first in the enumeration
  std::int64_t space = 0;       ///< candidates that were compared
  std::int64_t illegal = 0;     ///< that were better by the predictor alone
  mapping::DraftCounts drafts;  ///< all, and those that the problem's rules left out
};

/// The best `count` of all candidates. The predictor is fitted for the objective. Diagnostics: interrupted,
/// no-legal-mapping, those of Predictor::predict.
Result<Guesses> guess(const Problem &problem, const Predictor &predictor, evaluate::Objective objective,
                      std::size_t count, const Control &control);

/// Runs these mappings; those that turn out to be illegal are left out. Diagnostics: those of explore().
Result<std::vector<Draft>> runDrafts(const Problem &problem, const std::vector<std::string> &mappings,
                                     const Control &control);

/// So many candidates, drawn from all of them with equal chances; all of them where there are no more.
std::vector<std::string> drawDrafts(const Problem &problem, std::int64_t count, std::uint64_t seed,
                                    const Control &control);

}  // namespace pimento::tune
