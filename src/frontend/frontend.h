// The front ends: everything a user can hand in, turned into a kernel::Graph.
//
// Nothing after this room knows that MLIR exists: no LLVM or MLIR type appears here, and the same functions exist in a
// build without LLVM (they then answer with a diagnostic). LLVM is loaded at the first call of one that needs it
// (base/module.h); a copy whose module is missing answers llvm-module. Index notation lives in `kernel` (notation.h).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/zoo.h"

namespace pimento::frontend {

/// What a user may say beside the text of an MLIR file.
struct MlirOptions {
  /// `--function`: the func.func to import; empty means the first public one with a body that no other one calls.
  std::string function;
  /// `--size`: extents of dynamic dimensions ('?'). Three ways to name one:
  ///   d0, d1, ...  loop of the first structured op that has a loop of that number (d0 of linalg.matvec: its rows)
  ///   ARG:DIM      dimension DIM of the function argument (or value) %ARG, e.g. "A:1"
  ///   ARG          an argument of type index that is used as a size
  /// Dimensions that the ops force to be equal need one entry between them.
  kernel::Sizes sizes;
};

/// Whether this build can read MLIR (`PIMENTO_WITH_LLVM`).
bool hasMlir();

/// Reads one function of structured linalg ops and loop nests (affine, scf), on memrefs or tensors, into a verified
/// Graph.
///
/// Arguments that are only read become inputs, with the attribute `pimento.constant` constant ones. A memref argument
/// that is written becomes an output if its old contents do not matter, else an in-out. Returned tensors become
/// outputs. Arguments are taken not to alias. linalg.fill with the neutral element folds into the start of the
/// accumulation that follows. An accumulation onto contents made by an earlier op is split: accumulate from the neutral
/// element, then combine; in floating point the old contents are therefore added last. Anything outside this is a
/// diagnostic at the op's line and column.
///
/// `file` names the text in diagnostics. Never throws, prints or ends the process.
Result<kernel::Graph> importMlir(std::string_view text, std::string_view file, const MlirOptions &options);

/// Which tensor of its graph each argument and each result of a function is; -1: none.
struct TensorsOfFunction {
  std::vector<int> arguments, results;
};

/// A graph and the mappings its file states.
struct Imported {
  kernel::Graph graph;
  TensorsOfFunction tensors;
  std::vector<std::string> mappings;  ///< `pimento.mapping` of each kernel's op; empty where it has none
  std::string target;                 ///< `pimento.target` of the function: the machine the mappings are for
  std::map<int, std::vector<std::byte>> contents;  ///< of constants with several values, by tensor: inputs
  Diagnostics warnings;
};

/// One function of an MLIR file that has been read, in which '?' and index arguments are still names. Several threads
/// may bind one at once.
class MlirFile {
 public:
  /// `function` and diagnostics as importMlir().
  static Result<MlirFile> read(std::string_view text, std::string_view file, const std::string &function = {});

  /// The graph at these sizes, as importMlir() makes it, with the mappings that `compile --emit mlir` writes. An op of
  /// several kernels gives its name (`pimento.kernel`) and mapping to the last.
  Result<Imported> bind(const kernel::Sizes &sizes) const;

 private:
  struct Read;
  explicit MlirFile(std::shared_ptr<const Read> read) : read_(std::move(read)) {}

  std::shared_ptr<const Read> read_;
};

/// MlirFile::read() and bind().
Result<Imported> importMlirFile(std::string_view text, std::string_view file, const MlirOptions &options);

/// What a C file is to find before it is read, as a compiler takes it.
struct CPreprocessing {
  std::vector<std::string> includes;  ///< `--include`: folders of headers
  std::vector<std::string> defines;   ///< `--define`: macros, NAME or NAME=VALUE
};

/// What a user may say beside the text of a C file.
struct CKernelOptions {
  /// `--function`; empty means the function with `#pragma scop` in it, else the only one that no other one of the file
  /// but `main` calls.
  std::string function;
  /// `--size`: values of integer parameters. One without a value has that which all calls in the file agree on.
  kernel::Sizes sizes;
  CPreprocessing preprocessing = {};
};

struct CKernels {
  kernel::Graph graph;
  Diagnostics warnings;
};

/// Whether this build can read C (`PIMENTO_WITH_LLVM`).
bool hasKernelC();

/// Reads one function of plain C, loops over arrays, into a verified Graph; functions that it calls are inlined. What
/// the reference interpreter computes from the graph is what the function computes, bit for bit where C says what that
/// is (no contraction, each _Float16 operation rounded). The exceptions: exp, log and tanh are rounded once from double
/// precision; minimum and maximum by comparison take -0 below +0 and skip NaN; x > 0 ? x : 0 keeps a positive NaN.
///
/// Pointer parameters are taken not to overlap; where `restrict` does not say so, a warning does (c-overlap).
/// Parameters that are only read become inputs, those whose old contents do not matter outputs, others in-outs; a
/// returned value becomes the output "result". What a selection leaves unwritten behind its last element is 0.
/// Diagnostics: c-syntax, c-function, c-not-affine, c-loop-form, c-call, c-type, c-control-flow, c-bounds,
/// c-uninitialized, c-undefined, c-dependence, c-overwrite, c-too-large, c-crash, unknown-size; needs-llvm.
/// docs/how-to/c-kernels.md says what is read. `file` names the text in diagnostics, and the folder of its includes.
Result<CKernels> importC(std::string_view text, std::string_view file, const CKernelOptions &options);

/// A C file that has been read, includes and all, in which sizes (integer parameters, A[n][m]) are still names.
/// Several threads may bind one at once, and take turns.
class CFile {
 public:
  /// `function` and diagnostics as importC(): c-syntax, c-too-large, c-crash; needs-llvm.
  static Result<CFile> read(std::string_view text, std::string_view file, const std::string &function = {},
                            const CPreprocessing &preprocessing = {});

  /// The graph at these sizes, as importC() makes it.
  Result<CKernels> bind(const kernel::Sizes &sizes) const;

  /// Integer parameters of the function that say how long an array is or a loop runs, and have no value in the file.
  /// Diagnostics: c-function.
  Result<std::vector<std::string>> sizes() const;

 private:
  struct Read;
  explicit CFile(std::shared_ptr<const Read> read) : read_(std::move(read)) {}

  std::shared_ptr<const Read> read_;
};

}  // namespace pimento::frontend
