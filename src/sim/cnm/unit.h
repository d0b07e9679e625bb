// How long a unit takes for virtual instructions: CoMoNM's compute engine and memory engine (section V).
//
// PIPELINE: at most one instruction issues per cycle, a thread may issue again `issueInterval` cycles after its last
// one, ready threads take turns. VECTOR_PROC: one instruction at a time for all lanes, `issueInterval` cycles each. An
// operation takes as many issue slots as the machine file says. An access to the bank starts at the first free port;
// the thread that asked goes on when it is done, and where accesses block nothing else issues meanwhile. Turns and bank
// are those of the DPU (sim/dpu/issue.h, dma.h). Time does not depend on data or addresses. What the instructions do
// to data: execute.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/base/units.h"
#include "pimento/sim/cnm/unit_code.h"
#include "pimento/sim/dpu/dma.h"
#include "pimento/sim/dpu/issue.h"
#include "pimento/sim/fast_forward.h"

namespace pimento::sim::cnm {

struct RunResult {
  Cycles cycles, cyclesSimulated;
  Counts counts;
  std::int64_t idleCycles = 0;  ///< in which nothing issued
};

/// Every instruction of every thread.
RunResult simulate(const UnitCode &code, const machine::Machine &machine);
/// The same, by fast-forward.
RunResult estimate(const UnitCode &code, const machine::Machine &machine);
/// No run is shorter: what issue slots and the bank's ports take alone.
Cycles lowerBound(const UnitCode &code, const machine::Machine &machine);

/// The engine, as sim::FastForward asks it. Copyable: a copy is a snapshot.
class Unit {
 public:
  static constexpr int kRememberedStates = 32;  ///< threads that share a port settle into long turns
  using Counts = cnm::Counts;

  /// Where a thread is.
  class Position {
   public:
    int depth() const { return depth_; }
    int loopAt(int depth) const { return loop_[static_cast<std::size_t>(depth)]; }
    std::int64_t counter(int depth) const { return counter_[static_cast<std::size_t>(depth)]; }
    const UnitCode &code() const { return *code_; }

   private:
    friend class Unit;
    const UnitCode *code_ = nullptr;
    int step_ = 0, depth_ = 0;
    std::array<int, program::kMaxDepth> loop_{};
    std::array<std::int64_t, program::kMaxDepth> counter_{};
  };

  /// `walksLoops`: every instruction on its own, no checkpoints. `code` outlives the unit.
  Unit(const UnitCode &code, const machine::Machine &machine, bool walksLoops);

  Checkpoint run();
  std::int64_t now() const { return issue_.now(); }
  std::int64_t nextEvent() const { return INT64_MAX; }  // nothing happens by itself
  const Position &position() const { return front_; }
  const Counts &counts() const { return counts_; }
  void setCounts(const Counts &c) { counts_ = c; }
  void encode(int scope, bool withCountdowns, StateWords &out) const;
  void shift(const LoopShift &by, std::int64_t time, bool withEvents);
  std::int64_t completion() const { return completion_; }
  void setCompletion(std::int64_t c) { completion_ = c; }
  bool isStarved() const { return false; }

  /// Cycles that turns were skipped over, inside run().
  std::int64_t skippedTurns() const { return skipped_; }

 private:
  struct Thread {
    Position position;
    std::int64_t slots = 0;  ///< to issue before what comes next
    std::int64_t piece = 0;  ///< of an access: how many are done
    bool isAtEvent = false, isDone = false;
  };

  Thread &thread(int t) { return threads_[static_cast<std::size_t>(t)]; }
  int walk(int thread);
  void event(int thread);
  bool isShiftable(int scope) const;
  void chooseFront(int loop);
  void noteTurn(int thread);
  void skipTurns();

  const UnitCode *code_;
  bool walksLoops_, isBlocking_;
  dpu::Issue issue_;
  dpu::Dma bank_;
  std::vector<Thread> threads_;
  Position front_;  ///< of the thread that is farthest in the loop of the last checkpoint
  Counts counts_;
  int chosen_ = -1;  ///< issues now
  std::int64_t blockedUntil_ = 0, completion_ = 0, skipped_ = 0;

  // The last turn: from one choice of the leader to its next, and who issued how often in it.
  int leader_ = -1;
  bool isTurnPure_ = false;
  std::int64_t turnStart_ = 0, turnIdle_ = 0;
  StateWords turnState_, scratch_;
  std::array<std::int32_t, dpu::kMaxTasklets> issued_{};
};

}  // namespace pimento::sim::cnm
