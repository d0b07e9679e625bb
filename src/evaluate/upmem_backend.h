// UPMEM as an evaluation target: measured programs, the DPU engine and the host's transfers behind the Backend
// interface.
#pragma once

#include "pimento/evaluate/backend.h"

namespace pimento::evaluate {

const Backend &upmemBackend();

}  // namespace pimento::evaluate
