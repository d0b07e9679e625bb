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
#include <span>
#include <string_view>
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
/// What tests leave out of states of a unit, and of those of its turns.
struct UnitWeakening {
  Weakening states = {}, turns = {};
};
/// The same, by fast-forward.
RunResult estimate(const UnitCode &code, const machine::Machine &machine, const UnitWeakening &weakening = {});
/// No run is shorter: what issue slots and the bank's ports take alone.
Cycles lowerBound(const UnitCode &code, const machine::Machine &machine);

/// The engine, as sim::FastForward asks it. Copyable: a copy is a snapshot.
class Unit {
 public:
  static constexpr bool kMemoisesIterations = false;
  static constexpr int kRememberedStates = 32;  ///< threads that share a port settle into long turns
  using Counts = cnm::Counts;

  /// Where a thread is.
  class Position {
   public:
    int step() const { return step_; }
    int depth() const { return depth_; }
    int loopAt(int depth) const { return loop_[static_cast<std::size_t>(depth)]; }
    std::int64_t counter(int depth) const { return counter_[static_cast<std::size_t>(depth)]; }
    const UnitCode &code() const { return *code_; }
    /// Moves the counter at `depth`; the result must stay inside the loop.
    void shift(int depth, std::int64_t iterations) { counter_[static_cast<std::size_t>(depth)] += iterations; }

   private:
    friend class Unit;
    const UnitCode *code_ = nullptr;
    int step_ = 0, depth_ = 0;
    std::array<int, program::kMaxDepth> loop_{};
    std::array<std::int64_t, program::kMaxDepth> counter_{};
  };

  /// `walksLoops`: every instruction on its own, no checkpoints. `turns`: what turns that repeat need not have in
  /// common, in tests; their state has one part, the waits of threads that take turns. `code` outlives the unit.
  Unit(const UnitCode &code, const machine::Machine &machine, bool walksLoops, Weakening turns = {});

  Checkpoint run();
  std::int64_t now() const { return issue_.now(); }
  std::int64_t nextEvent() const { return INT64_MAX; }  // nothing happens by itself
  /// Each thread is a process.
  int processes() const { return static_cast<int>(threads_.size()); }
  const Position &position(int thread) const { return threads_[static_cast<std::size_t>(thread)].position; }
  const Counts &counts() const { return counts_; }
  void setCounts(const Counts &c) { counts_ = c; }
  /// Parts of its state: at which step each thread is and whether its slots are known; how many are left; which piece
  /// of an access comes next; how long it waits; busy ports of the bank; where in a refresh interval. At a checkpoint
  /// thread 0 has just got its turn, so no access blocks the others.
  enum class Part : std::uint8_t { kProcesses, kSlots, kPieces, kWaits, kPorts, kRefresh };
  static constexpr std::array<std::string_view, 6> kParts = {"processes", "slots", "pieces",
                                                             "waits",     "ports", "refresh"};
  static constexpr int kCountdowns = -1;
  void encode(StateWords &out) const;
  void restore(const StateWords &words, std::span<const Position> positions, std::int64_t now, bool withCountdowns);
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
  void noteTurn(int thread);
  void skipTurns();

  const UnitCode *code_;
  bool walksLoops_;
  Parts turnsWithout_;
  bool isBlocking_;
  dpu::IssueOf<0> issue_;
  dpu::Dma bank_;
  std::vector<Thread> threads_;
  Counts counts_;
  int chosen_ = -1;  ///< issues now
  std::int64_t blockedUntil_ = 0, completion_ = 0, skipped_ = 0;

  // The last turn: from one choice of the leader to its next, and who issued how often in it.
  int leader_ = -1;
  bool isTurnPure_ = false;
  std::int64_t turnStart_ = 0, turnIdle_ = 0;
  StateWords turnState_, scratch_;
  std::vector<std::int32_t> issued_;
};

}  // namespace pimento::sim::cnm
