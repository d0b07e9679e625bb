// Explores all mappings of a problem: what each costs in time and energy, or why it cannot be the best.
//
// Every candidate ends in one of these ways (search/search.h):
//   estimated  its device program was run by fast-forward (once for all candidates with the same command stream), and
//              the host's part added;
//   equal      command stream and host work are those of an estimated candidate, so are all costs;
//   bounded    a lower bound of its time and its energy is ruled out by an estimated candidate (pareto.h), so it is on
//              no front and is not the best at anything;
//   illegal    mapping or lowering refuse it;
//   open       the budget was spent before its turn.
//
// Best first: classes of candidates by rising lower bound, in batches whose size does not depend on the threads. What
// is estimated and what is bounded is therefore a function of the problem alone. The front and the best ones are those
// of the whole space (proof in search/pareto.h; tests compare with an exhaustive run).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/choices.h"
#include "pimento/tune/control.h"
#include "pimento/tune/exploration.h"

namespace pimento::tune {

struct Problem;

struct ExploreOptions {
  bool isExhaustive = false;  ///< every legal candidate is run on its own
  /// Most candidates to explore; of a larger space every n-th is taken, spread evenly. 0: no limit.
  std::int64_t limit = 0;
  /// Nothing is ruled out by a bound: every legal candidate gets its costs, equal ones together.
  bool isUnbounded = false;
  std::int64_t budget = 0;                       ///< most device runs; 0: no limit
  const search::Algorithm *algorithm = nullptr;  ///< null: best first, or exhaustive where nothing is ruled out
  /// What alone is minimised: the front is one mapping. Nothing: total time and energy together.
  std::optional<evaluate::Objective> objective = {};
  /// These mappings instead of the problem's space.
  const std::vector<std::string> *only = nullptr;
  /// A search that is stopped gives what it has, if that is anything.
  bool keepsPartial = false;
};

/// Candidates of a space that is larger than the limit are counted up to here; those behind are not looked at.
inline constexpr std::int64_t kMostCounted = 5'000'000;

/// The control's ranks have joined with a Computation (computation.h); its share is of the candidates. Diagnostics:
/// interrupted, store-unwritable, no-legal-mapping, those of the ranks.
Result<Exploration> explore(const Problem &problem, const ExploreOptions &options, const Control &control);

}  // namespace pimento::tune
