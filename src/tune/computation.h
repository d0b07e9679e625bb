// What a search has computed for it, by this process or by others (cluster/ranks.h): what candidates compile to, and
// what they take. Tasks and results are texts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/cache.h"
#include "pimento/evaluate/cost.h"
#include "pimento/evaluate/host_work.h"

namespace pimento::program {
struct Program;
}

namespace pimento::evaluate {
class CompiledPart;
}

namespace pimento::tune {

struct Problem;

/// All that decides time and actions of a program on a given machine, but on how many ranks it works (costOf knows), as
/// bytes: equal streams have equal keys, others have others.
std::string streamKey(const program::Program &program);
/// The key's MD5.
std::string streamName(const program::Program &program);
/// Equal for equal work alone.
std::string workKey(const evaluate::HostWork &work);

/// A run of a program, or a lower bound of one.
struct Timing {
  evaluate::DeviceCost cost;
  bool isSampled = false;  ///< estimated from samples, or by the mean of many values
};

/// What a candidate compiles to.
struct CompiledFacts {
  std::string error;  ///< code of the diagnostic that refuses it; then there is nothing else
  std::string stream;
  evaluate::HostWork work;
  std::optional<Timing> bound;
};
/// Candidate of a problem; without a bound unless it is asked for.
CompiledFacts factsOf(const Problem &problem, const std::string &mapping, bool hasBound);

/// As stores and messages have it: cycles, with a mark if they were estimated from samples, its actions, the commands
/// of the kernel, and the phases beside it.
std::string textOf(const Timing &timing);
/// Nothing: it is damaged.
std::optional<Timing> timingIn(const std::string &text, const Problem &problem);
std::optional<CompiledFacts> compiledFactsIn(const std::string &result, const Problem &problem);

/// Tasks; `number`: of the problem.
std::string compileTask(std::int64_t number, bool hasBound, const std::string &mapping);
std::string runTask(std::int64_t number, const std::string &mapping);
/// A run on random data, compared with the interpreter, and its cycles with those that were found (check.h).
std::string checkTask(std::int64_t number, Cycles cycles, std::uint64_t seed, const std::string &mapping);

/// The problems of a command. Thread-safe.
class Computation {
 public:
  explicit Computation(const std::vector<const Problem *> &problems);

  /// Of compileTask: compiledFactsIn reads it. A bound is given at least once for each stream, by any of the ranks that
  /// were asked: once on each. Of runTask: timingIn reads it; empty: the run fails. Of checkTask: "equal", or empty. So
  /// many checks run at a time as have room in memory.
  std::string resultOf(const std::string &task);

 private:
  struct Part {
    const Problem *problem = nullptr;
    std::set<std::string> bounded;       // streams whose bounds were given
    Cache shared{std::size_t{1} << 40};  // of runs on one graph's data
    std::int64_t checks = 0;             // that may begin now
  };
  bool passes(Part &part, const std::string &task);

  std::mutex mutex_;
  std::condition_variable hasRoom_;
  std::deque<Part> parts_;
};

}  // namespace pimento::tune
