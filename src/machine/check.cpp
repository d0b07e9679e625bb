// Checks between the values of one machine: what a datasheet could not say without contradicting itself.
#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/machine/build.h"

namespace pimento::machine {

namespace {

/// What a lowering relies on: the sections and the levels of its family, with the number each level counts.
struct Family {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> levels;
  bool needsDpu = false;  ///< else DRAM with units beside its banks
};

const std::vector<Family> &families() {
  static const std::vector<Family> kFamilies{
      {"hbm-pim", {{"channel", "organization.channels"}, {"block", "pim.blocks"}, {"lane", "pim.lanes"}}},
      {"upmem", {{"rank", "system.ranks"}, {"dpu", "system.dpus"}, {"tasklet", "dpu.tasklets"}}, true},
  };
  return kFamilies;
}

class Checker {
 public:
  Checker(const Machine &machine, const Node &root, Diagnostics &out) : m_(machine), root_(root), out_(out) {}

  void run() {
    checkLevels();
    if (m_.dram) checkDram(*m_.dram);
    if (m_.pim) checkPim(*m_.pim);
    if (m_.dpu) checkDpu(*m_.dpu);
    if (m_.compute) checkCompute(*m_.compute, *m_.unitMemory);
    if (m_.family == "cnm" && !m_.compute)
      report("missing-section", "family", "family 'cnm' needs the sections 'compute' and 'memories'",
             "they say what a unit computes, and what it has to read");
    if (m_.host.dpus) checkDpuLink(*m_.host.dpus);
    if (root_.find("modes") != nullptr && !m_.pim) {
      report("missing-section", "modes", "'modes' mean nothing without 'pim'",
             "add the section 'pim' or remove 'modes'");
    }
  }

 private:
  void report(std::string code, const std::string &path, std::string message, std::string hint) {
    const auto number = m_.numbers.find(path);
    const Node *n = root_.at(path);
    const Location where = number != m_.numbers.end() ? number->second.where : n != nullptr ? n->where : root_.where;
    out_.push_back(error(std::move(code), where, std::move(message), std::move(hint)));
  }
  void impossible(const std::string &path, std::string message, std::string hint) {
    report("impossible-value", path, std::move(message), std::move(hint));
  }
  /// Canonical value of a number that need not exist; -1 if it does not.
  double number(const std::string &path) const {
    const auto it = m_.numbers.find(path);
    return it == m_.numbers.end() ? -1 : it->second.canonical;
  }

  void checkLevels() {
    if (m_.levels.empty()) return report("wrong-levels", "levels", "the machine has no levels", "name at least one");
    std::int64_t all = 1;
    std::vector<std::string> mergers{"host"};
    for (const Level &l : m_.levels) {
      all = multiplySaturated(all, l.count);
      if (l.splitsReduction && l.merge.empty()) {
        report("missing-key", "levels." + l.name,
               "level '" + l.name + "' splits reductions, but nobody merges its results", "add 'merge: host'");
      }
      if (!l.merge.empty() && std::find(mergers.begin(), mergers.end(), l.merge) == mergers.end()) {
        report("unknown-choice", "levels." + l.name + ".merge",
               "nobody above level '" + l.name + "' is called '" + l.merge + "'", suggest(l.merge, mergers));
      }
      mergers.push_back(l.name);
    }
    constexpr std::int64_t kMostUnits = std::int64_t{1} << 40;
    if (all > kMostUnits) impossible("levels", "the levels multiply to more than 2^40 units", "lower their counts");
    for (const Family &f : families()) {
      if (f.name != m_.family) continue;
      if (f.needsDpu && (!m_.dpu || !m_.host.dpus)) {
        report("missing-section", "family",
               "family '" + m_.family + "' needs the sections 'system', 'dpu' and 'host.dpus'",
               "extend the preset of that family, or name another family");
      } else if (!f.needsDpu && (!m_.dram || !m_.pim)) {
        report("missing-section", "family", "family '" + m_.family + "' needs the sections 'organization' and 'pim'",
               "extend the preset of that family, or name another family");
      }
      checkFamily(f);
    }
  }

  void checkFamily(const Family &f) {
    std::vector<std::string> names;
    bool areSame = f.levels.size() == m_.levels.size();
    for (std::size_t i = 0; i < f.levels.size(); ++i) {
      names.emplace_back(f.levels[i].first);
      areSame = areSame && m_.levels[i].name == f.levels[i].first;
    }
    if (!areSame) {
      return report("wrong-levels", "levels", "family '" + m_.family + "' has other levels",
                    "its levels, outermost first: " + join(names, ", "));
    }
    for (std::size_t i = 0; i < f.levels.size(); ++i) {
      const std::string path(f.levels[i].second);
      if (number(path) < 0 || number(path) == static_cast<double>(m_.levels[i].count)) continue;
      report("wrong-levels", "levels." + names[i] + ".count",
             "level '" + names[i] + "' counts " + std::to_string(m_.levels[i].count) + ", but " + path + " is " +
                 numberText(number(path)),
             "write 'count: " + path + "' and set that number");
    }
  }

  void checkDram(const Dram &d) {
    const Organization &o = d.organization;
    if (!std::has_single_bit(static_cast<std::uint64_t>(o.channels))) {
      impossible("organization.channels", "channels must be a power of two, not " + std::to_string(o.channels),
                 "the nearest ones are " + std::to_string(std::bit_floor(static_cast<std::uint64_t>(o.channels))) +
                     " and " + std::to_string(std::bit_ceil(static_cast<std::uint64_t>(o.channels))));
    }
    constexpr std::int64_t kMostBanks = 64;  // engines keep one bit per bank in a word
    if (o.ranks * o.banks() > kMostBanks) {
      impossible("organization.ranks",
                 "a channel has " + std::to_string(o.ranks * o.banks()) + " banks, at most 64 are supported",
                 "lower ranks, bank_groups or banks_per_group");
    }
    checkCommands(d);
    checkTimes(d);
  }

  void checkCommands(const Dram &d) {
    static constexpr std::pair<CommandKind, std::string_view> kNeeded[] = {{CommandKind::kActivate, "activate"},
                                                                           {CommandKind::kPrecharge, "precharge"},
                                                                           {CommandKind::kRead, "read"},
                                                                           {CommandKind::kWrite, "write"},
                                                                           {CommandKind::kRefresh, "refresh"}};
    for (const auto &[kind, word] : kNeeded) {
      const auto n =
          std::count_if(d.commands.begin(), d.commands.end(), [k = kind](const Command &c) { return c.kind == k; });
      const bool isOptional = kind == CommandKind::kRefresh && d.controller.refreshPolicy == "none";
      if (n == 1 || (n == 0 && isOptional)) continue;
      report("wrong-commands", "commands",
             "the device needs one command of kind '" + std::string(word) + "', it has " + std::to_string(n),
             "name exactly one, as in 'ACT: {kind: activate, scope: bank}'");
    }
  }

  void checkTimes(const Dram &d) {
    const double rc = number("timing.tRC"), ras = number("timing.tRAS"), rp = number("timing.tRP");
    // Changing tRP or tRAS alone is no mistake: the row cycle follows from activate, precharge, activate anyway.
    const auto isSet = [&](const char *path) {
      const auto it = m_.numbers.find(path);
      return it != m_.numbers.end() && it->second.overridden;
    };
    const bool isSweep = (isSet("timing.tRAS") || isSet("timing.tRP")) && !isSet("timing.tRC");
    if (rc >= 0 && ras >= 0 && rp >= 0 && rc < ras + rp && !isSweep) {
      impossible("timing.tRC", "tRC (" + numberText(rc) + ") is shorter than tRAS + tRP (" + numberText(ras + rp) + ")",
                 "set timing.tRC to at least " + numberText(ras + rp) + " cycle");
    }
    // Engines serve a refresh after closing rows and then need time for at least one access before the next.
    const std::int64_t used =
        d.refreshTime.value + d.prechargeTime.value + std::max(d.readLatency.value, d.writeLatency.value);
    if (d.controller.refreshPolicy != "none" && d.refreshInterval.value / d.organization.ranks <= used) {
      impossible("refresh.interval",
                 "refreshes every " + std::to_string(d.refreshInterval.value) + " cycles leave no time to work",
                 "with these ranks and times the interval must exceed " +
                     std::to_string((used + 1) * d.organization.ranks) + " cycles");
    }
  }

  void checkDpu(const Dpu &d) {
    if (root_.find("system") == nullptr)
      report("missing-section", "dpu", "DPUs need the section 'system'", "it says how many there are");
    checkTransfers("dpu.dma.read", d.reads, d.transferUnit.value);
    checkTransfers("dpu.dma.write", d.writes, d.transferUnit.value);
    if (d.refreshInterval.value != 0 && d.refreshTime >= d.refreshInterval)
      impossible("dpu.dma.refresh_time", "MRAM would be refreshed all the time",
                 "refresh_time must be below refresh_interval");
    if (d.mramModel == "constant" && root_.at("dpu.dma.constant") == nullptr)
      report("missing-key", "dpu.mram_model", "'constant' needs the number 'dpu.dma.constant'",
             "add it, or write mram_model: table");
    if (d.mramModel == "dram-rows" && root_.at("dpu.dma.rows") == nullptr)
      report("missing-section", "dpu.mram_model", "'dram-rows' needs the section 'dpu.dma.rows'",
             "add it, or write mram_model: table");
    if (d.wram.value % 8 != 0 || d.mram.value % 8 != 0)
      impossible("dpu.wram", "memories must be multiples of 8 bytes", "the DMA engine moves 8 bytes at a time");
  }

  void checkCompute(const Compute &c, const UnitMemory &m) {
    checkOperations(c);
    if (m_.dpu) {
      if (root_.find("memories") != nullptr || root_.at("compute.threads") != nullptr ||
          root_.at("compute.issue_interval") != nullptr)
        report("unknown-key", "compute", "threads and memories of a machine with DPUs stand in its section 'dpu'",
               "remove them here");
      return;
    }
    for (const char *needed : {"compute.threads", "compute.issue_interval", "memories"})
      if (root_.at(needed) == nullptr)
        return report("missing-key", "compute", "'" + std::string(needed) + "' is missing",
                      "a unit without DPUs says what its threads and memories are");
    constexpr std::int64_t kMostThreads = 24;  // one word of the issue logic
    if (c.mode == Compute::Mode::kPipeline && c.threads > kMostThreads)
      impossible("compute.threads", "a pipeline has at most 24 threads", "use mode: vector for lanes");
    if (m_.levels.size() < 2 || m_.levels.back().count != c.threads)
      report("wrong-levels", "levels",
             "the innermost level must count compute.threads, with a level of units around it",
             "as in 'thread: {count: compute.threads}'");
    checkTransfers("memories.bank.read", m.reads, m.unit.value);
    checkTransfers("memories.bank.write", m.writes, m.unit.value);
    if (m.largest.value % m.unit.value != 0)
      impossible("memories.bank.largest", "the largest access is no multiple of the unit", "choose a multiple");
  }

  /// Each operation on each type once.
  void checkOperations(const Compute &c) {
    std::map<std::pair<std::string, DType>, std::string> seen;
    for (const Compute::Operation &o : c.operations)
      for (const std::string &operation : o.operations)
        for (const DType t : o.types) {
          const auto [at, isNew] = seen.emplace(std::pair{operation, t}, o.name);
          if (!isNew)
            report("duplicate-operation", "compute.operations." + o.name,
                   "'" + operation + "' on " + std::string(name(t)) + " stands in '" + at->second + "' already",
                   "name each operation once for each type");
        }
  }

  void checkTransfers(const std::string &path, const std::vector<Dpu::Transfer> &table, std::int64_t unit) {
    if (table.empty()) return impossible(path, "'" + path + "' has no sizes", "name at least one");
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Dpu::Transfer &t = table[i];
      const std::string size = std::to_string(t.size.value) + " B";
      if (t.size.value % unit != 0)
        impossible(path, size + " is no multiple of " + std::to_string(unit) + " B",
                   "use sizes that a transfer can have");
      if (i > 0 && t.size <= table[i - 1].size)
        impossible(path, size + " stands behind " + std::to_string(table[i - 1].size.value) + " B",
                   "list the sizes in ascending order, each once");
      if (t.occupancy > t.latency)
        impossible(path, "a transfer of " + size + " keeps the engine busy for longer than it takes",
                   "occupancy must not exceed latency");
    }
  }

  void checkDpuLink(const DpuLink &l) {
    for (const auto &[path, rates] : {std::pair{"host.dpus.write", &l.write}, std::pair{"host.dpus.read", &l.read}}) {
      if (rates->empty()) impossible(path, "'" + std::string(path) + "' has no rates", "name at least one");
      for (std::size_t i = 1; i < rates->size(); ++i)
        if ((*rates)[i].dpus <= (*rates)[i - 1].dpus)
          impossible(path,
                     "the rate for " + std::to_string((*rates)[i].dpus) + " DPUs stands behind that for " +
                         std::to_string((*rates)[i - 1].dpus),
                     "list the rates by ascending numbers of DPUs, each once");
    }
  }

  void checkPim(const PimUnit &p) {
    if (!m_.dram) return report("missing-section", "pim", "'pim' needs 'organization'", "add the DRAM sections");
    const Organization &o = m_.dram->organization;
    if (p.blocks * p.banksPerBlock != o.banks()) {
      impossible("pim.blocks",
                 std::to_string(p.blocks) + " blocks of " + std::to_string(p.banksPerBlock) +
                     " banks do not serve the rank's " + std::to_string(o.banks()) + " banks",
                 "blocks x banks_per_block = bank_groups x banks_per_group");
    }
    if (p.pimRanks > o.ranks) {
      impossible("pim.ranks", "more ranks with units than ranks", "at most " + std::to_string(o.ranks));
    }
    if (p.lanes * sizeOf(p.type).value != o.burst.value) {
      impossible("pim.lanes",
                 "the lanes hold " + std::to_string(p.lanes * sizeOf(p.type).value) + " bytes, a burst " +
                     std::to_string(o.burst.value),
                 "lanes x bytes of " + std::string(name(p.type)) + " = organization.burst");
    }
    below("pim.first_control_row", p.firstControlRow, o.rows, "organization.rows");
    for (const auto &[key, row] : p.rows) {
      below("pim.rows." + key, row, o.rows, "organization.rows");
      if (row < p.firstControlRow) {
        impossible("pim.rows." + key, "row " + std::to_string(row) + " lies among the data rows",
                   "use a row from pim.first_control_row on");
      }
    }
    std::map<std::int64_t, std::string> meanings;
    for (const auto &[key, row] : p.rows) {
      if (const auto [it, isNew] = meanings.emplace(row, key); !isNew) {
        impossible("pim.rows." + key, "rows '" + key + "' and '" + it->second + "' are the same",
                   "give each its own row");
      }
    }
    for (const auto &[key, column] : p.columns) below("pim.columns." + key, column, o.columns, "organization.columns");
    below("pim.columns.grf_a", p.columns.at("grf_a") + p.grfEntries - 1, o.columns, "organization.columns");
    below("pim.columns.grf_b", p.columns.at("grf_b") + p.grfEntries - 1, o.columns, "organization.columns");
    checkRegisterColumns(p);
    const Node *modes = root_.find("modes");
    if (modes == nullptr || modes->entries.empty()) {
      return report("missing-section", "pim", "'pim' needs 'modes'", "say how the device changes modes");
    }
    for (std::size_t i = 0; i < p.modeRules.size(); ++i) checkMode("modes." + modes->entries[i].key, p.modeRules[i]);
    checkModesReachable(p);
  }

  /// Registers are told apart by their columns.
  void checkRegisterColumns(const PimUnit &p) {
    constexpr std::int64_t kWordBytes = 4;
    const std::int64_t burst = std::max<std::int64_t>(m_.dram->organization.burst.value, kWordBytes);
    const std::pair<const char *, std::int64_t> sizes[] = {{"control", 1},
                                                           {"srf", 1},
                                                           {"crf", (p.crfWords * kWordBytes + burst - 1) / burst},
                                                           {"grf_a", p.grfEntries},
                                                           {"grf_b", p.grfEntries}};
    for (const auto &[name, size] : sizes) {
      for (const auto &[other, otherSize] : sizes) {
        const std::int64_t first = p.columns.at(name), otherFirst = p.columns.at(other);
        if (std::string_view(name) == other || first > otherFirst || first + size <= otherFirst) continue;
        impossible("pim.columns." + std::string(name),
                   "registers '" + std::string(name) + "' (" + std::to_string(size) + " columns from " +
                       std::to_string(first) + ") and '" + other + "' (from " + std::to_string(otherFirst) +
                       ") overlap",
                   "give each its own columns, or make them smaller");
      }
    }
  }

  void checkMode(const std::string &path, const ModeRule &r) {
    const Organization &o = m_.dram->organization;
    below(path + ".row", r.row, o.rows, "organization.rows");
    if (r.row < m_.pim->firstControlRow) {
      impossible(path + ".row", "row " + std::to_string(r.row) + " lies among the data rows",
                 "a mode change needs a row from pim.first_control_row on");
    }
    if (r.column) below(path + ".column", *r.column, o.columns, "organization.columns");
    for (const int b : r.banks) below(path + ".banks", b, o.banks(), "the banks of a rank");
  }

  /// Programs enter and leave the modes, so there must be a rule each way.
  void checkModesReachable(const PimUnit &p) {
    const auto has = [&](auto &&test) { return std::any_of(p.modeRules.begin(), p.modeRules.end(), test); };
    if (!has([](const ModeRule &r) { return r.from == PimMode::kSingleBank && r.to != r.from; }) ||
        !has([](const ModeRule &r) { return r.to == PimMode::kSingleBank && r.to != r.from; }) ||
        !has([](const ModeRule &r) { return r.to == PimMode::kAllBankPim && r.to != r.from; })) {
      report("missing-key", "modes", "the modes cannot all be entered and left",
             "add a rule from single-bank, one to all-bank-pim and one back to single-bank");
    }
  }

  void below(const std::string &path, std::int64_t x, std::int64_t end, const std::string &what) {
    if (x < end) return;
    impossible(path,
               "'" + path + "' reaches " + std::to_string(x) + ", beyond " + what + " (" + std::to_string(end) + ")",
               "use a number below " + std::to_string(end));
  }

  const Machine &m_;
  const Node &root_;
  Diagnostics &out_;
};

}  // namespace

void checkMachine(const Machine &machine, const Node &root, Diagnostics &out) {
  Checker(machine, root, out).run();
}

}  // namespace pimento::machine
