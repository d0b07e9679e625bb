// Hands a stream to an executor as it is once caches compute: each instruction of the reshaped program after what it
// does to lines of caches, which are simulated as when the program is profiled.
//
// Not here: who executes (guest/rv64/reshaped_guest.h), and the time that it takes (rerun.h).
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/core/core.h"
#include "pimento/targets/cim/reshaping.h"
#include "pimento/trace/execution.h"

namespace pimento::targets::cim {

class Execution final : public trace::Consumer {
 public:
  /// `machine` and `to` outlive this. `rules`: the machine's, or those of a plan that is wrong on purpose.
  Execution(const machine::Machine &machine, const trace::CimRules &rules, trace::Executor &to);

  void onStart(const trace::Program &program, bool hasValues) override;
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override {
    reshaping_.onBlock(block, count, accesses);
  }
  void onEnd() override { reshaping_.onEnd(); }
  bool wantsMore() const override { return to_.wantsMore(); }

  const trace::CandidateCounts &candidates() const { return reshaping_.candidates(); }

 private:
  /// Takes reshaped blocks. A block waits for the next one, which says where it goes on.
  class Reshaped final : public trace::Consumer {
   public:
    Reshaped(const machine::Machine &machine, trace::Executor &to) : to_(to), core_(machine) { core_.tell(to); }
    void onSteps(std::span<const trace::ReshapedStep> steps);
    void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
    void onEnd() override;
    bool wantsMore() const override { return to_.wantsMore(); }

   private:
    /// Steps with what they refer to, which the reshaper has for the time of its call alone.
    struct Steps {
      std::vector<trace::ReshapedStep> all;
      std::deque<trace::ReshapedTree> trees;
    };
    void flush(std::uint64_t next);
    void hand(const Steps &steps, std::uint64_t next);

    trace::Executor &to_;
    sim::core::Core core_;
    std::unordered_map<const trace::Block *, std::vector<sim::core::Step>> known_;
    Steps coming_, waiting_;  ///< of what is not handed on yet; of the block that waits, and what was gone before it
    const trace::Block *block_ = nullptr;
    std::vector<trace::Access> accesses_;
  };

  trace::Executor &to_;
  trace::CacheShape shape_;
  Reshaped reshaped_;
  Reshaping reshaping_;
};

}  // namespace pimento::targets::cim
