// The indices of one statement: their names, where they occur, and every tensor reference in affine form. Internal to
// the room.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/kernel/notation_parser.h"

namespace pimento::kernel {

/// A name inside brackets.
struct IndexName {
  std::string name;
  bool isOnLeft = false;
  int line = 1, column = 1;  ///< first occurrence
};

/// A use of a tensor. `index` has one coefficient per index name of the statement.
struct TensorReference {
  int node = -1;
  std::string name;
  bool isTarget = false;
  std::vector<Affine> index;
  int indirectAt = -1;    ///< which index comes from data
  int indirectNode = -1;  ///< its expression
};

/// An index with bounds of which one reads data; -1: that one is a guard, or there is none.
struct IndexBounds {
  int name = -1;
  int low = -1, high = -1;  ///< nodes
};

/// A loop around statements. The counter's name stands for `start` + the number of the round.
struct Counter {
  std::string name;
  std::int64_t start = 0;
};

class StatementIndices {
 public:
  /// `counters` come first among the names. `numbers`: what other names stand for outside brackets. Diagnostics
  /// (failure()): non-affine-index, too-large.
  StatementIndices(const SyntaxTree &tree, const Statement &statement, const std::string &file,
                   const std::vector<Counter> &counters, const std::map<std::string, std::int64_t> &numbers);

  const std::optional<Diagnostic> &failure() const { return failure_; }
  /// What bounds hang on first, then the left side, then in order of appearance.
  const std::vector<IndexName> &names() const { return names_; }
  /// Reads in order of appearance, then the target.
  const std::vector<TensorReference> &references() const { return references_; }
  const TensorReference &target() const { return references_.back(); }
  /// The use at a node of the tree.
  const TensorReference &at(int node) const;
  /// Forms that are >= 0 where the statement's conditions hold.
  const std::vector<Affine> &guards() const { return guards_; }
  const std::vector<IndexBounds> &bounds() const { return bounds_; }
  /// What a name's value is more than its dim's.
  std::int64_t startOf(int name) const;
  /// A sum of counters and numbers.
  Affine bound(int node);
  /// Number of the index called `name`, or -1.
  int find(const std::string &name) const;

 private:
  const SyntaxNode &node(int n) const { return tree_.nodes[static_cast<std::size_t>(n)]; }
  void fail(const char *code, const SyntaxNode &at, const std::string &message, std::string hint);
  void collectNames(int n, bool isInBrackets, bool isOnLeft);
  void collectReferences(int n, bool isTarget);
  void collectGuard(int n);
  void collectRange(const Statement::Range &range);
  bool dependsOnData(int n) const;
  Affine affine(int n);
  Affine combine(const SyntaxNode &at, const Affine &a, std::int64_t factorA, const Affine &b, std::int64_t factorB);
  Affine product(const SyntaxNode &at, const Affine &a, const Affine &b);
  Affine number(const SyntaxNode &at);
  Affine zero() const { return {std::vector<std::int64_t>(names_.size(), 0), 0}; }

  const SyntaxTree &tree_;
  const std::string &file_;
  const std::vector<Counter> &counters_;
  const std::map<std::string, std::int64_t> &numbers_;
  std::vector<Affine> guards_;
  std::vector<IndexBounds> bounds_;
  std::vector<IndexName> names_;
  std::vector<TensorReference> references_;
  std::optional<Diagnostic> failure_;
};

}  // namespace pimento::kernel
