// A module as one of another version answers.
#include "pimento/base/module.h"

extern "C" const void *pimentoFrontend(const pimento::ModuleHost & /*host*/) {
  return nullptr;
}
