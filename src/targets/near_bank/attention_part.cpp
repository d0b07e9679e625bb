#include "pimento/targets/dram/run.h"
#include "pimento/targets/dram/tee.h"
#include "pimento/targets/near_bank/attention.h"
#include "pimento/targets/near_bank/counts.h"
#include "pimento/targets/near_bank/passes.h"

namespace pimento::targets::near_bank {

using evaluate::DeviceRun;
using evaluate::GraphPart;

namespace {

class AttentionPart final : public evaluate::CompiledPart, public dram::ChannelProgram {
 public:
  AttentionPart(const GraphPart &part, const machine::Machine &machine, LoweredAttention lowered)
      : ChannelProgram(machine, counting()), part_(part), machine_(machine), lowered_(std::move(lowered)) {}

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed.front(); }
  kernel::Order order() const override { return orderOf(0); }
  kernel::Order orderOf(int kernel) const override {
    const auto k = static_cast<std::size_t>(kernel);
    if (!lowered_.rules[k]) return {};
    return mapping::accumulationOrder(lowered_.placed[k],
                                      part_.graph->kernels[static_cast<std::size_t>(part_.first + kernel)], machine_,
                                      *lowered_.rules[k]);
  }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, placed().mapping);
  }
  std::vector<std::string> choices() const override { return lowered_.choices; }
  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override {
    return stage == "passes" ? print(placed().mapping, machine_) : ChannelProgram::emit(stage, kernel, isFirst);
  }
  evaluate::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override {
    const machine::Organization &o = machine_.dram->organization;
    const std::int64_t bytes = lowered_.data->bursts() * o.burst.value;
    return Bytes(multiplySaturated(bytes, o.ranks * o.banks() * o.channels));
  }
  DeviceRun bound(const kernel::DataSpec * /*values*/) const override {
    return dram::bound(lowered_.program, machine_, counting());
  }
  Result<DeviceRun> runOn(kernel::DataSet &data, const evaluate::RunMode &mode) const override {
    const AttentionData &plan = *lowered_.data;
    sim::pim::NearBankDevice device(machine_, static_cast<int>(plan.layout().channels), lowered_.rows,
                                    sim::pim::unitEffects(machine_));
    device.setResults(plan.layout().resultBursts);
    device.setImages(plan.images(data));
    plan.place(data, device);
    dram::Tee tee(device, mode.observer);
    Result<DeviceRun> run = this->run({.observer = &tee});
    plan.collect(device, data);
    return run;
  }
  std::optional<DeviceRun> placement() const override {
    if (!lowered_.placement) return std::nullopt;
    return dram::timed(*lowered_.placement, machine_, counting());
  }

 private:
  Origin origin() const override { return originOf(placed(), part_.kernel()); }

  GraphPart part_;
  const machine::Machine &machine_;
  LoweredAttention lowered_;
};

}  // namespace

Result<std::unique_ptr<evaluate::CompiledPart>> compileAttention(const GraphPart &part, const Attention &attention,
                                                                 const mapping::Mapping &mapping,
                                                                 const machine::Machine &machine) {
  Result<LoweredAttention> lowered = lowerAttention(*part.graph, attention, mapping, machine);
  if (!lowered) return lowered.diagnostics();
  return std::unique_ptr<evaluate::CompiledPart>(std::make_unique<AttentionPart>(part, machine, std::move(*lowered)));
}

}  // namespace pimento::targets::near_bank
