// How a kernel runs on the units of a compute-near-memory machine: dims cut into shares and tiles, tensors into arrays.
//
// A dim is split over the levels of the machine, contiguously; what a thread has of it is cut into tiles where the
// machine has a scratchpad. An operand is all accesses to one tensor that differ by constants: the box of elements that
// a unit's (inputs) or a thread's (results) points touch is an array in the bank, the box of a tile's points one in the
// scratchpad. Not here: instructions (lower.h), bytes of tensors (data.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::cnm {

struct Axis {
  std::string name;
  std::int64_t extent = 1, tile = 1;
  std::int64_t range = 1;             ///< of a thread: the mapping's, or a little more, so that tiles divide it
  std::vector<std::int64_t> factors;  ///< per level, outermost first
  bool isReduction = false;

  std::int64_t threads() const { return factors.back(); }
  std::int64_t unitExtent() const { return threads() * range; }
  std::int64_t padded() const;
  bool isPadded() const { return padded() > extent; }
};

enum class Use : std::uint8_t {
  kInput,    ///< one array per unit, read only
  kResult,   ///< per thread; each element belongs to one point: placed, written or updated, read back
  kPartial,  ///< per thread; sums from the identity on, merged by the host
};

struct Operand {
  Use use = Use::kInput;
  int tensor = -1, store = -1;  ///< store: of results
  DType type = DType::kI32;     ///< of its elements in the arrays
  /// Per index of the tensor: coefficient of each dim, smallest constant, and how far the largest lies above it.
  std::vector<kernel::Affine> index;
  std::vector<std::int64_t> spread;
  int level = -1;  ///< tile loop inside which it is moved; -1: before all
  int array = -1;  ///< of the unit: in the bank
  int tile = -1;   ///< in the scratchpad; -1: there is none
  bool hasInitial = false;

  bool involves(int dim) const;
  /// Extent per index where dim d has sizes[d] points.
  std::vector<std::int64_t> box(const std::vector<std::int64_t> &sizes) const;
  std::int64_t elements(const std::vector<std::int64_t> &sizes) const;
  /// The element of a box for `sizes` as an affine form of positions in it: `delta` above the smallest constants.
  kernel::Affine element(const std::vector<std::int64_t> &sizes, const std::vector<std::int64_t> &delta) const;
  /// The element at which the box for `inner` points from a position on begins, in that for `sizes`: an affine form of
  /// the position.
  kernel::Affine corner(const std::vector<std::int64_t> &sizes, const std::vector<std::int64_t> &inner) const;
};

/// An access of the kernel: an operand, and its constants above the smallest.
struct Reference {
  int operand = -1;
  std::vector<std::int64_t> delta;
};

struct Plan {
  const kernel::Graph *graph = nullptr;
  int number = 0;  ///< of the kernel in the graph
  std::vector<Axis> axes;
  std::vector<int> nest;  ///< dims, outermost loop first
  std::vector<Operand> operands;
  std::vector<Reference> loads, stores;  ///< as the kernel's
  std::int64_t units = 1, threads = 1;
  bool hasScratchpad = false;

  const kernel::Kernel &kernel() const { return graph->kernels[static_cast<std::size_t>(number)]; }
  const Axis &axis(int d) const { return axes[static_cast<std::size_t>(d)]; }
  std::vector<std::int64_t> unitSizes() const, threadSizes() const, tileSizes() const;
  /// Sizes that an operand's array in the bank is for.
  std::vector<std::int64_t> bankSizes(const Operand &o) const;
  /// First value of each dim: of a unit, and of a thread from its unit's first.
  std::vector<std::int64_t> baseOf(std::int64_t unit) const, firstOf(std::int64_t thread) const;
  /// Dims whose padding some store would not notice: points there must be left out.
  std::vector<int> maskedDims() const;
  /// Does the program read the operand's array? Not that of a result which all of its points overwrite.
  bool isRead(const Operand &o) const;
  /// Bytes of all arrays of a unit in its bank; of one thread's tiles in the scratchpad.
  std::int64_t bankBytes() const, tileBytes() const;
};

/// Tiles and all that follows from them. Diagnostics: unsupported-form, unsupported-pattern, unsupported-type,
/// unsupported-mapping, capacity.
Result<Plan> makePlan(const kernel::Graph &graph, int kernel, const mapping::PlacedMapping &placed,
                      const machine::Machine &machine);

}  // namespace pimento::targets::cnm
