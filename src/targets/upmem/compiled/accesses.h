// How the loops over a tile reach the elements of operands: which they touch, through which pointers (p_NAME at the
// innermost loop's first point, q_NAME moving along it) or in which registers (a_NAME). Internal to compiled/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pimento/targets/upmem/compiled/context.h"

namespace pimento::targets::upmem::compiled {

class Accesses {
 public:
  /// Of the stores that `context` names; it must outlive this.
  explicit Accesses(const Context &context);

  const Operand &operand(const Reference &r) const { return scheme_.operands[static_cast<std::size_t>(r.operand)]; }
  /// Is a value of the body computed; does the loop move or read an operand in WRAM?
  bool isWanted(std::size_t value) const { return wanted_[value]; }
  bool isTouched(std::size_t operand) const {
    return touched_[operand] && scheme_.operands[operand].use != Use::kSelected;
  }
  const Operand *selected() const { return selected_; }  ///< what a selection appends to
  int inner() const { return inner_; }
  int depthOfInner() const { return static_cast<int>(scheme_.nest.size()) - 1; }
  int depthOf(const kernel::Affine &guard) const;  ///< of the loop inside which it is known; -1: outside all
  bool guardsInner() const { return guardsInner_; }
  /// How many points of the innermost loop are written out.
  int unroll() const { return unroll_; }

  /// Elements from one point of dim `d` to the next; nothing where it is no number known now.
  std::optional<std::int64_t> fixedStride(const Operand &o, int d) const;
  /// Bytes from one point of dim `d` to the next, as text.
  std::string stride(const Operand &o, int d) const;
  static std::string pointerType(const Operand &o) { return memoryType(o.type) + " *"; }
  static std::string moved(const Operand &o, const std::string &pointer, const std::string &bytes);
  /// The distance of an access from its operand's pointer, in elements, the last position's (lastDelta) aside.
  std::string offset(const Reference &r) const;
  static std::int64_t lastDelta(const Reference &r) { return r.delta.empty() ? 0 : r.delta.back(); }
  /// The element that an access of point `u` of a chunk is to.
  std::string place(const Reference &r, int u) const;

  /// Does the innermost loop stay at one element?
  bool isFixed(const Operand &o) const { return inner_ < 0 || !o.involves(inner_); }
  /// Kept in a variable while the innermost loop runs: every access is to the same element.
  bool isInRegister(std::size_t operand) const;
  /// Two neighbours of 4 bytes are one word of 8.
  bool isPaired(const Operand &o, std::int64_t delta) const;
  bool isStoredInPairs(std::size_t store) const;
  const Reference *storeOf(std::size_t operand) const;
  bool startsFromIdentity(const Operand &o) const;
  std::string identity(const Operand &o) const { return identityOf(scheme_.storeOf(o).combine, o.type); }

 private:
  void choose();
  int unrolling() const;

  const Context &c_;
  const Scheme &scheme_;
  const kernel::Kernel &kernel_;
  int inner_;
  std::vector<bool> wanted_, touched_;
  bool guardsInner_ = false;
  int unroll_ = 1;
  const Operand *selected_ = nullptr;
};

}  // namespace pimento::targets::upmem::compiled
