// Candidates compiled and sorted by what they make the device and the host do.
//
// Candidates with one command stream per channel take the same time and the same actions on the device: they share a
// program class, which is run at most once. If the host's work is the same too, all their costs are: they share a cost
// class. Streams are compared in full (labels of loops and contents of images aside, which no engine looks at).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

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

struct ProgramClass {
  std::int64_t first = 0;  ///< its first candidate
  evaluate::DeviceCost bound;
  std::optional<evaluate::DeviceCost> run;
  bool isSampled = false;       ///< the run was estimated from samples
  bool isBoundSampled = false;  ///< the bound is by the mean of many values
};

struct CostClass {
  std::size_t program = 0;
  evaluate::HostWork work;
  std::int64_t first = 0;  ///< its first candidate
  evaluate::Cost bound;
};

class Classes {
 public:
  /// `isShared`: false gives every candidate classes of its own. `hasBounds`: false leaves bounds at zero.
  Classes(const Problem &problem, bool isShared, bool hasBounds = true)
      : problem_(problem), isShared_(isShared), hasBounds_(hasBounds) {}

  /// Compiles the next candidates, in their order, with `jobs` threads; an empty text is one that stays without a
  /// class. The classes do not depend on how candidates are dealt to calls.
  void add(const std::vector<std::string> &texts, int jobs);

  /// Whether a candidate so far has this mapping's command stream and host work. The mapping is legal.
  bool has(const evaluate::CompiledPart &kernel) const;

  /// Cost class per candidate; -1: illegal, or without a text.
  const std::vector<std::int64_t> &classOf() const { return classOf_; }
  /// Code of what is wrong with illegal candidates.
  const std::map<std::int64_t, std::string> &errors() const { return errors_; }
  std::vector<ProgramClass> programs;
  std::vector<CostClass> costs;

 private:
  const Problem &problem_;
  bool isShared_, hasBounds_;
  std::vector<std::int64_t> classOf_;
  std::map<std::int64_t, std::string> errors_;
  std::unordered_map<std::string, std::size_t> programByKey_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> costByKey_;
  std::set<std::pair<std::string, std::string>> seen_;  // where classes are not shared
};

}  // namespace pimento::tune
