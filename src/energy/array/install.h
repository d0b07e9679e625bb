// Prices a machine's caches by a set of arrays and a cell, in place of what its file says.
//
// Not here: what the arrays take (cost.h), and what the caches do (actions "l1d.read", "l2.cim_add": counted
// elsewhere).
#pragma once

#include "pimento/base/diagnostics.h"
#include "pimento/energy/array/cell.h"
#include "pimento/energy/array/set.h"
#include "pimento/machine/machine.h"

namespace pimento::energy::array {

/// Of the caches on the way of data, as far as the set says: reads, writes, operations, and leakage as a background
/// term. A load pays for the word that it reads where the set tells words from lines, operations for the rows that they
/// open, caches behind the first one for lines. `plain`: the cell that the machine's latencies are of; another one
/// makes a cache's hits longer by what its arrays take longer to read (where the set has latencies), and keeps its
/// banks for the pulse of a write. Diagnostics: those of cost(); warnings of extrapolated arrays join the machine's
/// notes.
Status install(machine::Machine &machine, const Set &set, const Cell &cell, const Cell &plain);

}  // namespace pimento::energy::array
