#include "pimento/targets/hbm_pim/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/lower/tensor_place.h"
#include "pimento/targets/hbm_pim/elementwise.h"
#include "pimento/targets/hbm_pim/elementwise_data.h"
#include "pimento/targets/hbm_pim/matvec.h"
#include "pimento/targets/hbm_pim/matvec_data.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

namespace {

constexpr std::size_t kChannel = 0, kBlock = 1, kLane = 2, kLevels = 3;

/// Words of the longest microkernel of a matrix-vector product, in whole bursts.
constexpr std::int64_t kMatVecWords = 8 * MatVecData::kTreeCrfBursts;

/// The lowering speaks of channels, blocks and lanes; a machine file that has other levels is not its target. A weight
/// tile fills whole rows.
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

std::int64_t largestPrimeFactor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t p = 2; p * p <= n; ++p)
    while (n % p == 0) {
      largest = p;
      n /= p;
    }
  return std::max(largest, n);
}

/// Spreads `count` instances over `dims`, each prime factor to the dim with most left per unit.
void spread(std::vector<std::int64_t> &factors, std::vector<std::int64_t> &left, const std::vector<int> &dims,
            std::int64_t count) {
  while (count > 1) {
    const std::int64_t f = largestPrimeFactor(count);
    const int d = *std::max_element(dims.begin(), dims.end(), [&](int a, int b) {
      return left[static_cast<std::size_t>(a)] < left[static_cast<std::size_t>(b)];
    });
    factors[static_cast<std::size_t>(d)] *= f;
    left[static_cast<std::size_t>(d)] = (left[static_cast<std::size_t>(d)] + f - 1) / f;
    count /= f;
  }
}

}  // namespace

// Matrix-vector: outputs over channels and blocks in groups of 8 slots, inputs over lanes. Element-wise: linear
// addresses, that is bursts of 16 elements over channels, then banks. Kernels with more dims are spread evenly, since
// the vendor's simulator has none.
Result<mapping::Mapping> referenceMapping(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                          const mapping::MapSpec &spec) {
  if (const Status s = checkMachine(machine); !s) return s.diagnostics();
  const Result<Pattern> pattern = recognise(graph, kernel, machine);
  if (!pattern) return pattern.diagnostics();
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  mapping::Mapping m = spec.mapping;
  m.text = m.tail == mapping::Tail::kTruncate ? "reference;tail=truncate" : "reference";
  mapping::Subspace s;
  s.factors.assign(kLevels + 1, std::vector<std::int64_t>(k.dims.size(), 1));
  std::vector<std::int64_t> left;
  std::vector<int> outer, inner;
  for (std::size_t d = 0; d < k.dims.size(); ++d) left.push_back(k.dims[d].extent);
  if (pattern->isMatVec) {
    outer = pattern->matVec.outputDims;
    inner = pattern->matVec.reductionDims;
  } else {
    for (std::size_t d = 0; d < k.dims.size(); ++d) outer.push_back(static_cast<int>(d));
    inner = outer;
  }
  if (outer.empty()) outer = inner;  // a dot product: channels may split it, blocks may not
  spread(s.factors[kLane], left, inner, machine.levels[kLane].count);
  const bool canSplitBlocks = !pattern->isMatVec || !pattern->matVec.outputDims.empty();
  if (canSplitBlocks) spread(s.factors[kBlock], left, outer, machine.levels[kBlock].count);
  spread(s.factors[kChannel], left, outer, machine.levels[kChannel].count);
  s.factors[kLevels] = left;
  m.subspaces = {s};
  const std::int64_t lanes = machine.levels[kLane].count, blocks = machine.levels[kBlock].count;
  if (m.cyclic.empty() && outer.size() == 1 && canSplitBlocks) {
    // Whole groups stay together: 8 slots, or one burst in each bank of a block.
    const std::int64_t group = pattern->isMatVec ? MatVecData::kSlots : machine.pim->banksPerBlock;
    std::int64_t &range = m.subspaces[0].factors[kLevels][static_cast<std::size_t>(outer[0])];
    range = (range + group - 1) / group * group;
    m.cyclic[machine.levels[kChannel].name] = pattern->isMatVec ? blocks * MatVecData::kSlots : lanes;
    m.cyclic[machine.levels[kBlock].name] = pattern->isMatVec ? MatVecData::kSlots : lanes * machine.pim->banksPerBlock;
    m.cyclic[machine.levels[kLane].name] = 1;
  }
  return m;
}

Status checkRows(const kernel::Kernel &kernel, std::int64_t rows, const machine::Machine &machine,
                 std::string_view less) {
  return lower::checkCapacity(kernel, rows, "rows in every bank", machine.pim->firstControlRow, "free for data are",
                              fmt::format("use fewer {}, or more channels", less));
}

Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine, Variant variant) {
  if (const Status s = checkMachine(machine); !s) return s.diagnostics();
  const Result<Pattern> pattern = recognise(graph, kernel, machine);
  if (!pattern) return pattern.diagnostics();
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, k, machine);
  if (!placed) return placed.diagnostics();
  if (pattern->isMatVec && mapping.tail == mapping::Tail::kTruncate)
    return error("illegal-mapping", k.where,
                 fmt::format("kernel '{}': tail=truncate needs an element-wise kernel", k.name),
                 "omit tail=truncate; matrix-vector products are padded");
  if (const Status o = checkOrder(mapping, k); !o) return o.diagnostics();
  Result<Lowered> out = pattern->isMatVec
                            ? lowerMatVec(graph, kernel, pattern->matVec, std::move(*placed), machine, variant)
                            : lowerElementwise(graph, kernel, pattern->elementwise, std::move(*placed), machine);
  return out;
}

}  // namespace pimento::targets::hbm_pim
