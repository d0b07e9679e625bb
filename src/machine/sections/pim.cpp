#include "pimento/machine/sections/pim.h"

#include <algorithm>
#include <map>

#include "pimento/base/dtype.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<PimMode> kModes[] = {
    {"single-bank", PimMode::kSingleBank}, {"all-bank", PimMode::kAllBank}, {"all-bank-pim", PimMode::kAllBankPim}};

row::Rows rows() {
  return {
      row::section("pim", "compute units next to the banks"),
      row::integer("pim.blocks", "count", 1, 64, "units per rank", true),
      row::integer("pim.lanes", "count", 1, 4096, "lanes per unit", true),
      row::integer("pim.banks_per_block", "count", 1, 64, "banks per unit", true),
      row::integer("pim.grf_entries", "count", 1, 4096, "vector registers in each of GRF_A and GRF_B, one burst each",
                   true),
      row::integer("pim.srf_entries", "count", 1, 4096, "scalars in each of SRF_M and SRF_A", true),
      row::integer("pim.crf_words", "count", 1, 4096, "capacity of the instruction buffer (CRF)", true),
      row::dtype("pim.type", "element type of the lanes"),
      row::integer("pim.ranks", "count", 1, 64, "ranks per channel that have units, starting from the first", true),
      row::index("pim.first_control_row", "row", "first control row; control and parking rows never hold data"),
      row::section("pim.rows", "special rows", true),
      row::index("pim.rows.park", "row", "read to put all banks into a known state"),
      row::index("pim.rows.enter_all_bank", "row", "switches to all-bank mode"),
      row::index("pim.rows.leave_all_bank", "row", "switches to single-bank mode"),
      row::index("pim.rows.registers", "row", "the register map"),
      row::section("pim.columns", "columns of those rows, in bursts", true),
      row::index("pim.columns.mode", "column", "column for mode switches"),
      row::index("pim.columns.control", "column", "control register"),
      row::index("pim.columns.srf", "column", "scalar registers"),
      row::index("pim.columns.crf", "column", "first column of the instructions"),
      row::index("pim.columns.grf_a", "column", "first column of GRF_A"),
      row::index("pim.columns.grf_b", "column", "first column of GRF_B"),
      row::section("modes", "mode changes: take effect once `command` for `row` has reached every bank of `banks`"),
      row::section("modes.*", "one mode change"),
      row::choice("modes.*.from", choicesOf(kModes), "mode before the change"),
      row::choice("modes.*.to", choicesOf(kModes), "mode after the change"),
      row::choice("modes.*.command", commandKinds(), "command that triggers the change"),
      row::formula("modes.*.row", "row", 0, row::kMostCount, "row of the command"),
      {"modes.*.banks",
       ValueKind::kNumbers,
       "bank",
       "flat bank numbers: '0 1 8 9 bank'",
       true,
       0,
       row::kMostCount,
       true,
       {}},
      row::formula("modes.*.column", "column", 0, row::kMostCount, "for writes: required column", false),
      row::integer("modes.*.value", "byte", 0, 255, "for writes: required value of byte 0", false),
  };
}

void build(const Contents &c, Machine &m) {
  if (!c.has("pim")) return;
  PimUnit p;
  p.blocks = c.integer("pim.blocks");
  p.lanes = c.integer("pim.lanes");
  p.banksPerBlock = c.integer("pim.banks_per_block");
  p.grfEntries = c.integer("pim.grf_entries");
  p.srfEntries = c.integer("pim.srf_entries");
  p.crfWords = c.integer("pim.crf_words");
  if (const auto type = parseDType(c.text("pim.type"))) p.type = *type;
  p.pimRanks = c.integer("pim.ranks");
  p.firstControlRow = c.integer("pim.first_control_row");
  for (const Entry &e : c.entries("pim.rows")) p.rows[e.key] = c.integer("pim.rows." + e.key);
  for (const Entry &e : c.entries("pim.columns")) p.columns[e.key] = c.integer("pim.columns." + e.key);
  for (const Entry &e : c.entries("modes")) {
    const std::string at = "modes." + e.key + ".";
    ModeRule r;
    r.from = enumOf(kModes, c.text(at + "from"));
    r.to = enumOf(kModes, c.text(at + "to"));
    r.command = commandKindOf(c.text(at + "command"));
    r.row = c.integer(at + "row");
    for (const std::int64_t b : c.get(at + "banks")->numbers) r.banks.push_back(static_cast<int>(b));
    if (c.get(at + "column") != nullptr) r.column = c.integer(at + "column");
    if (c.get(at + "value") != nullptr) r.value = c.integer(at + "value");
    p.modeRules.push_back(std::move(r));
  }
  m.pim = std::move(p);
}

void checkUnits(const Contents &c, const PimUnit &p, const Organization &o) {
  if (p.blocks * p.banksPerBlock != o.banks()) {
    c.impossible("pim.blocks",
                 std::to_string(p.blocks) + " blocks of " + std::to_string(p.banksPerBlock) +
                     " banks do not match the rank's " + std::to_string(o.banks()) + " banks",
                 "blocks x banks_per_block = bank_groups x banks_per_group");
  }
  if (p.pimRanks > o.ranks) {
    c.impossible("pim.ranks", "pim.ranks exceeds the number of ranks", "at most " + std::to_string(o.ranks));
  }
  if (p.lanes * sizeOf(p.type).value != o.burst.value) {
    c.impossible("pim.lanes",
                 "the lanes hold " + std::to_string(p.lanes * sizeOf(p.type).value) + " bytes, a burst " +
                     std::to_string(o.burst.value),
                 "lanes x bytes of " + std::string(name(p.type)) + " = organization.burst");
  }
}

void checkRows(const Contents &c, const PimUnit &p, const Organization &o) {
  c.below("pim.first_control_row", p.firstControlRow, o.rows, "organization.rows");
  for (const auto &[key, row] : p.rows) {
    c.below("pim.rows." + key, row, o.rows, "organization.rows");
    if (row < p.firstControlRow) {
      c.impossible("pim.rows." + key, "row " + std::to_string(row) + " is in the range of data rows",
                   "use a row from pim.first_control_row on");
    }
  }
  std::map<std::int64_t, std::string> meanings;
  for (const auto &[key, row] : p.rows) {
    if (const auto [it, isNew] = meanings.emplace(row, key); !isNew) {
      c.impossible("pim.rows." + key, "rows '" + key + "' and '" + it->second + "' are the same",
                   "give each its own row");
    }
  }
}

/// Registers are told apart by their columns.
void checkRegisterColumns(const Contents &c, const PimUnit &p, Bytes burst) {
  constexpr std::int64_t kWordBytes = 4;
  const std::int64_t width = std::max<std::int64_t>(burst.value, kWordBytes);
  const std::pair<const char *, std::int64_t> sizes[] = {{"control", 1},
                                                         {"srf", 1},
                                                         {"crf", (p.crfWords * kWordBytes + width - 1) / width},
                                                         {"grf_a", p.grfEntries},
                                                         {"grf_b", p.grfEntries}};
  for (const auto &[name, size] : sizes) {
    for (const auto &[other, otherSize] : sizes) {
      const std::int64_t first = p.columns.at(name), otherFirst = p.columns.at(other);
      if (std::string_view(name) == other || first > otherFirst || first + size <= otherFirst) continue;
      c.impossible("pim.columns." + std::string(name),
                   "registers '" + std::string(name) + "' (" + std::to_string(size) + " columns from " +
                       std::to_string(first) + ") and '" + other + "' (from " + std::to_string(otherFirst) +
                       ") overlap",
                   "give each its own columns, or make them smaller");
    }
  }
}

void checkMode(const Contents &c, const std::string &path, const ModeRule &r, const Machine &m) {
  const Organization &o = m.dram->organization;
  c.below(path + ".row", r.row, o.rows, "organization.rows");
  if (r.row < m.pim->firstControlRow) {
    c.impossible(path + ".row", "row " + std::to_string(r.row) + " is in the range of data rows",
                 "a mode change needs a row from pim.first_control_row on");
  }
  if (r.column) c.below(path + ".column", *r.column, o.columns, "organization.columns");
  for (const int b : r.banks) c.below(path + ".banks", b, o.banks(), "the banks of a rank");
}

/// Programs enter and leave the modes, so there must be a rule each way.
void checkModesReachable(const Contents &c, const PimUnit &p) {
  const auto has = [&](auto &&test) { return std::any_of(p.modeRules.begin(), p.modeRules.end(), test); };
  if (!has([](const ModeRule &r) { return r.from == PimMode::kSingleBank && r.to != r.from; }) ||
      !has([](const ModeRule &r) { return r.to == PimMode::kSingleBank && r.to != r.from; }) ||
      !has([](const ModeRule &r) { return r.to == PimMode::kAllBankPim && r.to != r.from; })) {
    c.report("missing-key", "modes", "some modes cannot be entered or left",
             "add a rule that leaves single-bank, one that enters all-bank-pim and one that returns to single-bank");
  }
}

void check(const Contents &c, const Machine &m) {
  if (!m.pim) {
    if (c.has("modes"))
      c.report("missing-section", "modes", "'modes' has no effect without 'pim'",
               "add the section 'pim' or remove 'modes'");
    return;
  }
  const PimUnit &p = *m.pim;
  if (!m.dram) return c.report("missing-section", "pim", "'pim' needs 'organization'", "add the DRAM sections");
  const Organization &o = m.dram->organization;
  checkUnits(c, p, o);
  checkRows(c, p, o);
  for (const auto &[key, column] : p.columns) c.below("pim.columns." + key, column, o.columns, "organization.columns");
  c.below("pim.columns.grf_a", p.columns.at("grf_a") + p.grfEntries - 1, o.columns, "organization.columns");
  c.below("pim.columns.grf_b", p.columns.at("grf_b") + p.grfEntries - 1, o.columns, "organization.columns");
  checkRegisterColumns(c, p, o.burst);
  const std::vector<Entry> &modes = c.entries("modes");
  if (modes.empty())
    return c.report("missing-section", "pim", "'pim' needs 'modes'", "specify how the device changes modes");
  for (std::size_t i = 0; i < p.modeRules.size(); ++i) checkMode(c, "modes." + modes[i].key, p.modeRules[i], m);
  checkModesReachable(c, p);
}

}  // namespace

Section section::pim() {
  return {rows, build, check};
}

}  // namespace pimento::machine
