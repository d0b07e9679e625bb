// What the host puts into a DPU's MRAM, and reads from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pimento::targets::upmem {

/// Bytes and where in MRAM they go, or come from.
struct Block {
  std::int64_t offset = 0;
  std::vector<std::byte> bytes;
};

/// `size` bytes from `offset` that repeat an element.
struct Fill {
  std::int64_t offset = 0, size = 0;
  std::vector<std::byte> pattern;
};

/// Puts the results of all DPUs together, onto what the caller has made.
class Results {
 public:
  virtual ~Results() = default;
  /// What the next DPU left, from number 0 on.
  virtual void add(const std::vector<Block> &results) = 0;
  /// After the last one.
  virtual void finish() = 0;
};

}  // namespace pimento::targets::upmem
