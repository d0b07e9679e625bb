// Kernels compiled for DPUs, run on data and compared with the reference interpreter.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "pimento/kernel/interpreter.h"
#include "pimento/mapping/mapping.h"
#include "pimento/targets/upmem/compiled/lower.h"
#include "pimento/targets/upmem/compiled/operands.h"

namespace pimento::test {

/// The order that the mapping accumulates in: integers have none.
inline kernel::Order orderOf(const kernel::Kernel &kernel, const kernel::Graph &graph,
                             const mapping::PlacedMapping &placed, const machine::Machine &machine) {
  bool isOrdered = kernel.form == kernel::Form::kAffine;
  for (const kernel::Dim &d : kernel.dims) isOrdered &= d.kind != kernel::DimKind::kSequential;
  isOrdered &= !targets::upmem::compiled::sumsRowsInOrder(graph, static_cast<int>(&kernel - graph.kernels.data()));
  if (!isOrdered) return {};
  return mapping::accumulationOrder(placed, kernel, machine, lower::accumulationRules(graph, kernel));
}

/// "" where the device computes what the interpreter does in the order of `lowered`, else what is wrong. `plan`: what
/// the host does. `cycles`: of the slowest DPU.
inline std::string runLowered(const kernel::Graph &graph, int number, const targets::upmem::compiled::Lowered &lowered,
                              const targets::upmem::compiled::Plan &plan, const machine::Machine &machine,
                              kernel::DataSet data, std::int64_t *cycles = nullptr) {
  using namespace targets::upmem;
  kernel::makeMissing(graph, data);
  kernel::DataSet expected = data;
  const kernel::Kernel &kernel = graph.kernels[static_cast<std::size_t>(number)];
  if (Status s = kernel::interpretKernel(graph, number, expected, orderOf(kernel, graph, lowered.placed, machine)); !s)
    return "interpreter: " + s.diagnostics().front().str();
  const auto collector = plan.collector(data);
  const kernel::DataSet given = data;
  for (std::int64_t d = 0; d < plan.dpus(); ++d) {
    sim::dpu::Dpu dpu(lowered.image, *machine.dpu);
    const auto arguments = plan.arguments(d);
    dpu.writeWram(arguments.address, std::as_bytes(std::span(arguments.bytes)));
    for (const Block &b : plan.operands(d, given)) dpu.writeMram(static_cast<std::uint32_t>(b.offset), b.bytes);
    const auto run = dpu.simulate({.maxInstructions = 200'000'000});
    if (run.fault) return "fault: " + run.fault->str();
    if (cycles != nullptr) *cycles = std::max(*cycles, run.cycles.value);
    auto results = plan.results();
    for (Block &b : results) dpu.readMram(static_cast<std::uint32_t>(b.offset), b.bytes);
    collector->add(results);
  }
  collector->finish();
  for (const kernel::Store &s : kernel.stores) {
    const auto t = static_cast<std::size_t>(s.target.tensor);
    const std::int64_t size = sizeOf(data[t].type).value;
    for (std::int64_t e = 0; e < data[t].elements(); ++e) {
      if (std::equal(data[t].bytes.begin() + e * size, data[t].bytes.begin() + (e + 1) * size,
                     expected[t].bytes.begin() + e * size))
        continue;
      if (isFloat(data[t].type) && std::isnan(data[t].asDouble(e)) && std::isnan(expected[t].asDouble(e))) continue;
      return fmt::format("{}[{}] is {}, not {}", graph.tensors[t].name, e, data[t].asDouble(e),
                         expected[t].asDouble(e));
    }
  }
  return "";
}

/// The same of what a mapping is lowered to.
inline std::string runCompiled(const kernel::Graph &graph, int number, const mapping::Mapping &mapping,
                               const machine::Machine &machine, program::DpuCompiler *compiler, kernel::DataSet data,
                               std::int64_t *cycles = nullptr) {
  static Cache cache;  // of this process: tests compile the same text again and again
  const auto lowered = targets::upmem::compiled::lower(graph, number, mapping, machine, compiler, cache);
  if (!lowered) return "lower: " + lowered.diagnostics().front().str();
  return runLowered(graph, number, *lowered, *lowered->plan, machine, std::move(data), cycles);
}

}  // namespace pimento::test
