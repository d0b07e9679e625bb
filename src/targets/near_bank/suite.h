// Points of published cycle models: the study of DCC, and AttAcc's simulator.
#pragma once

#include <vector>

#include "pimento/evaluate/suite.h"

namespace pimento::targets::near_bank {

/// "attacc-published", "hbm-pim-hbm3-published", "attacc".
std::vector<evaluate::Suite> suites();

}  // namespace pimento::targets::near_bank
