// One pass over what a program executes: time on the machine's core and caches, and what of it their cim section could
// run.
//
// Three threads pass batches on in order, so that the answer depends on none of them: the caller's, which gathers
// blocks; the core's; and that of candidates, which has to know where the core's loads were served.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "pimento/base/pipe.h"
#include "pimento/evaluate/profile.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/core/core.h"
#include "pimento/targets/cim/attribution.h"
#include "pimento/targets/cim/counts.h"
#include "pimento/targets/cim/rerun.h"
#include "pimento/trace/candidates.h"
#include "pimento/trace/release/analyzer.h"
#include "pimento/trace/reshape.h"
#include "pimento/trace/rows.h"

namespace pimento::targets::cim {

/// Rules of the machine's cim section, and the geometry of its caches.
trace::CimRules rulesOf(const machine::Machine &machine);

/// Shares rows before `to`, as the machine says; null: each word has its own operation.
std::unique_ptr<trace::Rows> rowsOf(const machine::Machine &machine, trace::Consumer &to);

/// By index into Machine::caches.
std::vector<std::string> cacheNames(const machine::Machine &machine);

/// A consumer of one stream. `machine` has passed the target's check and outlives this.
class Profiler final : public evaluate::Profiler {
 public:
  /// `isBridged`: simulates effects of computing in caches one after the other, too.
  explicit Profiler(const machine::Machine &machine, bool isBridged = false);
  ~Profiler() override;

  void attribute() override;
  void onStart(const trace::Program &program, bool hasValues) override;
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
  void onEnd() override;
  void warm(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
  Progress progress() override;
  evaluate::Profile profile() override;

 private:
  /// A block with what is worked out once for each of its instructions. A copy: producers may end before the threads.
  struct Known {
    trace::Block block;
    std::vector<sim::core::Step> steps;
    std::vector<std::uint16_t> marks;  ///< of the steps
    std::vector<trace::Candidates::Step> uses;
    std::vector<trace::release::AnalyzerStep> release;   ///< empty: the released analyzer does not read the program
    std::int64_t registerReads = 0, registerWrites = 0;  ///< of all its instructions
    std::int64_t zeroings = 0;                           ///< likewise
    std::int64_t cycles = 0;
    // Of each instruction, where attribute() was called.
    std::vector<Spent> spent;
    std::vector<trace::CandidateCounts> own;
  };
  /// The first `count` instructions of a block ran, then the one at `next`; their accesses end at `accesses`.
  struct Run {
    Known *known = nullptr;
    int count = 0;
    std::size_t accesses = 0;
    std::uint64_t next = 0;
    bool isWarming = false;  ///< it leaves its traces in caches and predictor alone
  };
  struct Batch {
    std::vector<Run> runs;
    std::vector<trace::Access> accesses;
    std::vector<trace::Candidates::Served> served;  ///< each instruction that has accesses, once the core knows
    int instructions = 0;
    bool isTimed = false;  ///< some run is not warming alone
  };
  using Batches = Pipe<std::unique_ptr<Batch>>;
  static constexpr int kBatch = 8192;  ///< instructions: what is passed on stays in a cache of the processor's own
  static constexpr std::size_t kBatches = 6;

  Known &known(const trace::Block &block);
  Totals totals() const;
  void attributeTo(evaluate::Profile &p) const;
  void rerun(evaluate::Profile &p, const Totals &counted) const;
  void add(const trace::Block &block, int count, std::span<const trace::Access> accesses, bool isWarming);
  void hand();
  /// Waits until all but the last block have run.
  void settle();
  void join();
  void countRegisters(const Known &known, int count);
  void time(Batch &batch);
  void search(const Batch &batch);

  const machine::Machine &machine_;
  sim::core::Core core_;
  trace::Candidates candidates_;
  /// The program with its candidates in caches, simulated again; none where nothing computes, or runs are sampled.
  std::unique_ptr<Reruns> reruns_;
  std::unique_ptr<trace::Rows> rows_;  ///< in front of `reruns_`, where operations share rows
  trace::Consumer *left_ = nullptr;    ///< the first of them
  std::unique_ptr<trace::Reshaper> reshaper_;
  Rerun *resimulated_ = nullptr;
  const Rerun *ideal_ = nullptr;
  std::optional<Meter> meter_;  ///< where attribute() was called
  // Of Arm's instruction sets: the released analyzer, none where runs are sampled, and where it takes loads from, by
  // their level + 1.
  std::optional<trace::release::AnalyzerReader> analyzerReader_;
  std::optional<trace::release::Analyzer> analyzer_;
  std::vector<trace::release::Level> releasedLevels_;
  std::vector<std::pair<std::string, const Rerun *>> bridge_;
  std::unordered_map<const trace::Block *, std::unique_ptr<Known>> known_;
  /// The last ones asked for, by some bits of the pointer.
  struct Recent {
    const trace::Block *block = nullptr;
    Known *known = nullptr;
  };
  std::vector<Recent> recent_;
  std::unique_ptr<Batch> batch_;
  bool wasWarming_ = false;  ///< the run before, for candidates
  std::int64_t registerReads_ = 0, registerWrites_ = 0, zeroings_ = 0;
  Batches toCore_{kBatches}, toCandidates_{kBatches}, spare_{kBatches};
  std::thread coreThread_, candidatesThread_;
};

}  // namespace pimento::targets::cim
