// Hosts whose caches compute, as Eva-CiM has them. A kernel becomes a program of the host's core (kernel.h); what of
// any program of a host could run in a cache is the business of `profile`.
#include <fmt/format.h>

#include "pimento/machine/checks.h"
#include "pimento/machine/memory_size.h"
#include "pimento/targets/cim/accounts.h"
#include "pimento/targets/cim/execution.h"
#include "pimento/targets/cim/kernel.h"
#include "pimento/targets/cim/profiler.h"
#include "pimento/targets/cim/release_suite.h"
#include "pimento/targets/cim/reshaping.h"
#include "pimento/targets/cim/stages.h"
#include "pimento/targets/targets.h"

namespace pimento::targets::cim {

using evaluate::GraphPart;

namespace {

constexpr evaluate::SimulatedUnit kUnit = {"core", "cores", "cores"};

class Cim final : public evaluate::Target {
 public:
  std::string_view family() const override { return "cim"; }
  evaluate::SimulatedUnit unit() const override { return kUnit; }
  const evaluate::CountTable &counts() const override { return countTable(); }
  Status check(const machine::Machine &m) const override {
    const bool hasSections = m.core.has_value() && !m.caches.empty() && m.memory.has_value() && m.dram.has_value();
    return machine::checkFamily(
        m, {.hasSections = hasSections, .sections = "'core', 'caches', 'memory' and 'organization'"});
  }
  bool generatesCode() const override { return true; }
  evaluate::Stages stages() const override { return {"machine code", {"c", "asm"}}; }
  Bytes capacity(const machine::Machine &machine) const override { return machine::memoryOf(machine); }
  std::vector<mapping::ProgramKind> programs() const override { return {mapping::ProgramKind::kCompiled}; }

  /// The loops as the kernel has them.
  Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const evaluate::Tools & /*tools*/) const override {
    return mappingsOf(part, machine, spec).front();
  }
  std::vector<mapping::Mapping> mappings(const GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec,
                                         const evaluate::Tools & /*tools*/) const override {
    return mappingsOf(part, machine, spec);
  }
  Result<std::unique_ptr<evaluate::CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &mapping,
                                                          const machine::Machine &machine, std::string_view /*variant*/,
                                                          const evaluate::Tools &tools) const override {
    return compileKernel(part, mapping, machine, tools);
  }
  Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program & /*program*/,
                                                   const machine::Machine &machine,
                                                   const evaluate::ProgramRequest & /*request*/) const override {
    return unsupported("unsupported-program", {},
                       fmt::format("{} runs programs of a host's core, which this file is not", machine.name),
                       "give programs of a host to 'pimento profile'");
  }
  Result<std::unique_ptr<evaluate::Profiler>> profiler(const machine::Machine &machine, bool isBridged) const override {
    if (Status s = checkCimEnergy(machine); !s) return s.diagnostics();
    return std::unique_ptr<evaluate::Profiler>(std::make_unique<Profiler>(machine, isBridged));
  }
  Result<std::unique_ptr<trace::Consumer>> reshaper(const machine::Machine &machine,
                                                    trace::Consumer &to) const override {
    return std::unique_ptr<trace::Consumer>(std::make_unique<Reshaping>(machine, to));
  }
  Result<std::unique_ptr<trace::Consumer>> execution(const machine::Machine &machine,
                                                     trace::Executor &to) const override {
    return std::unique_ptr<trace::Consumer>(std::make_unique<Execution>(machine, rulesOf(machine), to));
  }
  std::span<const std::string_view> programStages() const override { return stageNames(); }
  Result<std::unique_ptr<trace::Consumer>> stageWriter(std::string_view stage, const machine::Machine &machine,
                                                       std::function<void(std::string_view)> write) const override {
    return cim::stageWriter(stage, machine, std::move(write));
  }
  std::vector<evaluate::Suite> suites() const override { return {releaseSuite()}; }
};

}  // namespace

const evaluate::Target &target() {
  static const Cim kTarget;
  return kTarget;
}

}  // namespace pimento::targets::cim
