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
  std::_Exit(3);
}

}  // namespace pimento
