#include "pimento/machine/sections/dram.h"

#include <algorithm>
#include <bit>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/machine/quantity.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<CommandKind> kCommandKinds[] = {
    {"activate", CommandKind::kActivate}, {"precharge", CommandKind::kPrecharge}, {"read", CommandKind::kRead},
    {"write", CommandKind::kWrite},       {"refresh", CommandKind::kRefresh},     {"barrier", CommandKind::kBarrier}};
constexpr Word<ScopeLevel> kScopes[] = {{"channel", ScopeLevel::kChannel},
                                        {"rank", ScopeLevel::kRank},
                                        {"bankgroup", ScopeLevel::kBankGroup},
                                        {"bank", ScopeLevel::kBank},
                                        {"pseudochannel", ScopeLevel::kPseudoChannel}};
constexpr Word<Slot> kSlots[] = {{"row", Slot::kRow}, {"column", Slot::kColumn}};
constexpr Word<Needs> kNeeds[] = {
    {"open", Needs::kOpenRow}, {"closed", Needs::kClosedRow}, {"nothing", Needs::kNothing}};
constexpr Word<Scheduler> kSchedulers[] = {{"fr-fcfs-barrier", Scheduler::kFrFcfsBarrier},
                                           {"four-queues", Scheduler::kFourQueues}};
constexpr Word<BarrierRule> kBarrierRules[] = {{"drain", BarrierRule::kDrain}, {"in-order", BarrierRule::kInOrder}};
const std::vector<std::string> kAddressFields{"offset", "channel", "bank", "bankgroup", "column", "row", "rank"};

/// How many values each field tells apart.
constexpr const char *kFieldCounts[] = {
    "organization.burst",       "organization.channels", "organization.banks_per_group",
    "organization.bank_groups", "organization.columns",  "organization.rows",
    "organization.ranks"};

int log2Of(std::int64_t n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}

std::vector<std::string> namesOf(const Dram &d) {
  std::vector<std::string> names;
  for (const Command &x : d.commands) names.push_back(x.name);
  return names;
}

/// The table of keys, long because it has one row per key.
row::Rows rows() {
  return {
      row::section("organization", "structure of the DRAM device"),
      row::integer("organization.channels", "count", 1, 65536,
                   "independent channels (HBM: pseudo channels); power of two", true),
      row::count("organization.channels_per_stack", "channels per stack or module", false),
      row::integer("organization.ranks", "count", 1, 64, "ranks per channel", true),
      row::integer("organization.pseudo_channels", "count", 1, 64,
                   "pseudo channels that share the ranks of a channel; 1 if omitted", false),
      row::integer("organization.bank_groups", "count", 1, 64, "bank groups per rank", true),
      row::integer("organization.banks_per_group", "count", 1, 64, "banks per bank group", true),
      row::count("organization.rows", "rows per bank"),
      row::integer("organization.columns", "count", 1, 32768, "bursts per row", true),
      row::integer("organization.burst", "B|KiB", 1, 65536, "bytes one column command moves", true),
      row::list(
          "organization.address_map",
          "fields of a physical address, least significant first: offset channel bank bankgroup column row rank; each "
          "has as many bits as its count needs, or as given: 'rank 0 bit'",
          {}, true),
      row::section("timing", "timing parameters, named as in the datasheet"),
      row::integer("timing.*", "cycle|ns", 0, row::kMostCycles, "a parameter; times are rounded up to cycles", false),
      row::section("commands", "commands of the device"),
      row::section("commands.*", "one command"),
      row::choice("commands.*.kind", choicesOf(kCommandKinds), "its function"),
      row::choice("commands.*.scope", choicesOf(kScopes), "which banks it addresses: those of one node"),
      row::choice("commands.*.slot", choicesOf(kSlots), "the controller's slot; default: that of its kind", false),
      row::choice("commands.*.needs", choicesOf(kNeeds),
                  "required state of each of its banks; default by kind: read and write need the row open, "
                  "activate and refresh need it closed, precharge needs nothing",
                  false),
      row::choice("commands.*.checks", choicesOf(kScopes),
                  "with quirks.named_bank_only: the innermost level whose constraints it obeys; default: bank", false),
      row::formula("commands.*.completion", "cycle", 0, row::kMostCycles,
                   "read, write: issue to end, if different from completion.read or .write; four-queues: a command "
                   "that has one is over then, and no run ends earlier",
                   false),
      row::flag("commands.*.awaits_data", "barrier: what was read must have arrived, too"),
      row::section("constraints",
                   "after a `preceding` command at a node of `level`, a `following` command there waits `latency`"),
      row::section("constraints.*", "one constraint"),
      row::choice("constraints.*.level", choicesOf(kScopes), "level of the nodes at which it applies"),
      row::list("constraints.*.preceding", "commands that start the wait", {}, true),
      row::list("constraints.*.following", "commands that wait", {}, true),
      row::formula("constraints.*.latency", "cycle", 0, row::kMostCycles, "waiting time"),
      row::integer("constraints.*.window", "count", 1, 64,
                   "latency counts from the n-th last preceding command (tFAW: 4); default 1", false),
      row::formula("constraints.*.per_length", "cycle", 0, row::kMostPerLength,
                   "more latency for each unit of length of a preceding command that has one; default 0", false),
      row::section("completion", "from the issue of a command to its end"),
      row::formula("completion.read", "cycle", 0, row::kMostCycles, "read: last data at the host"),
      row::formula("completion.write", "cycle", 0, row::kMostCycles, "write: last data in the device"),
      row::formula("completion.precharge", "cycle", 0, row::kMostCycles, "precharge: bank idle"),
      row::formula("completion.refresh", "cycle", 0, row::kMostCycles, "refresh: banks idle"),
      row::section("refresh", "refresh policy"),
      row::formula("refresh.interval", "cycle", 1, row::kMostCycles, "between two refreshes of a rank"),
      row::choice(
          "refresh.policy", {"single-slot", "per-rank", "per-pseudo-channel", "none"},
          "pending refreshes: one rank per channel (a second request replaces it), one slot per rank, a request for "
          "every pseudo channel at once (four-queues), or no refresh"),
      row::flag("refresh.waits_for_precharge", "REF waits until precharged banks are idle (tRP)"),
      row::section("controller", "policies of the memory controller"),
      row::integer("controller.transaction_queue", "count", 1, 65536, "entries of the transaction queue", true),
      row::integer("controller.command_queue", "count", 1, 4096,
                   "entries of the command queue, from which the scheduler chooses; four-queues: of each of its queues",
                   true),
      row::choice(
          "controller.scheduler", choicesOf(kSchedulers),
          "first-ready first-come-first-served within barrier groups, or with queues for openings, PIM commands, "
          "reads and writes, from which a row and a column command go per cycle"),
      row::choice(
          "controller.barrier", choicesOf(kBarrierRules),
          "four-queues: a barrier is refused until its channel's queues are empty, or it waits in the PIM queue, "
          "where no column command passes it; default: in-order",
          false),
      row::integer("controller.writes_begin", "count", 1, 4096,
                   "four-queues: writes are served once so many wait, or no read does", false),
      row::integer("controller.writes_end", "count", 0, 4096,
                   "four-queues: until fewer than so many wait and a read does", false),
      row::choice("controller.precharge", {"eager", "conflict"},
                  "close rows that the current barrier group does not need, or only when another row is needed"),
      row::flag("controller.loses_barrier_on_full_queue",
                "a barrier is dropped if the transaction queue is exactly full"),
      row::integer("controller.fence", "cycle|ns", 0, row::kMostCycles, "host time per barrier", true),
      row::formula("controller.command_latency", "cycle", 0, row::kMostCycles, "from issue to arrival at the device"),
      row::section("quirks", "rules of its table that a published cycle model breaks; four-queues"),
      row::flag("quirks.several_open_rows",
                "an activate of an open bank adds a row to those that are open; only a precharge closes"),
      row::flag("quirks.named_bank_only",
                "a command of several banks obeys and starts the constraints of the bank that it names alone"),
  };
}

void requirePowerOfTwo(const Contents &c, const char *path, std::int64_t count) {
  const auto n = static_cast<std::uint64_t>(count);
  if (std::has_single_bit(n)) return;
  c.impossible(
      path, "'" + std::string(path) + "' must be a power of two for the address map, not " + std::to_string(count),
      "the nearest ones are " + std::to_string(std::bit_floor(n)) + " and " + std::to_string(std::bit_ceil(n)));
}

constexpr std::string_view kOptionalField = "rank";

/// Addresses must tell all places of a rank apart; the rank may be left out.
void requireFields(const Contents &c, const Organization &o, const Location &where) {
  for (const std::string &field : kAddressFields) {
    const auto found =
        std::find_if(o.addressMap.begin(), o.addressMap.end(), [&](const auto &f) { return f.name == field; });
    if (found != o.addressMap.end() || field == kOptionalField) continue;
    c.report("bad-address-map", where, "field '" + field + "' is missing in the address map",
             "name each of " + join(kAddressFields, ", ") + " (rank is optional)");
  }
}

void buildOrganization(const Contents &c, Organization &o) {
  o.channels = c.integer("organization.channels");
  o.ranks = c.integer("organization.ranks");
  o.pseudoChannels = c.integer("organization.pseudo_channels", 1);
  o.bankGroups = c.integer("organization.bank_groups");
  o.banksPerGroup = c.integer("organization.banks_per_group");
  o.rows = c.integer("organization.rows");
  o.columns = c.integer("organization.columns");
  o.burst = c.bytes("organization.burst");
  const Value *map = c.get("organization.address_map");
  for (const std::string &entry : map->list) {
    const auto space = entry.find(' ');
    Organization::Field f;
    f.name = entry.substr(0, space);
    const auto field = std::find(kAddressFields.begin(), kAddressFields.end(), f.name);
    if (field == kAddressFields.end()) {
      c.report("bad-address-map", map->where, "'" + f.name + "' is not an address field",
               suggest(f.name, kAddressFields));
      continue;
    }
    const std::int64_t count = c.integer(kFieldCounts[field - kAddressFields.begin()]);
    f.bits = log2Of(count);
    if (space != std::string::npos) {
      const auto q = parseQuantity(entry.substr(space));
      const bool isWhole =
          q && q->unit == "bit" && q->value >= 0 && q->value <= f.bits && q->value == static_cast<int>(q->value);
      if (!isWhole) {
        c.report("bad-address-map", map->where,
                 "'" + entry + "' is not a field with at most " + std::to_string(f.bits) + " bits",
                 "write '" + f.name + "', or '" + f.name + " 0 bit'");
        continue;
      }
      f.bits = static_cast<int>(q->value);
    }
    if (f.bits > 0) requirePowerOfTwo(c, kFieldCounts[field - kAddressFields.begin()], count);
    if (std::any_of(o.addressMap.begin(), o.addressMap.end(), [&](const auto &g) { return g.name == f.name; })) {
      c.report("bad-address-map", map->where, "field '" + f.name + "' appears twice", "name each field once");
    }
    o.addressMap.push_back(std::move(f));
  }
  requireFields(c, o, map->where);
}

std::vector<int> commandList(const Contents &c, const std::string &path, const Dram &d) {
  std::vector<int> indices;
  const Value *v = c.get(path);
  for (const std::string &n : v->list) {
    const int index = d.commandNamed(n);
    if (index < 0) c.report("unknown-command", v->where, "unknown command '" + n + "'", suggest(n, namesOf(d)));
    indices.push_back(index);
  }
  return indices;
}

TimingConstraint constraintOf(const Contents &c, const std::string &key, const Dram &d) {
  const std::string at = "constraints." + key + ".";
  TimingConstraint t;
  t.level = enumOf(kScopes, c.text(at + "level"));
  t.preceding = commandList(c, at + "preceding", d);
  t.following = commandList(c, at + "following", d);
  t.latency = c.cycles(at + "latency");
  t.window = static_cast<int>(c.integer(at + "window", 1));
  t.formula = c.text(at + "latency");
  t.name = key;
  if (c.get(at + "per_length") == nullptr) return t;
  t.perLength = c.cycles(at + "per_length");
  if (t.window > 1)
    c.impossible(at + "per_length", "a window counts commands, whatever their length",
                 "remove 'window' or 'per_length'");
  return t;
}

Controller controllerOf(const Contents &c) {
  Controller p;
  p.transactionQueue = c.integer("controller.transaction_queue");
  p.commandQueue = c.integer("controller.command_queue");
  p.scheduler = enumOf(kSchedulers, c.text("controller.scheduler"));
  if (c.get("controller.barrier") != nullptr) p.barrier = enumOf(kBarrierRules, c.text("controller.barrier"));
  p.writesBegin = c.integer("controller.writes_begin", p.commandQueue);
  p.writesEnd = c.integer("controller.writes_end", 0);
  p.prechargePolicy = c.text("controller.precharge");
  p.refreshPolicy = c.text("refresh.policy");
  p.refreshWaitsForPrecharge = c.flag("refresh.waits_for_precharge");
  p.losesBarrierOnFullQueue = c.flag("controller.loses_barrier_on_full_queue");
  p.fence = c.cycles("controller.fence");
  p.commandLatency = c.cycles("controller.command_latency");
  return p;
}

Command commandOf(const Contents &c, const std::string &key) {
  const std::string at = "commands." + key + ".";
  Command x{key, commandKindOf(c.text(at + "kind")), enumOf(kScopes, c.text(at + "scope"))};
  if (c.get(at + "needs") != nullptr) x.needs = enumOf(kNeeds, c.text(at + "needs"));
  if (c.get(at + "completion") != nullptr) x.completion = c.cycles(at + "completion");
  if (c.get(at + "checks") != nullptr) x.checks = enumOf(kScopes, c.text(at + "checks"));
  x.awaitsData = c.flag(at + "awaits_data");
  return x;
}

void build(const Contents &c, Machine &m) {
  if (!c.has("organization")) return;
  std::vector<std::string> missing;
  for (const char *needed : {"timing", "commands", "constraints", "completion", "refresh", "controller"})
    if (!c.has(needed)) missing.push_back("'" + std::string(needed) + "'");
  if (!missing.empty())
    return c.report("missing-section", "organization", "a DRAM machine needs " + join(missing, ", "),
                    "'organization' comes with timing, commands, constraints, completion, refresh and controller");
  Dram d;
  buildOrganization(c, d.organization);
  for (const Entry &e : c.entries("commands")) {
    d.commands.push_back(commandOf(c, e.key));
  }
  for (const Entry &e : c.entries("constraints")) d.constraints.push_back(constraintOf(c, e.key, d));
  d.readLatency = c.cycles("completion.read");
  d.writeLatency = c.cycles("completion.write");
  d.prechargeTime = c.cycles("completion.precharge");
  d.refreshTime = c.cycles("completion.refresh");
  d.refreshInterval = c.cycles("refresh.interval");
  d.controller = controllerOf(c);
  d.quirks = {c.flag("quirks.several_open_rows"), c.flag("quirks.named_bank_only")};
  m.dram = std::move(d);
}

/// Slot and needs that are spelled out must be possible for what the command does.
void checkCommand(const Contents &c, const Command &x) {
  const std::string at = "commands." + x.name + ".";
  const bool isColumn = x.slot() == Slot::kColumn;
  const std::string kind(textOf(kCommandKinds, x.kind));
  if (c.get(at + "slot") != nullptr && enumOf(kSlots, c.text(at + "slot")) != x.slot())
    c.impossible(at + "slot", "a " + kind + " takes the " + std::string(textOf(kSlots, x.slot())) + " slot",
                 "remove 'slot', or choose another kind");
  const Needs usual = Command::usualNeeds(x.kind);
  if (c.get(at + "checks") != nullptr && !c.flag("quirks.named_bank_only"))
    c.impossible(at + "checks", "a command obeys the constraints of all levels",
                 "remove 'checks', or set quirks.named_bank_only");
  if (x.needs != usual && !(isColumn && x.needs == Needs::kNothing))
    c.impossible(at + "needs", "a " + kind + " cannot need '" + std::string(textOf(kNeeds, x.needs)) + "'",
                 "write needs: " + std::string(textOf(kNeeds, usual)) + (isColumn ? ", or nothing" : ""));
  if (x.awaitsData && x.kind != CommandKind::kBarrier)
    c.impossible(at + "awaits_data", "a " + kind + " waits for what constraints say",
                 "remove it, or choose kind: barrier");
  if (x.completion && !isColumn)
    c.impossible(at + "completion", "a " + kind + " has its completion in the section 'completion'",
                 "remove it, or set completion." + kind);
}

void checkCommands(const Contents &c, const Dram &d) {
  for (const auto &[word, kind] : kCommandKinds) {
    const bool isRefresh = kind == CommandKind::kRefresh;
    const auto isPlain = [&, k = kind](const Command &x) {
      return x.kind == k && (isRefresh || (x.scope == ScopeLevel::kBank && x.needs == Command::usualNeeds(k)));
    };
    const auto n = std::count_if(d.commands.begin(), d.commands.end(), isPlain);
    const bool isColumn = Command::slotOf(kind) == Slot::kColumn;  // of further ones, programs say the name
    const bool isOptional = (isRefresh && d.controller.refreshPolicy == "none") || kind == CommandKind::kBarrier;
    if (n == 1 || (n > 1 && isColumn) || (n == 0 && isOptional)) continue;
    const std::string what = isRefresh ? "of kind 'refresh'" : "of kind '" + std::string(word) + "' for one bank";
    c.report("wrong-commands", "commands", "the device needs one command " + what + ", but it has " + std::to_string(n),
             "name exactly one, as in 'ACT: {kind: activate, scope: bank}'");
  }
  for (std::size_t i = 0; i < d.commands.size(); ++i) {
    const Command &x = d.commands[i];
    checkCommand(c, x);
    const bool isTwin = std::any_of(d.commands.begin(), d.commands.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](const Command &y) { return y.kind == x.kind && y.scope == x.scope; });
    if (isTwin && x.slot() == Slot::kRow && x.scope != ScopeLevel::kBank && x.kind != CommandKind::kRefresh)
      c.report("wrong-commands", "commands." + x.name, "'" + x.name + "' duplicates another command on the same banks",
               "give one of them another scope, or remove it");
  }
}

/// With four queues: every command that needs rows has one that opens them, and one that closes them; what only the
/// other controller or only this one knows is not asked for.
void checkFourQueues(const Contents &c, const Dram &d) {
  const bool isFour = d.controller.scheduler == Scheduler::kFourQueues;
  if (!isFour) {
    if (d.quirks != Quirks{})
      c.impossible("quirks", "these are quirks of a controller with four queues",
                   "remove 'quirks', or set controller.scheduler: four-queues");
    for (const Command &x : d.commands)
      if (x.kind == CommandKind::kBarrier)
        c.impossible("commands." + x.name, "fr-fcfs-barrier has no command of its own for barriers",
                     "remove it; programs mark commands with 'barrier'");
    if (d.controller.refreshPolicy == "per-pseudo-channel")
      c.impossible("refresh.policy", "fr-fcfs-barrier refreshes ranks, not pseudo channels",
                   "choose single-slot, per-rank or none, or set controller.scheduler: four-queues");
    return;
  }
  if (d.controller.refreshPolicy != "per-pseudo-channel" && d.controller.refreshPolicy != "none")
    c.impossible("refresh.policy", "four-queues refreshes pseudo channels, not ranks",
                 "choose per-pseudo-channel or none");
  if (d.controller.writesEnd > d.controller.writesBegin)
    c.impossible("controller.writes_end", "writes would end before they begin",
                 "use at most " + std::to_string(d.controller.writesBegin));
  for (const Command &x : d.commands) {
    if (x.slot() != Slot::kColumn || x.needs != Needs::kOpenRow) continue;
    for (const CommandKind kind : {CommandKind::kActivate, CommandKind::kPrecharge}) {
      if (d.commandOf(kind, x.scope) >= 0) continue;
      const bool opens = kind == CommandKind::kActivate;
      c.report("wrong-commands", "commands." + x.name,
               "'" + x.name + "' needs rows in all banks of a " + std::string(name(x.scope)) + ", but no command " +
                   (opens ? "opens" : "closes") + " them there",
               "add one, as in '" + std::string(opens ? "ACTAB: {kind: activate" : "PREA: {kind: precharge") +
                   ", scope: " + std::string(name(x.scope)) + "}', or write needs: nothing");
    }
  }
  const int refresh = d.plainCommand(CommandKind::kRefresh);
  if (refresh < 0 || d.controller.refreshPolicy == "none") return;
  const Command &r = d.commands[static_cast<std::size_t>(refresh)];
  if (d.commandOf(CommandKind::kPrecharge, r.scope) < 0)
    c.report("wrong-commands", "commands." + r.name,
             "'" + r.name + "' needs all rows of a " + std::string(name(r.scope)) +
                 " closed, but no command closes them there",
             "add one, as in 'PREA: {kind: precharge, scope: " + std::string(name(r.scope)) + "}'");
}

void checkTimes(const Contents &c, const Machine &m) {
  const Dram &d = *m.dram;
  const double rc = c.real("timing.tRC", -1), ras = c.real("timing.tRAS", -1), rp = c.real("timing.tRP", -1);
  // Changing tRP or tRAS alone is no mistake: the row cycle follows from activate, precharge, activate anyway.
  const auto isSet = [&](const char *path) {
    const auto it = m.numbers.find(path);
    return it != m.numbers.end() && it->second.overridden;
  };
  const bool isSweep = (isSet("timing.tRAS") || isSet("timing.tRP")) && !isSet("timing.tRC");
  if (rc >= 0 && ras >= 0 && rp >= 0 && rc < ras + rp && !isSweep) {
    c.impossible("timing.tRC", "tRC (" + numberText(rc) + ") is shorter than tRAS + tRP (" + numberText(ras + rp) + ")",
                 "set timing.tRC to at least " + numberText(ras + rp) + " cycle");
  }
  // Engines serve a refresh after closing rows and then need time for at least one access before the next.
  const std::int64_t used =
      d.refreshTime.value + d.prechargeTime.value + std::max(d.readLatency.value, d.writeLatency.value);
  const bool isTogether = d.controller.refreshPolicy == "per-pseudo-channel";
  const std::int64_t requests = isTogether ? 1 : d.organization.ranks;  // at times of their own
  if (d.controller.refreshPolicy != "none" && d.refreshInterval.value / requests <= used) {
    c.impossible(
        "refresh.interval",
        "refreshes every " + std::to_string(d.refreshInterval.value) + " cycles leave no time for other commands",
        "with these ranks and timings the interval must exceed " + std::to_string((used + 1) * requests) + " cycles");
  }
}

void check(const Contents &c, const Machine &m) {
  if (!m.dram) return;
  const Dram &d = *m.dram;
  const Organization &o = d.organization;
  if (!std::has_single_bit(static_cast<std::uint64_t>(o.channels))) {
    c.impossible("organization.channels", "channels must be a power of two, not " + std::to_string(o.channels),
                 "the nearest ones are " + std::to_string(std::bit_floor(static_cast<std::uint64_t>(o.channels))) +
                     " and " + std::to_string(std::bit_ceil(static_cast<std::uint64_t>(o.channels))));
  }
  if (o.ranks % o.pseudoChannels != 0) {
    c.impossible("organization.pseudo_channels",
                 std::to_string(o.ranks) + " ranks cannot be divided among " + std::to_string(o.pseudoChannels) +
                     " pseudo channels",
                 "organization.ranks is the total over all pseudo channels; use a multiple");
  }
  constexpr std::int64_t kMostBanks = 64;  // engines keep one bit per bank in a word
  if (o.ranks * o.banks() > kMostBanks) {
    c.impossible("organization.ranks",
                 "a channel has " + std::to_string(o.ranks * o.banks()) + " banks, at most 64 are supported",
                 "reduce ranks, bank_groups or banks_per_group");
  }
  checkCommands(c, d);
  checkFourQueues(c, d);
  checkTimes(c, m);
}

}  // namespace

std::string_view name(ScopeLevel level) {
  return textOf(kScopes, level);
}

std::string_view name(Scheduler scheduler) {
  return textOf(kSchedulers, scheduler);
}

Needs Command::usualNeeds(CommandKind kind) {
  if (kind == CommandKind::kPrecharge || kind == CommandKind::kBarrier) return Needs::kNothing;
  return slotOf(kind) == Slot::kColumn ? Needs::kOpenRow : Needs::kClosedRow;
}

std::int64_t Organization::banksPerNode(ScopeLevel level) const {
  switch (level) {
    case ScopeLevel::kChannel:
      return ranks * banks();
    case ScopeLevel::kPseudoChannel:
      return ranks / pseudoChannels * banks();
    case ScopeLevel::kRank:
      return banks();
    case ScopeLevel::kBankGroup:
      return banksPerGroup;
    case ScopeLevel::kBank:
      break;
  }
  return 1;
}

int Dram::plainCommand(CommandKind kind) const {
  const auto found = std::find_if(commands.begin(), commands.end(), [kind](const Command &x) {
    return x.kind == kind &&
           (kind == CommandKind::kRefresh || (x.scope == ScopeLevel::kBank && x.needs == Command::usualNeeds(kind)));
  });
  return found == commands.end() ? -1 : static_cast<int>(found - commands.begin());
}

int Dram::commandOf(CommandKind kind, ScopeLevel scope) const {
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (commands[i].kind == kind && commands[i].scope == scope) return static_cast<int>(i);
  return -1;
}

int Dram::commandNamed(std::string_view name) const {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (commands[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::vector<std::string> commandKinds() {
  return choicesOf(kCommandKinds);
}

CommandKind commandKindOf(std::string_view word) {
  return enumOf(kCommandKinds, word);
}

Section section::dram() {
  return {rows, build, check};
}

}  // namespace pimento::machine
