// Index notation: the front end that needs no compiler.
//
//   y[i] += A[i,j] * x[j]
//   y[i] += A[i,j] * x[j]; z[i] = relu(y[i] + b[i])
//   C[i,j] += A[i,k] * B[k,j]        D[i] max= X[i, j]       o[i] = 2.5 * x[2*i + 1] - y[i]
//   s[i] = x[i] > 0 ? x[i] : 0
//
// Statements are separated by ';' (or newlines). Indices are dims; an index that does not occur on the left is a
// reduction and needs
// '+=', '*=', 'min=' or 'max='. Index expressions are affine (integers, +, -, *). A tensor written by an earlier
// statement and read later is a temporary unless it is never read again; all others are inputs. Extents come from
// `sizes`; a dim whose extent no one states is a diagnostic that names it. Functions: relu exp log sqrt tanh abs neg
// min max select and casts by type name (f32(x)).
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
