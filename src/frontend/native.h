// What the text of a kernel computes when it is compiled for this machine and run, with no part of our reading in it.
//
// C is compiled by Clang, MLIR is lowered by MLIR's own passes; both become machine code in memory, which a child
// process runs on the operands. Whatever the text does there (endless loops, wild accesses), it does to the child.
// Semantics are strict: no contraction, no fast-math, each operation rounded to its type, integers wrap. exp, log and
// tanh are the library's in double precision, rounded once, as kernel::Op says; fmin and fmax take -0 below +0.
// What a language leaves undefined (x / 0, shifts by the width) ends the run: then the text has no answer.
//
// No LLVM type appears here, and a build without LLVM has the same functions: they leave everything out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/frontend/frontend.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// What a text may take of this machine.
struct NativeLimits {
  int seconds = 60;                               ///< of processor time
  std::size_t bytes = std::size_t{4} << 30;       ///< of memory beside the operands: what the text allocates
  std::size_t stackBytes = std::size_t{1} << 30;  ///< for local arrays

  /// `seconds` for a graph: 10 and what its operations take at 20 million each second.
  static NativeLimits of(const kernel::Graph &graph);
};

/// The answer of a text, or why it has none.
struct NativeAnswer {
  kernel::DataSet outputs;  ///< by tensor of the graph: kOutput and kInOut; others are empty
  std::string whyNot;       ///< not empty: left out, for this reason; then there are no outputs
  Location where;           ///< of the reason, where it has a place
};

/// Runs one function of a C file on the operands that `data` holds for `graph`, which importC() made of the same text
/// and options. Outputs hold something else than 0 at first, so that what a text does not write is not taken for an
/// answer; targets of selections hold 0.
///
/// Diagnostics (kFault): text-bounds, an access outside an array as the text declares it; text-endless; text-crash.
/// Where it is the graph that says how long an array is, or the text writes to what the graph only reads, the graph is
/// wrong: wrong-reading (kOurs).
Result<NativeAnswer> runC(std::string_view text, std::string_view file, const CKernelOptions &options,
                          const kernel::Graph &graph, const kernel::DataSet &data, const NativeLimits &limits);

/// The same of one function of an MLIR file, for which importMlirFile() says what its arguments are. Types without
/// arithmetic on this machine (8-bit floats) are left out.
Result<NativeAnswer> runMlir(std::string_view text, std::string_view file, const MlirOptions &options,
                             const kernel::Graph &graph, const TensorsOfFunction &tensors, const kernel::DataSet &data,
                             const NativeLimits &limits);

}  // namespace pimento::frontend
