// The arguments of `upmem-cc`, which are those of a C compiler: what goes in, what comes out, and what is left for
// Clang to read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::driver {

struct CcRequest {
  enum class Stage { kDependencies, kPreprocessed, kAssembly, kObject, kProgram };
  enum class Language { kByName, kC, kAssembly };
  struct Input {
    std::string file;  ///< "-": standard input
    Language language = Language::kByName;
  };

  Stage stage = Stage::kProgram;
  bool isLlvm = false;  ///< -emit-llvm: IR for assembly, bitcode for objects
  std::vector<Input> inputs;
  std::string output;              ///< -o
  std::vector<std::string> flags;  ///< for Clang
  /// Numbers for the linker, as written: NR_TASKLETS, STACK_SIZE_DEFAULT, STACK_SIZE_TASKLET_n; from -D and
  /// -Wl,--defsym.
  std::map<std::string, std::string> numbers;
  std::vector<std::string> libraries, libraryFolders;  ///< -l, -L
  bool isLikeVendor = false;                           ///< --like=vendor
  bool collects = true;                                ///< not with -Wl,--no-gc-sections
  std::vector<std::string> keep;                       ///< -u, -Wl,--undefined=
  bool hasDependencyFile = false;                      ///< -MD, -MMD
  std::string dependencyFile;                          ///< -MF; empty: by the output's name
  std::vector<std::string> dependencyTargets;
  bool hasPhonyTargets = false;  ///< -MP
  std::string answer;            ///< --help and the like: what to print instead
};

/// Nothing is read or written. Diagnostic: upmem-cc-usage.
Result<CcRequest> readCcArguments(const std::vector<std::string> &arguments);

}  // namespace pimento::driver
