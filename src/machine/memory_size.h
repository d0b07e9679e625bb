// How much DRAM a machine has.
#pragma once

#include "pimento/base/integer.h"
#include "pimento/machine/machine.h"

namespace pimento::machine {

/// All channels of its section `organization`, which it has.
inline Bytes memoryOf(const Machine &machine) {
  const Organization &o = machine.dram->organization;
  std::int64_t bytes = o.burst.value;
  for (const std::int64_t n : {o.channels, o.ranks, o.banks(), o.rows, o.columns}) bytes = multiplySaturated(bytes, n);
  return Bytes(bytes);
}

}  // namespace pimento::machine
