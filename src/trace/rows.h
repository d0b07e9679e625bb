// Operations on neighbouring words as one on a row: what the caches of a reshaped stream compute for consecutive words,
// iteration after iteration, they compute at once, in the last of these iterations.
//
// Iterations share a row where the same instruction of kind kCim stores its result, each operand and the result lie
// right behind those of the iteration before, all within one line each, no operand is what an earlier one computes, and
// nothing in between loads the results, or stores to results or operands. The accesses of the instruction that is left
// cover all the words.
//
// Not here: how candidates become such instructions (reshape.h). Outside Eva-CiM, which computes word by word.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "pimento/trace/stream.h"

namespace pimento::trace {

class Rows final : public Consumer {
 public:
  /// `lines`: bytes of a line, by cache, at most 128 counted. `mostWords`: that share a row, at least 1. `to` outlives
  /// this; blocks that it is given live as long as this and those of the producer.
  Rows(std::vector<std::uint64_t> lines, int mostWords, Consumer &to);

  void onStart(const Program &program, bool hasValues) override { to_.onStart(program, hasValues); }
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override;
  void onEnd() override;
  bool wantsMore() const override { return to_.wantsMore(); }

  /// Instructions that are gone because a later one computes for them.
  std::int64_t shared() const { return shared_; }

 private:
  struct Run {
    const Block *block = nullptr;
    std::int64_t first = 0;  ///< number of its first instruction
    int count = 0;
    std::vector<Access> accesses;
    std::vector<std::uint16_t> gone;  ///< places in the block, in order
  };
  /// Words of one operand, or of the result.
  struct Words {
    std::uint64_t begin = 0, end = 0;
    bool isStore = false;
  };
  /// Iterations that share a row so far.
  struct Chain {
    const Instruction *in = nullptr;
    std::int64_t first = 0, last = 0;  ///< numbers of its first instruction, and of the one that computes
    int words = 1;
    std::vector<Words> of;  ///< one for each access
  };

  void take(const Instruction &in, std::int64_t number, std::span<const Access> accesses);
  bool continues(const Chain &chain, const Instruction &in, std::span<const Access> accesses) const;
  void closeWhatConflicts(std::span<const Access> accesses, const Instruction *but);
  void close(std::size_t chain);
  Run &runOf(std::int64_t number);
  void pass();
  void hand(const Run &run);

  std::vector<std::uint64_t> lines_;
  int mostWords_;
  Consumer &to_;
  std::deque<Run> runs_;
  std::vector<Chain> chains_;  ///< open
  std::int64_t next_ = 0, shared_ = 0;
  std::vector<Access> accesses_;
  std::unordered_map<const Block *, std::map<std::vector<std::uint16_t>, std::unique_ptr<Block>>> without_;
};

}  // namespace pimento::trace
