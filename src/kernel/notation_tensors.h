// The tensors of index notation: their types, shapes and roles, from all references to them. Internal to the room.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/notation_index.h"
#include "pimento/kernel/notation_parser.h"

namespace pimento::kernel {

class NotationTensors {
 public:
  /// Tensors are added to `graph`, whose loops are complete up to the statement.
  NotationTensors(const SyntaxTree &tree, const Sizes &sizes, DType type, const std::string &file, Graph &graph)
      : tree_(tree), sizes_(sizes), type_(type), file_(file), graph_(graph) {}

  /// Before any add(): index tensors below node `n`.
  void findIndexTensors(int n);
  /// `tensor` has type i32.
  void markAsIndex(const std::string &tensor) { indexTensors_.insert(tensor); }
  /// A reference by a statement over `dims`, where `guards` are >= 0; the reads of a statement come before its write.
  /// Diagnostics (failure()): duplicate-name, rank-mismatch, too-large, negative-index, unknown-extent.
  void add(const TensorReference &reference, const std::vector<Dim> &dims, const std::vector<Affine> &guards);
  /// Once all statements are in.
  void assignRoles();

  /// Of index `dim`, from a tensor of an earlier statement.
  std::optional<std::int64_t> extentAlong(int dim, const StatementIndices &indices) const;
  const Places &places() const { return places_; }
  const std::set<std::string> &usedSizes() const { return usedSizes_; }
  const std::optional<Diagnostic> &failure() const { return failure_; }

 private:
  struct Uses {
    bool isReadBeforeWritten = false, isWritten = false, isReadAfterWritten = false;
  };

  const SyntaxNode &node(int n) const { return tree_.nodes[static_cast<std::size_t>(n)]; }
  void fail(std::string code, const TensorReference &at, const std::string &message, std::string hint);
  std::int64_t extentFromData(const TensorReference &reference, std::size_t i);
  void use(int t, bool isWrite);

  const SyntaxTree &tree_;
  const Sizes &sizes_;
  DType type_;
  const std::string &file_;
  Graph &graph_;
  Places places_;
  std::vector<Uses> uses_;
  std::set<std::string> usedSizes_, indexTensors_;
  std::optional<Diagnostic> failure_;
};

}  // namespace pimento::kernel
