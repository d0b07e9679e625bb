// HBM-PIM: PIM units beside the banks of HBM2 (docs/models/hbm-pim.md). Lowering, channel engine and functional device
// behind the Target interface.
#include <fmt/format.h>

#include "pimento/evaluate/suite.h"
#include "pimento/machine/checks.h"
#include "pimento/sim/pim/pim_device.h"
#include "pimento/targets/dram/counts.h"
#include "pimento/targets/dram/run.h"
#include "pimento/targets/dram/tee.h"
#include "pimento/targets/hbm_pim/division.h"
#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/suite.h"

namespace pimento::targets::hbm_pim {

using evaluate::DeviceRun;
using evaluate::GraphPart;
using program::Purpose;

namespace {

/// Of `rows` rows in every bank of the ranks that have units.
Bytes bytesOfRows(std::int64_t rows, const machine::Machine &machine) {
  const machine::Organization &o = machine.dram->organization;
  return Bytes(multiplySaturated(rows, o.columns * o.burst.value * o.banks() * o.channels));
}

class HbmPimKernel final : public evaluate::CompiledPart, public dram::ChannelProgram {
 public:
  HbmPimKernel(const GraphPart &part, const machine::Machine &machine, Lowered lowered)
      : ChannelProgram(machine), part_(part), machine_(machine), lowered_(std::move(lowered)) {}

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override {
    return mapping::accumulationOrder(lowered_.placed, part_.kernel(), machine_, lowered_.rules);
  }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, lowered_.placed.mapping);
  }
  std::vector<std::string> choices() const override { return lowered_.choices; }
  evaluate::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override { return bytesOfRows(lowered_.dataRows, machine_); }
  DeviceRun bound(const kernel::DataSpec * /*values*/) const override {
    return dram::bound(lowered_.program, machine_);
  }

  Result<DeviceRun> runOn(kernel::DataSet &data, const evaluate::RunMode &mode) const override {
    if (const Status s = lowered_.data->check(data); !s) return s.diagnostics();
    sim::pim::PimDevice device(machine_, static_cast<int>(machine_.dram->organization.channels), lowered_.dataRows);
    device.setImages(lowered_.data->images(data));
    lowered_.data->place(data, device);
    dram::Tee tee(device, mode.observer);
    Result<DeviceRun> run = this->run({.observer = &tee});
    const auto commands = program::countCommands(lowered_.program.processes.front());
    for (const Purpose p :
         {Purpose::kPimRead, Purpose::kPimMac, Purpose::kPimAlu, Purpose::kPimMove, Purpose::kPimStore})
      PIMENTO_CHECK(device.executed()[static_cast<std::size_t>(p)] == commands[static_cast<std::size_t>(p)]);
    lowered_.data->collect(device, data);
    return run;
  }

  /// "asm": the microkernels.
  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override {
    if (stage != "asm") return ChannelProgram::emit(stage, kernel, isFirst);
    std::string out;
    int number = 0;
    for (const auto &m : lowered_.microkernels)
      out += fmt::format("; {}, microkernel {}\n{}", kernel, number++, program::hbm_pim::print(m));
    return out;
  }

 private:
  Origin origin() const override { return originOf(lowered_.placed, part_.kernel()); }

  GraphPart part_;
  const machine::Machine &machine_;
  Lowered lowered_;
};

class HbmPim final : public evaluate::Target {
 public:
  std::string_view family() const override { return "hbm-pim"; }
  evaluate::SimulatedUnit unit() const override { return dram::kChannel; }
  const evaluate::CountTable &counts() const override { return dram::countTable(); }
  Status check(const machine::Machine &m) const override {
    using enum machine::LevelRole;
    return machine::checkFamily(m, {.hasSections = m.dram && m.pim,
                                    .sections = "'organization' and 'pim'",
                                    .levels = {{"channel", kGroup, "organization.channels"},
                                               {"block", kUnit, "pim.blocks"},
                                               {"lane", kLane, "pim.lanes"}}});
  }
  std::vector<std::string> variants() const override { return {"tree"}; }
  std::vector<std::string> extensions() const override { return {kDirect, kResident}; }
  evaluate::Stages stages() const override { return {"commands", {"commands", "asm"}}; }
  Bytes capacity(const machine::Machine &machine) const override {
    return bytesOfRows(machine.pim->firstControlRow, machine);
  }

  bool runsParts() const override { return true; }
  std::optional<kernel::Unrolled> divided(const kernel::Graph &graph, const machine::Machine &machine,
                                          const std::vector<bool> &isFixed) const override {
    if (!checkMachine(machine)) return std::nullopt;
    return hbm_pim::divided(graph, machine, isFixed);
  }

  Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const evaluate::Tools & /*tools*/) const override {
    return referenceMapping(*part.graph, part.first, machine, spec);
  }

  /// Where the operands may lie in several ways, a few mappings of each.
  std::vector<mapping::Mapping> mappings(const GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec,
                                         const evaluate::Tools & /*tools*/) const override {
    const auto patterns = alternativesFor(*part.graph, part.first, spec.mapping, machine);
    if (!patterns || patterns->size() == 1) return {};
    return usualMappings(part.kernel(), *patterns, machine, spec.mapping);
  }

  std::vector<evaluate::Parameters> alternatives(const GraphPart &part, const machine::Machine &machine,
                                                 const mapping::MapSpec &spec) const override {
    const auto patterns = alternativesFor(*part.graph, part.first, spec.mapping, machine);
    if (!patterns || patterns->size() == 1) return {};
    std::vector<evaluate::Parameters> out;
    for (const Pattern &p : *patterns) out.push_back(parametersOf(p, part.kernel()));
    return out;
  }

  Result<std::unique_ptr<evaluate::CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &mapping,
                                                          const machine::Machine &machine, std::string_view variant,
                                                          const evaluate::Tools & /*tools*/) const override {
    const auto v = variant == "tree" ? Variant::kTree : Variant::kPlain;
    Result<Lowered> lowered = lower(*part.graph, part.first, mapping, machine, v);
    if (!lowered) return lowered.diagnostics();
    return std::unique_ptr<evaluate::CompiledPart>(std::make_unique<HbmPimKernel>(part, machine, std::move(*lowered)));
  }

  Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program &program, const machine::Machine &machine,
                                                   const evaluate::ProgramRequest &request) const override {
    return dram::load(program, machine, request);
  }
  Result<evaluate::TimelineMaker> timeline(const std::vector<const evaluate::Runnable *> & /*runs*/,
                                           const machine::Machine &machine) const override {
    return dram::timeline(machine);
  }
  std::vector<evaluate::Suite> suites() const override { return {suite()}; }
};

}  // namespace

const evaluate::Target &target() {
  static const HbmPim kTarget;
  return kTarget;
}

}  // namespace pimento::targets::hbm_pim
