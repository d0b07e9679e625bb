// The right-hand side of one statement as body values, every operation typed. Internal to the room.
//
// Numbers and indices take the type of what they meet; tensors have the type the user chose; casts are calls by type
// name. Nothing is converted silently inside an expression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/builder.h"
#include "pimento/kernel/notation_index.h"
#include "pimento/kernel/notation_parser.h"

namespace pimento::kernel {

class ValueEmitter {
 public:
  ValueEmitter(const SyntaxTree &tree, const StatementIndices &indices, const Graph &graph, DType type,
               const std::string &file, KernelBuilder &builder);

  /// The body value of expression `root`. Diagnostics (failure()): type-mismatch, unknown-function, wrong-arguments,
  /// literal-type, literal-range.
  int run(int root);
  /// Converted to `wanted`.
  int runAs(int root, DType wanted);
  /// Where a reference lies, with the body value of an index from data.
  Access access(const TensorReference &reference);
  const std::optional<Diagnostic> &failure() const { return failure_; }

 private:
  const SyntaxNode &node(int n) const { return tree_.nodes[static_cast<std::size_t>(n)]; }
  int fail(const char *code, const SyntaxNode &at, const std::string &message, std::string hint);

  std::optional<DType> typeOf(int n);
  std::optional<DType> findType(int n);
  std::optional<DType> commonType(const std::vector<int> &operands);
  DType tensorType(const std::string &tensor) const;
  DType typeOr(int n, DType fallback) { return typeOf(n).value_or(fallback); }

  int emit(int n, DType wanted);
  int emitNumber(const SyntaxNode &at, bool isNegative, DType wanted);
  int emitName(int n, DType wanted);
  int emitElement(int n, DType wanted);
  int emitUnary(int n, DType wanted);
  int emitBinary(int n, DType wanted);
  int emitChoice(const SyntaxNode &at, int condition, int yes, int no, DType wanted);
  int emitCall(int n, DType wanted);
  int mismatch(const SyntaxNode &at, DType given, DType wanted);

  const SyntaxTree &tree_;
  const StatementIndices &indices_;
  const Graph &graph_;
  DType type_;
  const std::string &file_;
  KernelBuilder &builder_;
  std::vector<std::optional<std::optional<DType>>> types_;  ///< by node, once found
  std::optional<Diagnostic> failure_;
};

}  // namespace pimento::kernel
