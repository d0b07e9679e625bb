// The machine code of a DPU program as text (`compile --emit asm`): instructions with their numbers, under the names of
// the functions they belong to.
#pragma once

#include <string>

#include "pimento/program/code.h"

namespace pimento::dpu {

/// Every line of code can be assembled again; numbers and names of call targets stand in comments.
std::string listing(const program::Code &code);

}  // namespace pimento::dpu
