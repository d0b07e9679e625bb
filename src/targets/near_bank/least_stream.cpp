#include "pimento/targets/near_bank/least_stream.h"

#include <algorithm>
#include <array>

#include "pimento/base/integer.h"
#include "pimento/evaluate/report.h"
#include "pimento/sim/dram/bound.h"
#include "pimento/sim/pim/all_bank.h"
#include "pimento/targets/near_bank/lower.h"

namespace pimento::targets::near_bank {

namespace {

using machine::ScopeLevel;
using sim::dram::DeviceSpec;

constexpr std::array kLevels = {ScopeLevel::kChannel, ScopeLevel::kPseudoChannel, ScopeLevel::kRank,
                                ScopeLevel::kBankGroup, ScopeLevel::kBank};

/// Commands of one channel: those of a kind that are alike wait for each other.
class Waits {
 public:
  explicit Waits(const sim::dram::ChannelSpec &spec) : device_(spec.device) {}

  /// At least so long from the first to the last, both included, of `each` commands to each of `banks` banks of every
  /// one of `rounds` sets of all banks; without `but` of them, whichever these are.
  std::int64_t ofBanks(int op, std::int64_t each, std::int64_t banks, std::int64_t rounds, std::int64_t but) const {
    std::int64_t most = 0;
    for (const ScopeLevel level : kLevels) {
      const std::int64_t held = std::min<std::int64_t>(banks, device_.banks / nodes(level));
      const std::int64_t count = multiplySaturated(multiplySaturated(each, held), rounds) - but;
      most = std::max(most, span(count, wait(op, level)));
    }
    return most;
  }
  /// The same of `count` commands to one bank, or to all banks at once.
  std::int64_t ofChannel(int op, std::int64_t count) const { return span(count, wait(op, ScopeLevel::kChannel)); }
  std::int64_t ofGroups(int op, std::int64_t each, std::int64_t groups, std::int64_t rounds) const {
    // Commands to every fourth bank: one to each group.
    const std::int64_t all = nodes(ScopeLevel::kBankGroup);
    std::int64_t most = 0;
    for (const ScopeLevel level : kLevels) {
      const std::int64_t held = std::min(groups, std::max<std::int64_t>(1, all / nodes(level)));
      most = std::max(most, span(multiplySaturated(multiplySaturated(each, held), rounds), wait(op, level)));
    }
    return most;
  }

 private:
  std::int64_t nodes(ScopeLevel level) const { return device_.nodes[static_cast<std::size_t>(level)]; }
  std::int64_t wait(int op, ScopeLevel level) const {
    std::int64_t most = 1;
    for (const DeviceSpec::Consequence &c : device_.consequences[static_cast<std::size_t>(op)])
      if (c.following == op && c.level == static_cast<int>(level)) most = std::max<std::int64_t>(most, c.latency);
    return most;
  }
  static std::int64_t span(std::int64_t count, std::int64_t wait) {
    return count <= 0 ? 0 : addSaturated(multiplySaturated(count - 1, wait), 1);
  }

  const DeviceSpec &device_;
};

class LeastStreamCosts final : public evaluate::LeastCosts {
 public:
  LeastStreamCosts(const evaluate::GraphPart &part, Task task, const machine::Machine &machine)
      : kernel_(part.kernel()),
        task_(std::move(task)),
        machine_(machine),
        spec_(sim::pim::channelSpec(machine)),
        waits_(spec_),
        lanes_(machine.dram->organization.burst.value / bytesOf(part)),
        window_(spec_.transactionQueue + 1),
        multiply_(machine.dram->commandNamed("MACAB")),
        toBuffer_(machine.dram->commandNamed("WRGB")),
        fromUnits_(machine.dram->commandNamed("MVSB")),
        toUnits_(machine.dram->commandNamed("MVGB")) {}

  std::optional<evaluate::DeviceCost> of(const mapping::Mapping &mapping) const override {
    using enum mapping::ProgramKind;
    if (mapping.part != mapping::StreamPart::kWhole ||
        (mapping.program != kPublished && mapping.program != kPublishedEvaluated))
      return std::nullopt;
    const Result<Draft> draft = draftAsRun(kernel_, task_, mapping, machine_);
    if (!draft) return std::nullopt;
    const Counts n(*draft, lanes_, machine_.dram->organization.channels, spec_.device.banks);
    const bool isEvaluated = mapping.program == kPublishedEvaluated;
    const std::int64_t results = task_.kernel == StreamKernel::kBgemv ? n.bursts(n.t0 * n.t2) : n.operands;
    std::int64_t cycles = transfer(n, n.operands) + transfer(n, results);
    std::int64_t multiplications = 0;
    if (task_.kernel == StreamKernel::kBgemv) {
      const std::int64_t each = n.bursts(n.t1) * n.t2;
      multiplications = multiplySaturated(n.t0, each);
      // Barriers keep a row's operands, its products and the next row apart.
      const std::int64_t moved = waits_.ofGroups(fromUnits_, ceilDiv(n.t2, lanes_), n.groupCommands, n.rounds);
      const std::int64_t products = std::max(waits_.ofChannel(multiply_, multiplySaturated(each, n.unitRounds)), moved);
      cycles += multiplySaturated(n.t0, products) + operandRows(n, 0);
    } else {
      // No barrier between them, but a queue's length holds them apart.
      const std::int64_t scores = multiplySaturated(n.t2, n.bursts(n.t1));
      const std::int64_t contexts = multiplySaturated(n.t1, n.bursts(n.t2));
      multiplications = multiplySaturated(n.t0, scores + contexts);
      const auto products = [&](std::int64_t count) {
        return waits_.ofChannel(multiply_, multiplySaturated(count, n.unitRounds) - 2 * window_);
      };
      const std::int64_t inRow = isEvaluated ? products(scores + contexts) : products(scores);
      cycles += multiplySaturated(n.t0, inRow) + operandRows(n, 2 * window_);
      if (!isEvaluated) cycles += products(multiplySaturated(n.t0, contexts));
      cycles += waits_.ofBanks(toUnits_, n.operands, n.banks, n.rounds, 2 * window_);
    }
    evaluate::DeviceCost cost;
    const std::array<sim::dram::ColumnCount, 1> columns = {
        {{multiply_, multiplySaturated(multiplications, n.unitRounds)}}};
    cost.cycles = std::max(Cycles(cycles), sim::dram::leastOfColumns(spec_, columns));
    return cost;
  }

 private:
  /// What a draft gives the channel that is looked at: the last of its groups.
  struct Counts {
    Counts(const Draft &d, std::int64_t elements, std::int64_t channels, std::int64_t allBanks)
        : lanes(elements), t0(d.tile(0)), t1(d.tile(1)), t2(d.tile(2)), operands(bursts(t0 * t1)) {
      const std::int64_t groups = d.groups(), cores = d.cores();
      unitRounds = groupsIn(groups, std::min(groups, channels) - 1, channels);
      banks = std::min(cores, allBanks);
      // Banks beyond a channel's last are of the channels behind it.
      for (std::int64_t block = 0; block < ceilDiv(cores, allBanks); ++block)
        if (cores - block * allBanks >= banks)
          rounds += groupsIn(groups, std::min(groups, channels) - 1 - block, channels);
      groupCommands = ceilDiv(banks, kBanksOfGroup);
    }
    std::int64_t bursts(std::int64_t n) const { return ceilDiv(n, lanes); }

    static constexpr std::int64_t kBanksOfGroup = 4;
    std::int64_t lanes, t0, t1, t2;
    std::int64_t operands;           ///< bursts of each bank
    std::int64_t banks = 1;          ///< of the channel
    std::int64_t rounds = 0;         ///< sets of such banks that one command of the stream goes to
    std::int64_t unitRounds = 1;     ///< commands to all its units, for one of the stream
    std::int64_t groupCommands = 1;  ///< to every fourth bank

   private:
    /// How many of the groups are `channel`, counted in rounds.
    static std::int64_t groupsIn(std::int64_t groups, std::int64_t channel, std::int64_t channels) {
      const std::int64_t at = ((channel % channels) + channels) % channels;
      return groups > at ? (groups - 1 - at) / channels + 1 : 0;
    }
  };

  static std::int64_t bytesOf(const evaluate::GraphPart &part) {
    const kernel::Kernel &k = part.kernel();
    return sizeOf(part.graph->tensors[static_cast<std::size_t>(k.stores[0].target.tensor)].type).value;
  }
  std::int64_t transfer(const Counts &n, std::int64_t bursts) const {
    return waits_.ofBanks(spec_.write, bursts, n.banks, n.rounds, 0);
  }
  /// Operands of the rows on their way to the units' buffers, row after row, each without `but` of its commands.
  std::int64_t operandRows(const Counts &n, std::int64_t but) const {
    const std::int64_t each = n.t1 / lanes_;  // a row has so many bursts that begin in it, or one more
    return multiplySaturated(n.t0, waits_.ofBanks(toBuffer_, each, n.banks, n.rounds, but));
  }

  const kernel::Kernel &kernel_;
  Task task_;
  const machine::Machine &machine_;
  sim::dram::ChannelSpec spec_;
  Waits waits_;
  std::int64_t lanes_, window_;
  int multiply_, toBuffer_, fromUnits_, toUnits_;
};

}  // namespace

std::unique_ptr<evaluate::LeastCosts> leastStreamCosts(const evaluate::GraphPart &part,
                                                       const machine::Machine &machine) {
  std::optional<Task> task = recognise(*part.graph, part.first);
  if (!task || task->kernels != part.count || task->extents.size() != 3 || !isAttacc(machine)) return nullptr;
  // Barriers that let what lies before them go on do not keep phases apart.
  if (!machine.dram || machine.dram->controller.barrier != machine::BarrierRule::kDrain) return nullptr;
  return std::make_unique<LeastStreamCosts>(part, std::move(*task), machine);
}

}  // namespace pimento::targets::near_bank
