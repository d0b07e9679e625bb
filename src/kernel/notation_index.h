// The indices of one statement: their names, where they occur, and every tensor reference in affine form. Internal to
// the room.
#pragma once

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
};

class StatementIndices {
 public:
  /// Diagnostics (failure()): non-affine-index, too-large.
  StatementIndices(const SyntaxTree &tree, const Statement &statement, const std::string &file);

  const std::optional<Diagnostic> &failure() const { return failure_; }
  /// Left side first, then in order of appearance.
  const std::vector<IndexName> &names() const { return names_; }
  /// Reads in order of appearance, then the target.
  const std::vector<TensorReference> &references() const { return references_; }
  const TensorReference &target() const { return references_.back(); }
  /// Number of the index called `name`, or -1.
  int find(const std::string &name) const;

 private:
  const SyntaxNode &node(int n) const { return tree_.nodes[static_cast<std::size_t>(n)]; }
  void fail(const char *code, const SyntaxNode &at, const std::string &message, std::string hint);
  void collectNames(int n, bool isInBrackets, bool isOnLeft);
  void collectReferences(int n, bool isTarget);
  Affine affine(int n);
  Affine combine(const SyntaxNode &at, const Affine &a, std::int64_t factorA, const Affine &b, std::int64_t factorB);
  Affine product(const SyntaxNode &at, const Affine &a, const Affine &b);
  Affine number(const SyntaxNode &at);
  Affine zero() const { return {std::vector<std::int64_t>(names_.size(), 0), 0}; }

  const SyntaxTree &tree_;
  const std::string &file_;
  std::vector<IndexName> names_;
  std::vector<TensorReference> references_;
  std::optional<Diagnostic> failure_;
};

}  // namespace pimento::kernel
