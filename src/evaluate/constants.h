// What `--constant` would change: a note where placing operands takes most of a run.
#pragma once

#include <optional>
#include <string>

#include "pimento/evaluate/evaluator.h"

namespace pimento::evaluate {

/// Where placing inputs takes over half of the time: the inputs that save most if they are placed once, before the
/// first run, and the total with each, in the same mappings.
std::optional<std::string> noteOnConstants(const Request &request, const CompiledGraph &compiled, const Report &report);

}  // namespace pimento::evaluate
