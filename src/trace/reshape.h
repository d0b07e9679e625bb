// A stream as it is once caches compute its candidates (Eva-CiM, section IV-C): loads, operations and stores that a
// candidate replaces are gone, and one instruction of kind kCim stands for them.
//
// It stands where the result is stored, or, where it goes back to a register, where the root stood. Addresses stay with
// the core: an instruction that changed its base still does, as an addition; where the registers of an operand's
// address change before the cache computes, an addition keeps the address in a register of its own (kFirstAddress). A
// load whose value is used elsewhere, too, stays. Instructions that stay take the places in the code of those before
// them that are gone, so that fetches and branches meet the same addresses.
//
// Not here: which trees are candidates (candidates.h), and the time that it takes (sim/core).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "pimento/trace/candidates.h"
#include "pimento/trace/stream.h"

namespace pimento::trace {

/// What reshaping changed.
struct ReshapedCounts {
  std::int64_t computing = 0;  ///< instructions of kind kCim
  std::int64_t gone = 0;       ///< instructions of the program
  std::int64_t addresses = 0;  ///< additions that keep an address or change a base, where nothing did before
  std::int64_t shared = 0;     ///< of `computing`, gone since a later one computes their words, too (rows.h)
  std::int64_t stayed = 0;     ///< candidates that stay with the core: no register is free for an operand's address
};

/// What a cache computes in place of a tree.
struct ReshapedTree {
  struct Operand {
    const Instruction *load = nullptr;
    std::int64_t number = 0;  ///< of the load
    Access access;
    bool isKept = false;
    int kept = -1;  ///< the register that holds its address; -1: its own
  };
  std::vector<CimStep> steps;
  std::vector<Operand> operands;
  const Instruction *root = nullptr;
  bool isStored = false;
  int level = 0;
};

/// What became of the program's instructions, for who executes it (execution.h).
struct ReshapedStep {
  enum class Kind : std::uint8_t {
    kRuns,
    kKeepsAddress,  ///< a load's address goes to the register `kept`
    kBase,          ///< of one that is gone: its base changes
    kComputes,      ///< `tree`, where `in` stands
    kGone           ///< it has no place in the reshaped block
  } kind = Kind::kRuns;
  const Instruction *in = nullptr;  ///< the program's
  Register kept = 0;
  const ReshapedTree *tree = nullptr;
};

class Reshaper {
 public:
  /// What became of a run, just before its reshaped block is handed on; where nothing is left of it no block follows.
  using StepListener = std::function<void(std::span<const ReshapedStep>)>;

  /// Listens to `candidates`, which is driven by the caller; hands the stream to `to`. Both outlive this. `levels`:
  /// names of the caches, for texts.
  Reshaper(Candidates &candidates, std::vector<std::string> levels, Consumer &to);
  ~Reshaper();
  Reshaper(const Reshaper &) = delete;
  Reshaper &operator=(const Reshaper &) = delete;

  /// What `candidates` is given next: the first `count` instructions of a block, which lives as long as this.
  void add(const Block &block, int count, std::span<const Access> accesses);
  /// Hands on blocks of which all is known.
  void pass();
  /// Every run from now on.
  void listen(StepListener listener) { listener_ = std::move(listener); }

  const ReshapedCounts &counts() const { return counts_; }

 private:
  static constexpr int kWords = kRegisters / 64;
  using Registers = std::array<std::uint64_t, kWords>;
  /// What is worked out once for each block.
  struct Shape {
    std::vector<Registers> writes;  ///< of each instruction
    Registers all{};                ///< of all of them
    std::unordered_map<std::string, std::unique_ptr<Block>> reshaped;
  };
  struct Run {
    const Block *block = nullptr;
    Shape *shape = nullptr;
    std::int64_t first = 0;  ///< number of its first instruction
    int count = 0;
    std::vector<Access> accesses;
    std::vector<std::uint8_t> marks;  ///< of each instruction; empty: nothing changes
  };
  /// What becomes of an instruction.
  enum Mark : std::uint8_t {
    kGone = 1,      ///< it is part of a candidate, or its store
    kComputes = 2,  ///< a candidate computes here
  };
  using Tree = ReshapedTree;

  void onTree(const JudgedTree &tree);
  void onLoad(std::int64_t number, LoadFate fate);
  Run &runOf(std::int64_t number);
  bool changesBefore(std::int64_t site, std::int64_t load, const Instruction &in);
  bool hasRegister(std::int64_t load, std::int64_t site) const;
  void takeRegisters(const Run &run);
  void mark(std::int64_t number, Mark mark);
  void handReshaped(const Run &run);
  void tellSteps(const Run &run);
  std::string keyOf(const Run &run) const;
  Block reshape(const Run &run) const;
  Instruction computing(const Tree &tree, const Instruction &site) const;
  std::string textOf(const Tree &tree, const Instruction &site) const;

  Candidates &candidates_;
  std::vector<std::string> levels_;
  Consumer &to_;
  std::unordered_map<const Block *, std::unique_ptr<Shape>> shapes_;
  std::deque<Run> runs_;  ///< not handed on yet
  std::vector<std::vector<Access>> spare_;
  std::unordered_map<std::int64_t, Tree> trees_;  ///< by the number of the instruction where they compute
  /// Of a load whose address is kept: until which instruction, and from when its run is handed on, where.
  struct Kept {
    std::int64_t until = 0;
    Register reg = 0;
  };
  std::unordered_map<std::int64_t, Kept> kept_;               ///< by the number of the load
  std::array<std::int64_t, kAddressRegisters> takenUntil_{};  ///< each register; before an instruction
  std::unordered_set<std::int64_t> needed_;                   ///< loads of candidates that stay
  std::int64_t next_ = 0;
  std::vector<Access> accesses_;  ///< of the block in hand
  ReshapedCounts counts_;
  StepListener listener_;
  std::vector<ReshapedStep> steps_;  ///< of the run in hand
};

}  // namespace pimento::trace
