// `validate hbm-pim`: cycles of the vendor's public simulator, replayed.
#pragma once

#include "pimento/evaluate/suite.h"

namespace pimento::targets::hbm_pim {

evaluate::Suite suite();

}  // namespace pimento::targets::hbm_pim
