// A micro-program as the host runs it: runs of micro-ops alike, each over neighbouring wordlines.
//
// Most of a program are chains over the bits of numbers: one dispatch serves a chain. A block of kBlockBits bitlines
// runs the whole program before the next block does, and working memory, which no program leaves anything in, is one
// for all of them. Same bits as micro-op by micro-op, which the tests compare it with. Not here: which blocks there
// are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pimento/sim/sram/micro_op.h"

namespace pimento::sim::sram {

inline constexpr std::int64_t kBlockBits = 1024;
inline constexpr std::int64_t kBlockWords = kBlockBits / 64;

class HostProgram {
 public:
  explicit HostProgram(const MicroProgram &program);

  /// Words of working memory that run() takes; the first block's worth of it must be 0.
  std::int64_t workingWords() const { return (kFixedRows + scratchRows_) * kBlockWords; }
  /// The first wordline of each operand and of the result, in one block; `enabled`: kBlockWords words.
  void run(const std::array<std::uint64_t *, kPlaces - 1> &at, std::uint64_t *working,
           const std::uint64_t *enabled) const;
  /// By place, one past the last wordline that is named.
  const std::array<int, kPlaces - 1> &wordlines() const { return wordlines_; }
  /// Whether anything hangs on what the result's wordlines held before.
  bool readsResult() const { return readsResult_; }

  /// `count` micro-ops; from one to the next, wordlines are `step` further.
  struct Run {
    struct Wordlines {
      int place = 0, first = 0, step = 0;
    };
    Sense sense = Sense::kZero;
    CarryUpdate carry = CarryUpdate::kHold;
    TagUpdate tag = TagUpdate::kHold;
    bool isTagged = false;
    Wordlines a, b, dest;
    int count = 1;
  };

 private:
  /// Wordlines of working memory before those of programs: one that stays 0, one that nobody reads.
  static constexpr int kFixedRows = 2;

  std::vector<Run> runs_;
  std::array<int, kPlaces - 1> wordlines_{};
  int scratchRows_ = 0;
  bool readsResult_ = false;
};

}  // namespace pimento::sim::sram
