// The fast interpreter: runs one tasklet up to its next event.
//
// Threaded code: every piece ends in the jump to the next one. Registers are those of the Context; flags, position and
// the count of instructions are in locals. What it does equals what Core::execute does, instruction by instruction.
// Executions are counted where control does not go straight on: a taken branch counts one; sums over them say how often
// each instruction was executed.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "pimento/sim/dpu/fast_code.h"
#include "pimento/sim/dpu/step.h"

namespace pimento::sim::dpu {

/// Which tasklets touch a line of WRAM between their last event and their next, as bits.
struct Touched {
  std::uint32_t readers = 0, writers = 0;
};
inline constexpr std::uint32_t kLineBytes = 64;

/// How often control went where: differences of how often instructions were executed.
class Executions {
 public:
  explicit Executions(std::size_t instructions) : taken_(instructions), differences_(instructions + 1) {}

  void enter(std::uint32_t pc) { ++differences_[pc]; }
  /// Before `pc` was executed.
  void leave(std::uint32_t pc) { --differences_[pc]; }
  std::int64_t *taken() { return taken_.data(); }
  /// Adds what was counted to `executed`, by instruction, and begins anew.
  void addTo(std::vector<std::int64_t> &executed, const std::vector<FastOp> &ops);

 private:
  std::vector<std::int64_t> taken_;        ///< by branch with a target that is known
  std::vector<std::int64_t> differences_;  ///< of all other entries and exits
};

/// Decides on accesses that the interpreter does not do itself: the first of a line, unaligned ones.
class Access {
 public:
  virtual ~Access() = default;
  /// Whether `tasklet` may read or write so many bytes of WRAM ahead of time. False as well outside of WRAM.
  virtual bool may(int tasklet, std::uint32_t address, std::uint32_t bytes, bool isWrite) = 0;
};

class Interpreter {
 public:
  enum class End : std::uint8_t {
    kEvent,    ///< an instruction of class kEvent or kProduct comes next
    kLimit,    ///< enough instructions
    kRefused,  ///< what comes next must wait until its time: an access that is not allowed, or a fault
  };
  struct Run {
    End end = End::kEvent;
    std::int64_t instructions = 0;
  };

  Interpreter(const FastCode &code, const std::vector<Step> &steps, std::vector<std::uint8_t> &wram)
      : code_(code), steps_(steps), wram_(wram), executions_(steps.size()) {}

  /// At least one instruction where that is allowed; ends at a branch once there were `limit`. `touched` is by line.
  Run guarded(int tasklet, Context &k, std::int64_t limit, std::span<Touched> touched, Access &access);
  /// The same for a tasklet that runs alone.
  Run alone(int tasklet, Context &k, std::int64_t limit);

  Executions &executions() { return executions_; }

 private:
  template <bool kIsGuarded>
  Run run(int tasklet, Context &k, std::int64_t limit, Touched *touched, Access *access);

  const FastCode &code_;
  const std::vector<Step> &steps_;
  std::vector<std::uint8_t> &wram_;
  Executions executions_;
};

}  // namespace pimento::sim::dpu
