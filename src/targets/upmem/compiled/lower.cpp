#include "pimento/targets/upmem/compiled/lower.h"

#include <fmt/format.h>

#include "pimento/targets/upmem/compiled/build.h"

namespace pimento::targets::upmem::compiled {

namespace {

Status checkTasklets(const Scheme &scheme, const machine::Machine &machine) {
  if (scheme.threads <= machine.dpu->maxTasklets) return okStatus();
  return error("illegal-mapping", scheme.kernel().where,
               fmt::format("kernel '{}': {} tasklets requested; a DPU of {} has {}", scheme.kernel().name,
                           scheme.threads, machine.name, machine.dpu->maxTasklets),
               fmt::format("choose 1 to {}", machine.dpu->maxTasklets));
}

Status checkMemories(const Scheme &scheme, const program::Code &code, const machine::Machine &machine) {
  const machine::Dpu &dpu = *machine.dpu;
  const auto check = [&](std::int64_t taken, const char *what, std::int64_t there, const char *hint) {
    return lower::checkCapacity(scheme.kernel(), taken, what, there, "a DPU has", hint);
  };
  if (Status s = check(code.wramUsed + scheme.wramBytes * scheme.threads, "bytes of WRAM", dpu.wram.value,
                       "use fewer tasklets or a smaller buffer=");
      !s)
    return s;
  if (Status s = check(code.mramUsed + scheme.mramBytes, "bytes of MRAM", dpu.mram.value, "spread it over more DPUs");
      !s)
    return s;
  return check(static_cast<std::int64_t>(code.instructions.size()), "instructions", dpu.instructions,
               "split the kernel into several");
}

}  // namespace

Result<Source> writeSource(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                           const machine::Machine &machine) {
  if (const Status s = checkMachine(machine); !s) return s.diagnostics();
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, graph, kernel, machine);
  if (!placed) return placed.diagnostics();
  Result<Scheme> scheme = makeScheme(graph, kernel, *placed, machine);
  if (!scheme) return scheme.diagnostics();
  if (const Status s = checkTasklets(*scheme, machine); !s) return s.diagnostics();
  Written written = writeProgram(*scheme);
  return Source{std::move(*scheme), std::move(*placed), std::move(written)};
}

Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine, program::DpuCompiler *compiler, Cache &cache) {
  Result<Source> source = writeSource(graph, kernel, mapping, machine);
  if (!source) return source.diagnostics();
  auto image = buildProgram(source->written.text, source->scheme.threads, source->scheme.stackBytes, compiler, cache);
  if (!image) return image.diagnostics();
  if (const Status s = checkMemories(source->scheme, (*image)->code, machine); !s) return s.diagnostics();
  const std::shared_ptr<const program::Code> code(*image, &(*image)->code);
  auto plan = std::make_shared<const Plan>(std::move(source->scheme), std::move(source->written.arguments), code);
  Lowered out;
  out.program.target = machine.name;
  out.program.processes.push_back({"compiled", plan->dpus(), program::MachineCode{code, {plan->arguments(0)}}});
  if (const Status s = program::verify(out.program, machine); !s) return s.diagnostics();
  out.placed = std::move(source->placed);
  out.host = plan->hostWork();
  out.plan = std::move(plan);
  out.image = std::move(*image);
  return out;
}

}  // namespace pimento::targets::upmem::compiled
