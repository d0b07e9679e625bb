#include "pimento/machine/checks.h"

#include <algorithm>
#include <string>

#include "pimento/base/text.h"

namespace pimento::machine {

namespace {

void checkLevels(const Machine &machine, const std::vector<LevelRule> &rules, Diagnostics &out) {
  std::vector<std::string> names;
  for (const LevelRule &r : rules) names.emplace_back(r.name);
  const auto report = [&](const std::string &path, std::string message, std::string hint) {
    out.push_back(error("wrong-levels", machine.where(path), std::move(message), std::move(hint)));
  };
  if (!std::ranges::equal(machine.levels, rules, {}, &Level::name, &LevelRule::name))
    return report("levels", "family '" + machine.family + "' has different levels",
                  "its levels, outermost first: " + join(names, ", "));
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Level &l = machine.levels[i];
    const std::string role(name(rules[i].role)), count(rules[i].count);
    if (l.role != rules[i].role)
      report("levels." + l.name,
             "level '" + l.name + "' is a " + std::string(name(l.role)) + ", but in family '" + machine.family +
                 "' it must be a " + role,
             "write 'role: " + role + "', or omit it");
    if (count.empty()) continue;
    const auto number = machine.numbers.find(count);
    if (number == machine.numbers.end() || number->second.canonical == static_cast<double>(l.count)) continue;
    report("levels." + l.name + ".count",
           "level '" + l.name + "' has count " + std::to_string(l.count) + ", but " + count + " is " +
               numberText(number->second.canonical),
           "write 'count: " + count + "' and set that number");
  }
}

}  // namespace

Status checkFamily(const Machine &machine, const FamilyRules &rules) {
  Diagnostics out;
  if (!rules.hasSections)
    out.push_back(error("missing-section", machine.where("family"),
                        "family '" + machine.family + "' needs the sections " + std::string(rules.sections),
                        std::string(rules.hint)));
  if (!rules.levels.empty()) checkLevels(machine, rules.levels, out);
  if (!out.empty()) return out;
  return okStatus();
}

}  // namespace pimento::machine
