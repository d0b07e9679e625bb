#include <algorithm>

#include "pimento/base/suggest.h"
#include "pimento/machine/sections/core.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<Cim::Locality> kLocalities[] = {
    {"level", Cim::Locality::kLevel}, {"bank", Cim::Locality::kBank}, {"bitline", Cim::Locality::kBitline}};
constexpr Word<bool> kMoves[] = {{"none", false}, {"copy", true}};
constexpr Word<Cim::Accepts> kAccepts[] = {{"all", Cim::Accepts::kAll},
                                           {"time", Cim::Accepts::kTime},
                                           {"energy", Cim::Accepts::kEnergy},
                                           {"both", Cim::Accepts::kBoth}};
const std::vector<std::string> kOperations{"add", "sub", "and", "or", "xor"};

row::Rows rows() {
  return {
      row::section("cim", "what caches compute"),
      row::list("cim.operations", "what they run: add, sub, and, or, xor", kOperations, true),
      row::integer("cim.width", "bit", 8, 64, "of an operation", true),
      row::list("cim.levels", "names of caches that compute", {}, true),
      row::choice("cim.locality", choicesOf(kLocalities),
                  "how near operands must lie: at one level, in one bank, on the same bitlines"),
      row::choice("cim.moves", choicesOf(kMoves),
                  "operands that lie elsewhere: none computes there, or copy: they are brought near; none if omitted",
                  false),
      row::choice("cim.accept", choicesOf(kAccepts),
                  "candidates that are taken: all, or those that do not take longer (time), or more energy, or neither "
                  "(both); all if omitted",
                  false),
      row::integer("cim.row_words", "count", 1, 64,
                   "neighbouring words that one operation on a row computes at most, where iterations ask for them one "
                   "after the other; 1, each its own, if omitted",
                   false),
      row::integer("cim.add_extra", "cycle", 0, 1000, "what a sum takes longer than a read", true),
      row::section("cim.constants", "caches that sets of energies hold for, by set"),
      row::word("cim.constants.*", "caches of one set, by name"),
      row::section("cim.constants.*.*", "one cache"),
      row::integer("cim.constants.*.*.size", "B|KiB|MiB", 64, 1 << 30, "its bytes", true),
      row::integer("cim.constants.*.*.ways", "count", 1, 64, "its associativity", true),
  };
}

void build(const Contents &c, Machine &m) {
  if (!c.has("cim")) return;
  Cim cim;
  cim.operations = c.list("cim.operations");
  cim.width = static_cast<int>(c.integer("cim.width"));
  cim.locality = enumOf(kLocalities, c.text("cim.locality"));
  if (const std::string moves = c.text("cim.moves"); !moves.empty()) cim.movesOperands = enumOf(kMoves, moves);
  if (const std::string accept = c.text("cim.accept"); !accept.empty()) cim.accepts = enumOf(kAccepts, accept);
  cim.addExtra = c.cycles("cim.add_extra");
  std::vector<std::string> names;
  for (const CacheLevel &l : m.caches) names.push_back(l.name);
  for (const std::string &level : c.list("cim.levels")) {
    const auto found = std::find(names.begin(), names.end(), level);
    if (found == names.end())
      c.report("unknown-name", "cim.levels", "no cache '" + level + "'", suggest(level, names));
    else
      cim.levels.push_back(static_cast<int>(found - names.begin()));
  }
  m.cim = std::move(cim);
}

}  // namespace

Section section::cim() {
  return {rows, build, nullptr};
}

}  // namespace pimento::machine
