// In place of the one of room `base`, which ends the process: a compiler that asks must live on.
#include <stdexcept>
#include <string>

#include "pimento/base/diagnostics.h"

namespace pimento {

void internalError(const char *file, int line, const char *what) {
  throw std::logic_error("internal error at " + std::string(file) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace pimento
