// Prefetchers: which lines to bring in before they are asked for, from the accesses of the past.
//
// Both see every access of a cache with its instruction's address, and name lines; whoever has the cache decides when
// they are fetched. Lines are numbers: addresses divided by the length of a line.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::sim::cache {

class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  /// An access; appends the lines to prefetch to `out`.
  virtual void saw(std::uint64_t instruction, std::uint64_t line, std::vector<std::uint64_t> &out) = 0;
};

/// An instruction whose accesses are equally far apart, twice in a row, has a stream; a stream is kept `depth` lines
/// ahead. Chen and Baer's reference prediction table, with `streams` entries, the least recently used one goes.
class StridePrefetcher final : public Prefetcher {
 public:
  struct Numbers {
    std::size_t streams = 16;
    std::int64_t depth = 16;
  };
  explicit StridePrefetcher(const Numbers &numbers) : numbers_(numbers) {}
  void saw(std::uint64_t instruction, std::uint64_t line, std::vector<std::uint64_t> &out) override;

 private:
  struct Stream {
    std::uint64_t instruction = 0;
    std::int64_t last = 0, stride = 0;
    std::int64_t ahead = 0;  ///< strides beyond `last` that were prefetched
    std::uint64_t used = 0;
  };
  Numbers numbers_;
  std::vector<Stream> streams_;
  std::uint64_t clock_ = 0;
};

/// Bingo (Bakhshalipour et al., HPCA 2019): a region's footprint, the lines of it that are used, is learned while the
/// region is active, and kept under the access that began it. Later the first access of a region finds the footprint of
/// the same instruction and address, else those of the same instruction and place in the region: lines that enough of
/// them have. One table serves both, indexed by the shorter event and tagged with the longer.
class Bingo final : public Prefetcher {
 public:
  struct Numbers {
    int regionLines = 32;     ///< a power of two, at most 64
    std::size_t active = 64;  ///< regions that are watched; the least recently used one is over when another begins
    std::size_t sets = 128;   ///< of the history; a power of two
    std::size_t ways = 8;
    double share = 0.2;  ///< of the footprints of an instruction and place, that must have a line
  };
  explicit Bingo(const Numbers &numbers);
  void saw(std::uint64_t instruction, std::uint64_t line, std::vector<std::uint64_t> &out) override;

 private:
  struct Region {
    std::uint64_t region = 0, instruction = 0;
    int first = 0;  ///< line of the region that began it
    std::uint64_t footprint = 0, used = 0;
  };
  struct Entry {
    std::uint64_t instruction = 0, region = 0, footprint = 0, used = 0;
    int first = 0;
    bool isUsed = false;
  };
  std::size_t setOf(std::uint64_t instruction, int first) const;
  void learn(const Region &r);
  std::uint64_t predicted(std::uint64_t instruction, std::uint64_t region, int first);

  Numbers numbers_;
  int shift_;
  std::vector<Region> active_;
  std::vector<Entry> history_;
  std::uint64_t clock_ = 0;
};

}  // namespace pimento::sim::cache
