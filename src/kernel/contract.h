// Temporaries of a loop's rounds that need no element for every round.
#pragma once

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Takes an index away from every temporary that all its kernels, in one loop, index with the loop's counter there
/// (array contraction): a round reads what it stored itself. Rounds that differed in nothing else are alike after it.
/// Temporaries that kernels accumulate in stay as they are, since each element starts from the identity.
void contractTemporaries(Graph &graph);

}  // namespace pimento::kernel
