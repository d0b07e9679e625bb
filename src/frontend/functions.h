// What this room does with LLVM, as the module hands it over (base/module.h). No LLVM type appears here.
#pragma once

#include "pimento/frontend/decoder/decoder.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/frontend/frontend.h"
#include "pimento/frontend/host_c.h"
#include "pimento/frontend/native.h"
#include "pimento/frontend/symbols/symbols.h"

namespace pimento::frontend {

/// The functions of the room's headers that have the same names; of classes, with the class's name behind.
struct Functions {
  decltype(&frontend::importMlir) importMlir;
  decltype(&frontend::importMlirFile) importMlirFile;
  decltype(&MlirFile::read) readMlirFile;
  decltype(&MlirFile::bind) bindMlirFile;
  decltype(&frontend::importC) importC;
  decltype(&CFile::read) readCFile;
  decltype(&CFile::bind) bindCFile;
  decltype(&CFile::sizes) sizesOfCFile;
  decltype(&frontend::readDpuC) readDpuC;
  decltype(&frontend::compileHostC) compileHostC;
  decltype(&frontend::runC) runC;
  decltype(&frontend::runMlir) runMlir;
  decltype(&frontend::decodeInstructions) decodeInstructions;
  decltype(&frontend::readSymbols) readSymbols;
};

/// The module's function that gives them.
inline constexpr const char *kModuleEntry = "pimentoFrontend";

}  // namespace pimento::frontend
