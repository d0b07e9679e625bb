// What benchmarks share.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "pimento/base/diagnostics.h"

namespace pimento::bench {

/// The value, or the end of the process: a benchmark has no user to answer to.
template <typename T>
T need(Result<T> result) {
  if (result) return std::move(*result);
  for (const Diagnostic &d : result.diagnostics()) fmt::print(stderr, "{}\n", d.str());
  std::exit(1);
}

}  // namespace pimento::bench
