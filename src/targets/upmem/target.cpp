// UPMEM: DPUs beside the banks of DDR4 (docs/models/upmem.md). Measured and compiled programs, the DPU engine and the
// host's transfers behind the Target interface.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/evaluate/suite.h"
#include "pimento/machine/checks.h"
#include "pimento/targets/upmem/compiled/kernel.h"
#include "pimento/targets/upmem/compiled/outline.h"
#include "pimento/targets/upmem/file_program.h"
#include "pimento/targets/upmem/measured/kernel.h"
#include "pimento/targets/upmem/source.h"
#include "pimento/targets/upmem/suite.h"
#include "pimento/targets/upmem/timeline.h"

namespace pimento::targets::upmem {

namespace {

using evaluate::Tools;

std::int64_t mostTasklets(const machine::Machine &machine) {
  return std::min(machine.levels.back().count, machine.dpu->maxTasklets);
}

Status checkTasklets(const kernel::Kernel &k, const machine::Machine &machine, const mapping::Mapping &wanted) {
  const auto named = wanted.parameters.find("tasklets");
  if (named == wanted.parameters.end() || named->second <= mostTasklets(machine)) return okStatus();
  const std::int64_t most = mostTasklets(machine);
  return error(
      "illegal-mapping", k.where,
      fmt::format("kernel '{}': {} tasklets requested; a DPU of {} has {}", k.name, named->second, machine.name, most),
      fmt::format("choose tasklets=1 to {}", most));
}

/// What the user says, else one, and more for kernels that do not fit.
std::vector<std::int64_t> numbersOfDpus(const machine::Machine &machine, const mapping::MapSpec &spec) {
  if (const auto named = spec.mapping.parameters.find("dpus"); named != spec.mapping.parameters.end())
    return {named->second};
  const std::int64_t all = machine::unitCount(machine.levels);
  std::vector<std::int64_t> out;
  for (std::int64_t n = 1; n < all; n *= 2) out.push_back(n);
  out.push_back(all);
  return out;
}

class Upmem final : public evaluate::Target {
 public:
  std::string_view family() const override { return "upmem"; }
  evaluate::SimulatedUnit unit() const override { return kDpu; }
  const evaluate::CountTable &counts() const override { return countTable(); }
  Status check(const machine::Machine &m) const override {
    using enum machine::LevelRole;
    return machine::checkFamily(m, {.hasSections = m.dpu && m.host.dpus,
                                    .sections = "'system', 'dpu' and 'host.dpus'",
                                    .levels = {{"rank", kGroup, "system.ranks"},
                                               {"dpu", kUnit, "system.dpus"},
                                               {"tasklet", kThread, "dpu.tasklets"}}});
  }
  bool generatesCode() const override { return true; }
  evaluate::Stages stages() const override { return {"machine code", {"c", "host", "ir", "asm"}}; }
  Bytes capacity(const machine::Machine &machine) const override {
    return Bytes(multiplySaturated(machine::unitCount(machine.levels), machine.dpu->mram.value));
  }

  std::vector<std::string> extensions() const override { return {"buffer", "dpus", "tasklets", "merge"}; }
  std::vector<mapping::ProgramKind> programs() const override {
    return {mapping::ProgramKind::kReference, mapping::ProgramKind::kCompiled};
  }

  /// The measured programs where there is one, else the best guess for a compiled one.
  Result<mapping::Mapping> reference(const GraphPart &part, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const Tools &tools) const override {
    using mapping::ProgramKind;
    const auto has = measured::programFor(*part.graph, part.first, machine);
    const bool isCompiled = has ? spec.mapping.program == ProgramKind::kCompiled : compiles(spec.mapping, tools);
    if (!isCompiled) return measured::referenceMapping(*part.graph, part.first, machine, spec, *cacheOf(tools));
    mapping::MapSpec usual = spec;  // as the measured programs: one DPU, 16 tasklets
    constexpr std::int64_t kUsualTasklets = 16;
    usual.mapping.parameters.try_emplace("tasklets", std::min(kUsualTasklets, mostTasklets(machine)));
    const kernel::Kernel &k = part.kernel();
    if (const Status s = checkTasklets(k, machine, usual.mapping); !s) return s.diagnostics();
    usual.mapping.program = ProgramKind::kCompiled;
    Diagnostics why = has ? Diagnostics{} : has.diagnostics();
    bool isOffered = false;
    for (const std::int64_t dpus : numbersOfDpus(machine, spec)) {
      usual.mapping.parameters["dpus"] = dpus;
      for (mapping::Mapping &m : mappings(part, machine, usual, tools)) {
        isOffered = true;
        const auto source = compiled::writeSource(*part.graph, part.first, m, machine);
        if (source) return std::move(m);
        why = source.diagnostics();
      }
      if (why.empty() || why.front().kind != DiagnosticKind::kCapacity) break;  // what no other number of DPUs changes
    }
    if (isOffered || (!why.empty() && !spec.mapping.parameters.contains("dpus"))) return why;
    return error("illegal-mapping", k.where,
                 fmt::format("kernel '{}': {} DPUs cannot be divided evenly over the ranks of {}", k.name,
                             usual.mapping.parameters["dpus"], machine.name),
                 "use a number of ranks times the DPUs in each, within the machine's limits");
  }

  std::vector<mapping::Mapping> mappings(const GraphPart &part, const machine::Machine &machine,
                                         const mapping::MapSpec &spec, const Tools &tools) const override {
    if (!compiles(spec.mapping, tools)) return measured::mappingSpace(*part.graph, part.first, machine, spec);
    return compiled::mappingSpace(*part.graph, part.first, machine, spec);
  }

  Result<std::unique_ptr<evaluate::CompiledPart>> compile(const GraphPart &part, const mapping::Mapping &mapping,
                                                          const machine::Machine &machine, std::string_view /*variant*/,
                                                          const Tools &tools) const override {
    using Compiled = std::unique_ptr<evaluate::CompiledPart>;
    const std::shared_ptr<Cache> cache = cacheOf(tools);
    if (compiles(mapping, tools)) {
      auto lowered = compiled::lower(*part.graph, part.first, mapping, machine, tools.dpuCompiler, *cache);
      if (!lowered) return lowered.diagnostics();
      return Compiled(std::make_unique<compiled::CompiledKernel>(part, machine, std::move(*lowered), cache));
    }
    auto lowered = measured::lower(*part.graph, part.first, mapping, machine, *cache);
    if (!lowered) return lowered.diagnostics();
    return Compiled(std::make_unique<measured::MeasuredKernel>(part, machine, std::move(*lowered)));
  }

  Result<std::unique_ptr<evaluate::Outline>> outline(const GraphPart &part, const mapping::Mapping &mapping,
                                                     const machine::Machine &machine,
                                                     const Tools &tools) const override {
    if (!compiles(mapping, tools) || tools.dpuCompiler == nullptr) return std::unique_ptr<evaluate::Outline>();
    return compiled::outline(part, mapping, machine, tools.dpuCompiler, cacheOf(tools));
  }

  Result<std::unique_ptr<evaluate::Runnable>> load(const program::Program &program, const machine::Machine &machine,
                                                   const evaluate::ProgramRequest &request) const override {
    return loadFile(program, machine, request);
  }
  std::optional<Result<std::string>> emitSource(std::string_view stage,
                                                const evaluate::Request &request) const override {
    return upmem::emitSource(stage, request);
  }
  Result<evaluate::TimelineMaker> timeline(const std::vector<const evaluate::Runnable *> &runs,
                                           const machine::Machine &machine) const override {
    return timelineOf(runs, machine);
  }
  std::vector<evaluate::Suite> suites() const override { return {suite()}; }

 private:
  /// Does it mean a compiled program? Where it does not say, one is made if there is a compiler.
  static bool compiles(const mapping::Mapping &m, const Tools &tools) {
    return m.program == mapping::ProgramKind::kAny ? tools.dpuCompiler != nullptr
                                                   : m.program == mapping::ProgramKind::kCompiled;
  }
  static std::shared_ptr<Cache> cacheOf(const Tools &tools) {
    return tools.cache != nullptr ? tools.cache : std::make_shared<Cache>();
  }
};

}  // namespace

const evaluate::Target &target() {
  static const Upmem kTarget;
  return kTarget;
}

}  // namespace pimento::targets::upmem
