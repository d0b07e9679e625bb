// What is refused before MLIR's parser sees it: texts on which the parser itself would run out of stack or time.
//
// Not a syntax check. MLIR 19's parser recurses in nested types, attributes, affine sums and aliases of aliases (a sum
// of 200,000 terms or 20,000 chained aliases end it by a stack overflow), and takes quadratic time in the digits of a
// number. Its other failures come back as diagnostics.
#pragma once

#include <cstddef>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;
inline constexpr int kMaxNesting = 200;
inline constexpr int kMaxTerms = 1000;
inline constexpr int kMaxAliases = 1000;
inline constexpr int kMaxWord = 1000;

/// Refuses texts that are too long, too deeply nested, or not text (MLIR bytecode).
Status screenText(std::string_view text, std::string_view file);

}  // namespace pimento::frontend
