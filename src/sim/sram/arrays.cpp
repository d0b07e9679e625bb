#include "pimento/sim/sram/arrays.h"

#include <algorithm>
#include <new>

#include "pimento/base/diagnostics.h"
#include "pimento/base/thread_pool.h"
#include "pimento/sim/sram/host_vector.h"
#include "pimento/sim/sram/lane_packing.h"

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

/// What runs write beside the wordlines. Rubbish at first: nothing of what it holds may matter, but for the wordline
/// that is 0.
struct Arrays::Memory {
  explicit Memory(std::int64_t workingWords)
      : words(static_cast<std::size_t>(workingWords + kBlockWords), 0x5a5a5a5aa5a5a5a5) {
    void *aligned = words.data();
    std::size_t bytes = words.size() * sizeof(std::uint64_t);
    std::align(kBlockWords * sizeof(std::uint64_t), static_cast<std::size_t>(workingWords) * sizeof(std::uint64_t),
               aligned, bytes);
    working = static_cast<std::uint64_t *>(aligned);
    std::fill_n(working, kBlockWords, 0);
  }

  std::vector<std::uint64_t> words;
  std::uint64_t *working;
  std::vector<Block> packed{};  ///< operands and results of several blocks
};

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
    Memory memory(working);
    runShare(works, share * kBlocksAtOnce, std::min(blocks_, (share + 1) * kBlocksAtOnce), memory);
  });
}

/// Whether any bitline of the block takes part, and which.
bool Arrays::readMask(const Work &work, std::int64_t block, BlockMask &mask) {
  if (work.enabled.empty()) {
    mask.fill(~std::uint64_t{0});
    return true;
  }
  mask.fill(0);
  const auto first = static_cast<std::size_t>(block * kBlockWords);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < mask.size() && first + i < work.enabled.size(); ++i)
    any |= mask[i] = work.enabled[first + i];
  return any != 0;
}

void Arrays::runShare(std::span<const Work> works, std::int64_t first, std::int64_t end, Memory &memory) const {
  const auto packingOf = [&](const Work &work) {
    if (work.enabled.empty()) return LanePacking(~std::uint64_t{0});
    std::uint64_t lanes = 0;
    const auto size = static_cast<std::int64_t>(work.enabled.size());
    for (std::int64_t w = first * kBlockWords; w < std::min(size, end * kBlockWords); ++w)
      lanes |= work.enabled[static_cast<std::size_t>(w)];
    return LanePacking(lanes);
  };
  std::size_t waiting = 0;  ///< works from here on run block by block
  const auto runWaiting = [&](std::size_t stop) {
    if (waiting < stop)
      for (std::int64_t block = first; block < end; ++block)
        runBlock(works.subspan(waiting, stop - waiting), block, memory);
    waiting = stop + 1;
  };
  for (std::size_t k = 0; k < works.size(); ++k) {
    const LanePacking packing = packingOf(works[k]);
    if (packing.count == 1) continue;
    runWaiting(k);
    if (packing.count > 1) runPacked(works[k], packing, first, end, memory);
  }
  runWaiting(works.size());
}

void Arrays::runBlock(std::span<const Work> works, std::int64_t block, const Memory &memory) const {
  BlockMask mask;
  for (const Work &w : works) {
    if (block + 1 < blocks_) fetch(w, block + 1);
    if (!readMask(w, block, mask)) continue;
    std::array<std::uint64_t *, kPlaces - 1> at;
    for (std::size_t p = 0; p < at.size(); ++p) at[p] = wordline(block, std::max(w.at[p], 0));
    w.program->run(at, memory.working, mask.data());
  }
}

/// Wordlines of a block come from memory while others compute: they are too far apart for the host to foresee.
void Arrays::fetch(const Work &work, std::int64_t block) const {
  constexpr std::int64_t kLineWords = 64 / sizeof(std::uint64_t);
  for (std::size_t p = 0; p < work.at.size(); ++p) {
    const std::int64_t words = work.program->wordlines()[p] * kBlockWords;
    if (words == 0) continue;
    const std::uint64_t *from = wordline(block, work.at[p]);
    for (std::int64_t w = 0; w < words; w += kLineWords) __builtin_prefetch(from + w);
  }
}

void Arrays::runPacked(const Work &work, const LanePacking &packing, std::int64_t first, std::int64_t end,
                       Memory &memory) const {
  constexpr auto kResult = static_cast<std::size_t>(Place::kResult);
  const auto &rows = work.program->wordlines();
  std::array<std::size_t, kPlaces - 1> begin{};
  std::size_t all = 0;
  for (std::size_t p = 0; p < rows.size(); ++p) {
    begin[p] = all;
    all += static_cast<std::size_t>(rows[p]);
  }
  BlockMask whole;
  whole.fill(~std::uint64_t{0});
  std::vector<std::pair<std::int64_t, BlockMask>> taken;
  for (std::int64_t block = first; block < end;) {
    taken.clear();
    for (BlockMask mask; block < end && static_cast<int>(taken.size()) < packing.count; ++block)
      if (readMask(work, block, mask)) taken.emplace_back(block, mask);
    if (taken.empty()) return;
    memory.packed.assign(all, Block{});
    std::array<std::uint64_t *, kPlaces - 1> at{};
    for (std::size_t p = 0; p < rows.size(); ++p) {
      at[p] = reinterpret_cast<std::uint64_t *>(memory.packed.data() + begin[p]);
      if (rows[p] == 0 || (p == kResult && !work.program->readsResult())) continue;
      for (std::size_t i = 0; i < taken.size(); ++i)
        pack(packing, static_cast<int>(i), wordline(taken[i].first, work.at[p]), rows[p], at[p]);
    }
    work.program->run(at, memory.working, whole.data());
    for (std::size_t i = 0; i < taken.size(); ++i)
      unpack(packing, static_cast<int>(i), at[kResult], rows[kResult], taken[i].second.data(),
             wordline(taken[i].first, work.at[kResult]));
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
