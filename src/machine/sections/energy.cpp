#include "pimento/machine/sections/energy.h"

#include <algorithm>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/machine/expression.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

row::Rows termRows(const std::string &at, bool isComplete) {
  return {
      row::real(at, "pJ|nJ|fJ|pJ/bit|mW|W|uW", 0, row::kAny,
                "cost per unit of the count computed by `action` (pJ/bit: `action` counts bits); a power makes it "
                "background energy",
                false),
      row::text(at + ".action", "formula over action counts and numbers of the file; omit it for a power"),
      row::choice(at + ".component", {"pim", "dram", "link", "host", "processor", "cache"}, "component of the machine",
                  isComplete),
      row::formula(at + ".instances", "count", 1, row::kMostCount, "for a power: how many instances draw it", false),
      row::text(at + ".covers", "what one unit covers, as text", isComplete),
  };
}

row::Rows rows() {
  row::Rows all = {
      row::section("energy", "priced actions, by name", true),
      row::text("energy.covers", "the chips that a total covers, and at which level (device, board, wall)", true),
  };
  row::append(all, termRows("energy.*", true));
  row::append(all, {
                       row::text("energy.set", "the set of terms in `sets` that totals use"),
                       row::section("energy.sets",
                                    "named alternative sets of terms, of which totals use one; terms outside `sets` "
                                    "belong to all sets"),
                       row::word("energy.sets.*", "one set: its terms; to override a common term, the cost is enough"),
                       row::text("energy.sets.*.covers", "replaces energy.covers"),
                   });
  row::append(all, termRows("energy.sets.*.*", false));
  return all;
}

/// What a term says beside its price. A term of a set takes what it leaves out from the common term of its name.
struct Words {
  const Value *component, *covers, *action, *instances;
};

void checkTerm(const Contents &c, const Words &words, bool isBackground, const std::string &at, const Location &where) {
  const auto missing = [&](const char *key, const char *hint) {
    c.report("missing-key", where, "'" + at + "." + key + "' is missing", hint);
  };
  if (words.component == nullptr) missing("component", "name the component of the machine");
  if (words.covers == nullptr) missing("covers", "describe what one unit covers");
  if (isBackground && words.action != nullptr) {
    c.report("bad-energy-term", words.action->where, "'" + at + "' is a power, which is multiplied by time",
             "omit 'action'; 'instances' gives the number of consumers");
  } else if (!isBackground && words.instances != nullptr) {
    c.report("bad-energy-term", words.instances->where,
             "'" + at + "' is an energy per action, so 'instances' does not apply", "multiply in 'action' instead");
  } else if (!isBackground && words.action == nullptr) {
    missing("action", "give the action count that multiplies it");
  } else if (words.action != nullptr) {
    if (auto parsed = Expression::parse(words.action->text, words.action->where); !parsed)
      c.append(parsed.diagnostics());
  }
}

EnergyTerm termAt(const Contents &c, const std::string &at, const Entry &e, const std::string &set, bool isBackground) {
  const std::string common = "energy." + e.key;
  const auto get = [&](const char *key, bool isUseful) {
    const Value *own = c.get(at + key);
    return own == nullptr && isUseful ? c.get(common + key) : own;
  };
  const Words words = {get(".component", true), get(".covers", true), get(".action", !isBackground),
                       get(".instances", isBackground)};
  checkTerm(c, words, isBackground, at, e.value.where);
  const Value &value = *c.get(at);
  EnergyTerm t;
  t.name = e.key;
  t.set = set;
  if (words.component != nullptr) t.component = words.component->text;
  if (words.covers != nullptr) t.covers = words.covers->text;
  t.energy = Picojoules(value.number);
  t.low = Picojoules(value.low.value_or(value.number));
  t.high = Picojoules(value.high.value_or(value.number));
  t.isBackground = isBackground;
  if (words.instances != nullptr) {
    t.instances = static_cast<std::int64_t>(words.instances->number);
    t.instancesPath = (c.has(at + ".instances") ? at : common) + ".instances";
  }
  if (isBackground)
    t.action = "time";
  else if (words.action != nullptr)
    t.action = words.action->text;
  if (auto formula = Expression::parse(t.action, {}); formula && !isBackground)
    t.formula = std::make_shared<const Expression>(std::move(*formula));
  return t;
}

/// The terms of the mapping at `path`: `energy`, or one of its sets.
std::vector<EnergyTerm> termsAt(const Contents &c, const Machine &m, const std::string &path, const std::string &set) {
  std::vector<EnergyTerm> terms;
  for (const Entry &e : c.entries(path)) {
    const std::string at = path + "." + e.key;
    const auto number = m.numbers.find(at);
    if (number != m.numbers.end())  // else a word, or the sets
      terms.push_back(termAt(c, at, e, set, number->second.canonicalUnit == "mW"));
  }
  return terms;
}

/// Puts the terms of a set behind those of all sets, or in place of those that they replace.
void addTerms(std::vector<EnergyTerm> &terms, std::vector<EnergyTerm> more) {
  for (EnergyTerm &t : more) {
    const auto common = std::ranges::find(terms, t.name, &EnergyTerm::name);
    if (common != terms.end())
      *common = std::move(t);
    else
      terms.push_back(std::move(t));
  }
}

void build(const Contents &c, Machine &m) {
  m.energyCovers = c.text("energy.covers");
  m.energy = termsAt(c, m, "energy", "");
  m.energySet = c.text("energy.set");
  for (const Entry &e : c.entries("energy.sets")) {
    m.energySets.push_back(e.key);
    const std::string at = "energy.sets." + e.key;
    std::vector<EnergyTerm> terms = termsAt(c, m, at, e.key);
    if (e.key != m.energySet) continue;
    addTerms(m.energy, std::move(terms));
    if (c.has(at + ".covers")) m.energyCovers = c.text(at + ".covers");
  }
  const bool isSet = std::ranges::find(m.energySets, m.energySet) != m.energySets.end();
  if (m.energySet.empty() && !m.energySets.empty())
    c.report("missing-key", "energy.sets", "'energy.set' is missing",
             "choose the set that totals use: " + join(m.energySets, ", "));
  else if (!m.energySet.empty() && !isSet)
    c.report("unknown-choice", "energy.set", "unknown set of energy terms '" + m.energySet + "'",
             m.energySets.empty() ? "'energy' has no 'sets': its terms are the only set"
                                  : suggest(m.energySet, m.energySets));
}

}  // namespace

std::string EnergyTerm::path() const {
  return (set.empty() ? "energy." : "energy.sets." + set + ".") + name;
}

Section section::energy() {
  return {rows, build, nullptr};
}

}  // namespace pimento::machine
