// built_ins.h of UPMEM's C interface: a macro for every form of every instruction, as its public documentation names
// them: __builtin_, the instruction, and a letter per operand: r register, s stack-checked register, i immediate or
// target, k read-only register, c condition, e byte order, z the register zero, f the condition "false".
//
// r and s operands are C expressions (variables where the instruction writes them), z and f take none, all others are
// string literals: __builtin_lsl_add_rrri(r, a, b, "4"), __builtin_nop_(). Made of the table of forms (isa.h).
#pragma once

#include <string>

namespace pimento::dpu {

/// The header's text.
const std::string &builtInsHeader();

}  // namespace pimento::dpu
