// What the study's streams of products and attention take at least on AttAcc, before there are programs: their commands
// counted, in the order in which barriers and queues keep them.
//
// Not here: HBM-PIM's streams, and those over two dims, which are soon made.
#pragma once

#include <memory>

#include "pimento/evaluate/target.h"

namespace pimento::targets::near_bank {

/// Null: the part has no such stream on this machine. What the arguments name must outlive it.
std::unique_ptr<evaluate::LeastCosts> leastStreamCosts(const evaluate::GraphPart &part,
                                                       const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
