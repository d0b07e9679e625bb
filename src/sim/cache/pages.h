// Where pages of a program lie in memory: physical addresses for its virtual ones.
//
// A page has its frame when it is used first, so frames follow from the order of the program. No page tables, no TLB:
// translation takes no time.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/machine/machine.h"
#include "pimento/trace/execution.h"

namespace pimento::sim::cache {

class Pages {
 public:
  /// Without a section `pages`: identity.
  explicit Pages(const machine::Machine &machine);

  /// Tells of frames from now on; `moves` outlives this.
  void tell(trace::LineMoves &moves) { moves_ = &moves; }
  std::uint64_t physical(std::uint64_t address) {
    if (isIdentity_) return address;
    const std::uint64_t page = address >> shift_;
    Recent &recent = recent_[static_cast<std::size_t>(page) % recent_.size()];
    if (recent.page != page) recent = {page, frameOf(page)};
    return recent.frame << shift_ | (address & ((std::uint64_t{1} << shift_) - 1));
  }

 private:
  std::uint64_t frameOf(std::uint64_t page);

  struct Recent {
    std::uint64_t page = ~std::uint64_t{0}, frame = 0;
  };
  trace::LineMoves *moves_ = nullptr;  ///< null: nobody listens
  bool isIdentity_ = true, isRandom_ = false;
  int shift_ = 0;
  std::uint64_t frames_ = 0;  ///< of the memory; pages beyond begin again at the first
  std::uint64_t used_ = 0;
  Rng rng_{0};
  std::vector<std::uint32_t> order_;  ///< random: frames in the order in which they are taken, as far as they were
  std::unordered_map<std::uint64_t, std::uint64_t> frameOf_;
  std::array<Recent, 256> recent_{};
};

}  // namespace pimento::sim::cache
