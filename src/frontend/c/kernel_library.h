// Functions of math.h made of kernel operations. Internal to the C front end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/frontend/nest/expression.h"

namespace pimento::frontend {

/// A call with arguments of the type it computes in; -1: no such function, or not that number of arguments. Results of
/// floor, ceil, trunc, round, rint and fmod are C's; pow is native/library.h's; exp, log and tanh are kernel::Op's.
int libraryCall(ExpressionPool &pool, std::string_view name, DType type, const std::vector<int> &arguments);

/// "exp log sqrt ...": what libraryCall() knows, for hints.
std::string libraryNames();

}  // namespace pimento::frontend
