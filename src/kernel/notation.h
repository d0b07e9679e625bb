// Index notation: the front end that needs no compiler.
//
//   y[i] += A[i,j] * x[j]
//   y[i] += A[i,j] * x[j]; z[i] = relu(y[i] + b[i])
//   C[i,j] += A[i,k] * B[k,j]        D[i] max= X[i, j]       o[i] = 2.5 * x[2*i + 1] - y[i]
//   s[i] = x[i] > 0 ? x[i] : 0
//
// Statements are separated by ';' (or newlines); '#' starts a comment. Indices are dims; an index that does not occur
// on the left is a reduction and needs '+=', '*=', 'min=' or 'max='. Index expressions are affine (integers, +, -, *).
// A tensor that is only read is an input; read first and written later, an in-out; written by one statement and read by
// a later one, a temporary; else an output. A statement that reads its own target at another element is sequential
// (y[i+1] = y[i] + x[i]). A name without brackets is the value of that index if the statement has one, else a tensor
// without dimensions. Extents come from `sizes`; a dim whose extent no one states (nor an earlier statement's tensor)
// is a diagnostic that names it. Operators, tightest first: unary - and +; * / %; + -; << >>; &; ^; |; comparisons;
// ?: (as in Python). Functions: relu exp log sqrt tanh abs neg min max select, and casts by type name (f32(x)).
// Numbers take the type of what they meet; nothing else is converted silently, except that a stored value is rounded
// to the tensor's type.
#pragma once

#include <string_view>

#include "pimento/kernel/kernel.h"
#include "pimento/kernel/zoo.h"

namespace pimento::kernel {

/// Parses `text` into a verified Graph whose tensors have element type `type`. Errors carry line and column within
/// `text`; `file` names the text in them ("<notation>" by convention).
Result<Graph> parseNotation(std::string_view text, const Sizes &sizes, DType type,
                            std::string_view file = "<notation>");

}  // namespace pimento::kernel
