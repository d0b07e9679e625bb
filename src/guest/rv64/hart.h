// A hart of RV64GC: registers, and running blocks of decoded instructions.
//
// From the RISC-V Instruction Set Manual, volume I. Accesses may be misaligned, but for atomic ones. Counters (cycle,
// time, instret) count instructions. Not here: system calls, signals, what comes after a block (machine.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pimento/guest/rv64/code.h"
#include "pimento/guest/rv64/float.h"
#include "pimento/guest/rv64/memory.h"
#include "pimento/trace/stream.h"

namespace pimento::guest::rv64 {

/// Why a block was left before or at its end.
enum class Stop : std::uint8_t {
  kNone,    ///< it was not: the next one follows
  kCall,    ///< ecall ran; `pc` is behind it
  kFenceI,  ///< fence.i ran; `pc` is behind it
  kBreak,   ///< those below did not run; `pc` is theirs
  kIllegal,
  kFetch,
  kLoad,
  kStore,
  kMisaligned,  ///< an atomic access
};

class Hart {
 public:
  explicit Hart(Memory &memory) : memory_(memory) {}

  std::array<std::uint64_t, 33> x{};  ///< the last one takes what is written to x0
  std::array<std::uint64_t, 32> f{};  ///< singles in the lower half, with ones above
  std::uint64_t pc = 0;

  std::uint8_t floatFlags() const { return flags_; }
  std::uint8_t roundingMode() const { return rounding_; }
  void setFloatStatus(std::uint64_t fcsr);

  /// Runs a block that begins at `pc`, and those that are known to follow it, at most `blocks` in all, of which it
  /// takes off those that ran. `block` is then the last one.
  Stop run(CodeBlock *&block, std::int64_t &blocks) { return run<false>(block, blocks); }
  /// Runs one block; `accesses()` are then those of the instructions that ran, their values 0 unless asked for.
  Stop runRecorded(CodeBlock &block, bool hasValues);
  std::span<const trace::Access> accesses() const { return {accesses_.data(), accessCount_}; }
  /// Instructions of the last block that ran.
  int executed() const { return executed_; }
  std::int64_t instructions() const { return instructions_; }
  /// For whoever runs instructions in place of a block: they count.
  void addInstructions(std::int64_t n) { instructions_ += n; }
  /// What an access that stopped a block wanted.
  std::uint64_t faultAddress() const { return faultAddress_; }
  /// The reservation of an `lr` is lost.
  void dropReservation() { hasReservation_ = false; }

 private:
  template <bool kRecords>
  Stop run(CodeBlock *&last, std::int64_t &blocks);
  Stop stop(Stop why, const CodeBlock &block, const Decoded &in);
  Stop fault(Stop why, std::uint64_t address, int bytes, const CodeBlock &block, const Decoded &in);
  void note(const CodeBlock &block, const Decoded &in, std::uint64_t address, int bytes, bool isStore,
            std::uint64_t value);
  template <typename T, bool kRecords>
  Stop runAtomic(const CodeBlock &block, const Decoded &in);
  bool runControl(const Decoded &in, std::int64_t before);

  Memory &memory_;
  std::uint8_t flags_ = 0, rounding_ = 0;
  bool hasReservation_ = false;
  std::uint64_t reserved_ = 0;
  int executed_ = 0;
  std::int64_t instructions_ = 0;
  std::uint64_t faultAddress_ = 0;
  std::array<trace::Access, 2 * CodeBlock::kMost> accesses_;
  std::size_t accessCount_ = 0;
  std::uint64_t valueMask_ = 0;
};

}  // namespace pimento::guest::rv64
