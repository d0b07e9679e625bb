// How a kernel runs on the units of a compute-near-memory machine: a scheme (lower/operand.h) with tiles.
//
// A dim is split over the levels of the machine, contiguously; what a thread has of it is cut into tiles where the
// machine has a scratchpad. The box of elements that a unit's (inputs) or a thread's (results) points touch is an array
// in the bank, the box of a tile's points one in the scratchpad. Not here: instructions (lower.h), bytes of tensors
// (data.h).
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/lower/operand.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::cnm {

using lower::Axis;
using lower::PerDim;
using lower::Reference;
using lower::Use;

/// Results that points update start from what is placed.
struct Operand : lower::Operand {
  int array = -1;         ///< of the unit: in the bank
  int tile = -1;          ///< in the scratchpad; -1: there is none
  bool isInBank = false;  ///< not in the scratchpad: accesses go to the bank, an element each
};

struct Plan : lower::Scheme {
  using Scheme::Scheme;

  std::vector<Operand> operands;
  bool hasScratchpad = false;
  bool isInOrder = false;  ///< points of a thread run row-major (operands.h)

  /// Dims whose padding some store would not notice, or an index from data would: points there must be left out.
  std::vector<int> maskedDims() const;
  /// Does the program read the operand's array? Not that of a result which all of its points overwrite.
  bool isRead(const Operand &o) const;
  /// Elements of an operand's arrays in a unit.
  std::int64_t elementsOf(const Operand &o) const;
  /// Bytes of all arrays of a unit in its bank; of one thread's tiles in the scratchpad.
  std::int64_t bankBytes() const, tileBytes() const;
  /// lower::byteOf in the operand's array in the bank or in the scratchpad, in elements.
  kernel::Affine inBank(const Operand &o, const PerDim &inner, const PerDim &delta = {}) const;
  kernel::Affine inTile(const Operand &o, const PerDim &inner, const PerDim &delta = {}) const;
};

/// Tiles and all that follows from them. Diagnostics: unsupported-form, unsupported-pattern, unsupported-type,
/// unsupported-mapping, capacity.
Result<Plan> makePlan(const kernel::Graph &graph, int kernel, const mapping::PlacedMapping &placed,
                      const machine::Machine &machine);

}  // namespace pimento::targets::cnm
