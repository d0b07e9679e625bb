#include "pimento/evaluate/hbm_pim_backend.h"

#include "pimento/evaluate/device_actions.h"
#include "pimento/evaluate/slices.h"
#include "pimento/lower/hbm_pim/lower.h"
#include "pimento/sim/dram/bound.h"
#include "pimento/sim/fast_forward.h"
#include "pimento/sim/pim/pim_device.h"

namespace pimento::evaluate {

using program::Purpose;

namespace {

/// Sends what one observer sees to two.
class Tee final : public sim::dram::CommandObserver {
 public:
  Tee(sim::dram::CommandObserver &first, sim::dram::CommandObserver *second) : first_(first), second_(second) {}
  void onCommand(const sim::dram::IssuedCommand &c) override {
    first_.onCommand(c);
    if (second_ != nullptr) second_->onCommand(c);
  }

 private:
  sim::dram::CommandObserver &first_;
  sim::dram::CommandObserver *second_;
};

/// Device totals, as reports show them.
std::map<std::string, std::int64_t> countsOf(const DeviceCounts &perChannel, std::int64_t instances) {
  std::map<std::string, std::int64_t> counts;
  for (int i = 0; i < kDeviceCounts; ++i)
    counts[std::string(deviceCountName(i))] = perChannel[static_cast<std::size_t>(i)] * instances;
  return counts;
}

/// Of `rows` rows in every bank of the ranks that have units.
Bytes bytesOfRows(std::int64_t rows, const machine::Machine &machine) {
  const machine::Organization &o = machine.dram->organization;
  return Bytes(multiplySaturated(rows, o.columns * o.burst.value * o.banks() * o.channels));
}

class HbmPimKernel final : public CompiledKernel {
 public:
  HbmPimKernel(const kernel::Graph &graph, int kernel, const machine::Machine &machine, lower::hbm_pim::Lowered lowered)
      : graph_(graph), kernel_(kernel), machine_(machine), lowered_(std::move(lowered)) {}

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override {
    return mapping::accumulationOrder(lowered_.placed, graph_.kernels[static_cast<std::size_t>(kernel_)], machine_,
                                      lowered_.rules);
  }
  lower::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override { return bytesOfRows(lowered_.dataRows, machine_); }
  Result<DeviceRun> run(const RunMode &mode) const override {
    return runChannelProgram(lowered_.program, machine_, mode);
  }

  Result<std::unique_ptr<Slices>> slices(const RunMode & /*mode*/) const override {
    return programSlices(lowered_.program, machine_);
  }

  DeviceRun bound(const kernel::DataSpec * /*values*/) const override {
    const program::Process &process = lowered_.program.processes.front();
    const sim::dram::ChannelSpec spec(machine_);
    const program::FlatLoops code(process, spec.reservedRows, spec.device.banksPerRank);
    const sim::dram::ChannelBound bound = sim::dram::lowerBound(spec, code);
    DeviceRun run;
    run.cycles = bound.cycles;
    run.actions = deviceActions(machine_, deviceCounts(process, bound.counts), process.instances);
    run.units = process.instances;
    return run;
  }

  Result<DeviceRun> runOn(kernel::DataSet &data, const Observers &observers, int /*jobs*/) const override {
    sim::pim::PimDevice device(machine_, static_cast<int>(machine_.dram->organization.channels), lowered_.dataRows);
    device.setImages(lowered_.data->images(data));
    lowered_.data->place(data, device);
    Tee tee(device, observers.commands);
    DeviceRun run = runChannelProgram(lowered_.program, machine_, {false, {&tee, nullptr}});
    const auto commands = program::countCommands(lowered_.program.processes.front());
    for (const Purpose p :
         {Purpose::kPimRead, Purpose::kPimMac, Purpose::kPimAlu, Purpose::kPimMove, Purpose::kPimStore})
      PIMENTO_CHECK(device.executed()[static_cast<std::size_t>(p)] == commands[static_cast<std::size_t>(p)]);
    lowered_.data->collect(device, data);
    return run;
  }

  std::vector<std::string> assembly() const override {
    std::vector<std::string> out;
    for (const auto &m : lowered_.microkernels) out.push_back(program::hbm_pim::print(m));
    return out;
  }

 private:
  const kernel::Graph &graph_;
  int kernel_;
  const machine::Machine &machine_;
  lower::hbm_pim::Lowered lowered_;
};

class HbmPimBackend final : public Backend {
 public:
  std::string_view family() const override { return "hbm-pim"; }
  std::vector<std::string> variants() const override { return {"tree"}; }
  Bytes capacity(const machine::Machine &machine) const override {
    return bytesOfRows(machine.pim->firstControlRow, machine);
  }

  Result<mapping::Mapping> reference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const Tools & /*tools*/) const override {
    return lower::hbm_pim::referenceMapping(graph, kernel, machine, spec);
  }

  Result<std::unique_ptr<CompiledKernel>> compile(const kernel::Graph &graph, int kernel,
                                                  const mapping::Mapping &mapping, const machine::Machine &machine,
                                                  std::string_view variant, const Tools & /*tools*/) const override {
    const auto v = variant == "tree" ? lower::hbm_pim::Variant::kTree : lower::hbm_pim::Variant::kPlain;
    Result<lower::hbm_pim::Lowered> lowered = lower::hbm_pim::lower(graph, kernel, mapping, machine, v);
    if (!lowered) return lowered.diagnostics();
    return std::unique_ptr<CompiledKernel>(std::make_unique<HbmPimKernel>(graph, kernel, machine, std::move(*lowered)));
  }
};

}  // namespace

const Backend &hbmPimBackend() {
  static const HbmPimBackend kBackend;
  return kBackend;
}

DeviceRun runChannelProgram(const program::Program &program, const machine::Machine &machine, const RunMode &mode) {
  const program::Process &process = program.processes.front();
  const sim::dram::ChannelSpec spec(machine);
  const program::FlatLoops code(process, spec.reservedRows, spec.device.banksPerRank);
  sim::dram::Channel channel(spec, code, mode.observers.commands);
  sim::FastForward<sim::dram::Channel> engine(channel, {mode.isFastForward && !mode.observers.any()});
  const sim::FastForwardResult result = engine.run();
  DeviceRun run;
  run.isStuck = result.isStuck;
  run.cycles = channel.cycles();
  run.cyclesSimulated = run.cycles - Cycles(result.skipped);
  run.units = process.instances;
  const DeviceCounts counts = deviceCounts(process, channel.counts());
  run.actions = deviceActions(machine, counts, process.instances);
  run.counts = countsOf(counts, process.instances);
  return run;
}

}  // namespace pimento::evaluate
