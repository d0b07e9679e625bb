// How many random cases a test tries, and which form of it was asked for. ctest entries say so through the
// environment (test/CMakeLists.txt).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace pimento::test {

/// Whether the rooms that a test calls are built with sanitizers; the test itself never is.
inline bool isSanitized() {
  return std::getenv("PIMENTO_SANITIZED") != nullptr;
}

/// PIMENTO_CASES; else `usual`, and a quarter of it under sanitizers, where each case takes about ten times as long.
inline std::int64_t caseCount(std::int64_t usual) {
  const char *asked = std::getenv("PIMENTO_CASES");
  if (asked != nullptr) return std::max<std::int64_t>(1, std::atoll(asked));
  return isSanitized() ? std::max<std::int64_t>(1, usual / 4) : usual;
}

/// Whether the long form of a test was asked for (ctest label `long`).
inline bool isLongRun() {
  return std::getenv("PIMENTO_LONG_TESTS") != nullptr;
}

}  // namespace pimento::test
