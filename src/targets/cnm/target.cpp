// Compute-near-memory machines that are data alone (docs/models/cnm.md): virtual instructions on pipelines or vector
// units.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "pimento/base/integer.h"
#include "pimento/base/thread_pool.h"
#include "pimento/evaluate/explainer.h"
#include "pimento/evaluate/slices.h"
#include "pimento/lower/accumulation.h"
#include "pimento/lower/host_data.h"
#include "pimento/machine/checks.h"
#include "pimento/sim/cnm/execute.h"
#include "pimento/sim/cnm/unit.h"
#include "pimento/targets/cnm/data.h"
#include "pimento/targets/cnm/lower.h"

namespace pimento::targets::cnm {

using evaluate::DeviceRun;
using evaluate::GraphPart;

namespace {

constexpr evaluate::SimulatedUnit kUnit = {"unit", "units", "units"};

const evaluate::CountTable &countTable() {
  static const evaluate::CountTable kTable = {
      {{"instructions", "issue slots used, shared by the lanes of a vector; counted by the engine", {{"instructions"}}},
       {"idle_cycles", "cycles in which nothing issued; counted by the engine"},
       {"operations", "operations on values of one lane; counted by the engine", {{"alu_operations"}}},
       {"scratchpad_accesses", "loads and stores; counted by the engine", {{"wram_accesses"}}},
       {"bank_reads", "accesses that read; counted by the engine", {{"dma_transfers"}}},
       {"bank_writes", "accesses that write; counted by the engine", {{"dma_transfers"}}},
       {"bank_read_bytes", "bytes of accesses that read; counted by the engine", {{"dma_bytes"}}},
       {"bank_write_bytes", "bytes of accesses that write; counted by the engine", {{"dma_bytes"}}}}};
  return kTable;
}

const program::UnitLoops &loopsOf(const program::Process &process) {
  return std::get<program::UnitLoops>(process.body);
}

/// Adds what all units of a process count; each of them `run`.
void addCounts(std::vector<std::int64_t> &totals, const sim::cnm::RunResult &run, std::int64_t units,
               std::int64_t lanes) {
  const sim::cnm::Counts &c = run.counts;
  const std::int64_t each[] = {c.slots,
                               run.idleCycles,
                               multiplySaturated(c.operations, lanes),
                               multiplySaturated(c.scratchpadAccesses, lanes),
                               c.bankReads,
                               c.bankWrites,
                               c.bankReadBytes,
                               c.bankWriteBytes};
  for (std::size_t i = 0; i < totals.size(); ++i)
    totals[i] = addSaturated(totals[i], multiplySaturated(each[i], units));
}

/// Instances of the outermost level that the program's units fill.
std::int64_t ranksFilled(const program::Program &program, const machine::Machine &machine) {
  const std::int64_t perRank = machine::unitCount(std::span(machine.levels).subspan(1));
  std::int64_t units = 0;
  for (const program::Process &p : program.processes) units += p.instances;
  return ceilDiv(units, perRank);
}

/// What follows from a program of virtual instructions: one unit of a process stands for all of it.
class UnitProgram : public virtual evaluate::Runnable {
 public:
  explicit UnitProgram(const machine::Machine &machine) : machine_(machine) {}

  Result<DeviceRun> run(const evaluate::RunMode &mode) const override { return runOf(program(), mode); }
  Result<std::unique_ptr<evaluate::Slices>> slices(const evaluate::RunMode & /*mode*/) const override {
    return evaluate::programSlices(program(),
                                   [this](const program::Program &p) -> Result<DeviceRun> { return runOf(p, {}); });
  }
  evaluate::DerivationPtr explainCycles(const std::string &name, const DeviceRun &run,
                                        evaluate::MachineNumbers & /*numbers*/,
                                        std::int64_t /*mostCommands*/) const override {
    return evaluate::explainIssues(name, run, kUnit);
  }

 protected:
  DeviceRun boundOf() const {
    const auto least = [](const sim::cnm::UnitCode &code, const machine::Machine &m) {
      sim::cnm::RunResult r;
      r.cycles = sim::cnm::lowerBound(code, m);
      r.counts.add(code.total(), code.contexts());
      return r;
    };
    DeviceRun run = runWith(program(), least);
    run.counts.clear();
    return run;
  }

 private:
  DeviceRun runOf(const program::Program &program, const evaluate::RunMode &mode) const {
    return runWith(program, [&mode](const sim::cnm::UnitCode &code, const machine::Machine &m) {
      return mode.isFastForward ? sim::cnm::estimate(code, m) : sim::cnm::simulate(code, m);
    });
  }

  template <typename Engine>
  DeviceRun runWith(const program::Program &program, const Engine &engine) const {
    DeviceRun run;
    run.units = 0;
    std::vector<std::int64_t> counts(countTable().rows.size());
    for (const program::Process &process : program.processes) {
      const sim::cnm::UnitCode code(loopsOf(process), machine_);
      const sim::cnm::RunResult result = engine(code, machine_);
      if (run.units == 0 || run.cycles < result.cycles) {
        run.cycles = result.cycles;
        run.cyclesSimulated = result.cyclesSimulated;
      }
      run.units += process.instances;
      addCounts(counts, result, process.instances, code.lanes());
    }
    run.unitsSimulated = static_cast<std::int64_t>(program.processes.size());
    evaluate::setCounts(run, countTable(), counts, machine_, hostWork().ranks);
    return run;
  }

  const machine::Machine &machine_;
};

class FileProgram final : public UnitProgram {
 public:
  FileProgram(const program::Program &program, const machine::Machine &machine)
      : UnitProgram(machine), program_(program), ranks_(ranksFilled(program, machine)) {}
  const program::Program &program() const override { return program_; }
  evaluate::HostWork hostWork() const override {
    evaluate::HostWork work;
    work.ranks = ranks_;
    return work;
  }

 private:
  const program::Program &program_;
  std::int64_t ranks_;
};

class CnmKernel final : public evaluate::CompiledPart, public UnitProgram {
 public:
  CnmKernel(const GraphPart &part, const machine::Machine &machine, Lowered lowered)
      : UnitProgram(machine), part_(part), machine_(machine), lowered_(std::move(lowered)) {}

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override {
    if (lowered_.plan->isInOrder || part_.kernel().form != kernel::Form::kAffine) return {};
    return mapping::accumulationOrder(lowered_.placed, part_.kernel(), machine_,
                                      lower::accumulationRules(*part_.graph, part_.kernel()));
  }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, lowered_.placed.mapping);
  }
  evaluate::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override {
    return Bytes(multiplySaturated(lowered_.plan->bankBytes(), lowered_.plan->units));
  }
  DeviceRun bound(const kernel::DataSpec * /*values*/) const override { return boundOf(); }

  Result<DeviceRun> runOn(kernel::DataSet &data, const evaluate::RunMode &mode) const override {
    const Plan &plan = *lowered_.plan;
    const program::UnitLoops &loops = loopsOf(lowered_.program.processes.front());
    lower::Collector collector(plan, data);
    // Units in batches: side by side, and collected in order.
    const kernel::DataSet before = data;
    for (std::int64_t first = 0; first < plan.units; first += kBatch) {
      const std::int64_t count = std::min(kBatch, plan.units - first);
      std::vector<sim::cnm::UnitMemory> memories(static_cast<std::size_t>(count), sim::cnm::UnitMemory(loops.unit));
      std::vector<Status> ends(static_cast<std::size_t>(count), okStatus());
      parallelFor(mode.jobs, count, [&](std::int64_t i) {
        sim::cnm::UnitMemory &memory = memories[static_cast<std::size_t>(i)];
        place(plan, first + i, before, memory);
        ends[static_cast<std::size_t>(i)] = sim::cnm::execute(loops, memory, parametersOf(lowered_, first + i));
      });
      for (const Status &s : ends)
        if (!s) return s.diagnostics();
      for (const sim::cnm::UnitMemory &memory : memories) {
        for (const Operand &o : plan.operands)
          if (!o.isShared()) collector.add(o, memory.array(o.array).data());
        collector.closeUnit();
      }
    }
    collector.finish();
    return run({});
  }

 private:
  static constexpr std::int64_t kBatch = 16;

  GraphPart part_;
  const machine::Machine &machine_;
  Lowered lowered_;
};

class Cnm final : public evaluate::Target {
 public:
  std::string_view family() const override { return "cnm"; }
  evaluate::SimulatedUnit unit() const override { return kUnit; }
  const evaluate::CountTable &counts() const override { return countTable(); }
  Status check(const machine::Machine &m) const override {
    return machine::checkFamily(m, {.hasSections = m.compute.has_value(),
                                    .sections = "'compute' and 'memories'",
                                    .hint = "they define the operations of a unit and the memories it reads"});
  }
  evaluate::Stages stages() const override { return {"virtual instructions", {}}; }
  std::vector<std::string> extensions() const override { return {"buffer"}; }
  Bytes capacity(const machine::Machine &machine) const override {
    const std::int64_t units = machine::unitCount(machine.levels);
    return Bytes(multiplySaturated(units, machine.unitMemory ? machine.unitMemory->size.value : 0));
  }

  /// Nobody has published any; the best guess.
  Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const evaluate::Tools &tools) const override {
    Diagnostics why;
    for (mapping::Mapping &m : mappings(part, machine, spec, tools)) {
      const auto lowered = lower(*part.graph, part.first, m, machine);
      if (lowered) return std::move(m);
      if (why.empty()) why = lowered.diagnostics();
    }
    return why;
  }

  std::vector<mapping::Mapping> mappings(const GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec,
                                         const evaluate::Tools & /*tools*/) const override {
    return mappingSpace(*part.graph, part.first, machine, spec);
  }

  Result<std::unique_ptr<evaluate::CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &mapping,
                                                          const machine::Machine &machine, std::string_view /*variant*/,
                                                          const evaluate::Tools & /*tools*/) const override {
    Result<Lowered> lowered = lower(*part.graph, part.first, mapping, machine);
    if (!lowered) return lowered.diagnostics();
    return std::unique_ptr<evaluate::CompiledPart>(std::make_unique<CnmKernel>(part, machine, std::move(*lowered)));
  }

  /// Virtual instructions run on all machines that say what they cost.
  bool runsAnywhere(const program::Program &program, const machine::Machine &machine) const override {
    return program::has<program::UnitLoops>(program) && machine.compute;
  }

  Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program &program, const machine::Machine &machine,
                                                   const evaluate::ProgramRequest &request) const override {
    if (const Status s = program::verify(program, machine, request.places); !s) return s.diagnostics();
    if (!program::has<program::UnitLoops>(program))
      return unsupported("unsupported-program", {},
                         fmt::format("{} runs virtual instructions, which this file does not contain", machine.name),
                         "give it a .llvcnm file of virtual instructions");
    return std::unique_ptr<evaluate::Runnable>(std::make_unique<FileProgram>(program, machine));
  }
};

}  // namespace

const evaluate::Target &target() {
  static const Cnm kTarget;
  return kTarget;
}

}  // namespace pimento::targets::cnm
