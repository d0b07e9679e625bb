// Scalar ops that kernel::Op does not have, made of those it has. Internal to the MLIR front end.
//
// floor, ceil, trunc, round, roundeven, copysign and divisions that round down or up are exact. rsqrt is 1 / sqrt. erf,
// sin and cos are computed in double precision (to 1e-12) and rounded once; the exp in erf is of the op's own type, as
// are exp and log in exp2, expm1, log1p, log2, log10 and powf with an exponent that is no constant of up to 16. fma
// rounds once from double precision, in f64 twice.
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
