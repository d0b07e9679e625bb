// Rules made ready: for every node of a left side a plan that finds the matches with that node in them, and how to
// build the right side. Plans name registers, which hold classes: variables first, then inner nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/tdfg/egraph/rules.h"

namespace pimento::tdfg::egraph {

/// Rules, made ready for matching. Refers to nothing.
class RuleSet {
 public:
  explicit RuleSet(std::vector<Rule> rules);
  const std::vector<Rule> &rules() const { return rules_; }

  /// What of a node goes where.
  struct Fields {
    Op op = 0;
    int result = 0;  ///< register of its class
    struct Argument {
      int place, reg;
      bool isNew;  ///< binds the register; otherwise it must be equal
    };
    std::vector<Argument> arguments;
  };
  /// One more node of the pattern.
  struct Step {
    enum class Kind : std::uint8_t {
      kBelow,   ///< of the class in `result`
      kAbove,   ///< with the class in `from` as argument `place`
      kLookUp,  ///< with these arguments
    };
    Kind kind = Kind::kBelow;
    bool isOld = false;  ///< what changed last is found by another plan
    bool isResultNew = false;
    int from = 0, place = 0;
    Fields fields;
  };
  /// How to find a rule's matches from one node of the pattern.
  struct Plan {
    int rule = 0;
    Fields seed;
    std::vector<Step> steps;
  };
  /// By operator of the seed.
  std::vector<std::vector<Plan>> fromAny, fromRoot;
  /// Rules whose left side is a variable.
  std::vector<int> bare;
  /// Nodes of the right side, arguments first.
  struct Build {
    Op op = 0;
    int result = 0;
    std::vector<int> arguments;  ///< registers
  };
  std::vector<std::vector<Build>> builds;
  std::vector<int> roots, results;     ///< by rule, registers of the class that matched, and of the right side
  std::vector<std::vector<int>> kept;  ///< by rule, registers that its right side needs, and the root
  int registers = 0;

 private:
  std::vector<Rule> rules_;
};

}  // namespace pimento::tdfg::egraph
