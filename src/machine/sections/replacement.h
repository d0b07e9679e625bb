// Words of machine files for machine::Replacement, of private caches and of the shared one.
#pragma once

#include "pimento/machine/sections/core.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

inline constexpr Word<Replacement> kReplacements[] = {{"lru", Replacement::kLru},
                                                      {"bimodal-rrip", Replacement::kBimodalRrip}};

}  // namespace pimento::machine
