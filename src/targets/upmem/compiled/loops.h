// The loops over a tile's points, as C text. Internal to compiled/.
#pragma once

#include "pimento/targets/upmem/compiled/context.h"

namespace pimento::targets::upmem::compiled {

/// Writes the loops over the points of a tile, with what happens at each (point.h).
void writeLoops(Context &context);

}  // namespace pimento::targets::upmem::compiled
