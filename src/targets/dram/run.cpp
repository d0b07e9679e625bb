#include "pimento/targets/dram/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <type_traits>

#include "pimento/evaluate/slices.h"
#include "pimento/program/phases.h"
#include "pimento/sim/dram/channels.h"
#include "pimento/sim/pim/all_bank.h"
#include "pimento/targets/dram/command_list.h"
#include "pimento/targets/dram/counts.h"
#include "pimento/targets/dram/timeline.h"

namespace pimento::targets::dram {

using evaluate::DeviceRun;

namespace {

/// What one channel of a process did, or all channels of a shared one.
struct ChannelsRun {
  Cycles cycles;
  sim::dram::ChannelCounts counts;
  sim::FastForwardResult result;
  std::vector<sim::dram::Tick> phases;  // when they begin; the first with cycle 1
};

template <typename Channels>
ChannelsRun runToEnd(Channels &&channels, bool isFastForward, const std::vector<program::ProcessPhase> &phases) {
  ChannelsRun run;
  if constexpr (requires { channels.watch({}); }) {
    std::vector<int> first;
    for (const program::ProcessPhase &p : phases) first.push_back(p.firstCommand);
    channels.watch(std::move(first));
  }
  run.result = sim::FastForward<std::remove_cvref_t<Channels>>(channels, {isFastForward}).run();
  run.cycles = channels.cycles();
  run.counts = channels.counts();
  if constexpr (requires { channels.taken(); }) run.phases = channels.taken();
  return run;
}

evaluate::Part partOf(program::PhaseKind kind) {
  switch (kind) {
    case program::PhaseKind::kPlace:
    case program::PhaseKind::kAppend:
    case program::PhaseKind::kLoad:
      return evaluate::Part::kTransferIn;
    case program::PhaseKind::kCompute:
      return evaluate::Part::kCompute;
    case program::PhaseKind::kMove:
      return evaluate::Part::kTransferOut;
  }
  return evaluate::Part::kCompute;
}

/// Puts the cycles of a process's phases in place of those of the whole: the kernel's are the run's. `cycles(i)`: of
/// number i.
template <typename CyclesOf>
void setPhases(evaluate::DeviceCost &run, const std::vector<program::ProcessPhase> &phases, const CyclesOf &cycles) {
  run.cycles = Cycles(0);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].kind == program::PhaseKind::kCompute)
      run.cycles += cycles(i);
    else
      run.phases.push_back({std::string(name(phases[i].kind)), partOf(phases[i].kind), cycles(i)});
  }
}

/// Adds the commands of a process to the phases of its program's first one.
void addCommands(evaluate::DeviceCost &run, const program::Process &process,
                 const std::vector<program::ProcessPhase> &phases) {
  for (const program::ProcessPhase &p : phases) {
    const std::int64_t commands = multiplySaturated(p.commands, process.isShared ? 1 : process.instances);
    if (p.kind == program::PhaseKind::kCompute) run.kernelCommands = addSaturated(run.kernelCommands, commands);
    for (evaluate::CommandPhase &to : run.phases)
      if (to.name == name(p.kind)) to.commands = addSaturated(to.commands, commands);
  }
}

sim::dram::Feed feedOf(const program::Process &process) {
  return {process.isShared, process.isShared ? static_cast<int>(process.instances) : 1};
}

/// Processes side by side, each on channels of its own.
DeviceRun runOf(const program::Program &program, const machine::Machine &machine, const Counting &counting,
                const evaluate::RunMode &mode) {
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine, program.commands);
  DeviceRun run;
  run.units = run.unitsSimulated = 0;
  bool isPhased = false;
  std::vector<std::int64_t> counts(counting.table.rows.size());
  for (const program::Process &process : program.processes) {
    const program::FlatLoops code = spec.flatten(loopsOf(process), program.commands);
    const bool isShown = &process == &program.processes.front();
    const std::vector<program::ProcessPhase> phases = program::phasesOf(loopsOf(process));
    auto *observer = isShown ? dynamic_cast<sim::dram::CommandObserver *>(mode.observer) : nullptr;
    const bool isFastForward = mode.isFastForward && mode.observer == nullptr;
    const ChannelsRun ran = sim::dram::withChannels(spec, code, feedOf(process), observer, [&](auto &&channels) {
      return runToEnd(channels, isFastForward, isShown ? phases : std::vector<program::ProcessPhase>{});
    });
    run.isStuck |= ran.result.isStuck;
    if (isShown) isPhased = !phases.empty() && ran.phases.size() == phases.size();
    if (isShown && isPhased)
      setPhases(run, phases, [&](std::size_t i) {
        return Cycles((i + 1 < phases.size() ? ran.phases[i + 1] : ran.cycles.value + 1) - ran.phases[i]);
      });
    if (isPhased) addCommands(run, process, phases);
    // Other processes of a program with phases move data beside the first one.
    if (isShown || (!isPhased && run.cycles < ran.cycles)) {
      if (!isPhased) run.cycles = ran.cycles;
      run.cyclesSimulated = std::min(run.cycles, ran.cycles - Cycles(ran.result.skipped));
    }
    run.units += process.instances;
    run.unitsSimulated += feedOf(process).channels;
    addCounts(counts, counting, program, process, ran.counts);
  }
  evaluate::setCounts(run, counting.table, counts, machine, 0);
  return run;
}

/// A program that stands on its own.
class FileProgram final : public ChannelProgram {
 public:
  FileProgram(const program::Program &program, const machine::Machine &machine, const Counting &counting)
      : ChannelProgram(machine, counting), program_(program) {}
  const program::Program &program() const override { return program_; }
  evaluate::HostWork hostWork() const override { return {}; }

 private:
  const program::Program &program_;
};

}  // namespace

DeviceRun timed(const program::Program &program, const machine::Machine &machine, const Counting &counting) {
  return runOf(program, machine, counting, {.isFastForward = true});
}

DeviceRun bound(const program::Program &program, const machine::Machine &machine, const Counting &counting) {
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine, program.commands);
  DeviceRun run;
  run.units = 0;
  bool isPhased = false;
  std::vector<std::int64_t> counts(counting.table.rows.size());
  for (const program::Process &process : program.processes) {
    const program::FlatLoops code = spec.flatten(loopsOf(process), program.commands);
    const sim::dram::ChannelBound bound = sim::dram::lowerBoundOf(spec, code, feedOf(process));
    const bool isFirst = &process == &program.processes.front();
    const std::vector<program::ProcessPhase> phases = program::phasesOf(loopsOf(process));
    if (isFirst) isPhased = !phases.empty() && feedOf(process).isList(spec);
    if (isFirst && isPhased)
      setPhases(run, phases, [&](std::size_t i) {
        const program::CommandLoops alone = {loopsOf(process)[static_cast<std::size_t>(phases[i].node)]};
        return sim::dram::lowerBoundOf(spec, spec.flatten(alone, program.commands), feedOf(process)).cycles;
      });
    if (isPhased) addCommands(run, process, phases);
    if (!isPhased) run.cycles = std::max(run.cycles, bound.cycles);
    run.units += process.instances;
    addCounts(counts, counting, program, process, bound.counts);
  }
  evaluate::setCounts(run, counting.table, counts, machine, 0);
  run.counts.clear();
  return run;
}

Result<DeviceRun> ChannelProgram::run(const evaluate::RunMode &mode) const {
  return runOf(program(), machine_, counting_, mode);
}

Result<std::unique_ptr<evaluate::Slices>> ChannelProgram::slices(const evaluate::RunMode & /*mode*/) const {
  return evaluate::programSlices(
      program(), [this](const program::Program &p) -> Result<DeviceRun> { return runOf(p, machine_, counting_, {}); });
}

Result<std::string> ChannelProgram::emit(std::string_view stage, const std::string &kernel, bool isFirst) const {
  if (stage != "commands") return Runnable::emit(stage, kernel, isFirst);
  std::ostringstream out;
  CommandList list(out, isFirst);
  static_cast<void>(runOf(program(), machine_, counting_, {false, &list}));
  return out.str();
}

Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program &program, const machine::Machine &machine,
                                                 const evaluate::ProgramRequest &request, const Counting &counting) {
  if (const Status s = program::verify(program, machine, request.places); !s) return s.diagnostics();
  if (!program::has<program::CommandLoops>(program))
    return unsupported(
        "unsupported-program", {},
        fmt::format("{} runs commands of a DRAM channel, which this file does not contain", machine.name),
        "give it a .llvcnm file of commands");
  return std::unique_ptr<evaluate::Runnable>(std::make_unique<FileProgram>(program, machine, counting));
}

evaluate::TimelineMaker timeline(const machine::Machine &machine) {
  return [&machine](std::ostream &out, const evaluate::Breakdown &before) -> std::unique_ptr<evaluate::Timeline> {
    return std::make_unique<ChannelTimeline>(out, machine, before);
  };
}

}  // namespace pimento::targets::dram
