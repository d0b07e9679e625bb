// The transform; `signal` is changed in place. Every level halves, so that sums do not overflow.
#pragma once

#include "common.h"

void transform(sample_t *signal, const factor_t *factors);
