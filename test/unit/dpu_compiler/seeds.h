// Which random programs a run tries, and at which levels of optimisation.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace pimento::test {

inline std::int64_t numberOr(const char *variable, std::int64_t usual) {
  const char *text = std::getenv(variable);
  return text != nullptr ? std::atoll(text) : usual;
}

/// Where there are many programs, or just one, every level; else each program at one, in turn.
inline std::vector<int> levelsFor(std::int64_t seed, std::int64_t programs) {
  if (programs == 1 || programs > 100) return {0, 1, 2, 3};
  return {static_cast<int>(seed % 4)};
}

}  // namespace pimento::test
