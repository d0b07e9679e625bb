// This room in the module.
#include "pimento/base/module.h"

#include "pimento/frontend/functions.h"

extern "C" const void *pimentoFrontend(const pimento::ModuleHost &host) {
  using namespace pimento::frontend;
  static const Functions functions = {
      .importMlir = &importMlir,
      .importMlirFile = &importMlirFile,
      .readMlirFile = &MlirFile::read,
      .bindMlirFile = &MlirFile::bind,
      .importC = &importC,
      .readCFile = &CFile::read,
      .bindCFile = &CFile::bind,
      .sizesOfCFile = &CFile::sizes,
      .readDpuC = &readDpuC,
      .compileHostC = &compileHostC,
      .runC = &runC,
      .runMlir = &runMlir,
      .decodeInstructions = &decodeInstructions,
      .readSymbols = &readSymbols,
  };
  return pimento::joinHost(host) ? &functions : nullptr;
}
