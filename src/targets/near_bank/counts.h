// What runs of near-bank devices count: their commands by name, and what the controller did on its own.
#pragma once

#include "pimento/targets/dram/counts.h"

namespace pimento::targets::near_bank {

const evaluate::CountTable &countTable();
const dram::Counting &counting();

}  // namespace pimento::targets::near_bank
