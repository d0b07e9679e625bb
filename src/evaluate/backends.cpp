#include <fmt/format.h>

#include "pimento/base/suggest.h"
#include "pimento/evaluate/backend.h"
#include "pimento/evaluate/cnm_backend.h"
#include "pimento/evaluate/hbm_pim_backend.h"
#include "pimento/evaluate/upmem_backend.h"

namespace pimento::evaluate {

// The one line that a new target adds.
const std::vector<const Backend *> &backends() {
  static const std::vector<const Backend *> kBackends = {&hbmPimBackend(), &upmemBackend(), &cnmBackend()};
  return kBackends;
}

Result<const Backend *> backendFor(const machine::Machine &machine) {
  std::vector<std::string> families;
  for (const Backend *b : backends()) {
    if (b->family() == machine.family) return b;
    families.emplace_back(b->family());
  }
  return error("unknown-family", {},
               fmt::format("machine '{}' is of family '{}', which nothing compiles for", machine.name, machine.family),
               suggest(machine.family, families));
}

}  // namespace pimento::evaluate
