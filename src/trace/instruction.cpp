#include "pimento/trace/instruction.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/diagnostics.h"

namespace pimento::trace {

std::string_view name(Isa isa) {
  constexpr std::string_view kNames[] = {"a32", "t32", "aarch64", "rv64"};
  return kNames[static_cast<std::size_t>(isa)];
}

std::string_view name(Operation operation) {
  constexpr std::string_view kNames[kOperations] = {"add",
                                                    "sub",
                                                    "reverse_sub",
                                                    "add_carry",
                                                    "and",
                                                    "or",
                                                    "xor",
                                                    "and_not",
                                                    "or_not",
                                                    "move",
                                                    "move_not",
                                                    "shift",
                                                    "compare",
                                                    "set_compare",
                                                    "multiply",
                                                    "divide",
                                                    "address",
                                                    "extend",
                                                    "other",
                                                    "load",
                                                    "store",
                                                    "load_store",
                                                    "branch",
                                                    "call",
                                                    "indirect",
                                                    "indirect_call",
                                                    "return",
                                                    "float_add",
                                                    "float_multiply",
                                                    "float_multiply_add",
                                                    "float_divide",
                                                    "float_sqrt",
                                                    "float_other",
                                                    "vector",
                                                    "vector_multiply",
                                                    "system",
                                                    "cim"};
  return kNames[static_cast<std::size_t>(operation)];
}

std::string registerName(Isa isa, Register reg) {
  switch (reg) {
    case kStackPointer:
      return "sp";
    case kFlags:
      return "flags";
    case kFloatStatus:
      return "fpstatus";
    case kOtherRegister:
      return "other";
    default:
      break;
  }
  if (reg >= kFirstAddress && reg < kFirstAddress + kAddressRegisters) return fmt::format("a{}", reg - kFirstAddress);
  const bool isArm32 = isa == Isa::kA32 || isa == Isa::kT32;
  if (reg >= kFirstVector) return fmt::format("{}{}", isArm32 ? "d" : isa == Isa::kA64 ? "v" : "f", reg - kFirstVector);
  return fmt::format("{}{}", isArm32 ? "r" : "x", reg);
}

bool RegisterSet::has(Register r) const {
  return std::find(begin(), end(), r) != end();
}

void RegisterSet::remove(Register r) {
  const auto last = items_.begin() + size_;
  const auto found = std::find(items_.begin(), last, r);
  if (found == last) return;
  std::move(found + 1, last, found);
  --size_;
}

bool RegisterSet::operator==(const RegisterSet &other) const {
  return std::is_permutation(begin(), end(), other.begin(), other.end());
}

}  // namespace pimento::trace
