// Routines of the run-time library that take as many slots as another library's, for programs whose times shall be
// those of another compiler (`upmem-cc --like=vendor`).
//
// Ours compute the result; before them a loop waits. A call takes what its own slots vary by around their mean, so mean
// times of many calls are those asked for. Routines in assembly say their mean: an absolute symbol slots.NAME, the call
// included (on normal numbers; integers: where the routine's file says).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/dpu/object.h"

namespace pimento::dpu {

inline constexpr std::string_view kSlotsPrefix = "slots.";

struct RoutineCost {
  std::string name;
  double slots = 0;  ///< of a call, itself included
};

/// What the library says of its routines.
std::vector<RoutineCost> libraryCosts();

struct PaddedRoutines {
  std::vector<Object> objects;     ///< each defines __wrap_NAME, which goes on in __real_NAME
  std::vector<std::string> names;  ///< for LinkOptions::wrapped
};

/// Of those of `costs` that take longer than ours; a routine that says nothing of itself stays as it is.
PaddedRoutines paddedRoutines(const std::vector<RoutineCost> &costs);

}  // namespace pimento::dpu
