#include <algorithm>
#include <optional>

#include "pimento/base/suggest.h"
#include "pimento/machine/sections/pim.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

std::vector<std::string> scopes() {
  using enum ScopeLevel;
  std::vector<std::string> names;
  for (const ScopeLevel s : {kBank, kBankGroup, kRank, kPseudoChannel, kChannel}) names.emplace_back(name(s));
  return names;
}

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
      row::text("near_bank.merged_result",
                "command: adds up the accumulators of the banks of its node, in their type, reads the sums, and clears "
                "them"),
      row::text("near_bank.set_columns",
                "command: writes how many columns make a result; needed where a unit has several accumulators"),
      row::text("near_bank.multiply_elements",
                "command: in every bank group, the first bank's burst times the second's, into the third's"),
      row::text("near_bank.preload", "command: writes a burst into the accumulators, an element for each unit"),
      row::text("near_bank.function",
                "command: a function (relu) of every unit's accumulator, rounded, in a register beside it"),
      row::text("near_bank.function_result", "command: reads what `function` left in the units of a channel"),
      row::text("near_bank.copy_out", "command: copies a burst of a bank into the channel's buffer"),
      row::text("near_bank.copy_in", "command: copies an entry of the channel's buffer into a bank"),
      row::integer("near_bank.on_chip", "B|KiB|MiB", 0, 1e12,
                   "on-chip memory of the host, through which data move between its addresses and the banks; 0 or "
                   "missing: the host's data lie elsewhere",
                   false),
      row::list("near_bank.host_map",
                "fields of the host's addresses in these banks, least significant first: offset, channel, column, then "
                "bank, bankgroup and rank in any order, and row",
                {"offset", "channel", "column", "bank", "bankgroup", "rank", "row"}),
      row::section("near_bank.softmax",
                   "softmax unit of a channel, with a buffer whose entries are bursts and rows of addresses name"),
      row::integer("near_bank.softmax.entries", "count", 1, 4095, "bursts that its buffer holds", true),
      row::dtype("near_bank.softmax.accumulator", "type in which results of banks, and exponentials, are added up"),
      row::choice("near_bank.softmax.merges", scopes(),
                  "node whose banks' results can be added up in the buffer; bank: none can"),
      row::integer("near_bank.softmax.passes", "count", 1, 8,
                   "times that scores are read: 1 if the largest is known when they are there", true),
      row::text("near_bank.softmax.move", "command: adds the accumulators of its bank to an entry, and clears them",
                true),
      row::text("near_bank.softmax.set",
                "command: writes scale, number of scores, scores per stretch of the buffer, number of stretches", true),
      row::text("near_bank.softmax.run",
                "command: scores from its entry on become weights; its length is their entries times passes", true),
      row::text("near_bank.softmax.load", "command: copies an entry to an entry of the buffer of its bank", true),
      row::text("near_bank.softmax.load_all", "command: likewise to the buffers of all banks of a channel"),
      row::text("near_bank.softmax.read", "command: reads an entry to the host, and empties it", true),
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

/// The banks of a channel in the order of the host's addresses; empty if the map is none of those that we know.
std::vector<int> hostBanksOf(const Organization &o, const std::vector<std::string> &map) {
  const std::vector<std::string> first = {"offset", "channel", "column"};
  if (map.size() != 7 || !std::equal(first.begin(), first.end(), map.begin()) || map.back() != "row") return {};
  std::vector<int> banks = {0};
  for (std::size_t i = first.size(); i + 1 < map.size(); ++i) {
    const std::int64_t count = map[i] == "bank" ? o.banksPerGroup : map[i] == "bankgroup" ? o.bankGroups : o.ranks;
    const std::int64_t stride = map[i] == "bank" ? 1 : map[i] == "bankgroup" ? o.banksPerGroup : o.banks();
    if (std::find(map.begin(), map.begin() + static_cast<std::ptrdiff_t>(i), map[i]) !=
        map.begin() + static_cast<std::ptrdiff_t>(i))
      return {};
    std::vector<int> more;
    for (std::int64_t n = 0; n < count; ++n)
      for (const int b : banks) more.push_back(b + static_cast<int>(n * stride));
    banks = std::move(more);
  }
  return banks;
}

SoftmaxUnit softmaxOf(const Contents &c, const Machine &m) {
  SoftmaxUnit s;
  s.entries = c.integer("near_bank.softmax.entries");
  if (const auto type = parseDType(c.text("near_bank.softmax.accumulator"))) s.accumulator = *type;
  using enum ScopeLevel;
  for (const ScopeLevel level : {kBank, kBankGroup, kRank, kPseudoChannel, kChannel})
    if (name(level) == c.text("near_bank.softmax.merges")) s.merges = level;
  s.passes = c.integer("near_bank.softmax.passes");
  s.move = commandOf(c, "near_bank.softmax.move", m);
  s.set = commandOf(c, "near_bank.softmax.set", m);
  s.run = commandOf(c, "near_bank.softmax.run", m);
  s.load = commandOf(c, "near_bank.softmax.load", m);
  s.loadAll = commandOf(c, "near_bank.softmax.load_all", m);
  s.read = commandOf(c, "near_bank.softmax.read", m);
  return s;
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
  u.mergedResult = commandOf(c, "near_bank.merged_result", m);
  u.setColumns = commandOf(c, "near_bank.set_columns", m);
  u.multiplyElements = commandOf(c, "near_bank.multiply_elements", m);
  u.preload = commandOf(c, "near_bank.preload", m);
  u.function = commandOf(c, "near_bank.function", m);
  u.functionResult = commandOf(c, "near_bank.function_result", m);
  u.copyOut = commandOf(c, "near_bank.copy_out", m);
  u.copyIn = commandOf(c, "near_bank.copy_in", m);
  if (c.get("near_bank.on_chip") != nullptr) u.onChip = c.bytes("near_bank.on_chip");
  if (const Value *map = c.get("near_bank.host_map")) u.hostBanks = hostBanksOf(m.dram->organization, map->list);
  if (c.has("near_bank.softmax")) u.softmax = softmaxOf(c, m);
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
  require("near_bank.merged_result", u.mergedResult, CommandKind::kRead, Needs::kNothing, std::nullopt);
  require("near_bank.set_columns", u.setColumns, CommandKind::kWrite, Needs::kNothing, ScopeLevel::kChannel);
  require("near_bank.multiply_elements", u.multiplyElements, CommandKind::kWrite, Needs::kOpenRow,
          ScopeLevel::kChannel);
  require("near_bank.preload", u.preload, CommandKind::kWrite, Needs::kNothing, ScopeLevel::kChannel);
  require("near_bank.function", u.function, CommandKind::kWrite, Needs::kNothing, ScopeLevel::kChannel);
  require("near_bank.function_result", u.functionResult, CommandKind::kRead, Needs::kNothing, ScopeLevel::kChannel);
  require("near_bank.copy_out", u.copyOut, CommandKind::kRead, Needs::kOpenRow, ScopeLevel::kBank);
  require("near_bank.copy_in", u.copyIn, CommandKind::kWrite, Needs::kOpenRow, ScopeLevel::kBank);
  if (!u.softmax) return;
  const SoftmaxUnit &s = *u.softmax;
  require("near_bank.softmax.move", s.move, CommandKind::kRead, Needs::kNothing, ScopeLevel::kBank);
  require("near_bank.softmax.set", s.set, CommandKind::kWrite, Needs::kNothing, ScopeLevel::kChannel);
  require("near_bank.softmax.run", s.run, CommandKind::kRead, Needs::kNothing, std::nullopt);
  require("near_bank.softmax.load", s.load, CommandKind::kRead, Needs::kNothing, ScopeLevel::kBank);
  require("near_bank.softmax.load_all", s.loadAll, CommandKind::kRead, Needs::kNothing, ScopeLevel::kChannel);
  require("near_bank.softmax.read", s.read, CommandKind::kRead, Needs::kNothing, std::nullopt);
}

void checkSoftmax(const Contents &c, const NearBankUnit &u, const Organization &o) {
  const SoftmaxUnit &s = *u.softmax;
  if (!isFloat(s.accumulator))
    c.impossible("near_bank.softmax.accumulator",
                 "a softmax is computed in floating point, not in " + std::string(name(s.accumulator)),
                 "use f16, bf16 or f32");
  if (s.entries > o.rows)
    c.impossible("near_bank.softmax.entries",
                 "an entry is addressed by a row, and a bank has " + std::to_string(o.rows) + " of them",
                 "at most " + std::to_string(o.rows));
  if (u.accumulators > u.lanes)
    c.impossible("near_bank.accumulators",
                 std::to_string(u.accumulators) + " results would move to an entry of " + std::to_string(u.lanes),
                 "have at most as many accumulators as lanes");
}

/// Commands that only work together, and what they need of the banks.
void checkElements(const Contents &c, const NearBankUnit &u, const Dram &m) {
  const Organization &o = m.organization;
  if (u.multiplyElements >= 0 && o.banksPerGroup < 3)
    c.impossible("near_bank.multiply_elements",
                 "two banks of a group multiply into a third, and a group has " + std::to_string(o.banksPerGroup),
                 "remove it, or have three banks per group");
  if (u.mergedResult >= 0 && u.accumulators > u.lanes)
    c.impossible("near_bank.merged_result",
                 std::to_string(u.accumulators) + " sums would move in one burst of " + std::to_string(u.lanes),
                 "have fewer accumulators");
  if (u.mergedResult >= 0 && m.commands[static_cast<std::size_t>(u.mergedResult)].scope == ScopeLevel::kBank)
    c.impossible("near_bank.merged_result", "the banks of one bank cannot be added up",
                 "name a command of scope bankgroup, rank, pseudochannel or channel");
  if ((u.function < 0) != (u.functionResult < 0))
    c.report("missing-key", "near_bank", "a function of the units and the command that reads it come together",
             "name both, function and function_result, or neither");
  if (u.preload >= 0 && o.ranks * o.banks() > u.lanes)
    c.impossible("near_bank.preload",
                 "a burst has " + std::to_string(u.lanes) + " elements, a channel " +
                     std::to_string(o.ranks * o.banks()) + " units",
                 "remove it, or have fewer banks");
}

/// The host's data are moved block by block: a block is a row of every bank at least.
void checkHost(const Contents &c, const NearBankUnit &u, const Organization &o) {
  const bool hasMap = c.get("near_bank.host_map") != nullptr;
  if (hasMap && u.hostBanks.empty())
    c.report("bad-address-map", "near_bank.host_map", "host addresses fill channels burst by burst, then rows of banks",
             "write [offset, channel, column, bank, bankgroup, rank, row], the three before 'row' in any order");
  if (u.onChip.value > 0 && !hasMap)
    c.report("missing-key", "near_bank", "nothing says where the host's data lie in the banks",
             "write near_bank.host_map, or remove on_chip");
  if (hasMap && u.onChip.value == 0)
    c.report("missing-key", "near_bank", "the host's data are moved through on-chip memory, which has no size",
             "write near_bank.on_chip, or remove host_map");
  const std::int64_t least = o.channels * o.ranks * o.banks() * o.columns * o.burst.value;
  if (u.onChip.value > 0 && u.onChip.value < least)
    c.impossible("near_bank.on_chip",
                 "it holds " + std::to_string(u.onChip.value) + " bytes, a row of every bank " + std::to_string(least),
                 "have at least that");
}

void check(const Contents &c, const Machine &m) {
  if (!m.nearBank) return;
  const NearBankUnit &u = *m.nearBank;
  const Organization &o = m.dram->organization;
  checkRoles(c, u, *m.dram);
  checkElements(c, u, *m.dram);
  checkHost(c, u, o);
  for (const auto &[path, type] :
       {std::pair{"near_bank.type", u.type}, std::pair{"near_bank.accumulator", u.accumulator},
        std::pair{"near_bank.moved", u.moved}})
    if (!isFloat(type))
      c.impossible(path, "units beside banks compute in floating point, not in " + std::string(name(type)),
                   "use f16, bf16, f8e4m3, f8e5m2 or f32");
  if (sizeOf(u.type).value > 2 || u.moved != u.type)
    c.impossible("near_bank.type", "operands and results of units are of one type of one or two bytes",
                 "use f16, bf16, f8e4m3 or f8e5m2");
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
  if (u.softmax) checkSoftmax(c, u, o);
  if (u.accumulators > 1 && u.setColumns < 0)
    c.report("missing-key", "near_bank", "nothing says which of several accumulators a product is for",
             "name a command: set_columns");
}

}  // namespace

Section section::near_bank() {
  return {rows, build, check};
}

}  // namespace pimento::machine
