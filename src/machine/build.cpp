#include "pimento/machine/build.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/machine/expression.h"
#include "pimento/machine/quantity.h"

namespace pimento::machine {

namespace {

template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
};

constexpr Word<CommandKind> kCommandKinds[] = {{"activate", CommandKind::kActivate},
                                               {"precharge", CommandKind::kPrecharge},
                                               {"read", CommandKind::kRead},
                                               {"write", CommandKind::kWrite},
                                               {"refresh", CommandKind::kRefresh}};
constexpr Word<ScopeLevel> kScopes[] = {{"channel", ScopeLevel::kChannel},
                                        {"rank", ScopeLevel::kRank},
                                        {"bankgroup", ScopeLevel::kBankGroup},
                                        {"bank", ScopeLevel::kBank}};
constexpr Word<PimMode> kModes[] = {
    {"single-bank", PimMode::kSingleBank}, {"all-bank", PimMode::kAllBank}, {"all-bank-pim", PimMode::kAllBankPim}};
const std::vector<std::string> kAddressFields{"offset", "channel", "bank", "bankgroup", "column", "row", "rank"};

/// How many values each field tells apart.
constexpr const char *kFieldCounts[] = {
    "organization.burst",       "organization.channels", "organization.banks_per_group",
    "organization.bank_groups", "organization.columns",  "organization.rows",
    "organization.ranks"};

/// The reader has checked the choice.
template <typename Enum, std::size_t N>
Enum enumOf(const Word<Enum> (&words)[N], std::string_view text) {
  for (const Word<Enum> &w : words) {
    if (w.text == text) return w.value;
  }
  PIMENTO_CHECK(false && "a choice of the schema without a value");
  return words[0].value;
}

int log2Of(std::int64_t n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}

class Builder {
 public:
  Builder(const Node &root, Values values) : root_(root), values_(std::move(values)) {}

  Result<Machine> run() {
    buildIdentity();
    buildLevels();
    if (root_.find("organization") != nullptr) buildDram();
    if (root_.find("pim") != nullptr) buildPim();
    if (root_.find("dpu") != nullptr) buildDpu();
    if (root_.find("compute") != nullptr) buildCompute();
    buildEnergy();
    buildHost();
    machine_.numbers = std::move(values_.numbers);
    if (diagnostics_.empty()) checkMachine(machine_, root_, diagnostics_);
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    return std::move(machine_);
  }

 private:
  const Value *get(const std::string &path) const {
    const auto it = values_.byPath.find(path);
    return it == values_.byPath.end() ? nullptr : &it->second;
  }
  std::string text(const std::string &path) const {
    const Value *v = get(path);
    return v != nullptr ? v->text : std::string();
  }
  bool flag(const std::string &path) const {
    const Value *v = get(path);
    return v != nullptr && v->flag;
  }
  std::vector<std::string> list(const std::string &path) const {
    const Value *v = get(path);
    return v != nullptr ? v->list : std::vector<std::string>();
  }
  double real(const std::string &path, double otherwise = 0) const {
    const Value *v = get(path);
    return v != nullptr ? v->number : otherwise;
  }
  std::int64_t integer(const std::string &path, std::int64_t otherwise = 0) const {
    const Value *v = get(path);
    return v != nullptr ? static_cast<std::int64_t>(v->number) : otherwise;
  }
  Cycles cycles(const std::string &path) const { return Cycles(integer(path)); }
  const std::vector<Entry> &entries(std::string_view path) const {
    static const std::vector<Entry> kNone;
    const Node *n = root_.at(path);
    return n != nullptr ? n->entries : kNone;
  }
  void report(std::string code, const Location &where, std::string message, std::string hint) {
    diagnostics_.push_back(error(std::move(code), where, std::move(message), std::move(hint)));
  }

  void buildIdentity() {
    machine_.name = text("name");
    machine_.family = text("family");
    machine_.about = text("about");
    machine_.notes = list("notes");
    if (const auto type = parseDType(text("native_type"))) machine_.nativeType = *type;
    machine_.clockGHz = real("clock.device");
    for (const Entry &e : entries("aliases")) {
      const std::string path = text("aliases." + e.key);
      if (get(path) == nullptr) {
        report("bad-alias", e.value.where, "alias '" + e.key + "' stands for '" + path + "', which is not in the file",
               "give the full path of a number, as in 'channels: organization.channels'");
      }
      machine_.aliases[e.key] = path;
    }
  }

  void buildLevels() {
    for (const Entry &e : entries("levels")) {
      const std::string at = "levels." + e.key + ".";
      Level l;
      l.name = e.key;
      l.count = integer(at + "count", 1);
      l.splitsReduction = flag(at + "splits_reduction");
      l.merge = text(at + "merge");
      l.mustFill = flag(at + "must_fill");
      machine_.levels.push_back(std::move(l));
    }
  }

  void buildDram() {
    bool isComplete = true;
    for (const char *needed : {"timing", "commands", "constraints", "completion", "refresh", "controller"}) {
      if (root_.find(needed) != nullptr) continue;
      report("missing-section", root_.find("organization")->where, std::string("a DRAM machine needs '") + needed + "'",
             "'organization' comes with timing, commands, constraints, completion, refresh and controller");
      isComplete = false;
    }
    if (!isComplete) return;
    Dram d;
    buildOrganization(d.organization);
    for (const Entry &e : entries("commands")) {
      const std::string at = "commands." + e.key + ".";
      d.commands.push_back({e.key, enumOf(kCommandKinds, text(at + "kind")), text(at + "scope")});
    }
    for (const Entry &e : entries("constraints")) buildConstraint(e.key, d);
    d.readLatency = cycles("completion.read");
    d.writeLatency = cycles("completion.write");
    d.prechargeTime = cycles("completion.precharge");
    d.refreshTime = cycles("completion.refresh");
    d.refreshInterval = cycles("refresh.interval");
    Controller &c = d.controller;
    c.transactionQueue = integer("controller.transaction_queue");
    c.commandQueue = integer("controller.command_queue");
    c.scheduler = text("controller.scheduler");
    c.prechargePolicy = text("controller.precharge");
    c.refreshPolicy = text("refresh.policy");
    c.refreshWaitsForPrecharge = flag("refresh.waits_for_precharge");
    c.losesBarrierOnFullQueue = flag("controller.loses_barrier_on_full_queue");
    c.fence = cycles("controller.fence");
    c.commandLatency = cycles("controller.command_latency");
    machine_.dram = std::move(d);
  }

  void buildOrganization(Organization &o) {
    o.channels = integer("organization.channels");
    o.ranks = integer("organization.ranks");
    o.bankGroups = integer("organization.bank_groups");
    o.banksPerGroup = integer("organization.banks_per_group");
    o.rows = integer("organization.rows");
    o.columns = integer("organization.columns");
    o.burst = Bytes(integer("organization.burst"));
    const Value *map = get("organization.address_map");
    for (const std::string &entry : map->list) {
      const auto space = entry.find(' ');
      Organization::Field f;
      f.name = entry.substr(0, space);
      const auto field = std::find(kAddressFields.begin(), kAddressFields.end(), f.name);
      if (field == kAddressFields.end()) {
        report("bad-address-map", map->where, "'" + f.name + "' is no address field", suggest(f.name, kAddressFields));
        continue;
      }
      const std::int64_t count = integer(kFieldCounts[field - kAddressFields.begin()]);
      f.bits = log2Of(count);
      if (space != std::string::npos) {
        const auto q = parseQuantity(entry.substr(space));
        const bool isWhole =
            q && q->unit == "bit" && q->value >= 0 && q->value <= f.bits && q->value == static_cast<int>(q->value);
        if (!isWhole) {
          report("bad-address-map", map->where,
                 "'" + entry + "' is not a field with at most " + std::to_string(f.bits) + " bits",
                 "write '" + f.name + "', or '" + f.name + " 0 bit'");
          continue;
        }
        f.bits = static_cast<int>(q->value);
      }
      if (f.bits > 0) requirePowerOfTwo(kFieldCounts[field - kAddressFields.begin()], count);
      if (std::any_of(o.addressMap.begin(), o.addressMap.end(), [&](const auto &g) { return g.name == f.name; })) {
        report("bad-address-map", map->where, "field '" + f.name + "' appears twice", "name each field once");
      }
      o.addressMap.push_back(std::move(f));
    }
    requireFields(o, map->where);
  }

  void requirePowerOfTwo(const char *path, std::int64_t count) {
    const auto n = static_cast<std::uint64_t>(count);
    if (std::has_single_bit(n)) return;
    report("impossible-value", get(path)->where,
           "'" + std::string(path) + "' must be a power of two for the address map, not " + std::to_string(count),
           "the nearest ones are " + std::to_string(std::bit_floor(n)) + " and " + std::to_string(std::bit_ceil(n)));
  }

  /// Addresses must tell all places of a rank apart; the rank may be left out.
  void requireFields(const Organization &o, const Location &where) {
    for (const std::string &field : kAddressFields) {
      const auto found =
          std::find_if(o.addressMap.begin(), o.addressMap.end(), [&](const auto &f) { return f.name == field; });
      if (found != o.addressMap.end() || field == "rank") continue;
      report("bad-address-map", where, "field '" + field + "' is missing from the address map",
             "name each of " + join(kAddressFields, ", ") + " (rank may be left out)");
    }
  }

  std::vector<int> commandList(const std::string &path, const Dram &d) {
    std::vector<int> indices;
    const Value *v = get(path);
    for (const std::string &n : v->list) {
      const int index = d.commandNamed(n);
      if (index < 0) {
        const Node *commands = root_.find("commands");
        report("unknown-command", v->where, "there is no command '" + n + "'", suggest(n, commands->keys()));
      }
      indices.push_back(index);
    }
    return indices;
  }

  void buildConstraint(const std::string &key, Dram &d) {
    const std::string at = "constraints." + key + ".";
    TimingConstraint c;
    c.level = enumOf(kScopes, text(at + "level"));
    c.preceding = commandList(at + "preceding", d);
    c.following = commandList(at + "following", d);
    c.latency = cycles(at + "latency");
    c.window = static_cast<int>(integer(at + "window", 1));
    c.formula = text(at + "latency");
    c.name = key;
    d.constraints.push_back(std::move(c));
  }

  void buildPim() {
    PimUnit p;
    p.blocks = integer("pim.blocks");
    p.lanes = integer("pim.lanes");
    p.banksPerBlock = integer("pim.banks_per_block");
    p.grfEntries = integer("pim.grf_entries");
    p.srfEntries = integer("pim.srf_entries");
    p.crfWords = integer("pim.crf_words");
    if (const auto type = parseDType(text("pim.type"))) p.type = *type;
    p.pimRanks = integer("pim.ranks");
    p.firstControlRow = integer("pim.first_control_row");
    for (const Entry &e : entries("pim.rows")) p.rows[e.key] = integer("pim.rows." + e.key);
    for (const Entry &e : entries("pim.columns")) p.columns[e.key] = integer("pim.columns." + e.key);
    for (const Entry &e : entries("modes")) {
      const std::string at = "modes." + e.key + ".";
      ModeRule r;
      r.from = enumOf(kModes, text(at + "from"));
      r.to = enumOf(kModes, text(at + "to"));
      r.command = enumOf(kCommandKinds, text(at + "command"));
      r.row = integer(at + "row");
      for (const std::int64_t b : get(at + "banks")->numbers) r.banks.push_back(static_cast<int>(b));
      if (get(at + "column") != nullptr) r.column = integer(at + "column");
      if (get(at + "value") != nullptr) r.value = integer(at + "value");
      p.modeRules.push_back(std::move(r));
    }
    machine_.pim = std::move(p);
  }

  void buildDpu() {
    Dpu d;
    d.maxTasklets = integer("dpu.tasklets");
    d.atomicBits = integer("dpu.atomic_bits");
    d.instructions = integer("dpu.instructions");
    d.wram = Bytes(integer("dpu.wram"));
    d.mram = Bytes(integer("dpu.mram"));
    d.issueInterval = cycles("dpu.issue_interval");
    d.multiplier = cycles("dpu.multiplier");
    d.registerHazard = text("dpu.register_hazard");
    d.mramModel = text("dpu.mram_model");
    d.transferPorts = integer("dpu.dma.ports", 1);
    d.constantTransfer = real("dpu.dma.constant");
    d.transferUnit = Bytes(integer("dpu.dma.unit"));
    d.transferMax = Bytes(integer("dpu.dma.largest"));
    d.ticksPerCycle = integer("dpu.dma.ticks", 1);
    d.refreshInterval = cycles("dpu.dma.refresh_interval");
    d.refreshTime = cycles("dpu.dma.refresh_time");
    d.reads = transfers("dpu.dma.read");
    d.writes = transfers("dpu.dma.write");
    d.rows = {Bytes(integer("dpu.dma.rows.row")), Bytes(integer("dpu.dma.rows.column")), real("dpu.dma.rows.overhead"),
              real("dpu.dma.rows.column_time"), real("dpu.dma.rows.row_miss")};
    machine_.dpu = std::move(d);
  }

  std::vector<Dpu::Transfer> transfers(const std::string &path) const {
    std::vector<Dpu::Transfer> table;
    for (const Entry &e : entries(path)) {
      const std::string at = path + "." + e.key + ".";
      if (get(at + "size") == nullptr) continue;  // source and confidence of the table
      table.push_back({Bytes(integer(at + "size")), real(at + "latency"), real(at + "occupancy")});
    }
    return table;
  }

  /// A DPU is a unit too: its threads and memories stand in `dpu`.
  void buildCompute() {
    Compute c;
    c.mode = text("compute.mode") == "vector" ? Compute::Mode::kVector : Compute::Mode::kPipeline;
    c.loopSlots = integer("compute.loop");
    for (const Entry &e : entries("compute.operations")) {
      const std::string at = "compute.operations." + e.key + ".";
      if (get(at + "slots") == nullptr) continue;  // source and confidence of the section
      Compute::Operation o{e.key, list(at + "operations"), {}, integer(at + "slots"), cycles(at + "latency")};
      for (const std::string &t : list(at + "types"))
        if (const auto type = parseDType(t)) o.types.push_back(*type);
      c.operations.push_back(std::move(o));
    }
    UnitMemory m;
    if (const std::optional<Dpu> &d = machine_.dpu) {
      c.threads = d->maxTasklets;
      c.issueInterval = d->issueInterval;
      m.size = d->mram;
      m.unit = d->transferUnit;
      m.largest = d->transferMax;
      m.ticksPerCycle = d->ticksPerCycle;
      m.reads = d->reads;
      m.writes = d->writes;
      m.ports = d->transferPorts;
      m.refreshInterval = d->refreshInterval;
      m.refreshTime = d->refreshTime;
      m.scratchpad = d->wram;
      if (d->mramModel == "constant") m.reads = m.writes = {{m.unit, d->constantTransfer, d->constantTransfer}};
    } else {
      c.threads = integer("compute.threads");
      c.issueInterval = cycles("compute.issue_interval");
      m.size = Bytes(integer("memories.bank.size"));
      m.isBlocking = text("memories.bank.access") == "blocking";
      m.ports = integer("memories.bank.ports", 1);
      m.unit = Bytes(integer("memories.bank.unit"));
      m.largest = Bytes(integer("memories.bank.largest"));
      m.ticksPerCycle = integer("memories.bank.ticks", 1);
      m.reads = transfers("memories.bank.read");
      m.writes = transfers("memories.bank.write");
      m.scratchpad = Bytes(integer("memories.scratchpad.size"));
      m.scratchpadSlots = integer("memories.scratchpad.slots", 1);
    }
    machine_.compute = std::move(c);
    machine_.unitMemory = std::move(m);
  }

  void buildEnergy() {
    machine_.energyCovers = text("energy.covers");
    for (const Entry &e : entries("energy")) {
      if (e.key == "covers") continue;
      const std::string at = "energy." + e.key;
      const Value &value = *get(at);
      EnergyTerm t;
      t.name = e.key;
      t.component = text(at + ".component");
      t.covers = text(at + ".covers");
      t.energy = Picojoules(value.number);
      t.low = Picojoules(value.low.value_or(value.number));
      t.high = Picojoules(value.high.value_or(value.number));
      t.isBackground = values_.numbers.at(at).canonicalUnit == "mW";
      t.instances = integer(at + ".instances", 1);
      t.action = t.isBackground ? "time" : text(at + ".action");
      if (auto formula = Expression::parse(t.action, {}); formula && !t.isBackground)
        t.formula = std::make_shared<const Expression>(std::move(*formula));
      checkTerm(t, at, e.value.where);
      machine_.energy.push_back(std::move(t));
    }
  }

  void checkTerm(const EnergyTerm &t, const std::string &at, const Location &where) {
    const Value *action = get(at + ".action");
    const Value *instances = get(at + ".instances");
    if (t.isBackground && action != nullptr) {
      report("bad-energy-term", action->where, "'" + at + "' is a power: time is what it multiplies",
             "leave 'action' out; 'instances' says how many draw that power");
    } else if (!t.isBackground && instances != nullptr) {
      report("bad-energy-term", instances->where, "'" + at + "' is an energy per action: instances mean nothing",
             "multiply in 'action' instead");
    } else if (!t.isBackground && action == nullptr) {
      report("missing-key", where, "'" + at + ".action' is missing", "say which action count it multiplies");
    } else if (action != nullptr) {
      if (auto parsed = Expression::parse(action->text, action->where); !parsed) {
        diagnostics_.insert(diagnostics_.end(), parsed.diagnostics().begin(), parsed.diagnostics().end());
      }
    }
  }

  void buildHost() {
    Host &h = machine_.host;
    h.name = text("host.name");
    h.linkGBps = real("host.link_bandwidth") * static_cast<double>(integer("host.links", 1));
    h.writeEfficiency = real("host.write_efficiency");
    h.readEfficiency = real("host.read_efficiency");
    constexpr double kPicosecondsPerNanosecond = 1000;
    h.linkLatency = Picoseconds(real("host.link_latency") * kPicosecondsPerNanosecond);
    h.memoryGBps = real("host.memory_bandwidth");
    h.mergeGops = real("host.merge_rate");
    h.peakGflops = real("host.peak");
    if (root_.at("host.dpus") != nullptr) buildDpuLink();
  }

  void buildDpuLink() {
    constexpr double kPicosecondsPerNanosecond = 1000;
    const auto time = [&](const char *path) { return Picoseconds(real(path) * kPicosecondsPerNanosecond); };
    const auto rates = [&](const std::string &path) {
      std::vector<DpuLink::Rate> table;
      for (const Entry &e : entries(path))
        if (get(path + "." + e.key + ".dpus") != nullptr)
          table.push_back({integer(path + "." + e.key + ".dpus"), real(path + "." + e.key + ".rate")});
      return table;
    };
    DpuLink l;
    l.write = rates("host.dpus.write");
    l.read = rates("host.dpus.read");
    l.writeLimitGBps = real("host.dpus.write_limit");
    l.readLimitGBps = real("host.dpus.read_limit");
    l.serialWriteGBps = real("host.dpus.serial_write");
    l.serialReadGBps = real("host.dpus.serial_read");
    l.broadcastGBps = real("host.dpus.broadcast");
    l.writeLatency = time("host.dpus.write_latency");
    l.readLatency = time("host.dpus.read_latency");
    l.launch = time("host.dpus.launch");
    machine_.host.dpus = std::move(l);
  }

  const Node &root_;
  Values values_;
  Machine machine_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<Machine> buildMachine(const Node &root, Values values) {
  return Builder(root, std::move(values)).run();
}

}  // namespace pimento::machine
