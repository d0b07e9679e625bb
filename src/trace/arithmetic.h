// What the operations compute that caches may have.
#pragma once

#include <cstdint>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/instruction.h"

namespace pimento::trace {

/// Of two operands, in the order of the instruction; the caller takes the bits that its width has.
inline std::uint64_t resultOf(Operation operation, std::uint64_t first, std::uint64_t second) {
  switch (operation) {
    case Operation::kAdd:
      return first + second;
    case Operation::kSub:
      return first - second;
    case Operation::kReverseSub:
      return second - first;
    case Operation::kAnd:
      return first & second;
    case Operation::kOr:
      return first | second;
    case Operation::kXor:
      return first ^ second;
    case Operation::kAndNot:
      return first & ~second;
    case Operation::kOrNot:
      return first | ~second;
    default:
      PIMENTO_CHECK(!"an operation that no cache has");
      return 0;
  }
}

}  // namespace pimento::trace
