// What the host moves and computes around a device run. Counted by lowerings, priced by price.h.
#pragma once

#include <cstdint>

#include "pimento/base/integer.h"
#include "pimento/base/units.h"

namespace pimento::evaluate {

struct HostWork {
  Bytes placed, readBack;             ///< operands written into banks, results read back; padding included
  Bytes rearrangedIn, rearrangedOut;  ///< of these, what the host gathers or scatters on the way
  std::int64_t merges = 0;            ///< additions of partial results
  /// Constants of the graph, placed before the first run and kept; not part of the above.
  Bytes placedOnce, rearrangedOnce;

  /// Devices of many units whose memories the host addresses one by one (DPUs); no units: the host has one device.
  /// What is neither broadcast nor serial moves to or from all units at once, equally much each.
  std::int64_t dpus = 0;
  std::int64_t ranks = 0;  ///< instances of the outermost level at work, of any device of many units
  std::int64_t launches = 0;
  Bytes broadcast;                             ///< of `placed`: one copy for all, counted for each unit
  Bytes serialPlaced, serialReadBack;          ///< of `placed` and `readBack`: unit after unit
  std::int64_t placeCalls = 0, readCalls = 0;  ///< calls of the host's library that do so

  /// Operands of so many bytes in one call, of which some are gathered; `isConstant`: of the graph.
  void place(std::int64_t bytes, std::int64_t gathered, bool isConstant = false) {
    if (!isConstant && bytes > 0) ++placeCalls;
    add(isConstant ? placedOnce : placed, bytes);
    add(isConstant ? rearrangedOnce : rearrangedIn, gathered);
  }
  /// Results in one call, of which some are scattered.
  void read(std::int64_t bytes, std::int64_t scattered) {
    if (bytes > 0) ++readCalls;
    add(readBack, bytes);
    add(rearrangedOut, scattered);
  }
  static void add(Bytes &to, std::int64_t bytes) { to = Bytes(addSaturated(to.value, bytes)); }

  bool operator==(const HostWork &) const = default;
};

}  // namespace pimento::evaluate
