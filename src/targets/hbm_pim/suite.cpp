#include "pimento/targets/hbm_pim/suite.h"

#include <fmt/format.h>

#include "pimento/kernel/zoo.h"
#include "pimento/targets/dram/run.h"
#include "pimento/targets/hbm_pim/host_stream.h"
#include "pimento/targets/targets.h"

namespace pimento::targets::hbm_pim {

namespace {

using evaluate::Point;
using evaluate::Replaying;

/// What all rows ask for.
evaluate::Request requestOf(const Replaying &r, const machine::Machine &machine) {
  evaluate::Request out;
  out.machine = &machine;
  out.target = &target();
  out.isSimulation = r.isSimulation;
  out.twoSlice = r.twoSlice;
  return out;
}

Result<evaluate::Report> replayHostStream(const Replaying &r, const machine::Machine &machine, const Point &p) {
  const auto program = hostStream(machine, Bytes(p.number("bytes")), p.kernel == "hostwr");
  if (!program) return program.diagnostics();
  const auto runnable = dram::load(*program, machine, {});
  if (!runnable) return runnable.diagnostics();
  evaluate::Request request = requestOf(r, machine);
  request.program = runnable->get();
  return evaluate::evaluate(request);
}

/// add, mul, relu, and the element-wise rows of network files: operand regions and truncation as the reference does.
Result<evaluate::Report> replayKernel(const Replaying &r, const machine::Machine &machine, const Point &p) {
  kernel::Sizes sizes;
  evaluate::Request request = requestOf(r, machine);
  mapping::MapSpec spec;
  const bool isGemv = p.kernel.starts_with("gemv");
  if (isGemv) {
    sizes = {{"m", p.number(p.has("output_dim") ? "output_dim" : "output_dim_or_elements")},
             {"n", p.number("input_dim")},
             {"batch", p.has("batch") ? p.number("batch") : 1}};
    if (p.kernel != "gemv") request.variant = "tree";
  } else {
    sizes = {{"n", p.number(p.has("elements") ? "elements" : "output_dim_or_elements")}};
    spec.mapping.tail = mapping::Tail::kTruncate;
  }
  const Result<kernel::Graph> graph = kernel::makeZooKernel(isGemv ? "gemv" : p.kernel, sizes, machine.nativeType);
  if (!graph) return graph.diagnostics();
  request.graph = &*graph;
  request.maps = {spec};
  return evaluate::evaluate(request);
}

Result<evaluate::Replay> replay(const Replaying &r, const Point &p) {
  std::vector<std::string> sets;
  for (const char *column : {"channels", "ranks"})
    if (p.has(column)) sets.push_back(fmt::format("{}={}", column, p.text(column)));
  const Result<machine::Machine> machine = r.machine("hbm-pim", sets);
  if (!machine) return machine.diagnostics();
  const bool isHost = p.kernel == "hostrd" || p.kernel == "hostwr";
  const Result<evaluate::Report> report = isHost ? replayHostStream(r, *machine, p) : replayKernel(r, *machine, p);
  if (!report) return report.diagnostics();
  return evaluate::replayOf(*report, static_cast<double>(report->cycles.value),
                            static_cast<double>(p.number("cycles")));
}

}  // namespace

evaluate::Suite suite() {
  using Groups = std::vector<std::vector<std::string>>;
  const Groups gemv = {{"output_dim", "output_dim_or_elements"}, {"input_dim"}};
  const Groups elements = {{"elements", "output_dim_or_elements"}};
  evaluate::Suite out{"hbm-pim", {}, replay};
  out.rules.required = {"cycles"};
  out.rules.whole = {
      "output_dim", "input_dim", "batch", "channels", "ranks", "elements", "bytes", "output_dim_or_elements", "cycles"};
  out.rules.kernels = {{"gemv", gemv},    {"gemvtree", gemv}, {"gemv_tree", gemv},     {"add", elements},
                       {"mul", elements}, {"relu", elements}, {"hostrd", {{"bytes"}}}, {"hostwr", {{"bytes"}}}};
  return out;
}

}  // namespace pimento::targets::hbm_pim
