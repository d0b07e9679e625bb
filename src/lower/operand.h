// What elements a share touches: accesses grouped into operands, an operand as a box.
//
// An operand is all accesses to one tensor that differ by constants. Its positions say along which lines: the box of
// elements that points of a share touch has one side per position. Indices may be packed (x[2*i] takes no room for odd
// elements) and permuted. Not here: bytes (tensor_place.h), what the host copies (host_data.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/lower/shares.h"
#include "pimento/lower/tensor_place.h"

namespace pimento::lower {

/// One side of an operand's box. It counts index = origin + step * (sum of coefficient[d] * (value of dim d) + delta),
/// from 0 to below `limit`; from one to the next are `stride` elements of the tensor.
struct Position {
  std::int64_t origin = 0, step = 1;
  std::int64_t stride = 1, limit = 1;
  PerDim coefficient;       ///< per dim
  std::int64_t spread = 0;  ///< largest delta
  bool isWhole = false;     ///< all indices, whatever the points are: data choose, or each access for itself
  std::size_t index = 0;    ///< which of the tensor's

  /// How many it spans where dim d has sizes[d] points, all in all `limit` where data choose.
  std::int64_t extent(const PerDim &sizes) const;
  bool involves(int dim) const { return coefficient[static_cast<std::size_t>(dim)] != 0; }
};

enum class Use : std::uint8_t {
  kInput,     ///< one array per unit, read only
  kWrite,     ///< each element belongs to one point
  kPartial,   ///< partial results from the identity on, merged by the device or the host
  kInPlace,   ///< placed, updated in order, read back
  kSelected,  ///< what a selection keeps, without gaps
  kTable,     ///< indirect accumulation: partial results
};

struct Operand {
  Use use = Use::kInput;
  int tensor = -1, store = -1;      ///< store: of results
  DType type = DType::kI32;         ///< of its elements in arrays
  std::vector<Position> positions;  ///< outermost first
  std::int64_t first = 0;           ///< the element of the tensor where all positions count 0
  int level = -1;                   ///< depth of the tile loop inside which it is moved; -1: before all
  TensorPlace home, near;           ///< of the box of its share, and of a tile in the scratchpad
  bool isMerged = false;            ///< partial results: threads that share an element have merged them
  bool hasCarry = false;            ///< prefix sums: the host adds what came before

  bool isShared() const { return use == Use::kInput; }
  /// Does the host write it before a run?
  bool isPlaced() const { return use == Use::kInput || use == Use::kInPlace; }
  bool isPartial() const { return use == Use::kPartial || use == Use::kTable; }
  bool involves(int dim) const;
  /// Do accesses go where data, or points by more than a constant apart, say?
  bool isAnywhere() const;
  /// Of the box where dim d has sizes[d] points, saturated.
  std::int64_t elements(const PerDim &sizes) const;
  std::int64_t size() const { return sizeOf(type).value; }
};

/// An access: an operand, and per position which delta.
struct Reference {
  int operand = -1;
  PerDim delta;
};

/// One kernel that is cut, with its accesses; operands are each target's, in a list that references count in.
struct Scheme : Shares {
  const kernel::Graph *graph = nullptr;
  int number = 0;                        ///< of the kernel in the graph
  std::vector<Reference> loads, stores;  ///< as the kernel's
  bool runsIdleThreads = false;          ///< on padding that changes no result; else they leave nothing

  Scheme() = default;
  Scheme(const kernel::Graph &graph, int number, const mapping::PlacedMapping &placed, int subspace,
         const machine::Machine &machine);

  const kernel::Kernel &kernel() const { return graph->kernels[static_cast<std::size_t>(number)]; }
  const kernel::Tensor &tensorOf(const Operand &o) const { return graph->tensors[static_cast<std::size_t>(o.tensor)]; }
  const kernel::Store &storeOf(const Operand &o) const { return kernel().stores[static_cast<std::size_t>(o.store)]; }
  /// Points of each dim that one array of the operand is for.
  PerDim sizesOf(const Operand &o) const;
  /// Conditions (>= 0) under which a result has an element: where points run if each writes its own, else where some
  /// point runs that has the values of dims that the operand involves.
  std::vector<kernel::Affine> guardsOf(const Operand &o) const;
  /// Arrays of an operand in a unit, and those of them that hold results.
  std::int64_t arraysOf(const Operand &o) const;
  std::int64_t resultsOf(const Operand &o) const;
  /// The stores that follow number `store`, a minimum or maximum.
  std::vector<int> followersOf(int store) const;
  /// Is it the result of a minimum or maximum with its index, or of what follows one?
  bool isOfExtreme(const Operand &o) const;
};

/// The positions of `access` alone, outermost first as in the tensor. `isPacked`: steps are the common divisors of
/// coefficients.
std::vector<Position> positionsOf(const kernel::Access &access, const kernel::Tensor &tensor, bool isPacked);
/// Those of the whole tensor, wherever in it accesses are.
std::vector<Position> wholeOf(const kernel::Tensor &tensor, std::size_t dims);
/// Do accesses differ by constants, of no more than `widest` steps, and by what data choose?
bool matches(const Operand &o, const kernel::Access &access,
             std::int64_t widest = std::numeric_limits<std::int64_t>::max());
/// Once all accesses have an operand: moves origins to the least of them, and sets spreads and deltas.
void settle(Scheme &scheme, const std::vector<Operand *> &operands);
template <std::derived_from<Operand> Derived>
void settle(Scheme &scheme, std::vector<Derived> &operands) {
  std::vector<Operand *> all;
  for (Derived &o : operands) all.push_back(&o);
  settle(scheme, all);
}

/// Which array of results has what a thread found; nothing where another thread of its group has it.
std::optional<std::int64_t> resultOf(const Shares &shares, const Operand &o, std::int64_t thread);

/// The first byte, from the array's, that `inner` points of each dim touch in the box of points of `sizes`: an affine
/// form of where they begin. An access lies `delta` above the least.
kernel::Affine byteOf(const Operand &o, const TensorPlace &place, const PerDim &sizes, const PerDim &inner,
                      const PerDim &delta);
/// The element of the tensor that an access is to: an affine form of points; where data choose, the first.
kernel::Affine elementOf(const Operand &o, const PerDim &delta, std::size_t dims);

}  // namespace pimento::lower
