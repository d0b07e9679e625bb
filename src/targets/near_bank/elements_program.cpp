// An element-wise kernel's program: phases, loops, and what the host does beside it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pimento/lower/tensor_place.h"
#include "pimento/targets/near_bank/elements_data.h"
#include "pimento/targets/near_bank/movement.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::Kernel;
using program::PhaseKind;
using program::Purpose;

class Builder {
 public:
  Builder(const kernel::Graph &graph, int kernel, const Elements &elements, mapping::PlacedMapping placed,
          const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        elements_(elements),
        machine_(machine),
        unit_(*machine.nearBank),
        passes_(placed.mapping, machine),
        stream_(machine),
        plan_(std::make_shared<ElementsData>(graph, kernel, elements, machine)) {
    out_.placed = std::move(placed);
  }

  Result<LoweredKernel> run() {
    std::vector<int> dims(kernel_.dims.size());
    std::iota(dims.begin(), dims.end(), 0);
    for (const int s : out_.placed.executionOrder) {
      ElementsPart p{lower::Shares(kernel_, out_.placed, s, machine_), 1, plan_->columns};
      p.elements = p.shares.rangeOf(dims);
      plan_->columns = addSaturated(plan_->columns, plan_->columnsOf(p));
      plan_->channels = std::max(plan_->channels, p.shares.instances[0]);
      plan_->banks = std::max(plan_->banks, p.shares.instances[1]);
      plan_->parts.push_back(std::move(p));
    }
    const machine::Organization &o = machine_.dram->organization;
    const std::int64_t kept = elements_.isProduct || elements_.hasTerm ? plan_->columns : 0;
    out_.bytesPerBank = multiplySaturated(kept, o.burst.value);
    Movement movement(machine_, ceilDiv(kept, o.columns), passes_);
    first_ = add(movement, elements_.first);
    if (elements_.isProduct || elements_.hasTerm) second_ = add(movement, elements_.second);
    output_ = movement.add(tensorOf(kernel_.stores[0].target));
    out_.rows = movement.rows();
    if (const Status s = lower::checkCapacity(kernel_, out_.rows, "rows of a bank, the host's data included", o.rows,
                                              "a bank has", "spread the kernel over more banks");
        !s)
      return s.diagnostics();
    addImages();
    process(movement, true);
    stream_.close("channel", plan_->channels);
    if (const std::int64_t others = stream_.channels() - plan_->channels; movement.isInBanks() && others > 0) {
      process(movement, false);
      stream_.close("host data", others);
    }
    out_.program = stream_.take();
    if (!movement.isInBanks()) countHostWork();
    out_.choices.emplace_back(elements_.isProduct ? "elements are multiplied in every bank group by one command"
                                                  : "an element of every unit of a channel is computed at a time");
    for (std::string &line : leftOut(out_.placed.mapping, machine_)) out_.choices.push_back(std::move(line));
    out_.data = plan_;
    return std::move(out_);
  }

 private:
  const kernel::Tensor &tensorOf(const kernel::Access &a) const {
    return graph_.tensors[static_cast<std::size_t>(a.tensor)];
  }
  HostBursts add(Movement &movement, const ElementOperand &o) const {
    if (o.load < 0) return {};
    return movement.add(tensorOf(kernel_.loads[static_cast<std::size_t>(o.load)]));
  }
  void addImages() {
    const std::int64_t columns = plan_->columns;
    if (elements_.isProduct) {
      firstImage_ = stream_.image("first", plan_->groups() * columns, true);
      secondImage_ = stream_.image("second", plan_->groups() * columns, true);
      return;
    }
    plan_->resultBursts = columns * ceilDiv(plan_->banks, plan_->banksPerMove());
    firstImage_ = stream_.image("first", columns, true);
    if (!elements_.hasTerm) return;
    secondImage_ = stream_.image("second", plan_->banks * columns, true);
    scaleImage_ = stream_.image("scale", 1, false);
    if (unit_.setColumns >= 0) oneImage_ = stream_.image("columns", 1, false);
  }
  /// The bank of every group that holds an operand (0, 1) or the products (2).
  std::vector<std::int64_t> groupBanks(std::int64_t which) const {
    std::vector<std::int64_t> banks;
    for (std::int64_t g = 0; g < plan_->groups(); ++g) banks.push_back(g * plan_->banksPerGroup() + which);
    return banks;
  }

  void process(const Movement &movement, bool isUsed) {
    const bool isRead = movement.isInBanks() && out_.placed.mapping.mode != mapping::StreamMode::kInference;
    const auto load = [&](const HostBursts &from, BankBursts to) {
      if (!isUsed) to = {};
      if (isRead) return movement.moveIn(stream_, from, to);
      movement.writeBanks(stream_, to, 0, to.columns);
      if (isUsed) stream_.await();
    };
    const std::int64_t columns = plan_->columns;
    stream_.phase(PhaseKind::kLoad, [&] {
      if (elements_.isProduct) load(first_, {groupBanks(0), 0, columns, firstImage_, 0, columns});
      if (!elements_.isProduct && isRead) {
        movement.read(stream_, first_);
        stream_.await();
      }
      if (elements_.isProduct) load(second_, {groupBanks(1), 0, columns, secondImage_, 0, columns});
      if (!elements_.isProduct && elements_.hasTerm)
        load(second_, {firstBanks(plan_->banks), 0, columns, secondImage_, 0, columns});
    });
    if (isUsed) stream_.phase(PhaseKind::kCompute, [&] { elements_.isProduct ? products() : sums(); });
    stream_.phase(PhaseKind::kMove, [&] {
      if (isUsed && elements_.isProduct) {
        movement.readBanks(stream_, groupBanks(2), 0, columns);
        stream_.await();
      }
      if (!movement.isInBanks()) return;
      movement.write(stream_, output_);
      stream_.await();
    });
  }

  std::int64_t burstBytes() const { return machine_.dram->organization.burst.value; }

  void products() {
    stream_.loop("column", plan_->columns,
                 [&](int k) { stream_.each(unit_.multiplyElements, 0, moved({}, k, burstBytes()), Purpose::kPimAlu); });
    stream_.await();
  }

  void sums() {
    if (elements_.hasTerm) {
      if (unit_.setColumns >= 0) stream_.each(unit_.setColumns, 0, {}, Purpose::kControl, {oneImage_, {}});
      const bool isForAll = loadsGroups(passes_, unit_);
      for (std::int64_t bank = 0; bank < (isForAll ? 1 : plan_->banks); ++bank)
        stream_.each(isForAll ? unit_.loadAll : unit_.load, bank, {}, Purpose::kBroadcast, {scaleImage_, {}});
      stream_.fence();
    }
    const std::int64_t moves = elements_.hasFunction ? 1 : ceilDiv(plan_->banks, plan_->banksPerMove());
    stream_.loop("element", plan_->columns, [&](int k) {
      stream_.each(unit_.preload, 0, {}, Purpose::kBroadcast, {firstImage_, moved({}, k, 1)});
      stream_.fence();
      if (elements_.hasTerm) {
        stream_.each(unit_.multiply, 0, moved({}, k, burstBytes()), Purpose::kPimMac);
        stream_.fence();
      }
      if (elements_.hasFunction) {
        stream_.each(unit_.function, 0, {}, Purpose::kPimMove);
        stream_.fence();
      }
      for (std::int64_t i = 0; i < moves; ++i)
        stream_.each(elements_.hasFunction ? unit_.functionResult : unit_.result, i * plan_->banksPerMove(), {},
                     Purpose::kPimMove, {-1, shifted(moved({}, k, moves), i)});
      stream_.fence();
    });
    stream_.await();
  }

  /// The host's data lie elsewhere: it gathers what commands write, and stores what they read.
  void countHostWork() {
    const std::int64_t burst = burstBytes() * plan_->channels * plan_->columns;
    const std::int64_t banks = elements_.isProduct ? plan_->groups() : plan_->banks;
    if (elements_.first.load >= 0) out_.host.place(0, elements_.isProduct ? burst * banks : burst);
    if (elements_.second.load >= 0) out_.host.place(0, burst * banks);
    evaluate::HostWork::add(out_.host.rearrangedOut, elements_.isProduct ? burst * banks : burst);
  }

  const kernel::Graph &graph_;
  const Kernel &kernel_;
  Elements elements_;
  const machine::Machine &machine_;
  const machine::NearBankUnit &unit_;
  Passes passes_;
  Stream stream_;
  int firstImage_ = -1, secondImage_ = -1, scaleImage_ = -1, oneImage_ = -1;
  HostBursts first_, second_, output_;
  LoweredKernel out_;
  std::shared_ptr<ElementsData> plan_;
};

}  // namespace

Result<LoweredKernel> lowerElements(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                    const machine::Machine &machine) {
  const Result<Elements> elements = recogniseElements(graph, kernel, machine);
  if (!elements) return elements.diagnostics();
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  if (const auto append = mapping.parameters.find("append"); append != mapping.parameters.end()) {
    const auto at = mapping.where.find("append");
    return unsupported("unsupported-mapping", at == mapping.where.end() ? k.where : at->second,
                       fmt::format("kernel '{}' has no weights to append to", k.name), "omit append=");
  }
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, graph, kernel, machine);
  if (!placed) return placed.diagnostics();
  return Builder(graph, kernel, *elements, std::move(*placed), machine).run();
}

}  // namespace pimento::targets::near_bank
