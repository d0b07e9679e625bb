#include <optional>

#include "pimento/base/suggest.h"
#include "pimento/machine/sections/pim.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

row::Rows rows() {
  return {
      row::section("near_bank", "units beside the banks that work by commands"),
      row::integer("near_bank.lanes", "count", 1, 4096, "multipliers per unit, one per element of a burst", true),
      row::dtype("near_bank.type", "element type of operands and products"),
      row::dtype("near_bank.accumulator", "type of the adder tree and of accumulators"),
      row::dtype("near_bank.moved", "type to which results are rounded when they leave a unit"),
      row::integer("near_bank.buffer_entries", "count", 1, 32768, "bursts that a unit's operand buffer holds", true),
      row::integer("near_bank.accumulators", "count", 1, 4096, "accumulators per unit", true),
      row::text("near_bank.multiply",
                "command: a column of every bank times a buffer entry, summed by a tree, onto an accumulator", true),
      row::text("near_bank.load", "command: writes a burst into the buffer of its bank"),
      row::text("near_bank.load_all", "command: writes a burst into the buffers of all banks of a channel"),
      row::text("near_bank.result", "command: reads the accumulators of its banks and clears them", true),
      row::text("near_bank.set_columns",
                "command: writes how many columns make a result; needed where a unit has several accumulators"),
  };
}

int commandOf(const Contents &c, const std::string &path, const Machine &m) {
  if (c.get(path) == nullptr) return -1;
  const std::string name = c.text(path);
  const int index = m.dram->commandNamed(name);
  if (index >= 0) return index;
  std::vector<std::string> names;
  for (const Command &x : m.dram->commands) names.push_back(x.name);
  c.report("unknown-command", path, "unknown command '" + name + "'", suggest(name, names));
  return -1;
}

void build(const Contents &c, Machine &m) {
  if (!c.has("near_bank")) return;
  if (!m.dram)
    return c.report("missing-section", "near_bank", "units beside banks need the banks: section 'organization'",
                    "add it, or remove 'near_bank'");
  NearBankUnit u;
  u.lanes = c.integer("near_bank.lanes");
  if (const auto type = parseDType(c.text("near_bank.type"))) u.type = *type;
  if (const auto type = parseDType(c.text("near_bank.accumulator"))) u.accumulator = *type;
  if (const auto type = parseDType(c.text("near_bank.moved"))) u.moved = *type;
  u.bufferEntries = c.integer("near_bank.buffer_entries");
  u.accumulators = c.integer("near_bank.accumulators");
  u.multiply = commandOf(c, "near_bank.multiply", m);
  u.load = commandOf(c, "near_bank.load", m);
  u.loadAll = commandOf(c, "near_bank.load_all", m);
  u.result = commandOf(c, "near_bank.result", m);
  u.setColumns = commandOf(c, "near_bank.set_columns", m);
  m.nearBank = u;
}

/// Each role takes a command that can play it.
void checkRoles(const Contents &c, const NearBankUnit &u, const Dram &d) {
  const auto require = [&](const char *path, int command, CommandKind kind, Needs needs,
                           std::optional<ScopeLevel> scope) {
    if (command < 0) return;
    const Command &x = d.commands[static_cast<std::size_t>(command)];
    const bool fits = x.kind == kind && x.needs == needs && (!scope || x.scope == *scope);
    if (fits) return;
    c.impossible(path, "command '" + x.name + "' cannot do this",
                 std::string("name a command of kind ") + (kind == CommandKind::kRead ? "read" : "write") +
                     (needs == Needs::kNothing ? " that needs nothing" : " that needs the row open") +
                     (!scope                           ? ""
                      : *scope == ScopeLevel::kChannel ? ", of scope channel"
                                                       : ", of scope bank"));
  };
  require("near_bank.multiply", u.multiply, CommandKind::kRead, Needs::kOpenRow, ScopeLevel::kChannel);
  require("near_bank.load", u.load, CommandKind::kWrite, Needs::kNothing, ScopeLevel::kBank);
  require("near_bank.load_all", u.loadAll, CommandKind::kWrite, Needs::kNothing, ScopeLevel::kChannel);
  require("near_bank.result", u.result, CommandKind::kRead, Needs::kNothing, std::nullopt);
  require("near_bank.set_columns", u.setColumns, CommandKind::kWrite, Needs::kNothing, ScopeLevel::kChannel);
}

void check(const Contents &c, const Machine &m) {
  if (!m.nearBank) return;
  const NearBankUnit &u = *m.nearBank;
  const Organization &o = m.dram->organization;
  checkRoles(c, u, *m.dram);
  for (const auto &[path, type] :
       {std::pair{"near_bank.type", u.type}, std::pair{"near_bank.accumulator", u.accumulator},
        std::pair{"near_bank.moved", u.moved}})
    if (!isFloat(type))
      c.impossible(path, "units beside banks compute in floating point, not in " + std::string(name(type)),
                   "use f16, bf16 or f32");
  if (sizeOf(u.type).value != 2 || u.moved != u.type)
    c.impossible("near_bank.type", "operands and results of units are of one type of two bytes", "use f16 or bf16");
  if (u.lanes * sizeOf(u.type).value != o.burst.value)
    c.impossible("near_bank.lanes",
                 "the lanes hold " + std::to_string(u.lanes * sizeOf(u.type).value) + " bytes, a burst " +
                     std::to_string(o.burst.value),
                 "lanes x bytes of " + std::string(name(u.type)) + " = organization.burst");
  if (u.bufferEntries > o.columns)
    c.impossible("near_bank.buffer_entries",
                 "an entry is addressed by a column, and a row has " + std::to_string(o.columns) + " of them",
                 "at most " + std::to_string(o.columns));
  if (u.load < 0 && u.loadAll < 0)
    c.report("missing-key", "near_bank", "no command fills the buffers", "name one: load, load_all, or both");
  if (u.result >= 0) {
    const std::int64_t moved =
        o.banksPerNode(m.dram->commands[static_cast<std::size_t>(u.result)].scope) * u.accumulators;
    if (moved > u.lanes)
      c.impossible("near_bank.accumulators",
                   std::to_string(moved) + " results would move in one burst of " + std::to_string(u.lanes),
                   "let near_bank.result address fewer banks, or have fewer accumulators");
  }
  if (u.accumulators > 1 && u.setColumns < 0)
    c.report("missing-key", "near_bank", "nothing says which of several accumulators a product is for",
             "name a command: set_columns");
}

}  // namespace

Section section::near_bank() {
  return {rows, build, check};
}

}  // namespace pimento::machine
