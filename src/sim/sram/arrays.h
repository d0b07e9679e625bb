// SRAM arrays that compute on their bitlines, as bits: wordlines x bitlines, with a carry and a tag latch below each
// bitline. All arrays that take part in a program run it in step, so their bitlines stand side by side here; which
// array a bitline belongs to matters to shifts alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pimento/sim/sram/micro_op.h"

namespace pimento::sim::sram {

/// The wordline at which each place of a program begins.
using Wordlines = std::array<int, kPlaces>;

class Arrays {
 public:
  /// All bits 0.
  Arrays(int wordlines, std::int64_t bitlines);

  int wordlines() const { return wordlines_; }
  std::int64_t bitlines() const { return bitlines_; }

  /// Runs `program`. Bitlines whose bit of `enabled` is 0 (64 to a word, from the first on) keep their wordlines;
  /// empty: all are enabled. What the program names must be within the wordlines.
  void run(const MicroProgram &program, const Wordlines &at, std::span<const std::uint64_t> enabled = {});

  /// Copies wordlines [from, from + rows) to [to, to + rows), of bitlines whose bit of `mask` is 1, each to the bitline
  /// `distance` further, which exists. Places that are written and read at once hold the same.
  void move(int from, int to, int rows, std::int64_t distance, std::span<const std::uint64_t> mask);
  /// The same value of `bits` bits into all bitlines whose bit of `mask` is 1.
  void fill(int row, int bits, std::uint64_t value, std::span<const std::uint64_t> mask);

  /// Numbers of `bits` bits into columns, one per bitline from `first` on, least significant bit at wordline `row`.
  void store(int row, int bits, std::int64_t first, std::span<const std::uint64_t> numbers);
  /// The same, out of columns; bits above are 0.
  void load(int row, int bits, std::int64_t first, std::span<std::uint64_t> numbers) const;

 private:
  static constexpr std::int64_t kBlockBits = 1024;
  static constexpr std::int64_t kBlockWords = kBlockBits / 64;

  std::int64_t blockWords() const { return (wordlines_ + 2) * kBlockWords; }
  std::uint64_t *wordline(std::int64_t block, int row) {
    return bits_.data() + block * blockWords() + row * kBlockWords;
  }
  const std::uint64_t *wordline(std::int64_t block, int row) const {
    return bits_.data() + block * blockWords() + row * kBlockWords;
  }

  int wordlines_;
  std::int64_t bitlines_, blocks_;
  /// Block by block; after its wordlines one that stays 0, and one that nobody reads.
  std::vector<std::uint64_t> bits_;
};

}  // namespace pimento::sim::sram
