// What a long kernel takes, from pieces of its outermost loop.
//
// The loop is cut into a beginning, which is simulated as it is (caches are empty there), and strata of equal length,
// of each of which one piece stands. A piece costs what a stretch with a warm-up before it takes beyond the warm-up
// alone; both are simulated from empty caches, with caches that compute. Not here: running programs (kernel.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "pimento/base/diagnostics.h"
#include "pimento/targets/cim/counts.h"

namespace pimento::targets::cim {

/// Of a run, or of a part of one.
struct Measured {
  double cycles = 0;
  std::array<double, kRows> counts{};
};

inline constexpr double kLevel = 0.99;

/// In iterations of the outermost loop. No pieces: it is short, and runs as a whole.
struct Sampled {
  std::int64_t warmUp = 0, length = 0;
  int pieces = 0;
};
Sampled planOf(std::int64_t outermost, std::int64_t points);

struct Estimate {
  Measured mean;
  double low = 0, high = 0;  ///< of the cycles, with probability kLevel
  double simulated = 0;      ///< cycles
};

/// `measure`: iterations first..end - 1, from empty caches. `seed` places the pieces. Diagnostics: those of `measure`.
Result<Estimate> estimate(const Sampled &plan, std::int64_t outermost, std::uint64_t seed,
                          const std::function<Result<Measured>(std::int64_t first, std::int64_t end)> &measure);

}  // namespace pimento::targets::cim
