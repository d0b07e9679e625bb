// Accesses of a kernel grouped into operands, and operands laid out. Internal to compiled/.
#pragma once

#include <set>
#include <string>

#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

/// Does the kernel update tensors in places that no box has: at an index from data, by assignment or in floating point
/// onto given numbers, in rows that data bound, or in order along lines that it reads across? They are whole then, in
/// one DPU, for one tasklet.
bool updatesAnywhere(const kernel::Graph &graph, int kernel);

/// Do data bound rows that are summed in floating point onto what is there, or whose results lie anywhere? Points then
/// run in their order, and what no point reaches keeps what it held, which a partial sum of nothing would not tell.
bool sumsRowsInOrder(const kernel::Graph &graph, int kernel);

/// Floating-point sums of selections and of indices from data have the order of the points, which units cannot share.
bool hasOneOrder(const kernel::Graph &graph, int kernel);

/// A selection with a list per row, or a limit?
bool isRowwise(const kernel::Kernel &kernel);
/// Does dim `d` tell the rows of such a selection apart?
bool isOfRow(const kernel::Kernel &kernel, std::size_t d);

/// May units share dim `d` of a kernel with minima or maxima that an index follows? Not where those that come first
/// then would not be in units that come first.
bool mayCutExtreme(const kernel::Kernel &kernel, std::size_t d);

/// Fills in operands, loads and stores. Diagnostics: unsupported-pattern.
Status makeOperands(Scheme &scheme);

/// Once the nest is known: which index runs along rows, and which dims may not be tiled.
void arrangeOperands(Scheme &scheme);

/// Once tiles are known: pitches, sizes, alignment, levels.
void measureOperands(Scheme &scheme);

}  // namespace pimento::targets::upmem::compiled
