#include "pimento/sim/cache/tlb.h"

#include "pimento/base/diagnostics.h"

namespace pimento::sim::cache {

Tlb::Tlb(const std::vector<Level> &levels, std::int64_t walk) : levels_(levels), walk_(walk) {
  PIMENTO_CHECK(!levels.empty());
  for (const Level &l : levels) tags_.emplace_back(Tags::Shape{l.entries / l.ways, l.ways, Replacement::kLru, 2, 32});
}

std::int64_t Tlb::find(std::uint64_t page) {
  std::int64_t cycles = 0;
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    cycles += levels_[i].latency;
    if (!tags_[i].use(page, false)) continue;
    for (std::size_t nearer = 0; nearer < i; ++nearer) tags_[nearer].bringIn(page, false);
    counts_.misses += i > 0 ? 1 : 0;
    return cycles;
  }
  ++counts_.misses;
  ++counts_.walks;
  for (Tags &t : tags_) t.bringIn(page, false);
  return cycles + walk_;
}

}  // namespace pimento::sim::cache
