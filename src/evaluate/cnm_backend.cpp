#include "pimento/evaluate/cnm_backend.h"

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/slices.h"
#include "pimento/evaluate/unit_actions.h"
#include "pimento/lower/accumulation.h"
#include "pimento/lower/cnm/data.h"
#include "pimento/lower/cnm/lower.h"
#include "pimento/sim/cnm/execute.h"
#include "pimento/sim/cnm/unit.h"

namespace pimento::evaluate {

namespace {

class CnmKernel final : public CompiledKernel {
 public:
  CnmKernel(const kernel::Graph &graph, int kernel, const machine::Machine &machine, lower::cnm::Lowered lowered)
      : graph_(graph), kernel_(kernel), machine_(machine), lowered_(std::move(lowered)) {}

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override {
    const kernel::Kernel &k = graph_.kernels[static_cast<std::size_t>(kernel_)];
    return mapping::accumulationOrder(lowered_.placed, k, machine_, lower::accumulationRules(graph_, k));
  }
  lower::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override {
    return Bytes(multiplySaturated(lowered_.plan->bankBytes(), lowered_.plan->units));
  }
  Result<DeviceRun> run(const RunMode &mode) const override {
    return runUnitProgram(lowered_.program, machine_, mode, lowered_.host.ranks);
  }

  Result<std::unique_ptr<Slices>> slices(const RunMode & /*mode*/) const override {
    return programSlices(lowered_.program, machine_, lowered_.host.ranks);
  }

  DeviceRun bound(const kernel::DataSpec * /*values*/) const override {
    const program::Process &process = lowered_.program.processes.front();
    const sim::cnm::UnitCode code(process, machine_);
    sim::cnm::RunResult least;
    least.cycles = sim::cnm::lowerBound(code, machine_);
    least.counts.add(code.total(), code.contexts());
    DeviceRun run;
    run.cycles = least.cycles;
    run.actions = unitActions(unitCounts(least, process.instances, code.lanes()), lowered_.host.ranks, run.cycles);
    run.units = process.instances;
    return run;
  }

  Result<DeviceRun> runOn(kernel::DataSet &data, const Observers & /*observers*/, int jobs) const override {
    const lower::cnm::Plan &plan = *lowered_.plan;
    const program::Process &process = lowered_.program.processes.front();
    lower::cnm::Collector collector(plan, machine_, data);
    // Units in batches: side by side, and collected in order.
    const kernel::DataSet before = data;
    for (std::int64_t first = 0; first < plan.units; first += kBatch) {
      const std::int64_t count = std::min(kBatch, plan.units - first);
      std::vector<sim::cnm::UnitMemory> memories(static_cast<std::size_t>(count), sim::cnm::UnitMemory(*process.unit));
      parallelFor(jobs, count, [&](std::int64_t i) {
        sim::cnm::UnitMemory &memory = memories[static_cast<std::size_t>(i)];
        lower::cnm::place(plan, first + i, before, memory);
        sim::cnm::execute(process, memory, lower::cnm::parametersOf(lowered_, first + i));
      });
      for (const sim::cnm::UnitMemory &memory : memories) collector.add(memory);
    }
    collector.finish();
    return runUnitProgram(lowered_.program, machine_, {}, lowered_.host.ranks);
  }

  std::vector<std::string> assembly() const override { return {}; }  // llvcnm is all there is

 private:
  static constexpr std::int64_t kBatch = 16;

  const kernel::Graph &graph_;
  int kernel_;
  const machine::Machine &machine_;
  lower::cnm::Lowered lowered_;
};

class CnmBackend final : public Backend {
 public:
  std::string_view family() const override { return "cnm"; }
  std::vector<std::string> variants() const override { return {}; }
  Bytes capacity(const machine::Machine &machine) const override {
    std::int64_t units = 1;
    for (std::size_t l = 0; l + 1 < machine.levels.size(); ++l)
      units = multiplySaturated(units, machine.levels[l].count);
    return Bytes(multiplySaturated(units, machine.unitMemory ? machine.unitMemory->size.value : 0));
  }

  /// Nobody has published any; the best guess.
  Result<mapping::Mapping> reference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const Tools &tools) const override {
    Diagnostics why;
    for (mapping::Mapping &m : mappings(graph, kernel, machine, spec, tools)) {
      const auto lowered = lower::cnm::lower(graph, kernel, m, machine);
      if (lowered) return std::move(m);
      if (why.empty()) why = lowered.diagnostics();
    }
    return why;
  }

  std::vector<mapping::Mapping> mappings(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                         const mapping::MapSpec &spec, const Tools & /*tools*/) const override {
    return lower::cnm::mappingSpace(graph, kernel, machine, spec);
  }

  Result<std::unique_ptr<CompiledKernel>> compile(const kernel::Graph &graph, int kernel,
                                                  const mapping::Mapping &mapping, const machine::Machine &machine,
                                                  std::string_view /*variant*/,
                                                  const Tools & /*tools*/) const override {
    Result<lower::cnm::Lowered> lowered = lower::cnm::lower(graph, kernel, mapping, machine);
    if (!lowered) return lowered.diagnostics();
    return std::unique_ptr<CompiledKernel>(std::make_unique<CnmKernel>(graph, kernel, machine, std::move(*lowered)));
  }
};

}  // namespace

const Backend &cnmBackend() {
  static const CnmBackend kBackend;
  return kBackend;
}

std::int64_t ranksFilled(const program::Process &process, const machine::Machine &machine) {
  std::int64_t perRank = 1;
  for (std::size_t l = 1; l + 1 < machine.levels.size(); ++l)
    perRank = multiplySaturated(perRank, machine.levels[l].count);
  return ceilDiv(process.instances, perRank);
}

DeviceRun runUnitProgram(const program::Program &program, const machine::Machine &machine, const RunMode &mode,
                         std::int64_t ranks) {
  const program::Process &process = program.processes.front();
  const sim::cnm::UnitCode code(process, machine);
  const sim::cnm::RunResult result =
      mode.isFastForward ? sim::cnm::estimate(code, machine) : sim::cnm::simulate(code, machine);
  if (ranks == 0) ranks = ranksFilled(process, machine);
  DeviceRun run;
  run.cycles = result.cycles;
  run.cyclesSimulated = result.cyclesSimulated;
  run.unit = "unit";
  run.units = process.instances;
  run.counts = unitCounts(result, process.instances, code.lanes());
  run.actions = unitActions(run.counts, ranks, run.cycles);
  return run;
}

}  // namespace pimento::evaluate
