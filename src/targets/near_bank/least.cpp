#include "pimento/targets/near_bank/least.h"

#include <algorithm>
#include <array>

#include "pimento/base/integer.h"
#include "pimento/evaluate/report.h"
#include "pimento/sim/dram/bound.h"
#include "pimento/sim/pim/all_bank.h"
#include "pimento/targets/near_bank/movement.h"
#include "pimento/targets/near_bank/product.h"

namespace pimento::targets::near_bank {

namespace {

/// What a channel and its banks have under a mapping.
struct Split {
  std::int64_t banks = 1;            ///< of a channel, with something to do
  std::int64_t columns = 0;          ///< of weights, in each of them
  std::int64_t multiplications = 0;  ///< of a channel, each by all banks at once
};

class LeastProductCosts final : public evaluate::LeastCosts {
 public:
  LeastProductCosts(const kernel::Graph &graph, int kernel, Product product, const machine::Machine &machine)
      : kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        product_(std::move(product)),
        machine_(machine),
        spec_(sim::pim::channelSpec(machine)),
        multiply_(machine.nearBank->multiply),
        banksPerNode_(machine.dram->organization.ranks * machine.dram->organization.banks() /
                      spec_.device.nodes[static_cast<std::size_t>(machine::ScopeLevel::kPseudoChannel)]) {
    const kernel::Tensor &weights =
        graph.tensors[static_cast<std::size_t>(kernel_.loads[static_cast<std::size_t>(product_.weights)].tensor)];
    isPlaced_ = !weights.isConstant;
    Movement movement(machine, 0, Passes({}, machine));
    if (isPlaced_ && movement.isInBanks()) findReads(movement.add(weights).count);
  }

  std::optional<evaluate::DeviceCost> of(const mapping::Mapping &mapping) const override {
    if (mapping.subspaces.size() != 1 || mapping.tail != mapping::Tail::kPad || !mapping.cyclic.empty() ||
        !mapping.parameters.empty() ||
        (mapping.program != mapping::ProgramKind::kAny && mapping.program != mapping::ProgramKind::kCompiled))
      return std::nullopt;
    const Split split = splitOf(mapping.subspaces.front());
    evaluate::DeviceCost cost;
    const std::array<sim::dram::ColumnCount, 1> products = {{{multiply_, split.multiplications}}};
    cost.cycles = sim::dram::leastOfColumns(spec_, products);
    if (isPlaced_) cost.phases.push_back({"place", evaluate::Part::kTransferIn, placing(split)});
    return cost;
  }

 private:
  /// The reads of each pseudo channel that bring `bursts` of a channel from the host's addresses: whole rows of its
  /// banks in turn (movement.h).
  void findReads(std::int64_t bursts) {
    const std::vector<int> &hostBanks = machine_.nearBank->hostBanks;
    const std::int64_t columns = machine_.dram->organization.columns;
    const std::int64_t rounds = bursts / (columns * static_cast<std::int64_t>(hostBanks.size()));
    reads_.assign(static_cast<std::size_t>(machine_.dram->organization.ranks * machine_.dram->organization.banks() /
                                           banksPerNode_),
                  0);
    for (const int bank : hostBanks) reads_[static_cast<std::size_t>(bank / banksPerNode_)] += rounds * columns;
    readsInAll_ = bursts;
  }

  Split splitOf(const mapping::Subspace &s) const {
    const auto range = [&](int d) { return std::min(s.range(d), kernel_.dims[static_cast<std::size_t>(d)].extent); };
    const auto product = [&](const std::vector<int> &dims) {
      std::int64_t n = 1;
      for (const int d : dims) n = multiplySaturated(n, range(d));
      return n;
    };
    Split out;
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      const auto dim = static_cast<int>(d);
      const std::int64_t held = std::min(s.extentInside(0, dim), kernel_.dims[d].extent);
      out.banks *= std::max<std::int64_t>(1, ceilDiv(held, s.range(dim)));
    }
    const std::int64_t perOutput = ceilDiv(product(product_.reductionDims), machine_.nearBank->lanes);
    out.columns =
        multiplySaturated(multiplySaturated(product(product_.groupDims), product(product_.outputDims)), perOutput);
    out.multiplications = multiplySaturated(out.columns, product(product_.batchDims));
    return out;
  }

  /// Reads of the host's data and writes of the banks, which wait for each other.
  Cycles placing(const Split &split) const {
    Cycles most;
    std::int64_t writes = 0;
    const auto take = [&](std::int64_t read, std::int64_t written) {
      const std::array<sim::dram::ColumnCount, 2> columns = {{{spec_.read, read}, {spec_.write, written}}};
      most = std::max(most, sim::dram::leastOfColumns(spec_, columns));
    };
    const std::int64_t nodes = machine_.dram->organization.ranks * machine_.dram->organization.banks() / banksPerNode_;
    for (std::int64_t n = 0; n < nodes; ++n) {
      const std::int64_t banks = std::clamp<std::int64_t>(split.banks - n * banksPerNode_, 0, banksPerNode_);
      take(reads_.empty() ? 0 : reads_[static_cast<std::size_t>(n)], multiplySaturated(banks, split.columns));
      writes = addSaturated(writes, multiplySaturated(banks, split.columns));
    }
    take(readsInAll_ / nodes, writes / nodes);  // some pseudo channel has the mean at least
    return most;
  }

  const kernel::Kernel &kernel_;
  Product product_;
  const machine::Machine &machine_;
  sim::dram::ChannelSpec spec_;
  int multiply_;
  std::int64_t banksPerNode_;
  bool isPlaced_ = true;
  std::vector<std::int64_t> reads_;  ///< by pseudo channel
  std::int64_t readsInAll_ = 0;
};

}  // namespace

std::unique_ptr<evaluate::LeastCosts> leastProductCosts(const evaluate::GraphPart &part,
                                                        const machine::Machine &machine) {
  if (part.count != 1) return nullptr;
  Result<Product> product = recogniseProduct(*part.graph, part.first, machine);
  if (!product) return nullptr;
  return std::make_unique<LeastProductCosts>(*part.graph, part.first, std::move(*product), machine);
}

}  // namespace pimento::targets::near_bank
