// What needs LLVM is a module, PimentoLlvm.so, loaded when it is first asked for: loading LLVM takes longer than most
// of what the tool is called for (docs/decisions/0026-llvm-is-a-module.md).
//
// A room whose code is in the module says in a struct of pointers what it does there. The module exports a function for
// each such room that gives its struct. The module holds copies of its own of the rooms that it needs, this one too;
// values pass between the two, and what they allocate is released by either.
#pragma once

#include <string>

#include "pimento/base/diagnostics.h"

namespace pimento {

/// What the module takes from the program or library that loads it.
struct ModuleHost {
  const char *version;  ///< both must have the same: types are compiled into either
  void (*internalError)(const char *file, int line, const char *what);
};

/// A function that the module exports: a room's struct, or null where the host's version is another.
using ModuleEntry = const void *(*)(const ModuleHost &host);

/// A file that is loaded at run time, in the folder pimento beside the shared library that holds this code, or in that
/// of the libraries beside the program's. Whether it is there or not.
std::string libraryFile(const std::string &name);

/// What the module's function `entry` gives. Diagnostic: llvm-module.
Result<const void *> askModule(const char *entry);

/// The struct of a room.
template <typename Functions>
Result<const Functions *> moduleFunctions(const char *entry) {
  const Result<const void *> found = askModule(entry);
  if (!found) return found.diagnostics();
  return static_cast<const Functions *>(*found);
}

/// In the module: takes the host's services; false where its version is another.
bool joinHost(const ModuleHost &host);

}  // namespace pimento
