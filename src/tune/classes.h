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
#include "pimento/tune/computation.h"

namespace pimento::tune {

struct ProgramClass {
  std::int64_t first = 0;  ///< its first candidate
  std::string stream;      ///< streamName
  std::optional<Timing> bound, run;
};

struct CostClass {
  std::size_t program = 0;
  evaluate::HostWork work;
  std::int64_t first = 0;  ///< its first candidate
  evaluate::Cost bound;    ///< zero until it is priced, or where the program has none
};

class Classes {
 public:
  /// `isShared`: false gives every candidate classes of its own.
  explicit Classes(bool isShared) : isShared_(isShared) {}

  /// Files the next candidates, in their order; one with neither stream nor error stays without a class. The classes do
  /// not depend on how candidates are dealt to calls.
  void add(const std::vector<CompiledFacts> &candidates);
  /// What lower bounds of programs make of costs. Bounds are known once all candidates are filed.
  void priceBounds(const machine::Machine &machine);

  /// Whether a candidate so far has this one's command stream and host work.
  bool has(const CompiledFacts &candidate) const;

  /// Cost class per candidate; -1: illegal, or without a class.
  const std::vector<std::int64_t> &classOf() const { return classOf_; }
  /// Code of what is wrong with illegal candidates.
  const std::map<std::int64_t, std::string> &errors() const { return errors_; }
  std::vector<ProgramClass> programs;
  std::vector<CostClass> costs;

 private:
  bool isShared_;
  std::vector<std::int64_t> classOf_;
  std::map<std::int64_t, std::string> errors_;
  std::unordered_map<std::string, std::size_t> programByName_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> costByKey_;
  std::set<std::pair<std::string, std::string>> seen_;  // where classes are not shared
};

}  // namespace pimento::tune
