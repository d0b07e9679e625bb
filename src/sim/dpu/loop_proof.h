// How many more iterations of a machine-code loop take the path that the last one took.
//
// Abstract execution of that path, proved on the code: at the start of iteration i every register is unknown or
// base + step * i (mod 2^32); the path keeps that form or the register becomes unknown. Each branch bounds the number
// of iterations for which it goes the same way; loads count as known where every iteration reads the same known bytes.
// What the loop does to registers and WRAM then follows without running it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pimento/sim/dpu/step.h"

namespace pimento::sim::dpu {

/// Bytes [first, end) of WRAM.
struct ByteRange {
  std::uint32_t first = 0, end = 0;
};

class LoopProof {
 public:
  /// What is known when the head of the loop is reached again.
  struct Start {
    const Context *now = nullptr;     ///< registers at the head
    const Context *before = nullptr;  ///< ... one iteration ago
    std::uint64_t unknown = 0;        ///< registers whose value is not known, now or before
  };

  /// `wram` and `unknownBytes` (1: unknown) have the same size.
  LoopProof(const std::vector<Step> &steps, std::span<const std::uint8_t> wram,
            std::span<const std::uint8_t> unknownBytes)
      : steps_(steps), wram_(wram), unknownBytes_(unknownBytes) {}

  /// Iterations beyond the one just executed along `path` (instruction indices, the head first) that repeat it; 0 if
  /// that cannot be proved or nothing bounds them. With a positive answer the accessors below hold.
  std::int64_t prove(std::span<const std::uint32_t> path, const Start &start);

  /// Registers at the head after those iterations; unknown ones are in unknown().
  const std::array<std::uint32_t, kSlots> &registers() const { return after_; }
  std::uint64_t unknown() const { return unknownAfter_; }
  /// Known bytes that the proof relies on, and bytes that the iterations overwrite (with what is not known).
  const std::vector<ByteRange> &reads() const { return reads_; }
  const std::vector<ByteRange> &writes() const { return writes_; }

 private:
  struct Value {
    std::uint32_t base = 0, step = 0;
    bool isKnown = false;
    bool isConstant() const { return isKnown && step == 0; }
    bool operator==(const Value &) const = default;
  };
  struct Flag {
    bool isKnown = false, value = false;
  };
  struct Access {
    Value address;
    int bytes = 0;
  };
  static Value constant(std::uint32_t v) { return {v, 0, true}; }

  void begin(const Start &start);
  /// Runs the path once from head_; false: the proof fails.
  bool runRound(std::span<const std::uint32_t> path);
  /// Whether the path keeps the form of every register; one whose form it does not keep is unknown from now on.
  bool keepsForms();
  bool runPath(std::span<const std::uint32_t> path);
  bool runAlu(const Step &s, std::uint32_t next);
  bool runPairs(const Step &s, std::uint32_t next, const Value &x);
  bool runBranch(const Step &s, bool isTaken, const Value &x, const Value &y, const Value &t, const Flag &zBefore,
                 const Flag &cBefore);
  bool runLoad(const Step &s);
  bool runStore(const Step &s);
  bool runCall(const Step &s, std::uint32_t pc, std::uint32_t next);
  Value compute(const Step &s, const Value &x, const Value &y);
  Value loaded(const Step &s, const Value &address);
  /// How many of the first `iterations` loads read the known bytes of the first.
  std::int64_t sameWords(const Value &address, std::size_t bytes, std::int64_t iterations) const;
  void setResult(const Step &s, const Value &v);
  bool confine(const Value &address, int bytes);
  /// Bytes at `address` in the first `iterations` iterations.
  static ByteRange hull(const Value &address, int bytes, std::int64_t iterations);
  static std::vector<ByteRange> hulls(const std::vector<Access> &accesses, std::int64_t iterations);
  void limit(std::int64_t iterations);
  bool isStored(const ByteRange &r) const;

  const std::vector<Step> &steps_;
  std::span<const std::uint8_t> wram_, unknownBytes_;
  std::array<Value, kSlots> regs_{}, head_{};
  Flag z_, c_;
  std::int64_t iterations_ = 0;         ///< bound found so far
  std::int64_t assumed_ = 0;            ///< loads may be read over this many iterations; 0: moving loads are unknown
  bool needsLoads_ = false;             ///< a branch hangs on what a moving load reads
  std::vector<Access> loads_, stores_;  ///< of this round: loads that count as known, and all stores
  std::vector<ByteRange> stored_;       ///< what the loop overwrites, as the round before found
  std::vector<ByteRange> reads_, writes_;
  std::array<std::uint32_t, kSlots> after_{};
  std::uint64_t unknownAfter_ = 0;
};

}  // namespace pimento::sim::dpu
