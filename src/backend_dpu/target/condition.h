// Conditions as operands of instructions: comparisons of two values, tests of a result, and "always".
#pragma once

#include <cstdint>

#include "llvm/CodeGen/ISDOpcodes.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm::dpu {

enum class Condition : std::int64_t {
  kEq,
  kNeq,
  kLtu,
  kGeu,
  kLeu,
  kGtu,
  kLts,
  kGes,
  kLes,
  kGts,
  // with the Z flag of the instruction before: 64-bit comparisons
  kXz,
  kXnz,
  kXleu,
  kXgtu,
  kXles,
  kXgts,
  // tests of a result
  kZ,
  kNz,
  kPl,
  kMi,
  kTrue,
};

/// "eq" "neq" "ltu" ...
const char *name(Condition c);
/// The comparisons alone.
Condition opposite(Condition c);
/// y c x where x c y was meant.
Condition swapped(Condition c);
Condition of(ISD::CondCode code);
/// What the second of two subtractions has to test.
Condition wide(Condition c);

}  // namespace llvm::dpu
