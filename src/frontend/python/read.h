// Files that Python reads: kernels in Python, and models that PyTorch saved.
//
// The package `pimento` reads them in a process of its own and hands back a text: loop nests (nest/text.h) or a model
// (model/text.h). Programs of Python run there as Python runs them; TorchScript is loaded, pickles never.
#pragma once

#include <string>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/zoo.h"

namespace pimento::frontend {

struct PythonRequest {
  std::string file;
  std::string function;  ///< of a .py file; empty: the only kernel in it
  kernel::Sizes sizes;   ///< "A_0": dimension 0 of parameter A; "n": a parameter that is a number
  std::string type;      ///< element type of what states none
};

struct PythonText {
  enum class Kind : std::uint8_t { kNest, kModel } kind = Kind::kNest;
  std::string text;
};

/// Starts `python3 -m pimento.files` (PIMENTO_PYTHON names another Python) with the package that belongs to this
/// library, or that Python finds. Diagnostics: python-start (there is no Python), python-package (it lacks the
/// package), python-reader (it ended without an answer), and those of the package, with places in the file.
Result<PythonText> readByPython(const PythonRequest &request);

}  // namespace pimento::frontend
