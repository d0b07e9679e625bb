// Which types an operation takes and gives: one rule for kernels, streams and tensor graphs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// What is wrong with the types of an operation.
struct TypeFault {
  enum class Kind : std::uint8_t {
    kArgument,   ///< argument number `argument` must be of type `wanted`
    kOperation,  ///< the operation is not defined on `given`, but on types of the other kind
    kResult,     ///< a comparison gives u8
  };
  Kind kind = Kind::kArgument;
  int argument = -1;
  DType given = DType::kF32, wanted = DType::kF32;
};

/// The first fault of `op` with result `type` and arguments of types `arguments` (argumentCount(op) count); nothing:
/// none. What loads, and where constants come from, is the caller's affair.
std::optional<TypeFault> typeFault(Op op, DType type, const std::array<DType, 3> &arguments);

/// "%2 (add) needs f32 but %1 is f16": `self` and `argument` are what the two values are called.
std::string describe(const TypeFault &fault, Op op, std::string_view self, std::string_view argument);
/// What to do about it.
std::string hintOf(const TypeFault &fault);

}  // namespace pimento::kernel
