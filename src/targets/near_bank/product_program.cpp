// A product's program: phases, loops, and what the host does beside it.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/lower/accumulation.h"
#include "pimento/lower/tensor_place.h"
#include "pimento/targets/near_bank/movement.h"
#include "pimento/targets/near_bank/product.h"
#include "pimento/targets/near_bank/stream.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::Kernel;
using program::Purpose;

class Builder {
 public:
  Builder(const kernel::Graph &graph, int kernel, Product product, mapping::PlacedMapping placed,
          const machine::Machine &machine)
      : graph_(graph),
        index_(kernel),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        machine_(machine),
        unit_(*machine.nearBank),
        passes_(placed.mapping, machine),
        stream_(machine) {
    out_.placed = std::move(placed);
    nest(product.reductionDims);
    plan_ = std::make_shared<ProductData>(graph, kernel, std::move(product), machine);
    plan_->banksPerMove =
        machine.dram->organization.banksPerNode(machine.dram->commands[static_cast<std::size_t>(unit_.result)].scope);
  }

  Result<LoweredKernel> run() {
    out_.rules.unitType = unit_.accumulator;
    out_.rules.mergeType = DType::kF32;
    out_.rules.tree = unit_.lanes;
    out_.rules.movedType = unit_.moved;
    std::vector<lower::Shares> all;
    for (const int s : out_.placed.executionOrder) all.emplace_back(kernel_, out_.placed, s, machine_);
    if (std::all_of(all.begin(), all.end(), [&](const lower::Shares &s) { return areMerged(s); }))
      out_.rules.merged = banksPerMerge();
    for (lower::Shares &s : all)
      if (const Status status = addPart(std::move(s)); !status) return status.diagnostics();
    const machine::Organization &o = machine_.dram->organization;
    out_.bytesPerBank = multiplySaturated(plan_->weights().columns(), o.burst.value);
    if (const Status s =
            lower::checkCapacity(kernel_, out_.bytesPerBank, "bytes of a bank", o.rows * o.columns * o.burst.value,
                                 "a bank has", "spread the kernel over more banks");
        !s)
      return s.diagnostics();
    if (const Status s = plan_->weights().append(out_.placed.mapping); !s) return s.diagnostics();
    if (!passes_.has(Pass::kBatchReuse)) plan_->weights().repeat(mostVectors());
    Movement movement(machine_, ceilDiv(plan_->weights().columns(), o.columns), passes_);
    addHostData(movement);
    out_.rows = movement.rows();
    if (const Status s = lower::checkCapacity(kernel_, out_.rows, "rows of a bank, the host's data included", o.rows,
                                              "a bank has", "spread the kernel over more banks");
        !s)
      return s.diagnostics();
    emit(movement);
    countHostWork(movement);
    out_.data = plan_;
    return std::move(out_);
  }

 private:
  /// Of a batch, that units take one after the other.
  std::int64_t mostVectors() const {
    std::int64_t most = 1;
    for (const ProductPart &p : plan_->parts) most = std::max(most, p.batch);
    return most;
  }

  /// Reduction dims as the mapping's order(...) nests them: a unit counts its points so.
  void nest(std::vector<int> &dims) const {
    const std::vector<std::string> &order = out_.placed.mapping.order;
    if (order.empty()) return;
    std::stable_sort(dims.begin(), dims.end(), [&](int a, int b) {
      const auto at = [&](int d) {
        return std::find(order.begin(), order.end(), kernel_.dims[static_cast<std::size_t>(d)].name) - order.begin();
      };
      return at(a) < at(b);
    });
  }

  std::int64_t banksPerMerge() const {
    const machine::Dram &d = *machine_.dram;
    return d.organization.banksPerNode(d.commands[static_cast<std::size_t>(unit_.mergedResult)].scope);
  }
  /// Are the banks of every node that can merge the shares of one sum?
  bool areMerged(const lower::Shares &shares) const {
    if (!passes_.has(Pass::kGroupMerge)) return false;
    std::vector<int> dims = plan_->product().reductionDims;
    std::sort(dims.begin(), dims.end());
    const std::vector<std::int32_t> banks = shares.numbers(1, dims);
    for (std::size_t i = 0; i < banks.size(); ++i)
      if (banks[i] != static_cast<std::int32_t>(i)) return false;
    return static_cast<std::int64_t>(banks.size()) % banksPerMerge() == 0;
  }

  Status addPart(lower::Shares shares) {
    const Product &q = plan_->product();
    ProductPart p;
    p.merged = out_.rules.merged;
    p.groups = shares.rangeOf(q.groupDims);
    p.outputs = shares.rangeOf(q.outputDims);
    p.batch = shares.rangeOf(q.batchDims);
    p.columns = ceilDiv(shares.rangeOf(q.reductionDims), unit_.lanes);
    const auto differs = [&](std::size_t level) {
      return shares.instancesOf(level, q.groupDims) * shares.instancesOf(level, q.batchDims) *
                 shares.instancesOf(level, q.reductionDims) >
             1;
    };
    p.isInputPerBank = differs(1);
    if (p.isInputPerBank && unit_.load < 0)
      return error("illegal-mapping", kernel_.where,
                   fmt::format("kernel '{}': banks would need operands of their own, and those of {} share a buffer",
                               kernel_.name, machine_.name),
                   "split dims of the product's own outputs alone over banks, the others over channels");
    plan_->isInputPerChannel |= differs(0);
    p.firstColumn = plan_->weights().add(shares);
    p.shares = std::move(shares);
    p.firstInput = plan_->inputBursts;
    p.firstResult = plan_->resultBursts;
    plan_->inputBursts += p.groups * p.batch * p.columns * (p.isInputPerBank ? p.banks() : 1);
    plan_->resultBursts += p.groups * p.batch * plan_->blocksOf(p) * plan_->movesOf(p);
    plan_->channels = std::max(plan_->channels, p.channels());
    plan_->parts.push_back(std::move(p));
    return okStatus();
  }

  const kernel::Tensor &tensorOf(const kernel::Access &a) const {
    return graph_.tensors[static_cast<std::size_t>(a.tensor)];
  }

  /// Room for the tensors where the host has them.
  void addHostData(Movement &movement) {
    const Product &q = plan_->product();
    plan_->weights().addHostData(movement);
    if (q.input >= 0) hostInput_ = movement.add(tensorOf(kernel_.loads[static_cast<std::size_t>(q.input)]));
    hostOutput_ = movement.add(tensorOf(kernel_.stores[0].target));
  }

  void countHostWork(const Movement &movement) {
    const Product &q = plan_->product();
    const std::int64_t burst = machine_.dram->organization.burst.value;
    for (const ProductPart &p : plan_->parts) {
      std::int64_t outputs = 1;
      for (const auto *dims : {&q.groupDims, &q.outputDims, &q.batchDims})
        for (const int d : *dims) outputs *= p.shares.axis(d).size;
      out_.host.merges +=
          outputs * p.shares.instancesOf(0, q.reductionDims) * (p.shares.instancesOf(1, q.reductionDims) / p.merged);
    }
    std::int64_t results = 1;
    for (const auto *dims : {&q.groupDims, &q.outputDims, &q.batchDims})
      for (const int d : *dims) results *= kernel_.dims[static_cast<std::size_t>(d)].extent;
    if (!q.isUpdate) out_.host.merges -= results;
    plan_->weights().count(out_.host, movement);
    if (movement.isInBanks()) return;
    if (q.input >= 0)
      out_.host.place(0, plan_->inputBursts * (plan_->isInputPerChannel ? plan_->channels : 1) * burst,
                      tensorOf(kernel_.loads[static_cast<std::size_t>(q.input)]).isConstant);
    // Results leave by commands of the program; the host sorts them.
    evaluate::HostWork::add(out_.host.rearrangedOut, plan_->resultBursts * plan_->channels * burst);
  }

  void emit(const Movement &movement) {
    inputImage_ = stream_.image("input", plan_->inputBursts, plan_->isInputPerChannel);
    std::vector<std::int64_t> &settings = plan_->settings;
    if (unit_.setColumns >= 0)
      for (const ProductPart &p : plan_->parts)
        for (const std::int64_t n : {std::min(p.columns, unit_.bufferEntries), p.columns % unit_.bufferEntries})
          if (n > 0 && std::find(settings.begin(), settings.end(), n) == settings.end()) settings.push_back(n);
    if (!settings.empty()) settingsImage_ = stream_.image("columns", static_cast<std::int64_t>(settings.size()), false);
    if (plan_->weights().hasImage()) plan_->weights().declare(stream_);
    process(movement, true);
    stream_.close("channel", plan_->channels);
    // The host's data lie in all channels.
    if (const std::int64_t others = stream_.channels() - plan_->channels; movement.isInBanks() && others > 0) {
      process(movement, false);
      stream_.close("host data", others);
    }
    out_.program = stream_.take();
    out_.placement = placementOf({plan_->weights()}, movement, machine_);
    choose(movement);
  }

  /// What all channels with units at work do (`isUsed`), or the others.
  void process(const Movement &movement, bool isUsed) {
    using program::PhaseKind;
    emitStationary(stream_, movement, {&plan_->weights(), 1}, isUsed);
    if (movement.isInBanks() && (isUsed || readsOperands()))
      stream_.phase(PhaseKind::kLoad, [&] {
        if (!readsOperands()) return;
        movement.read(stream_, hostInput_);
        if (plan_->product().isUpdate) movement.read(stream_, hostOutput_);
        stream_.await();
      });
    if (isUsed)
      stream_.phase(PhaseKind::kCompute, [&] {
        for (const ProductPart &p : plan_->parts) part(p);
        if (movement.isInBanks()) stream_.await();
      });
    if (movement.isInBanks())
      stream_.phase(PhaseKind::kMove, [&] {
        movement.write(stream_, hostOutput_);
        stream_.await();
      });
  }

  /// `mode=inference`: operands are in on-chip memory.
  bool readsOperands() const { return out_.placed.mapping.mode != mapping::StreamMode::kInference; }

  void choose(const Movement &movement) {
    const ProductPart &p = plan_->parts.front();
    out_.choices.push_back(p.isInputPerBank ? "operands are loaded bank by bank: banks need different ones"
                           : isBroadcast(p) ? "operands are loaded into all banks of a channel by one command"
                                            : "operands are loaded bank by bank: the same ones");
    if (p.shares.instancesOf(0, plan_->product().reductionDims) *
            p.shares.instancesOf(1, plan_->product().reductionDims) >
        1)
      out_.choices.push_back(p.merged > 1 ? fmt::format("partial results of {} banks are added up by the device, then "
                                                        "by the host",
                                                        p.merged)
                                          : "partial results are added up by the host");
    if (movement.isInBanks() &&
        (hostInput_.count + hostOutput_.count) * stream_.channels() * burstBytes() > unit_.onChip.value)
      out_.choices.emplace_back("operands and results exceed the on-chip memory, but are moved once");
    for (std::string &line : leftOut(out_.placed.mapping, machine_)) out_.choices.push_back(std::move(line));
  }

  bool isBroadcast(const ProductPart &p) const {
    return !p.isInputPerBank && loadsGroups(passes_, unit_) && (p.banks() > 1 || unit_.load < 0);
  }
  std::int64_t burstBytes() const { return machine_.dram->organization.burst.value; }

  void part(const ProductPart &p) {
    const bool isWhole = p.columns <= unit_.bufferEntries;
    if (isWhole) set(p.columns);
    stream_.loop("group", p.groups, [&](int g) {
      stream_.loop("batch", p.batch, [&](int b) {
        if (isWhole) load(p, {}, -1, g, b, p.columns);
        const std::int64_t full = p.outputs / unit_.accumulators, rest = p.outputs % unit_.accumulators;
        stream_.loop("block", full, [&](int block) { this->block(p, g, b, block, 0, unit_.accumulators); });
        if (rest > 0) this->block(p, g, b, -1, full, rest);
      });
    });
  }

  void set(std::int64_t columns) {
    if (unit_.setColumns < 0) return;
    const auto at = std::find(plan_->settings.begin(), plan_->settings.end(), columns);
    Address burst;
    burst.base = at - plan_->settings.begin();
    stream_.each(unit_.setColumns, 0, {}, Purpose::kControl, {settingsImage_, burst});
    stream_.fence();
  }

  /// `entries` of the vector into the buffers, from `first` on; the loop at `chunk` counts chunks.
  void load(const ProductPart &p, std::int64_t first, int chunk, int g, int b, std::int64_t entries) {
    const std::int64_t copies = p.isInputPerBank ? p.banks() : 1;
    stream_.loop("entry", entries, [&](int k) {
      const Address entry = moved({}, k, burstBytes());
      Address burst;
      burst.base = p.firstInput + first * copies;
      burst = moved(moved(burst, g, p.batch * p.columns * copies), b, p.columns * copies);
      if (chunk >= 0) burst = moved(burst, chunk, unit_.bufferEntries * copies);
      burst = moved(burst, k, copies);
      if (isBroadcast(p)) return stream_.each(unit_.loadAll, 0, entry, Purpose::kBroadcast, {inputImage_, burst});
      for (std::int64_t bank = 0; bank < p.banks(); ++bank)
        stream_.each(unit_.load, bank, entry, Purpose::kBroadcast,
                     {inputImage_, shifted(burst, p.isInputPerBank ? bank : 0)});
    });
    stream_.fence();
  }

  /// `outputs` of them, as many as accumulators at most: block `first` plus the counter of the loop at `block`.
  void block(const ProductPart &p, int g, int b, int block, std::int64_t first, std::int64_t outputs) {
    const std::int64_t bytes = burstBytes(), perOutput = p.columns * bytes, perBlock = unit_.accumulators * perOutput;
    Address at;
    at.base = p.firstColumn * bytes + first * perBlock;
    at = moved(at, g, p.outputs * perOutput);
    if (block >= 0) at = moved(at, block, perBlock);
    const std::int64_t entries = unit_.bufferEntries, chunks = p.columns / entries, rest = p.columns % entries;
    if (p.columns <= entries) {
      multiply(at, outputs * p.columns);
    } else {
      const auto part = [&](std::int64_t first, int chunk, std::int64_t columns) {
        load(p, first, chunk, g, b, columns);
        set(columns);
        const Address from = shifted(at, first * outputs * bytes);
        multiply(chunk >= 0 ? moved(from, chunk, entries * outputs * bytes) : from, outputs * columns);
      };
      stream_.loop("chunk", chunks, [&](int chunk) { part(0, chunk, entries); });
      if (rest > 0) part(chunks * entries, -1, rest);
    }
    results(p, g, b, block, first);
  }

  /// Products in the order of the units' counters: rising addresses. A controller takes hits of open rows first, so
  /// none but the first row may be open when they begin: the first product goes alone. Where a bank can have several
  /// rows open, all do.
  void multiply(const Address &at, std::int64_t count) {
    const auto some = [&](const Address &from, std::int64_t n, bool isAlone) {
      stream_.loop("column", n, [&](int k) {
        stream_.each(unit_.multiply, 0, moved(from, k, burstBytes()), Purpose::kPimMac);
        if (isAlone) stream_.fence();
      });
    };
    if (machine_.dram->quirks.severalOpenRows) return some(at, count, true);
    stream_.each(unit_.multiply, 0, at, Purpose::kPimMac);
    stream_.fence();
    if (count == 1) return;
    some(shifted(at, burstBytes()), count - 1, false);
    stream_.fence();
  }

  void results(const ProductPart &p, int g, int b, int block, std::int64_t first) {
    const std::int64_t moves = plan_->movesOf(p), blocks = plan_->blocksOf(p);
    Address burst;
    burst.base = p.firstResult + first * moves;
    burst = moved(moved(burst, g, p.batch * blocks * moves), b, blocks * moves);
    if (block >= 0) burst = moved(burst, block, moves);
    const bool isMerged = p.merged > 1;
    for (std::int64_t i = 0; i < moves; ++i)
      stream_.each(isMerged ? unit_.mergedResult : unit_.result, i * (isMerged ? p.merged : plan_->banksPerMove), {},
                   Purpose::kPimMove, {-1, shifted(burst, i)});
    stream_.fence();
  }

  const kernel::Graph &graph_;
  int index_;
  const Kernel &kernel_;
  const machine::Machine &machine_;
  const machine::NearBankUnit &unit_;
  Passes passes_;
  Stream stream_;
  int inputImage_ = -1, settingsImage_ = -1;
  HostBursts hostInput_, hostOutput_;
  LoweredKernel out_;
  std::shared_ptr<ProductData> plan_;
};

}  // namespace

Result<LoweredKernel> lowerProduct(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                   const machine::Machine &machine) {
  Result<Product> product = recogniseProduct(graph, kernel, machine);
  if (!product) return product.diagnostics();
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, graph, kernel, machine);
  if (!placed) return placed.diagnostics();
  return Builder(graph, kernel, std::move(*product), std::move(*placed), machine).run();
}

}  // namespace pimento::targets::near_bank
