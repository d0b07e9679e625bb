// Fast-forward of a DPU: tasklets compute ahead of time between the events that concern others.
//
// From one event (transfer, atomic bit, boot, ...) to its next a tasklet's instructions take part in the timing only
// as slots. So its path is computed at once: executed on what is known of the data, loops summed up by LoopProof. The
// issue order of slots is periodic between events and skipped (design page, mechanism (i)). Soundness: what a tasklet
// computes ahead reads and writes WRAM too early; guards mark those bytes until its slots have issued, and an access
// of another tasklet that could tell the difference ends the attempt. So does a branch, an address or a transfer that
// hangs on unknown data. Cycles, counts and slots equal those of the simulation; tests compare them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "pimento/sim/dpu/core.h"
#include "pimento/sim/dpu/guards.h"
#include "pimento/sim/dpu/loop_proof.h"
#include "pimento/sim/dpu/turns.h"

namespace pimento::sim::dpu {

class RunAhead {
 public:
  explicit RunAhead(Core &core);

  /// From a launch to the end. Nothing where it cannot be sure.
  std::optional<RunResult> run(const RunOptions &options);

 private:
  struct Tasklet {
    bool isAtEvent = false;  ///< after its slots comes an event
    std::uint64_t unknown = 0;
    bool isFlagUnknown = false;
    std::vector<ByteRange> reads, writes;  ///< guarded bytes
  };

  bool compute(int tasklet);
  bool computeStep(int tasklet, const Step &s, Context &k);
  bool computeLoad(int tasklet, const Step &s, Context &k);
  bool computeStore(int tasklet, const Step &s, Context &k);
  void sumUpLoop(int tasklet, Context &k);
  bool isEventKnown(const Tasklet &t, const Step &s) const;
  static void knowTime(Tasklet &t, const Step &s);
  static void knowProduct(Tasklet &t, const Product &p);
  bool pays() const;
  bool leavesOut(RunPart part) const { return weakening_.leavesOut(part); }
  void transfer(int tasklet, const Core::Transfer &t, Op op);

  bool guardRead(int tasklet, ByteRange r);
  bool guardWrite(int tasklet, ByteRange r);
  bool hasKnown(ByteRange r) const;
  void releaseGuards(int tasklet);

  Core &core_;
  std::array<Tasklet, kMaxTasklets> ahead_;
  std::vector<std::uint8_t> unknown_;  ///< per WRAM byte: 1 where it is not known
  Guards guards_;
  bool isUnsure_ = false;
  Weakening weakening_;
  Turns turns_;

  // The path since the last loop head, while a tasklet computes.
  std::vector<std::uint32_t> path_;
  std::uint32_t head_ = UINT32_MAX;
  Context atHead_;
  std::uint64_t unknownAtHead_ = 0;
  LoopProof proof_;

  /// Of an instruction that a loop begins with: proofs in a row that failed, and how many to leave out.
  struct Head {
    std::uint8_t failures = 0, pause = 0;
  };
  std::vector<Head> heads_;
  std::int64_t work_ = 0;  ///< instructions executed, and those of proofs
  bool mustPay_ = false;
};

}  // namespace pimento::sim::dpu
