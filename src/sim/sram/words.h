// The executor that computes whole elements (executor.h).
#pragma once

#include <memory>

#include "pimento/sim/sram/executor.h"

namespace pimento::sim::sram {

std::unique_ptr<Executor> makeWordExecutor(const LatticeShape &shape);

}  // namespace pimento::sim::sram
