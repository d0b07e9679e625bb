// Units beside the banks of a DRAM, driven by commands (docs/models/near-bank.md): programs of our own that compute,
// for machines that say what their units do, and the command streams of published cycle models, which compute nothing.
#include <fmt/format.h>

#include <limits>

#include "pimento/evaluate/suite.h"
#include "pimento/machine/checks.h"
#include "pimento/targets/dram/run.h"
#include "pimento/targets/dram/tee.h"
#include "pimento/targets/near_bank/attention.h"
#include "pimento/targets/near_bank/counts.h"
#include "pimento/targets/near_bank/elements.h"
#include "pimento/targets/near_bank/least.h"
#include "pimento/targets/near_bank/least_stream.h"
#include "pimento/targets/near_bank/lower.h"
#include "pimento/targets/near_bank/passes.h"
#include "pimento/targets/near_bank/product.h"
#include "pimento/targets/near_bank/published_drafts.h"
#include "pimento/targets/near_bank/suite.h"
#include "pimento/targets/targets.h"

namespace pimento::targets::near_bank {

using evaluate::DeviceRun;
using evaluate::GraphPart;
using mapping::ProgramKind;

namespace {

/// So many bytes in every bank of the device.
Bytes inAllBanks(std::int64_t bytes, const machine::Machine &machine) {
  const machine::Organization &o = machine.dram->organization;
  return Bytes(multiplySaturated(bytes, o.ranks * o.banks() * o.channels));
}

class StreamPart final : public evaluate::CompiledPart, public dram::ChannelProgram {
 public:
  StreamPart(const GraphPart &part, const machine::Machine &machine, Lowered lowered)
      : ChannelProgram(machine, counting()), part_(part), machine_(machine), lowered_(std::move(lowered)) {}

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override { return {}; }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, lowered_.placed.mapping);
  }
  /// What the host moves is part of the stream.
  evaluate::HostWork hostWork() const override { return {}; }
  Bytes footprint() const override { return inAllBanks(lowered_.bytesPerBank, machine_); }
  DeviceRun bound(const kernel::DataSpec * /*values*/) const override {
    return dram::bound(lowered_.program, machine_, counting());
  }
  Result<DeviceRun> runOn(kernel::DataSet & /*data*/, const evaluate::RunMode &mode) const override {
    PIMENTO_CHECK(!"a published stream computes nothing");
    return this->run({.observer = mode.observer});
  }
  std::string whyUnchecked() const override {
    return "the published command stream computes no result; its time is reproduced, nothing else";
  }

 private:
  GraphPart part_;
  const machine::Machine &machine_;
  Lowered lowered_;
};

class UnitKernel final : public evaluate::CompiledPart, public dram::ChannelProgram {
 public:
  UnitKernel(const GraphPart &part, const machine::Machine &machine, LoweredKernel lowered)
      : ChannelProgram(machine, counting()), part_(part), machine_(machine), lowered_(std::move(lowered)) {}

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override {
    return mapping::accumulationOrder(lowered_.placed, part_.kernel(), machine_, lowered_.rules);
  }
  std::vector<evaluate::Residence> residences() const override {
    return evaluate::residencesOf(part_, lowered_.placed.mapping);
  }
  std::vector<std::string> choices() const override { return lowered_.choices; }
  Result<std::string> emit(std::string_view stage, const std::string &kernel, bool isFirst) const override {
    return stage == "passes" ? print(lowered_.placed.mapping, machine_) : ChannelProgram::emit(stage, kernel, isFirst);
  }
  evaluate::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override { return inAllBanks(lowered_.bytesPerBank, machine_); }
  DeviceRun bound(const kernel::DataSpec * /*values*/) const override {
    return dram::bound(lowered_.program, machine_, counting());
  }
  Result<DeviceRun> runOn(kernel::DataSet &data, const evaluate::RunMode &mode) const override {
    sim::pim::NearBankDevice device(machine_, static_cast<int>(lowered_.data->channels), lowered_.rows,
                                    sim::pim::unitEffects(machine_));
    device.setResults(lowered_.data->resultBursts);
    device.setImages(lowered_.data->images(data));
    lowered_.data->place(data, device);
    dram::Tee tee(device, mode.observer);
    Result<DeviceRun> run = this->run({.observer = &tee});
    lowered_.data->collect(device, data);
    return run;
  }
  std::optional<DeviceRun> placement() const override {
    if (!lowered_.placement) return std::nullopt;
    return dram::timed(*lowered_.placement, machine_, counting());
  }

 private:
  Origin origin() const override { return originOf(lowered_.placed, part_.kernel()); }

  GraphPart part_;
  const machine::Machine &machine_;
  LoweredKernel lowered_;
};

/// Whether a mapping asks for a program of our own: on machines that say what their units do, unless it names a
/// published stream; on those with the quirks of a published model only where it says so.
bool isOwn(mapping::ProgramKind kind, const machine::Machine &machine) {
  if (kind == ProgramKind::kCompiled) return true;
  return kind == ProgramKind::kAny && machine.nearBank && machine.dram->quirks == machine::Quirks{};
}

/// The stream that the baseline of a task has where the mapping names none.
ProgramKind defaultProgram(const mapping::Mapping &asked, const Task &task, const machine::Machine &machine) {
  const bool isOwnStream = asked.program == ProgramKind::kAny && asked.mode == mapping::StreamMode::kAny &&
                           task.kernel == StreamKernel::kAttention &&
                           machine.dram->controller.barrier == machine::BarrierRule::kInOrder;
  return isOwnStream ? ProgramKind::kAttaccOwn : asked.program;
}

class NearBank final : public evaluate::Target {
 public:
  std::string_view family() const override { return "near-bank"; }
  evaluate::SimulatedUnit unit() const override { return dram::kChannel; }
  const evaluate::CountTable &counts() const override { return countTable(); }
  Status check(const machine::Machine &m) const override {
    using enum machine::LevelRole;
    if (m.dram && m.dram->controller.scheduler != machine::Scheduler::kFourQueues)
      return error("wrong-controller", m.where("controller"),
                   fmt::format("machine '{}' of family 'near-bank' has a controller with one queue", m.name),
                   "write controller.scheduler: four-queues");
    if (m.dram && m.nearBank && m.dram->commandOf(machine::CommandKind::kBarrier, machine::ScopeLevel::kChannel) < 0)
      return error("wrong-commands", m.where("commands"),
                   fmt::format("machine '{}' has no command that keeps others behind it", m.name),
                   "add BARRIER: {kind: barrier, scope: channel}");
    return machine::checkFamily(m, {.hasSections = m.dram.has_value(),
                                    .sections = "'organization'",
                                    .levels = {{"channel", kGroup, "organization.channels"}, {"bank", kUnit, {}}}});
  }
  std::vector<std::string> extensions() const override {
    std::vector<std::string> taken = {"append", "mode", "part"};
    taken.insert(taken.end(), mapping::passNames().begin(), mapping::passNames().end());
    return taken;
  }
  std::vector<ProgramKind> programs() const override {
    return {ProgramKind::kCompiled, ProgramKind::kPublished, ProgramKind::kPublishedEvaluated, ProgramKind::kAttaccOwn};
  }
  evaluate::Stages stages() const override { return {"commands", {"commands", "passes"}}; }
  Bytes capacity(const machine::Machine &machine) const override {
    const machine::Organization &o = machine.dram->organization;
    return inAllBanks(o.rows * o.columns * o.burst.value, machine);
  }
  bool runsParts() const override { return true; }
  int runLength(const kernel::Graph &graph, int first, const machine::Machine &machine) const override {
    // Published streams take attention as a whole, programs of our own where there are softmax units.
    if (isOwn(ProgramKind::kAny, machine)) {
      const auto attention = fusesAttention(machine) ? recogniseAttention(graph, first) : std::nullopt;
      return attention ? attention->kernels : 1;
    }
    const std::optional<Task> task = recognise(graph, first);
    return task ? task->kernels : 1;
  }

  /// The study's baseline; of two, the faster one. Attention with barriers that wait in the queue runs AttAcc's own
  /// stream: the study's waits for ever there (docs/models/near-bank.md).
  Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const evaluate::Tools & /*tools*/) const override {
    if (isOwn(spec.mapping.program, machine)) {
      if (!machine.nearBank) return noUnits(part, machine);
      if (part.count > 1) {
        const auto attention = attentionOf(part, machine);
        if (!attention) return noAttention(part, machine);
        return attentionReference(*part.graph, *attention, machine, spec);
      }
      return isElementwise(part.kernel()) ? elementsReference(*part.graph, part.first, machine, spec)
                                          : productReference(*part.graph, part.first, machine, spec);
    }
    const std::optional<Task> task = recognise(*part.graph, part.first);
    // What has no stream is refused when it is compiled.
    const std::vector<Draft> drafts = task ? baselines(*task, machine) : std::vector<Draft>{Draft{{{}, {}}}};
    mapping::MapSpec asRun = spec;
    if (task) asRun.mapping.program = defaultProgram(spec.mapping, *task, machine);
    std::optional<mapping::Mapping> best;
    std::pair<bool, Cycles> least;  // those that never end come last
    for (const Draft &d : drafts) {
      mapping::Mapping m = mappingOf(d, asRun);
      if (drafts.size() == 1 || m.program == ProgramKind::kAttaccOwn) return m;  // which ignores the draft
      Result<Lowered> lowered = lower(part, m, machine);
      if (!lowered) return lowered.diagnostics();
      const Result<DeviceRun> run = StreamPart(part, machine, std::move(*lowered)).run({.isFastForward = true});
      if (!run) return run.diagnostics();
      const std::pair<bool, Cycles> took(run->isStuck, run->cycles);
      if (best && least <= took) continue;
      best = std::move(m);
      least = took;
    }
    return *best;
  }

  Result<std::unique_ptr<evaluate::CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &mapping,
                                                          const machine::Machine &machine, std::string_view /*variant*/,
                                                          const evaluate::Tools & /*tools*/) const override {
    if (isOwn(mapping.program, machine)) {
      if (!machine.nearBank) return noUnits(part, machine);
      if (part.count > 1) {
        const auto attention = attentionOf(part, machine);
        if (!attention) return noAttention(part, machine);
        if (const Status s = checkMode(part, mapping, machine); !s) return s.diagnostics();
        return compileAttention(part, *attention, mapping, machine);
      }
      if (const Status s = checkMode(part, mapping, machine); !s) return s.diagnostics();
      Result<LoweredKernel> own = isElementwise(part.kernel())
                                      ? lowerElements(*part.graph, part.first, mapping, machine)
                                      : lowerProduct(*part.graph, part.first, mapping, machine);
      if (!own) return own.diagnostics();
      return std::unique_ptr<evaluate::CompiledPart>(std::make_unique<UnitKernel>(part, machine, std::move(*own)));
    }
    Result<Lowered> lowered = lower(part, mapping, machine);
    if (!lowered) return lowered.diagnostics();
    return std::unique_ptr<evaluate::CompiledPart>(std::make_unique<StreamPart>(part, machine, std::move(*lowered)));
  }

  std::unique_ptr<evaluate::LeastCosts> leastCosts(const GraphPart &part,
                                                   const machine::Machine &machine) const override {
    if (!isOwn(ProgramKind::kAny, machine)) return leastStreamCosts(part, machine);
    return machine.nearBank ? leastProductCosts(part, machine) : nullptr;
  }

  Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program &program, const machine::Machine &machine,
                                                   const evaluate::ProgramRequest &request) const override {
    return dram::load(program, machine, request, counting());
  }
  Result<evaluate::TimelineMaker> timeline(const std::vector<const evaluate::Runnable *> & /*runs*/,
                                           const machine::Machine &machine) const override {
    return dram::timeline(machine);
  }
  std::vector<evaluate::Suite> suites() const override { return near_bank::suites(); }

  /// Of published streams, where they are asked for, the study's drafts; of attention on units of our own, its spreads;
  /// others have the space of all mappings.
  std::vector<mapping::Mapping> mappings(const GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec,
                                         const evaluate::Tools & /*tools*/) const override {
    if (isPublished(spec.mapping.program)) return publishedMappings(part, spec);
    if (part.count == 1 || !isOwn(spec.mapping.program, machine)) return {};
    const auto attention = attentionOf(part, machine);
    return attention ? attentionMappings(*part.graph, *attention, machine, spec) : std::vector<mapping::Mapping>{};
  }

 private:
  /// Programs of our own can have their operands in on-chip memory where the host's data lie in the banks.
  static Status checkMode(const GraphPart &part, const mapping::Mapping &mapping, const machine::Machine &machine) {
    if (mapping.part != mapping::StreamPart::kWhole) {
      const auto at = mapping.where.find("part");
      return unsupported("unsupported-mapping", at == mapping.where.end() ? part.kernel().where : at->second,
                         "part= takes commands of a published stream; reports of other programs list their phases",
                         "omit part=, or use program=published");
    }
    if (mapping.mode == mapping::StreamMode::kAny || machine.nearBank->onChip.value > 0) return okStatus();
    const auto at = mapping.where.find("mode");
    return unsupported("unsupported-mapping", at == mapping.where.end() ? part.kernel().where : at->second,
                       fmt::format("mode= says whether operands are read from the banks, and the host's data of {} lie "
                                   "elsewhere",
                                   machine.name),
                       "omit mode=, or give the machine near_bank.on_chip and near_bank.host_map");
  }
  static bool isPublished(ProgramKind program) {
    return program == ProgramKind::kPublished || program == ProgramKind::kPublishedEvaluated;
  }
  static std::vector<mapping::Mapping> publishedMappings(const GraphPart &part, const mapping::MapSpec &spec) {
    const std::optional<Task> task = recognise(*part.graph, part.first);
    if (!task || task->kernels != part.count) return {};
    std::vector<mapping::Mapping> out;
    for (const Draft &d : publishedDrafts(task->extents)) {
      out.push_back(mappingOf(d, spec));
      out.back().text = mapping::print(out.back());
    }
    return out;
  }
  /// The attention that is the whole part.
  static std::optional<Attention> attentionOf(const GraphPart &part, const machine::Machine &machine) {
    std::optional<Attention> found = recogniseAttention(*part.graph, part.first);
    return fusesAttention(machine) && found && found->kernels == part.count ? std::move(found) : std::nullopt;
  }
  static Diagnostic noAttention(const GraphPart &part, const machine::Machine &machine) {
    return unsupported("unsupported-op", part.kernel().where,
                       fmt::format("attention of kernel '{}' cannot run on {}: its units make no softmax of it",
                                   part.kernel().name, machine.name),
                       "give a mapping per kernel, separated by '|': the softmax then stays on the host");
  }
  static Diagnostic noUnits(const GraphPart &part, const machine::Machine &machine) {
    return unsupported(
        "unsupported-program", part.kernel().where,
        fmt::format("{} does not say what its units compute, so no program can be made for it", machine.name),
        "add a section 'near_bank' to the machine, or use program=published");
  }
};

}  // namespace

const evaluate::Target &target() {
  static const NearBank kTarget;
  return kTarget;
}

}  // namespace pimento::targets::near_bank
