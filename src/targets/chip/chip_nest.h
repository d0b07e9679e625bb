// How a kernel's loops are run by cores with vectors, or by streams beside an L3: their order, which one lanes run
// along, and which one is shared out.
//
// Lanes run along the parallel dim along which most accesses are contiguous; where there is none, along such a
// reduction, whose partial sums stand in lanes. Threads share the outermost parallel dim that lanes do not need, in
// contiguous pieces, of selections one that tells rows apart; without one the reduction, each with partial sums of its
// own. Sums: the upper half of the lanes
// onto the lower one, until one is left; then threads along a binary tree. Compilers need leave to reorder sums for
// that (-fassociative-math).
//
// Not here: instructions (vector_code.h) and streams (strands.h).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/order.h"
#include "pimento/machine/machine.h"

namespace pimento::targets::chip {

/// Where tensors lie in memory: one behind the other, each on pages of its own.
struct Addresses {
  std::vector<std::uint64_t> first, end;  ///< by tensor: [first, end)
  std::uint64_t pastAll() const { return end.empty() ? 0 : end.back(); }
};
Addresses addressesOf(const kernel::Graph &graph);

struct ChipNest {
  const kernel::Graph *graph = nullptr;
  const kernel::Kernel *kernel = nullptr;
  std::vector<int> order;  ///< dims, from the outside in; lanes run along the last
  int split = -1;          ///< dim that threads share; -1: one thread has all
  std::int64_t lanes = 1;
  bool sumsInLanes = false;    ///< the last dim is a reduction: partial sums in lanes
  bool sumsInThreads = false;  ///< so is the one that threads share

  const kernel::Dim &dim(int d) const { return kernel->dims[static_cast<std::size_t>(d)]; }
  /// Threads that have some of it, of `threads`.
  std::int64_t threadsOf(std::int64_t threads) const;
  /// Iterations of the shared dim that thread number `thread` has: [first, end).
  std::pair<std::int64_t, std::int64_t> pieceOf(std::int64_t thread, std::int64_t threads) const;
};

/// Whether a body value, or where an access goes, hangs on a dim; the same of its index that comes from data.
bool hangsOn(const kernel::Kernel &kernel, int value, int dim);
bool moves(const kernel::Kernel &kernel, const kernel::Access &access, int dim);
bool isIndirectAlong(const kernel::Kernel &kernel, const kernel::Access &access, int dim);
/// Whether all that the kernel stores is one sum of what it reads elsewhere, which may be taken in registers.
bool isPlainSum(const kernel::Kernel &kernel);

/// Whether all that the kernel stores is one minimum or maximum with what follows it: threads may share it, for the
/// first of equals wins whatever the pieces.
bool isOneExtreme(const kernel::Kernel &kernel);

/// Of kernel number `kernel`. `vector`: bytes of a vector.
ChipNest chipNest(const kernel::Graph &graph, int kernel, Bytes vector);

/// The order in which `threads` threads accumulate.
kernel::Order orderOf(const ChipNest &nest, std::int64_t threads);

/// Runs a kernel whose sums are split as its threads and lanes do: each accumulates by itself, then they are merged.
/// Diagnostics: those of the interpreter.
Status runNest(const ChipNest &nest, int kernel, std::int64_t threads, kernel::DataSet &data);

}  // namespace pimento::targets::chip
