// A parallel loop over independent work items.
//
// Not a task system: items are handed out one by one, and a caller whose items write only their own slot gets the
// same result at any number of jobs. Threads live for one call; use it for items of a tenth of a millisecond or more.
#pragma once

#include <cstdint>
#include <functional>

namespace pimento {

/// The number of jobs meant by `--jobs N`: N, or the machine's processors where N < 1.
int jobCount(int requested);

/// Calls `body(i)` for every i in [0, n), on up to `jobs` threads (the caller's included). `body` must not touch
/// what other items write. Returns when all are done; where items throw (memory runs out, say), no more are handed out
/// and the first exception goes on to the caller.
void parallelFor(int jobs, std::int64_t n, const std::function<void(std::int64_t)> &body);

}  // namespace pimento
