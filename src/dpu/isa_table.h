// The rows behind forms(): families of operations against operand patterns. Only isa.cpp reads it.
//
// A row stands for one form per operation and destination.
//   operations    NAME=BITS ...: BITS replace the letters O of the pattern, in order
//   destinations  r register, s stack register, d pair with the extension .s or .u (S, U: only that one), p pair,
//                 z zero, - none
//   operands      in text order. D is the destination. A word behind a colon narrows: registers gpr, const, nonzero,
//                 stack; immediates s17. `*`: either sign. cc(FAMILY) is a condition; with `pc` it branches.
//   pattern       bits 47 to 0. A letter and a number repeat (z0s, y1s). A, L and M begin with the destination field of
//                 arithmetic, logic and loads; with zero as destination its free bits widen the immediate.
//                 E is 1 for .s, 0 for .u; the other letters are fields, most significant bit first, except immediates
//                 (i, o), whose layout is that of field.h that covers the same bits.
#pragma once

#include <span>
#include <string_view>

#include "pimento/dpu/instruction.h"

namespace pimento::dpu {

struct FormRow {
  std::string_view operations, destinations, operands, pattern;
  bool isAlias = false;
};

std::span<const FormRow> formRows();

/// What the mnemonics of forms that are no alias do.
struct Operation {
  std::string_view mnemonic;  ///< without extension
  Op op;
  bool isEstablished = true;
};

std::span<const Operation> operations();

}  // namespace pimento::dpu
