#include "pimento/machine/sections/levels.h"

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<LevelRole> kRoles[] = {{"group", LevelRole::kGroup},
                                      {"unit", LevelRole::kUnit},
                                      {"bank", LevelRole::kBank},
                                      {"thread", LevelRole::kThread},
                                      {"lane", LevelRole::kLane}};

row::Rows rows() {
  return {
      row::section("levels", "compute hierarchy, outermost first", true),
      row::section("levels.*", "one level"),
      row::formula("levels.*.count", "count", 1, row::kMostCount, "instances per instance of the level above"),
      row::flag("levels.*.splits_reduction", "partial results of its instances can be merged"),
      row::text("levels.*.merge", "where they are merged: host, or the name of an outer level"),
      row::flag("levels.*.must_fill", "instances work in lock step: a mapping must use them all"),
      row::choice("levels.*.role", choicesOf(kRoles),
                  "role of the level; default: the innermost level has lanes if compute.mode is vector or there are "
                  "units next to the banks, else threads; the level around it has units; others are groups",
                  false),
  };
}

void setRoles(const Contents &c, std::vector<Level> &levels) {
  const bool hasLanes = c.text("compute.mode") == "vector" || c.has("pim");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string role = c.text("levels." + levels[i].name + ".role");
    levels[i].role = role.empty() ? usualRole(levels.size() - i - 1, hasLanes) : enumOf(kRoles, role);
  }
}

void build(const Contents &c, Machine &m) {
  for (const Entry &e : c.entries("levels")) {
    const std::string at = "levels." + e.key + ".";
    m.places["levels." + e.key] = e.value.where;
    Level l;
    l.name = e.key;
    l.count = c.integer(at + "count", 1);
    l.splitsReduction = c.flag(at + "splits_reduction");
    l.merge = c.text(at + "merge");
    l.mustFill = c.flag(at + "must_fill");
    m.levels.push_back(std::move(l));
  }
  setRoles(c, m.levels);
}

/// Groups, then units, then what units have.
void checkRoles(const Contents &c, const std::vector<Level> &levels) {
  const auto depth = [](const Level &l) { return std::min(l.role, LevelRole::kBank); };
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const Level &outer = levels[i - 1], &inner = levels[i];
    if (depth(outer) < depth(inner) || (depth(outer) == depth(inner) && inner.role != LevelRole::kUnit)) continue;
    c.report("wrong-levels", "levels." + inner.name + ".role",
             "level '" + inner.name + "' (" + std::string(name(inner.role)) + ") cannot be inside level '" +
                 outer.name + "' (" + std::string(name(outer.role)) + ")",
             "order, outermost first: groups, one level of units, then banks, threads or lanes");
  }
}

void check(const Contents &c, const Machine &m) {
  if (m.levels.empty()) return c.report("wrong-levels", "levels", "the machine has no levels", "add at least one");
  std::int64_t all = 1;
  std::vector<std::string> mergers{"host"};
  for (const Level &l : m.levels) {
    all = multiplySaturated(all, l.count);
    if (l.splitsReduction && l.merge.empty()) {
      c.report("missing-key", "levels." + l.name,
               "level '" + l.name + "' splits reductions, but nothing merges its results", "add 'merge: host'");
    }
    if (!l.merge.empty() && std::find(mergers.begin(), mergers.end(), l.merge) == mergers.end()) {
      c.report("unknown-choice", "levels." + l.name + ".merge",
               "no level above '" + l.name + "' is called '" + l.merge + "'", suggest(l.merge, mergers));
    }
    mergers.push_back(l.name);
  }
  constexpr std::int64_t kMostUnits = std::int64_t{1} << 40;
  if (all > kMostUnits) c.impossible("levels", "the levels multiply to more than 2^40 units", "reduce their counts");
  checkRoles(c, m.levels);
}

}  // namespace

std::string_view name(LevelRole role) {
  return std::ranges::find(kRoles, role, &Word<LevelRole>::value)->text;
}

LevelRole usualRole(std::size_t inside, bool hasLanes) {
  if (inside > 1) return LevelRole::kGroup;
  return inside == 1 ? LevelRole::kUnit : hasLanes ? LevelRole::kLane : LevelRole::kThread;
}

const Level *levelOf(std::span<const Level> levels, LevelRole role) {
  const auto it = std::ranges::find(levels, role, &Level::role);
  return it != levels.end() ? &*it : nullptr;
}

std::size_t unitLevels(std::span<const Level> levels) {
  return static_cast<std::size_t>(
      std::ranges::count_if(levels, [](const Level &l) { return l.role <= LevelRole::kUnit; }));
}

std::int64_t unitCount(std::span<const Level> levels) {
  std::int64_t units = 1;
  for (const Level &l : levels.first(unitLevels(levels))) units = multiplySaturated(units, l.count);
  return units;
}

bool haveRoles(std::span<const Level> levels, std::initializer_list<LevelRole> roles) {
  return std::ranges::equal(levels, roles, {}, &Level::role);
}

Section section::levels() {
  return {rows, build, check};
}

}  // namespace pimento::machine
