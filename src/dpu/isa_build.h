// From rows to forms; only isa.cpp calls it.
#pragma once

#include <vector>

#include "pimento/dpu/isa.h"

namespace pimento::dpu {

std::vector<Form> buildForms();

/// Constant bits agree, and the operand fields hold what the form allows.
bool formMatches(const Form &form, std::uint64_t word);

}  // namespace pimento::dpu
