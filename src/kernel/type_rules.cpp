#include "pimento/kernel/type_rules.h"

#include <fmt/format.h>

#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

namespace {

using Kind = TypeFault::Kind;

std::optional<TypeFault> argumentFault(int argument, DType given, DType wanted) {
  if (given == wanted) return std::nullopt;
  return TypeFault{Kind::kArgument, argument, given, wanted};
}

std::optional<TypeFault> kindFault(DType type, bool wantsFloat) {
  if (isFloat(type) == wantsFloat) return std::nullopt;
  return TypeFault{Kind::kOperation, -1, type, type};
}

}  // namespace

std::optional<TypeFault> typeFault(Op op, DType type, const std::array<DType, 3> &arguments) {
  if (op == Op::kConstant || op == Op::kLoad || op == Op::kCast) return std::nullopt;
  if (op == Op::kIndex) return kindFault(type, false);
  if (op == Op::kSelect) {
    if (const auto fault = kindFault(arguments[0], false)) return fault;
    const auto fault = argumentFault(1, arguments[1], type);
    return fault ? fault : argumentFault(2, arguments[2], type);
  }
  if (isComparison(op)) {
    if (type != DType::kU8) return TypeFault{Kind::kResult, -1, type, DType::kU8};
    return argumentFault(1, arguments[1], arguments[0]);
  }
  for (int a = 0; a < argumentCount(op); ++a)
    if (const auto fault = argumentFault(a, arguments[static_cast<std::size_t>(a)], type)) return fault;
  const bool isBitwise = op >= Op::kAnd && op <= Op::kShr;
  const bool isFloatOnly = op >= Op::kExp && op <= Op::kTanh;
  if (isBitwise || isFloatOnly) return kindFault(type, isFloatOnly);
  return std::nullopt;
}

std::string describe(const TypeFault &fault, Op op, std::string_view self, std::string_view argument) {
  switch (fault.kind) {
    case Kind::kArgument:
      return fmt::format("{} ({}) needs {} but {} is {}", self, name(op), name(fault.wanted), argument,
                         name(fault.given));
    case Kind::kOperation:
      return fmt::format("{} ({}) is not defined on {}", self, name(op), name(fault.given));
    case Kind::kResult:
      return fmt::format("{} ({}) has type {}", self, name(op), name(fault.given));
  }
  return {};
}

std::string hintOf(const TypeFault &fault) {
  switch (fault.kind) {
    case Kind::kArgument:
      return "add a cast";
    case Kind::kOperation:
      return isFloat(fault.given) ? "use an integer type" : "use a floating type";
    case Kind::kResult:
      return "comparisons produce u8";
  }
  return {};
}

}  // namespace pimento::kernel
