#include "pimento/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace pimento {

int jobCount(int requested) {
  if (requested >= 1) return requested;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void parallelFor(int jobs, std::int64_t n, const std::function<void(std::int64_t)> &body) {
  std::atomic<std::int64_t> nextItem{0};
  std::exception_ptr first;
  std::once_flag isKept;
  auto work = [&] {
    try {
      for (std::int64_t i = nextItem++; i < n; i = nextItem++) body(i);
    } catch (...) {
      nextItem = n;
      std::call_once(isKept, [&] { first = std::current_exception(); });
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::int64_t j = 1; j < std::min<std::int64_t>(jobs, n); ++j) helpers.emplace_back(work);
    work();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace pimento
