// A reshaped stream on the machine's core: what the program takes once caches compute.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/core/core.h"
#include "pimento/targets/cim/attribution.h"
#include "pimento/targets/cim/counts.h"
#include "pimento/trace/queued.h"
#include "pimento/trace/stream.h"

namespace pimento::targets::cim {

/// Counts of a core, but for registers. `way`: the machine's dataWay().
Totals totalsOf(std::span<const int> way, const sim::core::Core &core);

class Rerun final : public trace::Consumer {
 public:
  /// `machine` outlives this.
  Rerun(const machine::Machine &machine, const sim::core::CimTiming &timing) : machine_(machine), core_(machine) {
    core_.setTiming(timing);
  }

  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
  void onEnd() override { flush(0); }

  std::int64_t cycles() const { return core_.cycles(); }
  /// With what caches computed.
  Totals totals() const;
  /// Before the first block: spent() says what instructions took.
  void attribute() { meter_.emplace(machine_, core_); }
  /// By the addresses of the program's instructions that those of the stream stand for.
  std::unordered_map<std::uint64_t, Spent> spent() const;
  const sim::core::Core &core() const { return core_; }

 private:
  struct Known {
    std::vector<sim::core::Step> steps;
    std::int64_t registerReads = 0, registerWrites = 0;  ///< of all of them
    std::vector<Spent> spent;                            ///< of each step; empty: nobody asked
    std::vector<std::uint64_t> origins;                  ///< likewise
  };
  Known &known(const trace::Block &block);
  void flush(std::uint64_t next);

  const machine::Machine &machine_;
  sim::core::Core core_;
  std::optional<Meter> meter_;
  std::unordered_map<const trace::Block *, Known> known_;
  // The block in hand: where it goes on is known once the next one runs.
  Known *block_ = nullptr;
  int count_ = 0;
  std::vector<trace::Access> accesses_;
  std::int64_t registerReads_ = 0, registerWrites_ = 0;
};

/// Several of them, each in a thread of its own.
class Reruns final : public trace::Consumer {
 public:
  explicit Reruns(const machine::Machine &machine) : machine_(machine) {}

  /// Before the first block.
  Rerun &add(const sim::core::CimTiming &timing) {
    runs_.push_back(std::make_unique<One>(machine_, timing));
    return runs_.back()->run;
  }
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override {
    for (const std::unique_ptr<One> &one : runs_) one->queue.onBlock(block, count, accesses);
  }
  void onEnd() override {
    for (const std::unique_ptr<One> &one : runs_) one->queue.onEnd();
  }

 private:
  struct One {
    One(const machine::Machine &machine, const sim::core::CimTiming &timing) : run(machine, timing), queue(run) {}
    Rerun run;
    trace::Queued queue;
  };
  const machine::Machine &machine_;
  std::vector<std::unique_ptr<One>> runs_;
};

}  // namespace pimento::targets::cim
