// Functions of math.h that nest/math_ops.h defines, on numbers: what native code of a C file calls in their place, so
// that a kernel and its text agree bit for bit. Tests compare them with the system's own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimento::frontend {

/// What native code calls for `name`: "pimento_sin".
std::string definedName(std::string_view name);

/// Names of math.h and the functions, of double or, with an f behind the name, float.
const std::vector<std::pair<std::string, void *>> &definedFunctions();

}  // namespace pimento::frontend
