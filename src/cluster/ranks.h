// The processes that share one command: ranks, as MPI calls them.
//
// All ranks are started with the same command line, and read the same input. The first one then searches: it says what
// is to be computed, keeps results, and answers. All of them compute: a task is a text, its result is another, and the
// function between them is the same on every rank. So what the first rank finds does not depend on who computed what.
// Without MPI there is one rank, whose threads share the work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::cluster {

/// The result of a task. Called from several threads at a time; what it gives depends on the task alone.
using Work = std::function<std::string(const std::string &task)>;

struct Tasks {
  std::vector<std::string> now;
  /// Those that are likely to follow, the likeliest first: ranks that would wait otherwise begin them.
  std::vector<std::string> later = {};
};

/// What becomes of results. One call at a time.
class Take {
 public:
  /// `one`: called with the task's number in Tasks::now, and the result. `flush`: after one or several, before others
  /// are waited for: whoever keeps results in a file writes them now.
  template <typename One>
  Take(One one, std::function<void()> flush = [] {}) : one(std::move(one)), flush(std::move(flush)) {}

  const std::function<void(std::size_t number, const std::string &result)> one;
  const std::function<void()> flush;
};

/// How well work was shared.
struct Sharing {
  std::int64_t ranks = 1, lost = 0;
  std::int64_t jobs = 1;  ///< of all ranks
  std::int64_t tasks = 0, chunks = 0;
  double seconds = 0;        ///< that tasks were waited for
  double idleShare = 0;      ///< of the time of all jobs, 0 to 1
  double messageShare = 0;   ///< of the time in which the first rank handled messages
  std::vector<double> busy;  ///< by rank: share of its time in which it computed
};

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual std::size_t count() const { return 1; }
  virtual bool isFirst() const { return true; }

  /// Says what this rank computes. `plan`: all that decides results; it must be the same everywhere. On the first rank
  /// it returns at once; the others compute in it until the first one ends. Diagnostics: ranks-lost (the first one is
  /// gone).
  virtual Status join(const std::string &plan, Work work, int jobs) = 0;
  /// On the first rank: computes `now`. Where it is stopped, not all of them. Diagnostics: ranks-differ (another plan,
  /// or another build of Pimento), rank-failed (one could not begin).
  virtual Status compute(const Tasks &tasks, const std::atomic<bool> *isStopped, const Take &take) = 0;
  /// On the first rank, of several.
  virtual std::optional<Sharing> sharing() const { return std::nullopt; }

  /// At the end of the process, once all is written, with what is wrong on this rank: tells the others, and waits for
  /// them. No rank computes after it.
  virtual void leave(const Diagnostics & /*problems*/) {}
};

/// One process.
std::unique_ptr<Ranks> oneRank();

}  // namespace pimento::cluster
