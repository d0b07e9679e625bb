// The module's own part of module.h. Mistakes of ours end as the host wants: the tool stops, the C interface throws.
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "pimento/base/module.h"

namespace pimento {

namespace {

// The one variable: internalError() is called from anywhere, with nothing in hand.
std::atomic<const ModuleHost *> joined = nullptr;

}  // namespace

bool joinHost(const ModuleHost &host) {
  if (std::string_view(host.version) != PIMENTO_VERSION) return false;
  joined = &host;
  return true;
}

// In place of the one of internal_error.cpp.
void internalError(const char *file, int line, const char *what) {
  joined.load()->internalError(file, line, what);
  std::abort();
}

}  // namespace pimento
