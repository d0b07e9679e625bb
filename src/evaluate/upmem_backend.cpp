#include "pimento/evaluate/upmem_backend.h"

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

  Result<mapping::Mapping> reference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                     const mapping::MapSpec &spec) const override {
    return lower::upmem::referenceMapping(graph, kernel, machine, spec);
  }

  std::vector<mapping::Mapping> mappings(const kernel::Graph &graph, int kernel,
                                         const machine::Machine &machine) const override {
    return lower::upmem::mappingSpace(graph, kernel, machine);
  }

  Result<std::unique_ptr<CompiledKernel>> compile(const kernel::Graph &graph, int kernel,
                                                  const mapping::Mapping &mapping, const machine::Machine &machine,
                                                  std::string_view /*variant*/) const override {
    Result<lower::upmem::Lowered> lowered = lower::upmem::lower(graph, kernel, mapping, machine);
    if (!lowered) return lowered.diagnostics();
    auto image = sim::dpu::Image::make(*lowered->program.processes.front().code);
    if (!image) return image.diagnostics();
    return std::unique_ptr<CompiledKernel>(
        std::make_unique<UpmemKernel>(graph, kernel, machine, std::move(*lowered), std::move(*image)));
  }
};

}  // namespace

const Backend &upmemBackend() {
  static const UpmemBackend kBackend;
  return kBackend;
}

}  // namespace pimento::evaluate
