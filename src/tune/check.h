// The last step of a search: mappings it calls best, run command by command on data and compared with the interpreter.
#pragma once

#include <optional>
#include <string>

#include "pimento/kernel/data.h"
#include "pimento/tune/problem.h"

namespace pimento::tune {

/// Runs `mapping` on data and compares every output bit for bit. Its cycles must be those that were estimated.
/// Diagnostics: wrong-answer, wrong-cycles (both bugs of ours).
Status check(const Problem &problem, const std::string &mapping, Cycles estimated, const kernel::DataSpec &data);

/// A bug of ours: a mapping takes another time command by command than by fast-forward.
Diagnostic wrongCycles(const std::string &mapping, Cycles estimated, Cycles simulated);

/// What checking one mapping takes: points to compute, bytes of operands. Saturated.
struct CheckSize {
  std::int64_t points = 0;
  Bytes bytes;
};
CheckSize checkSize(const Problem &problem);

/// Above these a mapping is not checked unless asked for: about a minute, and memory that a small machine has.
inline constexpr std::int64_t kMostCheckedPoints = std::int64_t{1} << 28;
inline constexpr Bytes kMostCheckedBytes{std::int64_t{1} << 30};

}  // namespace pimento::tune
