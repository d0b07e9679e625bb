// In a file of its own: a library whose callers must live on (capi/pimento) links another definition in its place.
#include <cstdio>
#include <cstdlib>

#include "pimento/base/diagnostics.h"

namespace pimento {

void internalError(const char *file, int line, const char *what) {
  std::fprintf(stderr,
               "pimento: internal error at %s:%d: %s\n"
               "This is a bug in Pimento, not in your input; please report it with the command you ran.\n",
               file, line, what);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  std::abort();  // libFuzzer keeps the input of an abort, but not of an exit
#else
  std::_Exit(3);
#endif
}

}  // namespace pimento
