// Explores all mappings of a problem: what each costs in time and energy, or why it cannot be the best.
//
// Every candidate ends in one of four ways:
//   estimated  its device program was run by fast-forward (once for all candidates with the same command stream), and
//              the host's part added;
//   equal      command stream and host work are those of an estimated candidate, so are all costs;
//   bounded    a lower bound of its time and its energy is ruled out by an estimated candidate (pareto.h), so it is on
//              no front and is not the best at anything;
//   illegal    mapping or lowering refuse it.
//
// Best first: classes of candidates by rising lower bound, in batches whose size does not depend on the threads. What
// is estimated and what is bounded is therefore a function of the problem alone. The front and the best ones are those
// of the whole space (proof in pareto.h; tests compare with an exhaustive run).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/cost.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"

namespace pimento::tune {

enum class How : std::uint8_t { kEstimated, kEqual, kBounded, kIllegal };
std::string_view name(How how);

/// One candidate.
struct Row {
  std::string mapping;
  How how = How::kIllegal;
  evaluate::Cost cost;     ///< kBounded: lower bounds; kIllegal: nothing
  std::int64_t like = -1;  ///< kEqual: the row it equals; kBounded: a row that rules it out
  std::string error;       ///< kIllegal: code of the diagnostic
};

struct Exploration {
  std::vector<Row> rows;   ///< in the order of the enumeration; the reference mapping last if nothing is like it
  std::int64_t space = 0;  ///< candidates there are, counted up to kMostCounted
  std::int64_t every = 1;  ///< of which every so many-th was explored
  std::int64_t estimated = 0, equal = 0, bounded = 0, illegal = 0;
  std::int64_t deviceRuns = 0;              ///< command streams that were run, or taken from the store
  std::vector<std::int64_t> front;          ///< rows, by rising time: the first is the best in time, the last in energy
  std::string referenceMapping;             ///< spelled out
  std::optional<evaluate::Cost> reference;  ///< nothing where the reference mapping is illegal (too large)
};

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

struct ExploreOptions {
  bool isExhaustive = false;  ///< every legal candidate is run on its own
  /// Most candidates to explore; of a larger space every n-th is taken, spread evenly. 0: no limit.
  std::int64_t limit = 0;
  /// Nothing is ruled out by a bound: every legal candidate gets its costs, equal ones together.
  bool isUnbounded = false;
};

/// Candidates of a space that is larger than the limit are counted up to here; those behind are not looked at.
inline constexpr std::int64_t kMostCounted = 5'000'000;

/// Diagnostics: interrupted, store-unwritable, no-legal-mapping.
Result<Exploration> explore(const Problem &problem, const ExploreOptions &options, const Control &control);

}  // namespace pimento::tune
