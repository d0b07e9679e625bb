#include "pimento/program/verify.h"

#include <fmt/format.h>

#include <cmath>

#include "pimento/base/overloaded.h"
#include "pimento/base/suggest.h"

namespace pimento::program {

namespace {

constexpr std::int64_t kMaxTrip = std::int64_t{1} << 40;
constexpr std::int64_t kMaxStride = std::int64_t{1} << 32;
constexpr const char *kValidCommands = "see `pimento compile --emit llvcnm` for a valid program";
constexpr const char *kValidCode = "see `pimento compile --emit asm` for a valid program";

class CommandVerifier {
 public:
  CommandVerifier(const Program &program, const Process &process, const machine::Machine &machine, Mistakes &mistakes)
      : program_(program), process_(process), dram_(*machine.dram), mistakes_(mistakes) {}

  void visit(const CommandLoops &nodes) {
    for (const CommandNode &n : nodes) visit(n);
  }

 private:
  void report(std::string code, std::string message) {
    mistakes_.report(std::move(code), std::move(message), kValidCommands);
  }

  void visit(const CommandNode &n) {
    if (!n.isLoop) return check(n.statement);
    if (trips_.size() >= kMaxDepth) return report("depth", fmt::format("loops nest deeper than {}", kMaxDepth));
    if (n.trip < 1 || n.trip > kMaxTrip)
      return report("trip", fmt::format("loop '{}' has trip count {}; allowed: 1 to 2^40", n.label, n.trip));
    trips_.push_back(n.trip);
    visit(n.children);
    trips_.pop_back();
  }

  void bounds(const char *what, const Operand &o, std::int64_t limit) {
    for (const std::int64_t s : o.stride)
      if (s > kMaxStride || s < -kMaxStride) return report(what, fmt::format("{} stride {} is too large", what, s));
    if (o.base > kMaxStride || o.base < -kMaxStride)
      return report(what, fmt::format("{} {} is too large", what, o.base));
    double reach = 0;  // of both directions together: a huge rise and a huge fall must not cancel
    for (std::size_t d = 0; d < trips_.size(); ++d)
      reach += std::abs(static_cast<double>(o.stride[d])) * static_cast<double>(trips_[d] - 1);
    if (reach > 1e15) return report(what, fmt::format("{} is far out of range", what));
    const Range r = rangeOf(o, trips_);
    if (r.low < 0 || r.high >= limit)
      report(what, fmt::format("command {} of process '{}': {} runs from {} to {}, allowed: 0 to {}", commands_,
                               process_.name, what, r.low, r.high, limit - 1));
  }

  void check(const Command &c) {
    ++commands_;
    mistakes_.enterStatement();
    const machine::Organization &o = dram_.organization;
    if (c.rank >= o.ranks) report("rank", fmt::format("command {}: rank {} of {}", commands_, c.rank, o.ranks));
    if (c.bank >= o.banks()) report("bank", fmt::format("command {}: bank {} of {}", commands_, c.bank, o.banks()));
    if (c.named > 0) checkName(c);
    checkChannels(c.channels);
    if (c.isLinear) {
      bounds("address", c.column, o.rows * o.columns * o.burst.value);
    } else {
      bounds("row", c.row, o.rows);
      bounds("column", c.column, o.columns);
    }
    if (c.length < 0 || c.length > kMostLength)
      report("length", fmt::format("command {}: length {}; allowed: 0 to {}", commands_, c.length, kMostLength));
    if (c.isBarrier && isFourQueues())
      mistakes_.report("barrier", fmt::format("command {} is marked as a barrier", commands_),
                       "this controller has barriers of their own: declare `command BARRIER read`, and write BARRIER");
    if (c.isLinear && !isFourQueues())
      mistakes_.report("controller",
                       fmt::format("command {} has an address in place of row and column, which this controller does "
                                   "not take",
                                   commands_),
                       "it needs a machine with controller.scheduler: four-queues");
    if (!c.isWrite || c.image < 0) return;
    if (c.image >= static_cast<int>(program_.images.size()))
      return report("image", fmt::format("command {}: image {} does not exist", commands_, c.image));
    bounds("burst", c.burst, program_.images[static_cast<std::size_t>(c.image)].bursts);
  }

  bool isFourQueues() const { return dram_.controller.scheduler == machine::Scheduler::kFourQueues; }

  /// Channels of a command are of a shared process, each once.
  void checkChannels(const Channels &c) {
    if (c.count == 0) return;
    if (!process_.isShared)
      return mistakes_.report("channels",
                              fmt::format("command {} names channels, but its process is not shared", commands_),
                              fmt::format("write: process NAME x{} shared {{", process_.instances));
    const std::int64_t n = process_.instances;
    std::int64_t period = 1;  // after so many steps the first one comes again
    while (period <= n && period * c.step % n != 0) ++period;
    if (c.first >= n)
      report("channels", fmt::format("command {}: channel {} of {}", commands_, c.first, n));
    else if (c.count > period)
      report("channels", fmt::format("command {} goes to {} channels, {} apart, of {}: some of them twice", commands_,
                                     c.count, c.step, n));
  }

  /// A named command is a column command of the machine, and sends data if it is a write there.
  void checkName(const Command &c) {
    if (c.named > program_.commands.size())
      return report("command", fmt::format("command {}: name {} does not exist", commands_, c.named));
    const NamedCommand &n = program_.commands[static_cast<std::size_t>(c.named) - 1];
    const int index = dram_.commandNamed(n.name);
    if (index < 0) {
      std::vector<std::string> names;
      for (const machine::Command &x : dram_.commands) names.push_back(x.name);
      return mistakes_.report("command", fmt::format("unknown command '{}'", n.name), suggest(n.name, names));
    }
    const machine::CommandKind kind = dram_.commands[static_cast<std::size_t>(index)].kind;
    if (machine::Command::slotOf(kind) != machine::Slot::kColumn)
      return mistakes_.report("command", fmt::format("'{}' is not a column command", n.name),
                              "the controller opens, closes and refreshes rows itself");
    const bool isWrite = kind == machine::CommandKind::kWrite;
    if (n.isWrite != isWrite || c.isWrite != isWrite)
      mistakes_.report("command", fmt::format("'{}' is a {} on the machine", n.name, isWrite ? "write" : "read"),
                       fmt::format("declare it as such: command {} {}", n.name, isWrite ? "write" : "read"));
  }

  const Program &program_;
  const Process &process_;
  const machine::Dram &dram_;
  Mistakes &mistakes_;
  std::vector<std::int64_t> trips_;
  std::int64_t commands_ = 0;
};

void verifyCode(const std::string &process, const Code &code, const machine::Dpu &dpu, Mistakes &mistakes) {
  const auto report = [&](std::string name, std::string message) {
    mistakes.report(std::move(name), std::move(message), kValidCode, DiagnosticKind::kCapacity);
  };
  const auto size = static_cast<std::int64_t>(code.instructions.size());
  if (size > dpu.instructions)
    report("iram", fmt::format("process '{}' has {} instructions, but IRAM holds {}: {} too many", process, size,
                               dpu.instructions, size - dpu.instructions));
  if (code.tasklets < 1 || code.tasklets > dpu.maxTasklets)
    report("tasklets", fmt::format("process '{}' was linked for {} tasklets, but a DPU has {}", process, code.tasklets,
                                   dpu.maxTasklets));
  const auto memory = [&](const char *name, const char *memory, std::int64_t taken, std::int64_t there) {
    if (taken > there)
      report(name, fmt::format("process '{}' takes {} B of {}, but a DPU has {}: {} too many", process, taken, memory,
                               there, taken - there));
  };
  memory("wram", "WRAM", code.wramUsed, dpu.wram.value);
  memory("mram", "MRAM", code.mramUsed, dpu.mram.value);
}

/// What a machine has for bodies of one kind.
struct Kind {
  const char *mixed;       ///< "machine code": what a process of another kind stands beside
  const char *units;       ///< "channels": what instances are
  std::int64_t count = 0;  ///< how many of them there are
  const char *hint;
};

Result<Kind> kindOf(const Body &body, const machine::Machine &m) {
  const std::int64_t units = machine::unitCount(m.levels);
  return std::visit(
      overloaded{[&](const CommandLoops &) -> Result<Kind> {
                   if (m.dram) return Kind{"commands", "channels", m.dram->organization.channels, kValidCommands};
                   return unsupported("no-dram", {}, fmt::format("machine '{}' has no DRAM to run commands on", m.name),
                                      "choose a DRAM-based target");
                 },
                 [&](const UnitLoops &) -> Result<Kind> {
                   if (m.compute)
                     return Kind{"virtual instructions", "units", units, "use at most the number the machine has"};
                   return unsupported(
                       "no-compute", {}, fmt::format("machine '{}' has no costs for virtual instructions", m.name),
                       "choose a machine with a section 'compute', or use device commands instead of virtual "
                       "instructions");
                 },
                 [&](const MachineCode &) -> Result<Kind> {
                   if (m.dpu) return Kind{"machine code", "DPUs", units, kValidCode};
                   return unsupported("no-dpu", {},
                                      fmt::format("machine '{}' has no DPUs to run machine code on", m.name),
                                      "choose a machine of family upmem");
                 }},
      body);
}

}  // namespace

Location Mistakes::placeOf(std::vector<Location> Places::*list, std::size_t i) const {
  return places_ != nullptr && i < (places_->*list).size() ? (places_->*list)[i] : Location{};
}

void Mistakes::report(std::string code, std::string message, std::string hint, DiagnosticKind kind) {
  if (!isFull()) found_.push_back(error(kind, "program-" + code, where_, std::move(message), std::move(hint)));
}

Status verify(const Program &program, const machine::Machine &machine, const Places *places) {
  if (program.processes.empty()) return okStatus();
  // The kind of the program: of processes of several kinds, those of the other ones are wrong.
  const Body &first =
      std::max_element(program.processes.begin(), program.processes.end(), [](const Process &a, const Process &b) {
        return a.body.index() < b.body.index();
      })->body;
  const Result<Kind> kind = kindOf(first, machine);
  if (!kind) return kind.diagnostics();
  Mistakes mistakes(places);
  std::int64_t taken = 0;
  for (const Process &p : program.processes) {
    mistakes.enterProcess();
    if (p.body.index() != first.index()) {
      mistakes.report(
          "mixed", fmt::format("process '{}' contains commands, but another process contains {}", p.name, kind->mixed),
          std::holds_alternative<UnitLoops>(first) ? "use 'threads N' for all processes, or for none" : kind->hint);
      continue;
    }
    if (p.instances < 1 || p.instances > kind->count)
      mistakes.report(
          "instances",
          fmt::format("process '{}' uses {} {}, but the machine has {}", p.name, p.instances, kind->units, kind->count),
          kind->hint);
    else if ((taken += p.instances) > kind->count)
      mistakes.report("instances",
                      fmt::format("process '{}' and those before it use {} {}, but the machine has {}", p.name, taken,
                                  kind->units, kind->count),
                      "processes run concurrently, each on its own units");
    constexpr std::int64_t kMostShared = 64;  // engines keep one bit per channel in a word
    if (p.isShared && !std::holds_alternative<CommandLoops>(p.body))
      mistakes.report("shared", fmt::format("process '{}' is shared, but has no commands", p.name),
                      "remove 'shared'; only lists of commands are");
    else if (p.isShared && p.instances > kMostShared)
      mistakes.report("shared", fmt::format("process '{}' is shared by {} channels", p.name, p.instances),
                      fmt::format("at most {} channels share a list", kMostShared));
    std::visit(
        overloaded{[&](const CommandLoops &nodes) { CommandVerifier(program, p, machine, mistakes).visit(nodes); },
                   [&](const UnitLoops &loops) { verifyUnit(loops, p.name, machine, mistakes); },
                   [&](const MachineCode &m) { verifyCode(p.name, *m.code, *machine.dpu, mistakes); }},
        p.body);
  }
  return mistakes.take();
}

}  // namespace pimento::program
