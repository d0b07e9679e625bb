// Bounded search: the best of many candidates, with as few evaluations as it takes to know which it is.
//
// Candidates are numbered, and each has a proved lower bound. An Evaluator says what one costs. An Algorithm decides
// which ones to evaluate, gives each candidate a fate, and says what it proved. `auto`, `--offload best` and `explore`
// use this; what a candidate is, only its Evaluator knows.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/search/pareto.h"

namespace pimento::search {

/// What is minimised. A search for one of the two leaves the other 0 everywhere.
struct Objectives {
  double time = 0, energy = 0;
};

struct Candidate {
  Objectives bound = {};    ///< proved: it costs no less
  std::int64_t like = -1;   ///< an earlier candidate with the same cost
  bool isLegal = true;      ///< else the caller knows the cause
  bool isReserved = false;  ///< settled even where the budget is spent
  bool isSetAside =
      false;         ///< not evaluated, by a heuristic of the caller's: it stays open unless its bound rules it out
  double guess = 0;  ///< of what is minimised: the order of evaluation alone hangs on it
};

enum class Fate : std::uint8_t {
  kOpen,       ///< not evaluated, and not ruled out
  kEstimated,  ///< evaluated
  kEqual,      ///< its cost is that of another candidate
  kBounded,    ///< ruled out by its lower bound (pareto.h)
  kIllegal,
};
std::string_view name(Fate fate);

struct Verdict {
  Fate fate = Fate::kOpen;
  Objectives cost = {};  ///< kOpen, kBounded: lower bounds
  std::int64_t by = -1;  ///< kEqual: the candidate it equals; kBounded: one that rules it out
};

struct Budget {
  std::int64_t evaluations = std::numeric_limits<std::int64_t>::max();
  const std::atomic<bool> *isStopped = nullptr;  ///< asked for between two batches
};

/// Why a search ended.
enum class Stop : std::uint8_t {
  kDone,     ///< no candidate is left to evaluate
  kBudget,   ///< the budget is spent
  kStopped,  ///< it was asked to stop
};
std::string_view name(Stop stop);

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// The costs of candidates, in their order; nothing where one turns out to be illegal. Fewer than asked for where it
  /// was stopped: the others stay open, and the search ends.
  virtual Result<std::vector<std::optional<Objectives>>> evaluate(std::span<const std::int64_t> candidates) = 0;
  /// Whether its cost is known without an evaluation, since another candidate shares its run.
  virtual bool isKnown(std::int64_t /*candidate*/) const { return false; }
  /// Whether the costs so far are what they are, and not estimates from samples.
  virtual bool isExact() const { return true; }
  /// Whether it is still worth an evaluation, by a heuristic of the caller's; else it stays open.
  virtual bool isWorth(std::int64_t /*candidate*/) const { return true; }
  /// Of how many candidates that follow a batch it wants to know; and those, before the batch is evaluated: they may
  /// still be ruled out by it.
  virtual std::size_t ahead() const { return 0; }
  virtual void expect(std::span<const std::int64_t> /*candidates*/) {}
  /// So many candidates have a fate.
  virtual void advance(std::int64_t /*candidates*/) {}
};

/// What holds for the best one found, in each objective: it is optimal among the candidates if the gap is 0, else no
/// candidate costs less than (1 - gap) times as much.
struct Proof {
  Objectives gap = {};
  bool isSampled = false;  ///< costs are estimates: nothing is proved of the costs themselves
  bool isOptimal() const { return gap.time == 0 && gap.energy == 0 && !isSampled; }
};

struct Found {
  std::vector<Verdict> verdicts;     ///< by candidate
  std::vector<Pareto::Point> front;  ///< by rising time: the first is the best in time, the last in energy
  Stop stop = Stop::kDone;
  std::int64_t evaluations = 0;
  Proof proof;

  std::int64_t count(Fate fate) const;
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// The result depends on the candidates alone, not on threads. Diagnostics: those of `evaluator`.
  virtual Result<Found> run(std::span<const Candidate> candidates, Evaluator &evaluator,
                            const Budget &budget) const = 0;
};

/// By rising lower bound or guess, whichever is higher, in batches; what a bound rules out is not evaluated. The front
/// is that of all candidates where none stays open (proof in pareto.h).
class BestFirst final : public Algorithm {
 public:
  /// Batches double in size from `first` to `largest`: few candidates, as each may rule out most of the others.
  explicit BestFirst(std::size_t first = 4, std::size_t largest = 8) : first_(first), largest_(largest) {}
  Result<Found> run(std::span<const Candidate> candidates, Evaluator &evaluator, const Budget &budget) const override;

 private:
  std::size_t first_, largest_;
};

/// Evaluates every candidate, in order.
class Exhaustive final : public Algorithm {
 public:
  Result<Found> run(std::span<const Candidate> candidates, Evaluator &evaluator, const Budget &budget) const override;
};

/// The gaps that the open candidates of `found` leave.
Proof proofOf(const Found &found);
/// "optimal in this space", or "not proved optimal: no mapping in this space is more than 12 % faster"; `what`: what
/// candidates are, as in "mapping"; `where`: as in "in this space".
std::string proofText(const Proof &proof, std::string_view what, std::string_view where);

}  // namespace pimento::search
