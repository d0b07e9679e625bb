#include "pimento/machine/build.h"

#include <utility>

#include "pimento/machine/sections/section.h"

namespace pimento::machine {

Result<Machine> buildMachine(const Node &root, Values values) {
  Machine machine;
  machine.numbers = std::move(values.numbers);
  machine.words = std::move(values.words);
  machine.places[""] = root.where;
  for (const Entry &e : root.entries) machine.places[e.key] = e.value.where;
  Diagnostics diagnostics;
  const Contents contents(root, values.byPath, diagnostics);
  for (const Section &s : sections()) s.build(contents, machine);
  if (diagnostics.empty())
    for (const Section &s : sections())
      if (s.check != nullptr) s.check(contents, machine);
  if (!diagnostics.empty()) return diagnostics;
  return machine;
}

Location Machine::where(std::string_view path) const {
  for (;; path = path.substr(0, path.find('.') == path.npos ? 0 : path.rfind('.'))) {
    if (const auto number = numbers.find(std::string(path)); number != numbers.end()) return number->second.where;
    if (const auto place = places.find(std::string(path)); place != places.end()) return place->second;
    if (path.empty()) return {};
  }
}

}  // namespace pimento::machine
