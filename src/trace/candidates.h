// What of a program a computing memory could run: trees of operations whose leaves are loads and constants.
//
// The stream is looked at through a window. A value is known once, by its writer; an operation joins the tree of the
// one operation that uses it, if nothing else does and its register is then overwritten. A tree that the memory
// supports in kind and width is a candidate if all leaves are loads or constants, one at least a load; if no store in
// between changes a leaf; and if its operands lie where the memory can join them. Its root is stored by the instruction
// that uses it, or goes back to a register.
//
// Every supported operation and every load has exactly one fate, and fates sum to their numbers. Constant work per
// instruction. Source: Eva-CiM, section IV; what is added to it (liveness, stores between) is in docs/models/cim.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pimento/trace/stream.h"

namespace pimento::trace {

/// Instructions that candidates replace, by what they would have cost.
struct RemovedInstructions {
  std::int64_t operations = 0, loads = 0, stores = 0, registerReads = 0, registerWrites = 0;

  std::int64_t all() const { return operations + loads + stores; }
};

/// What the memory offers.
struct CimRules {
  /// Operations it runs, by kind; of `widths` bits.
  std::vector<Operation> operations;
  std::vector<int> widths;
  /// Levels that compute, by the numbers that onInstruction() is given.
  std::vector<bool> levels;
  /// How near operands must lie: at one level; in one bank of it; and on the same bitlines of that bank.
  enum class Locality : std::uint8_t { kLevel, kBank, kBitline } locality = Locality::kBank;
  /// Operands that lie elsewhere are brought there: what is above the level that computes is written back to it, what
  /// is in another bank or on other bitlines is copied. Else there is no candidate.
  bool movesOperands = false;
  struct Geometry {
    std::uint64_t line = 64, banks = 1;
  };
  std::vector<Geometry> geometry;  ///< by level

  /// Plans that are wrong on purpose: tests show that running them gives other results. The last two are sound trees
  /// whose operands are not copied to each other, or not written back from caches above.
  enum class Unsound : std::uint8_t {
    kNone,
    kIgnoresUses,
    kIgnoresStores,
    kIgnoresCopies,
    kIgnoresWriteBacks
  } unsound = Unsound::kNone;

  /// What is known of a tree before it is a candidate.
  struct Tree {
    std::span<const std::int64_t> operations;  ///< how many, by place in `operations`
    int depth = 0;                             ///< operations that follow each other
    std::int64_t loads = 0, goneLoads = 0;     ///< leaves, and those of them that nothing else uses
    std::int64_t writtenBack = 0, copied = 0;  ///< operands that are brought near
    int level = 0, highest = 0;                ///< that computes; the furthest that a leaf is served from
    bool isStored = false;
    RemovedInstructions removed;
  };
  /// Whether it is worth it; none: all are.
  std::function<bool(const Tree &)> accepts;
};

/// What becomes of an operation that the memory supports in kind.
enum class Fate : std::uint8_t {
  kOffloaded,
  kWidth,        ///< of another width
  kNoLoad,       ///< constants alone
  kRegister,     ///< an operand is no load, constant or supported operation, or only a part of a load
  kFlagsUsed,    ///< its flags are used
  kConditional,  ///< it may not take effect
  kStoreBetween,
  kLevel,   ///< a leaf is served where nothing computes
  kLevels,  ///< leaves are served at different levels
  kBank,
  kBitline,  ///< or an operand lies in two lines
  kCost,     ///< it would take longer, or more energy, than what it replaces
};
inline constexpr int kFates = 12;
/// "offloaded" "width" ... "cost".
std::string_view name(Fate fate);

/// What becomes of a load.
enum class LoadFate : std::uint8_t {
  kOffloaded,  ///< it vanishes
  kKept,       ///< it feeds a candidate, but its value is used elsewhere, too
  kUnused,     ///< no supported operation uses its value as it is
  kRejected,   ///< one does, in a tree that is none
};
inline constexpr int kLoadFates = 4;
std::string_view name(LoadFate fate);

/// What runs at one level.
struct CandidatesAt {
  std::int64_t trees = 0, stored = 0;
  std::vector<std::int64_t> operations;      ///< by place in CimRules::operations
  std::int64_t loads = 0;                    ///< that it serves, and that vanish
  std::int64_t writtenBack = 0, copied = 0;  ///< operands that were brought near
};

struct CandidateCounts {
  std::int64_t trees = 0, stored = 0;  ///< the others go back to a register
  std::array<std::int64_t, kFates> operations{};
  std::array<std::int64_t, kLoadFates> loads{};
  std::vector<CandidatesAt> at;  ///< by level
  RemovedInstructions removed;
  /// Of trees whose root is stored, where the stream has values: computed from their leaves, and found to be another
  /// value than the one that was stored.
  std::int64_t proved = 0, disproved = 0;

  std::int64_t offloaded() const { return operations[0]; }
};

/// A tree whose fate is known; numbers of instructions count from 0 in the order of the stream.
struct JudgedTree {
  Fate fate = Fate::kOffloaded;
  /// Operands before operations, the root last. Where the root itself cannot be offloaded it stands alone.
  std::span<const std::int64_t> operations, loads;
  std::int64_t store = -1;                 ///< that takes the root; -1: it goes back to a register
  int level = -1;                          ///< that computes, of candidates
  std::span<const CimStep> steps;          ///< what it computes, of candidates; operands are numbered as `operands` are
  std::span<const std::int64_t> operands;  ///< loads by the places that steps name
};

class Candidates {
 public:
  /// What is needed of one instruction of a program, worked out once.
  struct Step {
    const Instruction *in = nullptr;
    bool isSupported = false, hasWidth = false, isPlainLoad = false, isValue = false;
    bool isCall = false;   ///< of the system
    bool hasNode = false;  ///< may be part of a tree, or store its root
    /// Where what is counted of this instruction is added, too; sums of all are counts(). Null: nowhere. Trees, and
    /// what is read, written back and copied for them, are their roots'.
    CandidateCounts *own = nullptr;
    std::uint8_t kind = 0;  ///< place in CimRules::operations
    struct Read {
      Register reg = 0;
      bool isOperand = false, isStored = false;
    };
    struct Write {
      Register reg = 0;
      bool isDestination = false;
    };
    static constexpr std::size_t kInline = 6;
    std::uint8_t readCount = 0, writeCount = 0;
    std::array<Read, kInline> reads{};    ///< where there are more, they are asked of `in`
    std::array<Write, kInline> writes{};  ///< the same
  };

  /// `window`: instructions, a power of two, within which uses and overwriting are seen.
  explicit Candidates(CimRules rules, std::size_t window = std::size_t{1} << 12);
  ~Candidates();

  /// Whether accesses have their values; where not, nothing is proved. True at first.
  void setHasValues(bool hasValues);
  /// `in` outlives the step.
  Step prepare(const Instruction &in) const;
  /// Where a load was served.
  struct Served {
    int level = -1;           ///< -1: nowhere (forwarded, no load)
    std::uint64_t place = 0;  ///< physical address
  };
  /// The next instruction with its accesses; the step outlives this.
  void onInstruction(const Step &step, std::span<const Access> accesses, Served served);
  /// Nothing comes any more, or nothing that has to do with what came before.
  void finish();
  /// Every tree from now on, in the order in which fates become known.
  void listen(std::function<void(const JudgedTree &)> listener);
  /// Every load from now on, by its number, in order. What becomes of the trees that it is in has been told before.
  void listenToLoads(std::function<void(std::int64_t, LoadFate)> listener);
  /// Of instructions before this number all is told.
  std::int64_t settled() const;

  const CandidateCounts &counts() const;
  /// Nothing counted yet, by the levels and operations of the rules.
  CandidateCounts none() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pimento::trace
