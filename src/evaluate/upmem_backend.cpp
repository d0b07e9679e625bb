#include "pimento/evaluate/upmem_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/evaluate/upmem_compiled.h"
#include "pimento/evaluate/upmem_kernel.h"

namespace pimento::evaluate {

namespace {

class UpmemBackend final : public Backend {
 public:
  std::string_view family() const override { return "upmem"; }
  bool generatesCode() const override { return true; }
  std::vector<std::string> variants() const override { return {}; }
  Bytes capacity(const machine::Machine &machine) const override {
    if (!machine.dpu) return Bytes(0);
    std::int64_t dpus = 1;
    for (const machine::Level &l : machine.levels)
      if (l.name != "tasklet") dpus = multiplySaturated(dpus, l.count);
    return Bytes(multiplySaturated(dpus, machine.dpu->mram.value));
  }

  /// The measured programs where there is one, else the best guess for a compiled one.
  Result<mapping::Mapping> reference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                     const mapping::MapSpec &spec, const Tools &tools) const override {
    Result<mapping::Mapping> measured = lower::upmem::referenceMapping(graph, kernel, machine, spec);
    if (measured || tools.dpuCompiler == nullptr || !hasNoProgram(measured.diagnostics())) return measured;
    mapping::MapSpec usual = spec;  // as the measured programs: one DPU, 16 tasklets
    constexpr std::int64_t kUsualTasklets = 16;
    if (machine.dpu && !machine.levels.empty())
      usual.mapping.parameters.try_emplace("tasklets", std::min(kUsualTasklets, mostTasklets(machine)));
    if (const Status s = checkTasklets(graph, kernel, machine, usual.mapping); !s) return s.diagnostics();
    Diagnostics why = measured.diagnostics();
    bool isOffered = false;
    for (const std::int64_t dpus : numbersOfDpus(machine, spec)) {
      usual.mapping.parameters["dpus"] = dpus;
      for (mapping::Mapping &m : mappings(graph, kernel, machine, usual, tools)) {
        isOffered = true;
        const auto source = lower::upmem::compiled::writeSource(graph, kernel, m, machine);
        if (source) return std::move(m);
        why = source.diagnostics();
      }
      if (why.front().code != "capacity") break;  // what no other number of DPUs changes
    }
    if (isOffered || !machine.dpu || !spec.mapping.parameters.contains("dpus")) return why;
    const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
    return error("illegal-mapping", k.where,
                 fmt::format("kernel '{}': {} DPUs are not equally many of each of some ranks of {}", k.name,
                             spec.mapping.parameters.at("dpus"), machine.name),
                 "choose ranks times DPUs of each, no more of either than the machine has");
  }

  std::vector<mapping::Mapping> mappings(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                         const mapping::MapSpec &spec, const Tools &tools) const override {
    if (tools.dpuCompiler == nullptr) return lower::upmem::mappingSpace(graph, kernel, machine, spec);
    return lower::upmem::compiled::mappingSpace(graph, kernel, machine, spec);
  }

  Result<std::unique_ptr<CompiledKernel>> compile(const kernel::Graph &graph, int kernel,
                                                  const mapping::Mapping &mapping, const machine::Machine &machine,
                                                  std::string_view /*variant*/, const Tools &tools) const override {
    if (tools.dpuCompiler != nullptr && !mapping.text.starts_with("reference")) {
      auto compiled = lower::upmem::compiled::lower(graph, kernel, mapping, machine, tools.dpuCompiler);
      if (!compiled) return compiled.diagnostics();
      return std::unique_ptr<CompiledKernel>(
          std::make_unique<UpmemCompiled>(graph, kernel, machine, std::move(*compiled)));
    }
    Result<lower::upmem::Lowered> lowered = lower::upmem::lower(graph, kernel, mapping, machine);
    if (!lowered) return lowered.diagnostics();
    auto image = sim::dpu::Image::make(*lowered->program.processes.front().code);
    if (!image) return image.diagnostics();
    return std::unique_ptr<CompiledKernel>(
        std::make_unique<UpmemKernel>(graph, kernel, machine, std::move(*lowered), std::move(*image)));
  }

 private:
  static std::int64_t mostTasklets(const machine::Machine &machine) {
    return std::min(machine.levels.back().count, machine.dpu->maxTasklets);
  }

  static Status checkTasklets(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                              const mapping::Mapping &wanted) {
    const auto named = wanted.parameters.find("tasklets");
    if (!machine.dpu || machine.levels.empty() || named == wanted.parameters.end()) return okStatus();
    const std::int64_t most = mostTasklets(machine);
    if (named->second <= most) return okStatus();
    const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
    return error("illegal-mapping", k.where,
                 fmt::format("kernel '{}': {} tasklets; a DPU of {} has {}", k.name, named->second, machine.name, most),
                 fmt::format("choose tasklets=1 to {}", most));
  }

  /// What the user says, else one, and more for kernels that do not fit.
  static std::vector<std::int64_t> numbersOfDpus(const machine::Machine &machine, const mapping::MapSpec &spec) {
    if (const auto named = spec.mapping.parameters.find("dpus"); named != spec.mapping.parameters.end())
      return {named->second};
    std::int64_t all = 1;
    for (const machine::Level &l : machine.levels)
      if (l.name != "tasklet") all = multiplySaturated(all, l.count);
    std::vector<std::int64_t> out;
    for (std::int64_t n = 1; n < all; n *= 2) out.push_back(n);
    out.push_back(all);
    return out;
  }

  static bool hasNoProgram(const Diagnostics &diagnostics) {
    const std::string &code = diagnostics.front().code;
    return code == "unsupported-type" || code == "unsupported-form" || code == "unsupported-op" ||
           code == "unsupported-pattern";
  }
};

}  // namespace

const Backend &upmemBackend() {
  static const UpmemBackend kBackend;
  return kBackend;
}

}  // namespace pimento::evaluate
