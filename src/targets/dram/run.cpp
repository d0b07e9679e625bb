#include "pimento/targets/dram/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <type_traits>

#include "pimento/evaluate/slices.h"
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
};

template <typename Channels>
ChannelsRun runToEnd(Channels &&channels, bool isFastForward) {
  ChannelsRun run;
  run.result = sim::FastForward<std::remove_cvref_t<Channels>>(channels, {isFastForward}).run();
  run.cycles = channels.cycles();
  run.counts = channels.counts();
  return run;
}

sim::dram::Feed feedOf(const program::Process &process) {
  return {process.isShared, process.isShared ? static_cast<int>(process.instances) : 1};
}

/// Processes side by side, each on channels of its own.
DeviceRun runOf(const program::Program &program, const machine::Machine &machine, const Counting &counting,
                const evaluate::RunMode &mode) {
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine);
  DeviceRun run;
  run.units = run.unitsSimulated = 0;
  std::vector<std::int64_t> counts(counting.table.rows.size());
  for (const program::Process &process : program.processes) {
    const program::FlatLoops code = spec.flatten(loopsOf(process), program.commands);
    const bool isShown = &process == &program.processes.front();
    auto *observer = isShown ? dynamic_cast<sim::dram::CommandObserver *>(mode.observer) : nullptr;
    const bool isFastForward = mode.isFastForward && mode.observer == nullptr;
    const ChannelsRun ran = sim::dram::withChannels(spec, code, feedOf(process), observer,
                                                    [&](auto &&channels) { return runToEnd(channels, isFastForward); });
    run.isStuck |= ran.result.isStuck;
    if (run.units == 0 || run.cycles < ran.cycles) {
      run.cycles = ran.cycles;
      run.cyclesSimulated = run.cycles - Cycles(ran.result.skipped);
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

DeviceRun bound(const program::Program &program, const machine::Machine &machine, const Counting &counting) {
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine);
  DeviceRun run;
  run.units = 0;
  std::vector<std::int64_t> counts(counting.table.rows.size());
  for (const program::Process &process : program.processes) {
    const program::FlatLoops code = spec.flatten(loopsOf(process), program.commands);
    const sim::dram::ChannelBound bound = sim::dram::lowerBoundOf(spec, code, feedOf(process));
    run.cycles = std::max(run.cycles, bound.cycles);
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
