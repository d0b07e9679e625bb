// One pass over what a program executes: time on the machine's core and caches, and what of it their cim section could
// run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/evaluate/counts.h"
#include "pimento/evaluate/profile.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/core/core.h"
#include "pimento/trace/candidates.h"

namespace pimento::targets::cim {

/// Counts of a program's run; energy formulas name them.
const evaluate::CountTable &countTable();

/// Rules of the machine's cim section, and the geometry of its caches.
trace::CimRules rulesOf(const machine::Machine &machine);

/// A consumer of one stream. `machine` has passed the target's check and outlives this.
class Profiler final : public evaluate::Profiler {
 public:
  explicit Profiler(const machine::Machine &machine);

  void onStart(const trace::Program & /*program*/, bool hasValues) override { candidates_.setHasValues(hasValues); }
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
  void onEnd() override;
  void warm(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
  Progress progress() const override { return {core_.counts().instructions, core_.cycles()}; }
  evaluate::Profile profile() const override;

 private:
  /// Runs the block before, now that the address after it is known.
  void runHeld(std::uint64_t next);
  void hold(const trace::Block &block, int count, std::span<const trace::Access> accesses, bool isWarming);

  const machine::Machine &machine_;
  sim::core::Core core_;
  trace::Candidates candidates_;
  const trace::Block *held_ = nullptr;
  int heldCount_ = 0;
  bool isWarming_ = false;  ///< the block that is held
  std::vector<trace::Access> heldAccesses_;
  std::int64_t registerReads_ = 0, registerWrites_ = 0;
  std::map<std::uint64_t, std::int64_t> cyclesAt_;
};

}  // namespace pimento::targets::cim
