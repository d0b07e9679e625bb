// What the host moves and computes around a device run. Counted by lowerings, priced by `evaluate`.
#pragma once

#include <cstdint>

#include "pimento/base/units.h"

namespace pimento::lower {

struct HostWork {
  Bytes placed, readBack;             ///< operands written into banks, results read back; padding included
  Bytes rearrangedIn, rearrangedOut;  ///< of these, what the host gathers or scatters on the way
  std::int64_t merges = 0;            ///< additions of partial results
  /// Constants of the graph, placed before the first run and kept; not part of the above.
  Bytes placedOnce, rearrangedOnce;

  bool operator==(const HostWork &) const = default;
};

}  // namespace pimento::lower
