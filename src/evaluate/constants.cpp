#include "pimento/evaluate/constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/base/text.h"
#include "pimento/evaluate/price.h"

namespace pimento::evaluate {

namespace {

bool reads(const kernel::Graph &graph, const PlannedPart &part, int tensor) {
  for (int k = part.first; k < part.first + part.count; ++k)
    for (const kernel::Access &load : graph.kernels[static_cast<std::size_t>(k)].loads)
      if (load.tensor == tensor) return true;
  return false;
}

/// Whether two programs for one part move the same, as far as their bounds tell: neither saves anything then.
bool costsAlike(const CompiledPart &a, const CompiledPart &b) {
  const auto cost = [](const CommandPhase &p) { return std::tuple(std::string_view(p.name), p.cycles, p.commands); };
  return a.hostWork() == b.hostWork() && std::ranges::equal(a.bound().phases, b.bound().phases, {}, cost, cost);
}

/// Cycles of the host that a constant saves in all runs of the parts that read it.
Cycles savedBy(int tensor, const Request &request, const CompiledGraph &compiled, const Report &report) {
  kernel::Graph graph = *request.graph;
  graph.tensors[static_cast<std::size_t>(tensor)].isConstant = true;
  Cycles saved;
  for (std::size_t p = 0; p < compiled.size(); ++p) {
    const PlannedPart &part = compiled[p];
    if (part.compiled == nullptr || !reads(graph, part, tensor)) continue;
    const auto with = request.target->compile({&graph, part.first, part.count}, part.mapping, *request.machine,
                                              request.variant, request.tools);
    if (!with) continue;
    if (costsAlike(**with, *part.compiled)) continue;
    DeviceRun run;
    if (!(*with)->bound().phases.empty())
      if (const Result<DeviceRun> ran = (*with)->run({.isFastForward = true})) run = *ran;
    run.cycles = Cycles(0);
    const std::int64_t host = breakdownOf(*request.machine, (*with)->hostWork(), run).total().value;
    const Breakdown before = report.stages[p].breakdown();
    saved += Cycles((before.total() - before[Part::kCompute]).value - multiplySaturated(host, report.stages[p].runs));
  }
  return saved;
}

}  // namespace

std::optional<std::string> noteOnConstants(const Request &request, const CompiledGraph &compiled,
                                           const Report &report) {
  constexpr std::size_t kMostKernels = 8, kMostInputs = 16, kMostNamed = 3;
  constexpr std::int64_t kLeastShare = 20;  // inputs that save a twentieth of the time are named
  if (request.graph == nullptr || request.rounds != nullptr || request.graph->kernels.size() > kMostKernels) return {};
  const Breakdown b = report.breakdown();
  const std::int64_t placing = (b[Part::kTransferIn] + b[Part::kRearrangeIn]).value, total = b.total().value;
  if (placing <= total / 2) return {};
  std::vector<std::pair<std::int64_t, std::string>> found;  // what is saved, and by which input
  std::size_t seen = 0;
  for (std::size_t t = 0; t < request.graph->tensors.size() && seen < kMostInputs; ++t) {
    const kernel::Tensor &tensor = request.graph->tensors[t];
    if (tensor.role != kernel::Role::kInput || tensor.isConstant) continue;
    ++seen;
    const std::int64_t saved = savedBy(static_cast<int>(t), request, compiled, report).value;
    if (saved > total / kLeastShare) found.emplace_back(saved, tensor.name);
  }
  if (found.empty()) return {};
  std::ranges::stable_sort(found, [](const auto &a, const auto &b) { return a.first > b.first; });
  found.resize(std::min(found.size(), kMostNamed));
  std::vector<std::string> ways;
  for (const auto &[saved, name] : found) ways.push_back(fmt::format("{} with --constant {}", total - saved, name));
  constexpr double kPercent = 100;
  return fmt::format(
      "placing operands takes {:.1f} % of the time; what is the same in every run can be placed once, before the "
      "first: the total is then {} cycles, instead of {}",
      kPercent * static_cast<double>(placing) / static_cast<double>(total), fmt::join(ways, ", "), total);
}

}  // namespace pimento::evaluate
