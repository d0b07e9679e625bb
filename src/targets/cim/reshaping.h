// Turns a stream into the one that is left once the machine's caches compute: where loads are served is simulated, the
// search finds the candidates, and the reshaper takes them out.
#pragma once

#include <memory>
#include <unordered_map>

#include "pimento/machine/machine.h"
#include "pimento/sim/core/core.h"
#include "pimento/targets/cim/walker.h"
#include "pimento/trace/candidates.h"
#include "pimento/trace/reshape.h"
#include "pimento/trace/rows.h"

namespace pimento::targets::cim {

class Reshaping final : public Walker {
 public:
  /// `machine` and `to` outlive this; blocks that `to` is given live as long as this.
  Reshaping(const machine::Machine &machine, trace::Consumer &to);
  /// By other rules than the machine's.
  Reshaping(const machine::Machine &machine, const trace::CimRules &rules, trace::Consumer &to);

  trace::Reshaper &reshaper() { return reshaper_; }
  const trace::CandidateCounts &candidates() const { return candidates_.counts(); }
  bool wantsMore() const override { return to_.wantsMore(); }

 private:
  struct Step {
    sim::core::Step ofCore;
    trace::Candidates::Step ofTrees;
  };

  void begin() override;
  void beginBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
  void onInstruction(const trace::Instruction &in, std::span<const trace::Access> accesses,
                     std::uint64_t next) override;
  void finish() override;

  trace::Consumer &to_;
  sim::core::Core core_;
  trace::Candidates candidates_;
  std::unique_ptr<trace::Rows> rows_;  ///< in front of `to_`; null: operations share no rows
  trace::Consumer &left_;              ///< the first of them
  trace::Reshaper reshaper_;
  std::unordered_map<const trace::Instruction *, Step> steps_;
};

}  // namespace pimento::targets::cim
