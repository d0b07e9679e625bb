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
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pimento/trace/stream.h"

namespace pimento::trace {

/// What the memory offers.
struct CimRules {
  /// Operations it runs, by kind; of `widths` bits.
  std::vector<Operation> operations;
  std::vector<int> widths;
  /// Levels that compute, by the numbers that onInstruction() is given.
  std::vector<bool> levels;
  /// How near operands must lie: at one level; in one bank of it; and on the same bitlines of that bank.
  enum class Locality : std::uint8_t { kLevel, kBank, kBitline } locality = Locality::kBank;
  struct Geometry {
    std::uint64_t line = 64, banks = 1;
  };
  std::vector<Geometry> geometry;  ///< by level
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
  kBitline,
};
inline constexpr int kFates = 11;
/// "offloaded" "width" ... "bitline".
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

struct CandidateCounts {
  std::int64_t trees = 0, stored = 0;  ///< the others go back to a register
  std::array<std::int64_t, kFates> operations{};
  std::array<std::int64_t, kLoadFates> loads{};
  std::vector<std::int64_t> treesAt;  ///< by level
  /// Of trees whose root is stored, where the stream has values: computed from their leaves, and found to be another
  /// value than the one that was stored.
  std::int64_t proved = 0, disproved = 0;

  std::int64_t offloaded() const { return operations[0]; }
};

class Candidates {
 public:
  /// `window`: instructions, a power of two, within which uses and overwriting are seen.
  explicit Candidates(CimRules rules, std::size_t window = std::size_t{1} << 12);
  ~Candidates();

  /// Whether accesses have their values; where not, nothing is proved. True at first.
  void setHasValues(bool hasValues);
  /// The next instruction with its accesses. `level`: that served its load, -1 where none did (forwarded, no load).
  void onInstruction(const Instruction &in, std::span<const Access> accesses, int level);
  /// Nothing comes any more, or nothing that has to do with what came before.
  void finish();

  const CandidateCounts &counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pimento::trace
