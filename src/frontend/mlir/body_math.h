// Scalar ops that kernel::Op does not have, made of those it has. Internal to the MLIR front end.
//
// floor, ceil, trunc, round, roundeven, copysign and divisions that round down or up are exact; nest/math_ops.h defines
// the functions that C has, too. powf with an exponent that is no constant of up to 16 uses exp and log of its type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/frontend/mlir/body.h"

namespace pimento::frontend {

/// Whether `name` is such an op.
bool isComposedOp(std::string_view name);

/// Appends what the op is made of. `exponent`: the second argument, where it is a constant.
int compose(ScalarSink &sink, std::string_view name, const std::vector<int> &arguments, std::optional<double> exponent);

/// Names of all of them, for hints.
std::string composedOps();

}  // namespace pimento::frontend
