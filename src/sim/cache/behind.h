// What serves the misses of a core's last cache, and must say at once when a line is there: memory, or an L3 that many
// cores share.
#pragma once

#include <cstdint>

namespace pimento::sim::cache {

using Tick = std::int64_t;  ///< cycles of the core

class Behind {
 public:
  virtual ~Behind() = default;
  /// Where data were, and when they are there: `isShared`: in a cache behind this one.
  struct Answer {
    Tick ready = 0;
    bool isShared = false;
  };
  /// `bytes` at `address`, asked for in cycle `at` by the core `core`.
  virtual Answer fetch(int core, std::uint64_t address, std::int64_t bytes, Tick at) = 0;
  /// Nobody waits for it.
  virtual void writeBack(int core, std::uint64_t address, std::int64_t bytes, Tick at) = 0;
};

}  // namespace pimento::sim::cache
