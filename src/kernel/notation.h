// Index notation: the front end that needs no compiler.
//
//   y[i] += A[i,j] * x[j]
//   y[i] += A[i,j] * x[j]; z[i] = relu(y[i] + b[i])
//   C[i,j] += A[i,k] * B[k,j]        D[i] max= X[i, j]       o[i] = 2.5 * x[2*i + 1] - y[i]
//   s[i] = x[i] > 0 ? x[i] : 0
//
//   y[i] = x[p[i]]; n[p[i],j] += x[i,j]                  one index of an element may come from data (p holds i32)
//   A[i,j] = A[i,j] - f[i] * A[k,j] where i > k, j >= k  points that run: comparisons of sums of indices
//   y[i] += v[e] * x[c[e]] for e in p[i]..p[i+1]         an index that data bound: the rows of a sparse matrix
//   m[i] min= x[i,j] with b[i] = j                       a minimum with its index; the first of equals wins
//   o[i] append= x[i,j] if x[i,j] > 0 count n[i] limit 8 a selection per row, its counts, and at most so many
//   for t in 0..10 { b[i] = a[i-1] + a[i] where i >= 1; swap a, b }
//
// A loop runs its statements in rounds; its bounds are sums of outer counters, numbers and sizes, and its counter is an
// index of every statement in it. After a round `swap` exchanges the names of two tensors. How large a tensor is that
// data index, a size says (x=100; of several dimensions x_1=100 for the first).
//
// Statements are separated by ';' (or newlines); '#' starts a comment. Indices are dims; an index that does not occur
// on the left is a reduction and needs '+=', '*=', 'min=' or 'max='. Index expressions are affine (integers, +, -, *).
// A tensor that is only read is an input; read first and written later, an in-out; written by one statement and read by
// a later one, a temporary; else an output. A statement that reads its own target at another element is sequential
// (y[i+1] = y[i] + x[i]) in the indices where that makes a difference; x[2*i+1] = x[2*i] is not. A name without
// brackets is the value of that index if the statement has one, else a tensor without dimensions. Extents come from
// `sizes`; a dim whose extent no one states (nor an earlier statement's tensor) is a diagnostic that names it.
// Operators, tightest first: unary - and +; * / %; + -; << >>; &; ^; |; comparisons;
// ?: (as in Python). Functions: relu exp log sqrt tanh abs neg min max select, and casts by type name (f32(x)).
// Numbers take the type of what they meet; nothing else is converted silently, except that a stored value is rounded
// to the tensor's type.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "pimento/kernel/kernel.h"
#include "pimento/kernel/zoo.h"

namespace pimento::kernel {

struct SyntaxTree;

/// Statements that have been parsed, in which sizes are still names. Several threads may bind one at once.
class Notation {
 public:
  /// Diagnostics: unexpected-character, syntax, too-deep, empty-notation, with line and column within `text`; `file`
  /// names the text in them ("<notation>" by convention).
  static Result<Notation> parse(std::string_view text, std::string_view file = "<notation>");

  /// The verified Graph at these sizes, whose tensors have element type `type`.
  Result<Graph> bind(const Sizes &sizes, DType type) const;

 private:
  Notation(std::shared_ptr<const SyntaxTree> tree, std::string file) : tree_(std::move(tree)), file_(std::move(file)) {}

  std::shared_ptr<const SyntaxTree> tree_;
  std::string file_;
};

/// Notation::parse() and bind().
Result<Graph> parseNotation(std::string_view text, const Sizes &sizes, DType type,
                            std::string_view file = "<notation>");

}  // namespace pimento::kernel
