// The kinds of INPUT: what each is told by, and who reads it. One table, which the errors and `--help` name too.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "pimento/driver/input.h"

namespace pimento::driver {

/// INPUT with what its readers need.
struct InputRequest {
  const Options &options;
  kernel::Sizes sizes;
  DType type;  ///< of kernels whose text does not say it
  const machine::Machine &machine;
};

struct InputKind {
  std::string_view name;                                  ///< "mlir"; of texts, the C interface's word for them
  std::array<std::string_view, 2> endings = {};           ///< of files, with the dot
  bool isText = false;                                    ///< can be given as text in memory
  bool (*isRead)() = nullptr;                             ///< whether this build reads it; null: always
  bool (*isIt)(const std::string &input) = nullptr;       ///< of inputs without such an ending; null: none is
  Result<Input> (*read)(const InputRequest &) = nullptr;  ///< diagnostics: those of the front ends
  bool statesTypes = false;                               ///< its text says what every tensor holds
  std::string_view usualTarget = "hbm-pim";               ///< the machine where none is named
  /// The machine that the text names, and where; null: texts name none.
  std::string (*targetOf)(std::string_view text, Location *where) = nullptr;
};

/// In the order in which they are tried.
std::span<const InputKind> inputKinds();

/// Whether this build reads texts of this kind: "mlir", "c", ...
bool reads(std::string_view kind);
/// What INPUT is; null: none of them.
const InputKind *kindOf(const std::string &input);
/// Whether INPUT is a file's name by its ending.
bool isFileName(const std::string &input);
/// ".mlir, .c, .cnm, .llvcnm, .inf or .s": the endings of files that are read, for messages.
std::string fileEndings();

/// The machine for an input without `--target`; `where`: in the input's text, if that names it.
std::string usualTarget(const Options &options, Location &where);

}  // namespace pimento::driver
