// Which mapping a kernel gets where none is given, and which of its alternatives.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "pimento/evaluate/cost.h"
#include "pimento/targets/dram/run.h"
#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/matvec_data.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

namespace {

constexpr std::size_t kChannel = 0, kBlock = 1, kLane = 2, kLevels = 3;

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

// Matrix-vector: outputs over channels and blocks in groups of 8 slots, inputs over lanes. Element-wise: linear
// addresses, that is bursts of 16 elements over channels, then banks. Kernels with more dims are spread evenly, since
// the vendor's simulator has none.
mapping::Mapping vendorMapping(const kernel::Kernel &k, const Pattern &pattern, const machine::Machine &machine,
                               const mapping::Mapping &spec) {
  mapping::Mapping m = spec;
  mapping::MapSpec named;
  named.mapping.cyclic = spec.cyclic;
  named.mapping.order = spec.order;
  named.mapping.tail = spec.tail;
  m.text = mapping::print(named);
  mapping::Subspace s;
  s.factors.assign(kLevels + 1, std::vector<std::int64_t>(k.dims.size(), 1));
  std::vector<std::int64_t> left;
  std::vector<int> outer, inner;
  for (std::size_t d = 0; d < k.dims.size(); ++d) left.push_back(k.dims[d].extent);
  if (pattern.isMatVec()) {
    outer = pattern.matVec.outputDims;
    inner = pattern.matVec.reductionDims;
  } else {
    for (std::size_t d = 0; d < k.dims.size(); ++d) outer.push_back(static_cast<int>(d));
    inner = outer;
  }
  if (outer.empty()) outer = inner;  // a dot product: channels may split it, blocks may not
  spread(s.factors[kLane], left, inner, machine.levels[kLane].count);
  const bool canSplitBlocks = !pattern.isMatVec() || !pattern.matVec.outputDims.empty();
  if (canSplitBlocks) spread(s.factors[kBlock], left, outer, machine.levels[kBlock].count);
  spread(s.factors[kChannel], left, outer, machine.levels[kChannel].count);
  s.factors[kLevels] = left;
  m.subspaces = {s};
  const std::int64_t lanes = machine.levels[kLane].count, blocks = machine.levels[kBlock].count;
  if (m.cyclic.empty() && outer.size() == 1 && canSplitBlocks) {
    // Whole groups stay together: 8 slots, or one burst in each bank of a block.
    const std::int64_t group = pattern.isMatVec() ? MatVecData::kSlots : machine.pim->banksPerBlock;
    std::int64_t &range = m.subspaces[0].factors[kLevels][static_cast<std::size_t>(outer[0])];
    range = (range + group - 1) / group * group;
    m.cyclic[machine.levels[kChannel].name] = pattern.isMatVec() ? blocks * MatVecData::kSlots : lanes;
    m.cyclic[machine.levels[kBlock].name] =
        pattern.isMatVec() ? MatVecData::kSlots : lanes * machine.pim->banksPerBlock;
    m.cyclic[machine.levels[kLane].name] = 1;
  }
  return m;
}

/// Names the alternative.
void addParameters(mapping::Mapping &m, const Pattern &pattern, const kernel::Kernel &kernel) {
  for (const auto &[name, value] : parametersOf(pattern, kernel)) {
    m.parameters[name] = value;
    m.text += fmt::format(";{}={}", name, value);
  }
}

/// Deals the instances of each level out to the dims that gain most: lanes to outputs or to the reduction, blocks to
/// outputs, channels to all that are independent. Nothing where lanes have no such dims.
class Spreader {
 public:
  Spreader(const kernel::Kernel &kernel, const Pattern &pattern, const machine::Machine &machine)
      : kernel_(kernel), pattern_(pattern), machine_(machine) {
    for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
      left_.push_back(kernel.dims[d].extent);
      const bool isReduction = kernel.dims[d].kind == kernel::DimKind::kReduction;
      (isReduction ? reductions_ : independent_).push_back(static_cast<int>(d));
    }
    outputs_ = pattern.isMatVec() ? pattern.matVec.outputDims : independent_;
  }

  std::optional<mapping::Mapping> run(const mapping::Mapping &spec, bool areLanesOutputs) {
    std::vector<int> lanes = areLanesOutputs ? outputs_ : reductions_;
    // Lanes that share taps of a window would need padding between them.
    if (!areLanesOutputs && pattern_.isMatVec() && pattern_.matVec.isDirect) lanes = {pattern_.matVec.burstDim};
    if (areLanesOutputs && pattern_.isMatVec())
      lanes.insert(lanes.end(), pattern_.matVec.groupDims.begin(), pattern_.matVec.groupDims.end());
    if (lanes.empty()) return std::nullopt;
    mapping::Mapping m = spec;
    mapping::Subspace s;
    s.factors.assign(kLevels + 1, std::vector<std::int64_t>(left_.size(), 1));
    spread(s.factors[kLane], left_, lanes, machine_.levels[kLane].count);
    if (!outputs_.empty()) spread(s.factors[kBlock], left_, outputs_, machine_.levels[kBlock].count);
    channels(s.factors[kChannel]);
    const int burst = pattern_.isMatVec() ? pattern_.matVec.burstDim : -1;
    if (burst >= 0) nestBursts(m, burst);
    s.factors[kLevels] = left_;
    m.subspaces = {s};
    mapping::dropIdleInstances(m.subspaces[0], kernel_, machine_.levels);
    m.text = "reference";
    addParameters(m, pattern_, kernel_);
    return m;
  }

 private:
  /// Whole tiles of the dim whose values stand side by side, in the even and in the odd bank; it runs innermost.
  void nestBursts(mapping::Mapping &m, int burst) {
    constexpr std::int64_t kTiles = 2 * MatVecData::kBursts;
    std::int64_t &range = left_[static_cast<std::size_t>(burst)];
    range = (range + kTiles - 1) / kTiles * kTiles;
    m.order.clear();
    for (const std::vector<int> *dims : {&independent_, &reductions_})
      for (const int d : *dims)
        if (d != burst) m.order.push_back(kernel_.dims[static_cast<std::size_t>(d)].name);
    m.order.push_back(kernel_.dims[static_cast<std::size_t>(burst)].name);
  }

  /// Work that one more split of a dim takes off a channel; outputs below a slot's worth take none.
  double worth(int d) const {
    const auto left = static_cast<double>(left_[static_cast<std::size_t>(d)]);
    const bool isOutput = std::find(outputs_.begin(), outputs_.end(), d) != outputs_.end();
    const bool isReduction = kernel_.dims[static_cast<std::size_t>(d)].kind == kernel::DimKind::kReduction;
    const double least = isReduction ? 16 * MatVecData::kBursts : isOutput ? MatVecData::kSlots : 1;
    return left / least;
  }

  void channels(std::vector<std::int64_t> &factors) {
    std::vector<int> dims = independent_;
    dims.insert(dims.end(), reductions_.begin(), reductions_.end());
    for (std::int64_t left = machine_.levels[kChannel].count; left > 1;) {
      const std::int64_t f = largestPrimeFactor(left);
      const int d = *std::max_element(dims.begin(), dims.end(), [&](int a, int b) { return worth(a) < worth(b); });
      if (worth(d) <= 1) break;
      factors[static_cast<std::size_t>(d)] *= f;
      std::int64_t &rest = left_[static_cast<std::size_t>(d)];
      rest = (rest + f - 1) / f;
      left /= f;
    }
  }

  const kernel::Kernel &kernel_;
  const Pattern &pattern_;
  const machine::Machine &machine_;
  std::vector<std::int64_t> left_;
  std::vector<int> outputs_, reductions_, independent_;
};

}  // namespace

std::vector<mapping::Mapping> usualMappings(const kernel::Kernel &kernel, const std::vector<Pattern> &patterns,
                                            const machine::Machine &machine, const mapping::Mapping &spec) {
  std::vector<mapping::Mapping> all;
  for (const Pattern &p : patterns)
    for (const bool areLanesOutputs : {false, true})
      if (auto m = Spreader(kernel, p, machine).run(spec, areLanesOutputs)) all.push_back(std::move(*m));
  return all;
}

Result<mapping::Mapping> referenceMapping(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                          const mapping::MapSpec &spec) {
  const Result<std::vector<Pattern>> patterns = alternativesFor(graph, kernel, spec.mapping, machine);
  if (!patterns) return patterns.diagnostics();
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  const Pattern &first = patterns->front();
  if (first.kind == Pattern::Kind::kElementwise) return vendorMapping(k, first, machine, spec.mapping);
  std::vector<mapping::Mapping> candidates;
  const bool isPlain = first.isMatVec() && first.matVec.isPlain();
  const bool isAllPlain = std::all_of(patterns->begin(), patterns->end(),
                                      [](const Pattern &p) { return p.isMatVec() && p.matVec.isPlain(); });
  if (!isAllPlain || spec.mapping.parameters.contains(kResident))
    candidates = usualMappings(k, *patterns, machine, spec.mapping);
  for (const Pattern &p : *patterns) {
    if (!isPlain || !p.isMatVec() || !p.matVec.isPlain()) continue;
    mapping::Mapping &m = candidates.emplace_back(vendorMapping(k, p, machine, spec.mapping));
    if (&p != &first) addParameters(m, p, k);
  }
  if (candidates.size() == 1) return std::move(candidates.front());
  std::optional<mapping::Mapping> best;
  Diagnostics why;
  Cycles least(std::numeric_limits<std::int64_t>::max());
  for (mapping::Mapping &m : candidates) {
    const Result<Lowered> lowered = lower(graph, kernel, m, machine, Variant::kPlain);
    if (!lowered) {
      if (why.empty()) why = lowered.diagnostics();
      continue;
    }
    const evaluate::DeviceRun run = dram::bound(lowered->program, machine);
    const Cycles total = evaluate::costOf(machine, lowered->host, {run.cycles, run.actions}).total;
    if (best && total >= least) continue;
    least = total;
    best = std::move(m);
  }
  if (!best) return why;
  return std::move(*best);
}

}  // namespace pimento::targets::hbm_pim
