// From instructions to assembly text. Assembling the text gives the same word back.
#pragma once

#include <string>

#include "pimento/dpu/instruction.h"

namespace pimento::dpu {

/// One line without indentation: "add r5, r5, -1, nz, 12". The form is the instruction's own where it has one that says
/// the same, otherwise the most specific. Branch targets are printed as instruction indices. "<no word>" for an
/// instruction that no word stands for.
std::string print(const Instruction &instruction);

/// As above; targets are printed relative to the instruction's own index where that reads better (". + 2").
std::string print(const Instruction &instruction, std::uint32_t pc);

}  // namespace pimento::dpu
