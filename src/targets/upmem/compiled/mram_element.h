// Elements that the loops reach one by one in MRAM, as C text: what lies where data, or points by more than a constant
// apart, say. Internal to compiled/.
#pragma once

#include <string>

#include "pimento/targets/upmem/compiled/context.h"

namespace pimento::targets::upmem::compiled {

/// Reads the 8 bytes around an element, or its line (Operand::line), into b_NAME; eTAG points to it there. m_NAME is
/// the operand's array. With a mram_write of b_NAME to uTAG it goes back.
void fetchElement(Context &context, const kernel::Access &access, const Reference &r, const std::string &tag);

}  // namespace pimento::targets::upmem::compiled
