// SRAM arrays that compute on their bitlines, as bits: wordlines x bitlines, with a carry and a tag latch below each
// bitline. All arrays that take part in a program run it in step, so their bitlines stand side by side here; which
// array a bitline belongs to matters to shifts alone. Working memory of programs is none of these wordlines.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "pimento/sim/sram/host_program.h"
#include "pimento/sim/sram/micro_op.h"

namespace pimento::sim::sram {

struct LanePacking;
using BlockMask = std::array<std::uint64_t, kBlockWords>;

/// The wordline at which each operand, and the result, begins.
using Wordlines = std::array<int, kPlaces - 1>;

class Arrays {
 public:
  /// All bits 0. Memory that stays 0 is none of the host's. `jobs`: threads that programs and moves run on.
  Arrays(int wordlines, std::int64_t bitlines, int jobs = 1);

  int wordlines() const { return wordlines_; }
  std::int64_t bitlines() const { return bitlines_; }

  /// A program, where its operands are, and the bitlines that take part (64 to a word, from the first on; empty: all);
  /// the others keep their wordlines.
  struct Work {
    const HostProgram *program = nullptr;
    Wordlines at{};
    std::span<const std::uint64_t> enabled{};
  };
  /// One after the other. What the programs name must be within the wordlines.
  void run(std::span<const Work> works);
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
  std::int64_t blockWords() const { return wordlines_ * kBlockWords; }
  std::uint64_t *wordline(std::int64_t block, int row) const {
    return bits_ + block * blockWords() + row * kBlockWords;
  }
  std::uint64_t &word(std::int64_t word, int row) const {
    return wordline(word / kBlockWords, row)[word % kBlockWords];
  }
  struct Memory;
  /// Of blocks [first, end).
  void runShare(std::span<const Work> works, std::int64_t first, std::int64_t end, Memory &memory) const;
  void runBlock(std::span<const Work> works, std::int64_t block, const Memory &memory) const;
  void runPacked(const Work &work, const LanePacking &packing, std::int64_t first, std::int64_t end,
                 Memory &memory) const;
  static bool readMask(const Work &work, std::int64_t block, BlockMask &mask);
  void fetch(const Work &work, std::int64_t block) const;
  void moveInto(int from, int to, int rows, std::int64_t distance, std::span<const std::uint64_t> mask,
                std::int64_t block) const;

  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };

  int wordlines_;
  std::int64_t bitlines_, blocks_;
  int jobs_;
  std::unique_ptr<void, Free> memory_;
  std::uint64_t *bits_;  ///< block by block, aligned to one wordline of a block
};

}  // namespace pimento::sim::sram
