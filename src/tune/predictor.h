// Which mappings cost least, learned from exact runs (DCC, section 4.4): gradient-boosted trees over numbers of kernel,
// mapping and machine (features.h).
//
// The trees give the base-2 logarithm of what a run costs in all, moving of operands included, per point of the kernel.
// One predictor serves any number of kernels and machines: of the machines' numbers it has those that differ among the
// machines it has seen. What it was taught stays with it, so that it can be taught more later.
//
// A file (.predictor): a sealed header (base/sealed.h), the size of what follows, and that, CBOR compressed by zstd.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/evaluate/choices.h"
#include "pimento/evaluate/cost.h"
#include "pimento/mapping/mapping.h"
#include "pimento/tune/boosted_trees.h"

namespace pimento::tune {

struct Problem;

/// A mapping and what it costs, by a run.
struct Draft {
  mapping::Mapping mapping;
  evaluate::Cost cost;
};

class Predictor {
 public:
  /// Diagnostics: unreadable-file, predictor-corrupt, predictor-version (of another version of the format),
  /// predictor-features (trained on other features), those of BoostedTrees.
  static Result<Predictor> read(const std::string &path);
  /// Replaces the file in one step. Diagnostic: unwritable-file.
  Status write(const std::string &path) const;

  /// Whether it was taught drafts of this kernel on this machine, in this size or in another.
  bool knows(const Problem &problem) const;
  /// Takes in drafts of a problem. What was fitted stays until fit() or refine().
  void learn(const Problem &problem, std::span<const Draft> drafts);
  /// Fits trees for an objective to all that was learned. Diagnostics: those of BoostedTrees.
  Status fit(evaluate::Objective objective);
  /// Adds trees for what was learned since; fits where there are none, or where a machine has come.
  Status refine(evaluate::Objective objective);
  bool isFitted(evaluate::Objective objective) const { return trees_.contains(objective); }

  /// What each mapping costs by the trees for the objective, in its unit (cycles, pJ).
  Result<std::vector<double>> predict(const Problem &problem, std::span<const mapping::Mapping> mappings,
                                      evaluate::Objective objective, int jobs) const;

  std::int64_t drafts() const;  ///< that it was taught
  std::int64_t shapes() const;  ///< kernels in a size, each on a machine
  /// Eight hexadecimal digits: predictors with equal ones predict the same.
  std::string version() const;

 private:
  struct SeenMachine {
    std::string name, identity;
    std::map<std::string, double> numbers;  ///< by path
  };
  /// What one shape taught.
  struct Lesson {
    std::string family;  ///< of kernel and machine, whatever the size
    std::string shape;
    std::size_t machine = 0;
    double points = 1;
    Table features;
    std::vector<evaluate::Cost> costs;
  };

  std::string content() const;
  Status takeUp(const std::string &content, const std::string &path);
  void findPaths();
  void appendMachine(const std::map<std::string, double> &numbers, std::vector<float> &row) const;
  Table rows() const;
  std::vector<float> labels(evaluate::Objective objective) const;

  std::vector<SeenMachine> machines_;
  std::vector<Lesson> lessons_;
  std::vector<std::string> paths_;  ///< numbers of machines among the features
  std::map<evaluate::Objective, BoostedTrees> trees_;
  mutable std::string version_;  ///< empty: not asked for since it was changed
};

}  // namespace pimento::tune
