// What programs of products take at least, before there are programs: columns that the weights are moved by, and that
// are multiplied.
#pragma once

#include <memory>

#include "pimento/evaluate/target.h"

namespace pimento::targets::near_bank {

/// Null: the part is no product. What the arguments name must outlive it.
std::unique_ptr<evaluate::LeastCosts> leastProductCosts(const evaluate::GraphPart &part,
                                                        const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
