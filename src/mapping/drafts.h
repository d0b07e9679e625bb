// Drafts: for each dimension set, how many groups and how many cores of a group share it, and by which function of
// which tensor dimension it is cut.
//
// DCC, section 4.2: the groups and cores that one set takes divide what is left for the next ones (rounded down), and
// every mapping function of a set may be its representative. Three rules leave drafts out:
//   1  two representatives that cut alike (same function, dimensions of one size): the first is kept;
//   2  tiles that are no multiple of what a unit computes at once, in sets whose neighbours lie side by side in a
//      tensor; not asked of a set where no draft could comply;
//   3  drafts that differ in cores alone, and whose largest tiles are equal in every set: the first is kept. The paper
//      compares round(size / units), which may drop the better draft: `roundsTiles`.
// Every rule looks at one set at a time, and the draft that rule 3 keeps takes the fewest cores: so what it keeps is
// kept whatever the other sets take, and drafts are counted without being made.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/mapping/dimension_sets.h"
#include "pimento/mapping/draft_rules.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// Groups of a machine, cores of one, and how many elements a core computes at once.
struct DraftHardware {
  std::int64_t groups = 1, cores = 1, lanes = 1;
  bool groupsSplitSums = true, coresSplitSums = true;  ///< partial results of theirs can be merged
};
/// The level whose instances are cores: the innermost one that is not in lock step.
std::size_t coreLevel(const machine::Machine &machine);
/// Groups are the instances of all levels around the innermost one that is not in lock step.
DraftHardware draftHardware(const machine::Machine &machine);

/// A mapping function of a set: function number `function` of member number `member`. -1: the set has none, and is cut
/// nowhere.
struct Representative {
  int member = -1, function = -1;

  bool operator==(const Representative &) const = default;
};

/// The one that by(...) names, which the set has.
Representative representativeOf(const DimensionSet &set, const Borders &borders, const kernel::Graph &graph);

/// Of one set.
struct DraftPart {
  std::int64_t groups = 1, cores = 1;
  Representative representative;
  std::int64_t tile = 0;  ///< of the representative's dimension: the largest

  bool operator==(const DraftPart &) const = default;
};
using Draft = std::vector<DraftPart>;  ///< by set

/// "[1, 1, A0^(b+1)] [2, 4, B0^i]".
std::string print(const Draft &draft, const DimensionSets &sets, const kernel::Graph &graph);

/// The drafts that are kept, one after the other: groups and cores of the first set slowest, ascending.
class DraftSpace {
 public:
  DraftSpace(const DimensionSets &sets, const DraftHardware &hardware, const DraftRules &rules = {});

  /// The next one, or nothing when all were given. Valid until the next call.
  const Draft *next();
  void reset();
  /// Of all of them, without making them.
  DraftCounts counts() const;
  /// The rule that drops what set number `set` may take, by any representative; 0: one of them is kept, or there is no
  /// such part.
  int droppedBy(std::size_t set, std::int64_t groups, std::int64_t cores) const;
  /// ... by this representative.
  int droppedBy(std::size_t set, std::int64_t groups, std::int64_t cores, const Representative &by) const;

 private:
  struct Option {
    DraftPart part;
    int droppedBy = 0;  ///< rule
  };
  /// By set, by groups and then cores.
  using Options = std::vector<std::vector<Option>>;
  struct Left {
    std::int64_t groups = 0, cores = 0;
    auto operator<=>(const Left &) const = default;
  };

  std::int64_t countOf(const Options &options) const;
  const std::vector<DraftPart> &fitting(std::size_t set, const Left &left);
  bool find(std::size_t set, std::size_t from);

  Left all_;
  Options options_;
  std::vector<std::map<Left, std::vector<DraftPart>>> fitting_;  // by set, and what is left for it: parts that are kept
  std::vector<const std::vector<DraftPart> *> choice_;           // of each set, what it chooses from
  std::vector<std::size_t> at_;                                  // and which of them
  std::vector<Left> left_;                                       // before each set
  Draft draft_;
  bool isStarted_ = false, isDone_ = false;
};

}  // namespace pimento::mapping
