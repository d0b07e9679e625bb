// DCC's intermediate representation as text: kernels, how their data and their points are cut, and what moves where.
//
// The constructs are those of DCC, Table 2. Like CNM IR (cnm.h) it is no data of its own, but a view: of a graph, one
// mapping per kernel, and the machine's groups and cores. One statement per line; comments run from ';' or '#' on.
//
//   @hardware_platform[16, 64] attacc channel bank     ; groups, cores; the machine, and its levels, outermost first
//   func @mv(%A: <64x32xf16>, %x: <32xf16>): (%y: <64xf16>) {
//     complex_dimset %i {%i[0], %i[1]} parallel        ; the dimensions that loop i walks
//     %i[0] = %A.dim[0] -> i [representative]          ; by which function; the borders of tiles lie in this one
//     %i[1] = %y.dim[0] -> i
//     %i.range = (0, 64, 1)
//     data_tile %dt_i: (2, 4) -> (2, 4, 8)             ; groups and cores that share it; elements of a core
//     compute_tile %ct_i: (2, 4, 8) -> [[0:8, 8:16, ...], [32:40, ...]]   ; values of i, group by group
//     tensor_tile %tt_A[0]: %ct_i -> [[0:8, ...], ...]                    ; indices of a dimension, likewise
//     ...
//     %A_core = rearrange %A -> %tt_A [to_PIM_core]
//     %x_core = rearrange %x -> %tt_x [to_PIM_core]
//     parallel_PIM (16, 64) {
//       loop (i, j) in (%ct_i, %ct_j) {
//         @0 = read A_core[i,j]                        ; what each point does, as in CNM IR
//         ...
//         store add y_core[i] %2
//       }
//     }
//     %y = rearrange %y_core -> %tt_y [to_host]
//   }
//
// The tiles of a set have their borders in the function that is marked [representative]; where none is, or the function
// is the loop itself over all of the dimension, in the loop. Another function is by(...) of the mapping (mapping.h):
// the size of a data tile then counts elements of its dimension, and compute tiles, of several lengths, follow.
//
// Of a machine with other levels than one of groups and one of cores, `data_tile` ends with "by LEVEL N ... range N".
// `parallel_PIM (G, C) with "..."` has what else a mapping says (its extensions). Behind a type stand `inout`,
// `temporary` and `constant`. A kernel without hardware platform has no tiles: "func ... { complex_dimset ...; loop
// (i, j) { ... } }", and its mapping is left open; `@host` puts it on the host. Kernels without one behind a kernel
// that has one are of its program where the target compiles them together (attention).
//
// Dimension sets' functions, compute tiles, tensor tiles and rearrangements follow from the rest. They may be left out;
// where they stand, they must be right. Of tiles in cyclic chunks (with "cyclic(bank,16)") the values are not listed.
//
// Not here: kernels in loops, forms other than affine, mappings of several subspaces.
#pragma once

#include <string>
#include <string_view>

#include "pimento/mapping/cnm.h"

namespace pimento::mapping {

/// The text of a module, whose mappings are of `machine`. Diagnostic: unsupported-dcc.
Result<std::string> printDcc(const CnmModule &module, const machine::Machine &machine);

/// Reads the text. At most 20 diagnostics, each with its place: those of parseCnm for what both texts share,
/// dcc-derived (what follows from the tiles is not that), dcc-representative (two functions of a set are
/// marked, or another than the loop where there are no tiles), dcc-tile (groups, cores and size do not fit together),
/// dcc-platform.
Result<CnmModule> parseDcc(std::string_view text, std::string file = {});

/// The machine that the text names, found without reading the rest; empty if it names none.
std::string dccTarget(std::string_view text, Location *where = nullptr);

}  // namespace pimento::mapping
