// Layout hints of a region: along which dims its arrays move, are repeated and are summed. Internal to the room.
#pragma once

#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Sets `region.hints` from its graph.
void addHints(const Program &program, Region &region);

}  // namespace pimento::tdfg
