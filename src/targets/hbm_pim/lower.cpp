#include "pimento/targets/hbm_pim/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/lower/tensor_place.h"
#include "pimento/targets/hbm_pim/elementwise.h"
#include "pimento/targets/hbm_pim/elementwise_data.h"
#include "pimento/targets/hbm_pim/matvec.h"
#include "pimento/targets/hbm_pim/matvec_data.h"
#include "pimento/targets/hbm_pim/streamed.h"

namespace pimento::targets::hbm_pim {

namespace {

/// Words of the longest microkernel of a matrix-vector product, in whole bursts.
constexpr std::int64_t kMatVecWords = 8 * MatVecData::kTreeCrfBursts;

/// Reductions run innermost: partial sums live in registers that no other output may use meanwhile.
Status checkOrder(const mapping::Mapping &mapping, const kernel::Kernel &kernel) {
  if (mapping.mergeAt == mapping::MergeAt::kDevice)
    return error("illegal-mapping", kernel.where,
                 fmt::format("kernel '{}': merge=device is not available; the host merges partial results of units",
                             kernel.name),
                 "omit merge=device");
  bool hasReduced = false;
  for (const std::string &name : mapping.order) {
    const int d = kernel.dimNamed(name);
    const bool isReduction = d >= 0 && kernel.dims[static_cast<std::size_t>(d)].kind == kernel::DimKind::kReduction;
    if (hasReduced && !isReduction)
      return error("illegal-mapping", kernel.where,
                   fmt::format("kernel '{}': order({}) runs dim '{}' inside a reduction", kernel.name,
                               fmt::join(mapping.order, ","), name),
                   "HBM-PIM keeps partial sums in registers: put reduction dims last, or omit order()");
    hasReduced |= isReduction;
  }
  return okStatus();
}

}  // namespace

Status checkMachine(const machine::Machine &machine) {
  using Role = machine::LevelRole;
  const bool hasLevels = machine::haveRoles(machine.levels, {Role::kGroup, Role::kUnit, Role::kLane});
  if (machine.dram && machine.pim && hasLevels && machine.pim->lanes == sim::pim::kLanes &&
      machine.pim->banksPerBlock == 2 && machine.pim->grfEntries == MatVecData::kBursts &&
      machine.pim->type == DType::kF16 &&
      machine.pim->blocks * machine.pim->banksPerBlock == machine.dram->organization.banks() &&
      machine.pim->crfWords >= kMatVecWords && machine.dram->organization.columns % ElementwiseData::kColumns == 0 &&
      MatVecData::kSlots * MatVecData::kBursts % machine.dram->organization.columns == 0)
    return okStatus();
  return unsupported(
      "unsupported-machine", {"--target"},
      fmt::format("machine '{}' has no HBM-PIM units with 16 f16 lanes, 8 GRF entries, at least {} CRF words and "
                  "two banks per block with rows of 8 to 64 bursts",
                  machine.name, kMatVecWords),
      "channels, ranks, rows, timing, controller policies and energy can be changed, but not the unit");
}

Status checkRows(const kernel::Kernel &kernel, std::int64_t rows, const machine::Machine &machine,
                 std::string_view less) {
  return lower::checkCapacity(kernel, rows, "rows in every bank", machine.pim->firstControlRow, "free for data are",
                              fmt::format("use fewer {}, or more channels", less));
}

Result<std::vector<Pattern>> alternativesFor(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                             const machine::Machine &machine) {
  if (const Status s = checkMachine(machine); !s) return s.diagnostics();
  Result<std::vector<Pattern>> all = alternatives(graph, kernel, machine);
  if (!all) return all.diagnostics();
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  const auto named = [&](const char *name, std::int64_t has) {
    const auto at = mapping.parameters.find(name);
    return at == mapping.parameters.end() || at->second == has;
  };
  std::vector<Pattern> found;
  std::vector<std::string> choices;
  for (Pattern &p : *all) {
    const auto own = parametersOf(p, k);
    const auto valueOf = [&](const char *name) { return own.contains(name) ? own.at(name) : 0; };
    const std::string text =
        fmt::format("{}={}{}", kResident, valueOf(kResident), p.matVec.isDirect ? ";direct=1" : "");
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) choices.push_back(text);
    // Without a word about it elements lie in the banks once per point, but where the choice is free.
    if (named(kResident, valueOf(kResident)) && named(kDirect, valueOf(kDirect))) found.push_back(std::move(p));
  }
  if (!found.empty()) return found;
  const bool hasChoice = all->front().kind != Pattern::Kind::kElementwise;
  return error("illegal-mapping", k.where,
               fmt::format("kernel '{}': no program keeps these operands in the banks: {}", k.name,
                           mapping::print(mapping::MapSpec{mapping::MapSpec::Kind::kReference, mapping})),
               hasChoice ? fmt::format("choices: {}", fmt::join(choices, ", "))
                         : fmt::format("omit {}= and {}=: all operands lie in the banks", kResident, kDirect));
}

/// Where the operands of one of several alternatives lie.
std::string wayOf(const Pattern &pattern, const kernel::Graph &graph, const kernel::Kernel &kernel) {
  if (!pattern.isMatVec()) return "all operands lie in the banks, term after term";
  const auto nameOf = [&](int load) {
    return graph.tensors[static_cast<std::size_t>(kernel.loads[static_cast<std::size_t>(load)].tensor)].name;
  };
  return fmt::format("'{}' lies in the banks{}; '{}' is broadcast", nameOf(pattern.matVec.weights),
                     pattern.matVec.isDirect ? ", an element once for all points of a lane that read it" : "",
                     nameOf(pattern.matVec.input));
}

Result<Lowered> lowerAs(const Pattern &pattern, const kernel::Graph &graph, int kernel, mapping::PlacedMapping placed,
                        const machine::Machine &machine, Variant variant) {
  switch (pattern.kind) {
    case Pattern::Kind::kMatVec:
      return lowerMatVec(graph, kernel, pattern.matVec, std::move(placed), machine, variant);
    case Pattern::Kind::kStreamed:
      return lowerStreamed(graph, kernel, pattern.streamed, std::move(placed), machine);
    case Pattern::Kind::kElementwise:
      break;
  }
  return lowerElementwise(graph, kernel, pattern.elementwise, std::move(placed), machine);
}

Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine, Variant variant) {
  const Result<std::vector<Pattern>> patterns = alternativesFor(graph, kernel, mapping, machine);
  if (!patterns) return patterns.diagnostics();
  const Pattern &pattern = patterns->front();
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, graph, kernel, machine);
  if (!placed) return placed.diagnostics();
  if (pattern.kind != Pattern::Kind::kElementwise && mapping.tail == mapping::Tail::kTruncate)
    return error("illegal-mapping", k.where,
                 fmt::format("kernel '{}': tail=truncate needs an element-wise kernel", k.name),
                 "omit tail=truncate; products and sums are padded");
  if (const Status o = checkOrder(mapping, k); !o) return o.diagnostics();
  Result<Lowered> lowered = lowerAs(pattern, graph, kernel, std::move(*placed), machine, variant);
  if (lowered && (patterns->size() > 1 || mapping.parameters.contains(kResident)))
    lowered->choices.push_back(wayOf(pattern, graph, k));
  return lowered;
}

}  // namespace pimento::targets::hbm_pim
