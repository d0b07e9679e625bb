#include "pimento/targets/targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/energy/energy.h"
#include "pimento/evaluate/price.h"

namespace pimento::targets {

const evaluate::Targets &all() {
#define PIMENTO_TARGET(name) &name::target(),
  static const evaluate::Targets kAll = {
#include "pimento/targets/targets.def"
  };
#undef PIMENTO_TARGET
  return kAll;
}

Result<const evaluate::Target *> targetOf(const machine::Machine &machine) {
  std::vector<std::string> families;
  for (const evaluate::Target *t : all()) {
    if (t->family() == machine.family) return t;
    families.emplace_back(t->family());
  }
  return error(
      "unknown-family", {"--target"},
      fmt::format("machine '{}' is of family '{}', for which no compiler exists", machine.name, machine.family),
      suggest(machine.family, families));
}

Result<const evaluate::Target *> targetOf(const machine::Machine &machine, const program::Program &program) {
  for (const evaluate::Target *t : all())
    if (t->runsAnywhere(program, machine)) return t;
  return targetOf(machine);
}

Status check(const machine::Machine &machine) {
  const Result<const evaluate::Target *> target = targetOf(machine);
  if (!target) return okStatus();
  if (Status s = (*target)->check(machine); !s) return s;
  std::vector<std::string_view> actions = evaluate::actionsOf((*target)->counts());
  for (const std::string_view a : evaluate::hostActionNames()) actions.push_back(a);
  return energy::check(machine, actions);
}

}  // namespace pimento::targets
