// How much of its share a tasklet has in WRAM at a time. Internal to compiled/.
#pragma once

#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

/// Sets the tiles and all that follows from them: from the least that is possible, the dim grows whose doubling saves
/// most transfers and loop overhead, as long as it fits WRAM. `buffer` > 0: the most points of the innermost dim.
/// Diagnostics: capacity (WRAM).
Status chooseTiles(Scheme &scheme, const machine::Machine &machine, std::int64_t buffer);

}  // namespace pimento::targets::upmem::compiled
