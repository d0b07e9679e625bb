#include "pimento/sim/sram/arrays.h"

#include <algorithm>
#include <new>

#include "pimento/base/diagnostics.h"
#include "pimento/base/thread_pool.h"

namespace pimento::sim::sram {

namespace {

/// Blocks that a thread takes at a time: some tenths of a millisecond.
constexpr std::int64_t kBlocksAtOnce = 64;

/// Bit c of word r becomes bit r of word c, of 64 words (Warren, "Hacker's Delight", section 7-3).
void transpose(std::uint64_t *words) {
  std::uint64_t mask = 0x00000000ffffffff;
  for (int width = 32; width != 0; width >>= 1, mask ^= mask << width) {
    for (int k = 0; k < 64; k = ((k | width) + 1) & ~width) {
      const std::uint64_t swapped = ((words[k] >> width) ^ words[k | width]) & mask;
      words[k] ^= swapped << width;
      words[k | width] ^= swapped;
    }
  }
}

}  // namespace

Arrays::Arrays(int wordlines, std::int64_t bitlines, int jobs)
    : wordlines_(wordlines), bitlines_(bitlines), blocks_((bitlines + kBlockBits - 1) / kBlockBits), jobs_(jobs) {
  constexpr std::size_t kAlign = kBlockWords * sizeof(std::uint64_t);
  // Pages that nobody writes stay the system's zeros.
  std::size_t bytes = static_cast<std::size_t>(blocks_ * blockWords()) * sizeof(std::uint64_t) + kAlign;
  memory_.reset(std::calloc(bytes, 1));
  if (memory_ == nullptr) throw std::bad_alloc();
  void *start = memory_.get();
  std::align(kAlign, bytes - kAlign, start, bytes);
  bits_ = static_cast<std::uint64_t *>(start);
}

void Arrays::run(std::span<const Work> works) {
  std::int64_t working = 0;
  for (const Work &w : works) {
    working = std::max(working, w.program->workingWords());
    for (std::size_t p = 0; p < w.at.size(); ++p) {
      const int named = w.program->wordlines()[p];
      PIMENTO_CHECK(named == 0 || (w.at[p] >= 0 && w.at[p] + named <= wordlines_));
    }
  }
  const std::int64_t shares = (blocks_ + kBlocksAtOnce - 1) / kBlocksAtOnce;
  parallelFor(shares > 1 ? jobs_ : 1, shares, [&](std::int64_t share) {
    // Rubbish: nothing of what it holds may matter, but for the wordline that is 0.
    std::vector<std::uint64_t> memory(static_cast<std::size_t>(working + kBlockWords), 0x5a5a5a5aa5a5a5a5);
    void *aligned = memory.data();
    std::size_t bytes = memory.size() * sizeof(std::uint64_t);
    std::align(kBlockWords * sizeof(std::uint64_t), static_cast<std::size_t>(working) * sizeof(std::uint64_t), aligned,
               bytes);
    auto *rows = static_cast<std::uint64_t *>(aligned);
    std::fill_n(rows, kBlockWords, 0);
    const std::int64_t end = std::min(blocks_, (share + 1) * kBlocksAtOnce);
    for (std::int64_t block = share * kBlocksAtOnce; block < end; ++block) runBlock(works, block, rows);
  });
}

void Arrays::runBlock(std::span<const Work> works, std::int64_t block, std::uint64_t *working) const {
  std::array<std::uint64_t, kBlockWords> mask;
  for (const Work &w : works) {
    mask.fill(~std::uint64_t{0});
    if (!w.enabled.empty()) {
      mask.fill(0);
      const auto first = static_cast<std::size_t>(block * kBlockWords);
      for (std::size_t i = 0; i < mask.size() && first + i < w.enabled.size(); ++i) mask[i] = w.enabled[first + i];
      if (std::ranges::all_of(mask, [](std::uint64_t m) { return m == 0; })) continue;
    }
    std::array<std::uint64_t *, kPlaces - 1> at;
    for (std::size_t p = 0; p < at.size(); ++p) at[p] = wordline(block, std::max(w.at[p], 0));
    w.program->run(at, working, mask.data());
  }
}

void Arrays::run(const MicroProgram &program, const Wordlines &at, std::span<const std::uint64_t> enabled) {
  const HostProgram host(program);
  const Work work{&host, at, enabled};
  run(std::span(&work, 1));
}

void Arrays::store(int row, int bits, std::int64_t first, std::span<const std::uint64_t> numbers) {
  PIMENTO_CHECK(row >= 0 && row + bits <= wordlines_ && first >= 0 &&
                first + static_cast<std::int64_t>(numbers.size()) <= bitlines_);
  std::array<std::uint64_t, 64> square;
  const auto count = static_cast<std::int64_t>(numbers.size());
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t low = (first + i) % 64, n = std::min<std::int64_t>(64 - low, count - i);
    square.fill(0);
    std::copy_n(numbers.begin() + i, n, square.begin() + low);
    transpose(square.data());
    const std::uint64_t where = (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << low;
    for (int b = 0; b < bits; ++b) {
      std::uint64_t &w = word((first + i) / 64, row + b);
      w = (w & ~where) | (square[static_cast<std::size_t>(b)] & where);
    }
    i += n;
  }
}

void Arrays::load(int row, int bits, std::int64_t first, std::span<std::uint64_t> numbers) const {
  PIMENTO_CHECK(row >= 0 && row + bits <= wordlines_ && first >= 0 &&
                first + static_cast<std::int64_t>(numbers.size()) <= bitlines_);
  std::array<std::uint64_t, 64> square;
  const auto count = static_cast<std::int64_t>(numbers.size());
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t low = (first + i) % 64, n = std::min<std::int64_t>(64 - low, count - i);
    square.fill(0);
    for (int b = 0; b < bits; ++b) square[static_cast<std::size_t>(b)] = word((first + i) / 64, row + b);
    transpose(square.data());
    std::copy_n(square.begin() + low, n, numbers.begin() + i);
    i += n;
  }
}

}  // namespace pimento::sim::sram
