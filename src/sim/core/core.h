// Time of a core that runs a stream of instructions, in one pass: every instruction gets the cycles in which it is
// fetched, dispatched, issued, done and committed, from those before it; there is no loop over cycles.
//
// Committed instructions alone: wrong paths take time (fetch begins again when a wrong guess is known), but fetch
// nothing. Addresses are known in time to tell which stores a load depends on. Contents of caches follow program order.
//
// Not here: caches (sim/cache), guesses (predictor.h), energy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/cache/calendar.h"
#include "pimento/sim/cache/hierarchy.h"
#include "pimento/sim/cache/pages.h"
#include "pimento/sim/cache/tlb.h"
#include "pimento/sim/core/issue_queue.h"
#include "pimento/sim/core/predictor.h"
#include "pimento/trace/stream.h"

namespace pimento::sim::core {

using Tick = cache::Tick;

/// What the cycles between two commits were spent on; they sum to all cycles.
enum class Cause : std::uint8_t {
  kBase,     ///< the cycle that each group of commits takes
  kFetch,    ///< instructions that were not in the first cache
  kBranch,   ///< wrong guesses
  kExecute,  ///< results that took long, and units that were taken
  kCache,    ///< data from caches behind the first
  kMemory,   ///< data from memory
};
inline constexpr int kCauses = 6;
/// "base" "fetch" "branch" "execute" "cache" "memory".
std::string_view name(Cause cause);

/// Cycles of one instruction, and where its data were.
struct Times {
  Tick fetched = 0, dispatched = 0, issued = 0, done = 0, committed = 0;
  int level = -1;  ///< of its last load: index into Machine::caches, their number for memory (of several cores: a
                   ///< shared L3, then memory); -1: none, or forwarded
  std::uint64_t place = 0;  ///< physical address of its last load, where a cache or memory served it
};

struct CoreCounts {
  std::int64_t instructions = 0, branches = 0, wrongGuesses = 0, lateTargets = 0, loads = 0, stores = 0, forwarded = 0;
  std::array<std::int64_t, machine::kCoreOperations> executed{};
};

/// What of a cache's computing takes time; each alone, for the bridge between accounts.
struct CimTiming {
  bool operations = true;  ///< each its latency
  bool banks = true;       ///< which its bank is taken for
  bool order = true;       ///< it waits for stores to the lines that it works on, and they for it
  bool moves = true;       ///< operands in other banks are copied
};

/// What caches computed.
struct CimCounts {
  std::int64_t instructions = 0, stored = 0, operands = 0;
  struct At {
    std::int64_t logicOr = 0, logicAnd = 0, logicXor = 0, sums = 0, results = 0, copies = 0, writes = 0;
  };
  std::vector<At> at;  ///< by index into Machine::caches; `results` go back to a register
};

/// The class of machine::Core::executions that an instruction is of.
machine::CoreOperation classOf(const trace::Instruction &in);

/// What a core needs of one instruction of a program, worked out once.
struct Step {
  const trace::Instruction *in = nullptr;
  std::uint64_t address = 0, after = 0;  ///< of it, and of what lies behind it
  std::int32_t latency = 0, busy = 1;
  machine::CoreOperation of = machine::CoreOperation::kInteger;
  std::uint8_t unit = 0;
  bool loads = false, stores = false, isBranch = false;
  bool hasEarlyBase = false;  ///< a load that changes its base, which is there before the data
  bool isCim = false;
  std::uint8_t cimLevel = 0;  ///< of the cache that computes
  std::uint8_t readCount = 0, writeCount = 0;
  static constexpr std::size_t kInline = 6;
  std::array<trace::Register, kInline> firstReads{}, firstWrites{};

  std::span<const trace::Register> reads() const {
    return {readCount <= kInline ? firstReads.data() : in->reads.begin(), readCount};
  }
  std::span<const trace::Register> writes() const {
    return {writeCount <= kInline ? firstWrites.data() : in->writes.begin(), writeCount};
  }
};

class Core {
 public:
  /// `machine` has a core and caches, and outlives this, as does `behind`, what serves the caches' misses of core
  /// number `number`; null: memory of its own.
  explicit Core(const machine::Machine &machine, cache::Behind *behind = nullptr, int number = 0);
  /// Before the first instruction.
  void setTiming(const CimTiming &timing) { timing_ = timing; }
  /// Tells what happens to lines in its caches from now on; `moves` outlives this.
  void tell(trace::LineMoves &moves) {
    moves_ = &moves;
    caches_.tell(moves);
    pages_.tell(moves);
  }

  /// `in` outlives the step.
  Step prepare(const trace::Instruction &in) const;
  /// The next instruction of the program, its accesses to memory, and the address of the instruction after it.
  Times run(const Step &step, std::span<const trace::Access> accesses, std::uint64_t next);
  Times run(const trace::Instruction &in, std::span<const trace::Access> accesses, std::uint64_t next) {
    return run(prepare(in), accesses, next);
  }

  /// Places of the steps of a block that do more to caches and predictor than their accesses: those that begin a line
  /// of the instruction cache, and branches.
  std::vector<std::uint16_t> marksOf(std::span<const Step> steps) const;
  /// What caches and predictor learn when `steps`, the first ones of a block with these marks, run: it takes no time,
  /// and is not counted. `accesses`: of all of them.
  void warm(std::span<const Step> steps, std::span<const std::uint16_t> marks, std::span<const trace::Access> accesses,
            std::uint64_t next);

  /// Cycles until the last commit.
  Tick cycles() const { return lastCommit_; }
  Tick cyclesOf(Cause cause) const { return stack_[static_cast<std::size_t>(cause)]; }
  const CoreCounts &counts() const { return counts_; }
  const CimCounts &computed() const { return computed_; }
  const cache::Hierarchy &caches() const { return caches_; }
  /// What an access leaves in the data caches, in no time and uncounted.
  void warm(std::uint64_t address, bool isWrite) { caches_.warm(caches_.dataCache(), address, isWrite); }
  const std::optional<cache::Tlb> &tlb() const { return tlb_; }

 private:
  /// The latest times of `n` entries that are freed in order.
  struct Queue {
    explicit Queue(int entries) : free(static_cast<std::size_t>(entries), 0) {}
    Tick room() const { return free[at]; }
    void add(Tick until) {
      free[at] = until;
      at = at + 1 == free.size() ? 0 : at + 1;
    }
    std::vector<Tick> free;
    std::size_t at = 0;
  };
  struct Store {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    Tick ready = 0, gone = 0;  ///< its data are known; they are in the cache
    bool isCim = false;        ///< of a cache: the core never has the data
  };

  /// Which of the last stores may share bytes with an access: how many of them touch each piece of memory.
  static constexpr int kPieceBits = 3;
  static constexpr std::size_t kPieces = 256;
  template <typename Visit>
  static void visitPieces(std::uint64_t address, std::uint64_t bytes, Visit visit) {
    for (std::uint64_t p = address >> kPieceBits; p <= (address + bytes - 1) >> kPieceBits; ++p)
      visit(static_cast<std::size_t>(p) & (kPieces - 1));
  }

  Tick fetch(const Step &s);
  Tick dispatch(const Step &s, Tick fetched);
  Tick issue(const Step &s, Tick ready);
  Tick load(const Step &s, const trace::Access &a, Tick at, Times &times);
  /// Whether it took its data from a store; else `at` is when the caches may be asked.
  bool forward(const trace::Access &a, Tick &at);
  Tick commit(Tick done);
  Tick drain(const Step &s, const trace::Access &a, Tick committed, Tick ready);
  void enqueue(const Store &store);
  Tick afterStores(std::uint64_t address, std::uint64_t bytes, Tick at, bool cimAlone) const;
  Tick compute(const Step &s, std::span<const trace::Access> accesses, Tick at, Times &times);
  Tick computeInOrder(const Step &s, std::span<const trace::Access> accesses, Times &times);
  Tick count(const trace::CimWork &work, int level, CimCounts::At &to) const;
  bool isNear(int cache, std::uint64_t a, std::uint64_t b) const;
  /// When an address is translated.
  Tick translated(std::uint64_t address, Tick at) { return tlb_ ? at + tlb_->translate(address >> pageShift_) : at; }
  void branch(const Step &s, const Times &t, std::uint64_t next);
  void blame(const Times &t, Cause late, Tick commit);

  const machine::Machine &machine_;
  const machine::Core &core_;
  cache::Hierarchy caches_;
  cache::Pages pages_;
  std::optional<cache::Tlb> tlb_;
  int pageShift_ = 12;
  Predictor predictor_;

  std::array<Tick, trace::kRegisters> ready_{};  ///< of each register
  Tick fetchCycle_ = 0, redirect_ = 0;
  int fetchedInCycle_ = 0;
  Cause redirectCause_ = Cause::kBase;  ///< why fetch began again there
  std::uint64_t fetchLine_ = ~std::uint64_t{0};
  Tick lastDispatch_ = 0;
  int dispatchedInCycle_ = 0;
  Tick lastIssue_ = 0;
  Tick lastCommit_ = 0;
  int committedInCycle_ = 0;
  Tick lastDrain_ = 0;
  Queue frontEnd_, rob_, loads_, storeRoom_;
  IssueQueue waiting_;
  Calendar issue_;
  std::vector<Calendar> units_;
  std::vector<Store> stores_;  ///< a ring: the last ones
  std::size_t nextStore_ = 0;
  std::array<std::uint16_t, kPieces> storesAt_{};
  int instructionShift_, dataShift_;  ///< from an address to the number of its line
  CimTiming timing_;
  trace::LineMoves *moves_ = nullptr;  ///< null: nobody listens
  CimCounts computed_;
  Tick lastComputed_ = 0;  ///< when the last result of a cache is in memory
  std::array<Tick, kCauses> stack_{};
  CoreCounts counts_;
};

}  // namespace pimento::sim::core
