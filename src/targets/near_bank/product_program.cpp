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
    out_.bytesPerBank = multiplySaturated(plan_->weightBursts, o.burst.value);
    if (const Status s =
            lower::checkCapacity(kernel_, out_.bytesPerBank, "bytes of a bank", o.rows * o.columns * o.burst.value,
                                 "a bank has", "spread the kernel over more banks");
        !s)
      return s.diagnostics();
    if (const Status s = findNewRows(); !s) return s.diagnostics();
    Movement movement(machine_, ceilDiv(plan_->weightBursts, o.columns));
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
    if (unit_.mergedResult < 0) return false;
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
    p.shares = std::move(shares);
    p.firstColumn = plan_->weightBursts;
    p.firstInput = plan_->inputBursts;
    p.firstResult = plan_->resultBursts;
    plan_->weightBursts =
        addSaturated(plan_->weightBursts, multiplySaturated(multiplySaturated(p.groups, p.outputs), p.columns));
    plan_->inputBursts += p.groups * p.batch * p.columns * (p.isInputPerBank ? p.banks() : 1);
    plan_->resultBursts += p.groups * p.batch * plan_->blocksOf(p) * plan_->movesOf(p);
    plan_->channels = std::max(plan_->channels, p.channels());
    plan_->banks = std::max(plan_->banks, p.banks());
    plan_->parts.push_back(std::move(p));
    return okStatus();
  }

  /// `append=N`: the last N values of the weights' last axis but one are new, the others lie there.
  Status findNewRows() {
    const std::map<std::string, std::int64_t> &parameters = out_.placed.mapping.parameters;
    const auto found = parameters.find("append");
    if (found == parameters.end()) return okStatus();
    const kernel::Access &access = kernel_.loads[static_cast<std::size_t>(plan_->product().weights)];
    const auto wrong = [&](std::string message, std::string hint) {
      const auto at = out_.placed.mapping.where.find("append");
      return unsupported("unsupported-mapping", at == out_.placed.mapping.where.end() ? kernel_.where : at->second,
                         std::move(message), std::move(hint));
    };
    const std::string &tensor = graph_.tensors[static_cast<std::size_t>(access.tensor)].name;
    if (access.index.size() < 2)
      return wrong(fmt::format("'{}' has no rows that could be appended: it has one axis", tensor), "omit append=");
    const kernel::Affine &row = access.index[access.index.size() - 2];
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d) {
      std::vector<std::int64_t> one(kernel_.dims.size(), 0);
      one[d] = 1;
      if (row == kernel::Affine{one, 0}) plan_->newRowsDim = static_cast<int>(d);
    }
    if (plan_->newRowsDim < 0)
      return wrong(fmt::format("the rows of '{}' are no dim of the kernel", tensor), "omit append=");
    const kernel::Dim &dim = kernel_.dims[static_cast<std::size_t>(plan_->newRowsDim)];
    if (found->second > dim.extent)
      return wrong(fmt::format("append={}, and '{}' has {} rows ('{}')", found->second, tensor, dim.extent, dim.name),
                   fmt::format("append at most {}", dim.extent));
    plan_->newRows = found->second;
    return okStatus();
  }

  bool isConstant(int load) const {
    return graph_.tensors[static_cast<std::size_t>(kernel_.loads[static_cast<std::size_t>(load)].tensor)].isConstant;
  }
  std::int64_t bytesOf(const kernel::Access &a) const {
    const kernel::Tensor &t = graph_.tensors[static_cast<std::size_t>(a.tensor)];
    std::int64_t bytes = sizeOf(t.type).value;
    for (const std::int64_t n : t.shape) bytes = multiplySaturated(bytes, n);
    return bytes;
  }
  std::int64_t bytesOf(int load) const { return bytesOf(kernel_.loads[static_cast<std::size_t>(load)]); }

  /// Room for the tensors where the host has them.
  void addHostData(Movement &movement) {
    const Product &q = plan_->product();
    const std::int64_t weights = bytesOf(q.weights);
    hostWeights_ = movement.add(weights);
    if (q.input >= 0) hostInput_ = movement.add(bytesOf(q.input));
    hostOutput_ = movement.add(bytesOf(kernel_.stores[0].target));
    plan_->writesWeights = plan_->newRows == 0 && !isConstant(q.weights);
    if (plan_->newRows == 0) return;
    const std::int64_t extent = kernel_.dims[static_cast<std::size_t>(plan_->newRowsDim)].extent;
    hostNewRows_ = hostWeights_;
    hostNewRows_.count = ceilDiv(multiplySaturated(hostWeights_.count, plan_->newRows), extent);
  }

  void countHostWork(const Movement &movement) {
    const Product &q = plan_->product();
    const std::int64_t burst = machine_.dram->organization.burst.value;
    for (const ProductPart &p : plan_->parts) {
      // Where the host's data lie elsewhere, it gathers what commands of the program write.
      const std::int64_t bytes = p.groups * p.outputs * p.columns * p.banks() * p.channels() * burst;
      if (!movement.isInBanks() && plan_->newRows == 0) out_.host.place(0, bytes, isConstant(q.weights));
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
    if (movement.isInBanks()) return;
    if (plan_->newRows > 0)
      out_.host.place(0, static_cast<std::int64_t>(plan_->newBursts().size()) * plan_->channels * burst);
    if (q.input >= 0)
      out_.host.place(0, plan_->inputBursts * (plan_->isInputPerChannel ? plan_->channels : 1) * burst,
                      isConstant(q.input));
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
    const BankBursts weights = {firstBanks(plan_->banks),
                                0,
                                plan_->weightBursts,
                                plan_->writesWeights || plan_->newRows > 0
                                    ? stream_.image("weights", plan_->banks * plan_->weightBursts, true)
                                    : -1,
                                0,
                                plan_->weightBursts};
    process(movement, weights, true);
    stream_.close("channel", plan_->channels);
    // The host's data lie in all channels.
    if (const std::int64_t others = stream_.channels() - plan_->channels; movement.isInBanks() && others > 0) {
      process(movement, {}, false);
      stream_.close("host data", others);
    }
    out_.program = stream_.take();
    if (plan_->newRows == 0 && isConstant(plan_->product().weights)) emitPlacement(movement);
    choose(movement);
  }

  /// What all channels with units at work do (`isUsed`), or the others.
  void process(const Movement &movement, const BankBursts &weights, bool isUsed) {
    using program::PhaseKind;
    if (plan_->writesWeights)
      stream_.phase(PhaseKind::kPlace, [&] { movement.moveIn(stream_, hostWeights_, weights); });
    if (plan_->newRows > 0) stream_.phase(PhaseKind::kAppend, [&] { append(movement, weights, isUsed); });
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

  /// Bursts with new rows, each in a loop with those that follow it at one distance; what they share is read first.
  void append(const Movement &movement, const BankBursts &weights, bool isUsed) {
    movement.read(stream_, hostNewRows_);
    const auto bursts = isUsed ? plan_->newBursts() : std::vector<std::pair<std::int64_t, std::int64_t>>{};
    const auto all = [&](bool isWrite) {
      for (std::size_t i = 0; i < bursts.size();) {
        const auto [bank, column] = bursts[i];
        std::size_t n = 1;
        const std::int64_t step =
            i + 1 < bursts.size() && bursts[i + 1].first == bank ? bursts[i + 1].second - column : 0;
        while (i + n < bursts.size() && bursts[i + n].first == bank &&
               bursts[i + n].second == column + static_cast<std::int64_t>(n) * step)
          ++n;
        stream_.loop("burst", static_cast<std::int64_t>(n), [&](int k) {
          Address at, from;
          at.base = column * burstBytes();
          from.base = bank * weights.pitch + column;
          at = moved(at, k, step * burstBytes());
          from = moved(from, k, step);
          const machine::CommandKind kind = isWrite ? machine::CommandKind::kWrite : machine::CommandKind::kRead;
          stream_.each(machine_.dram->plainCommand(kind), bank, at, isWrite ? Purpose::kHostWrite : Purpose::kHostRead,
                       isWrite ? StreamData{weights.image, from} : StreamData{});
        });
        i += n;
      }
    };
    if (plan_->sharesNewBursts()) all(false);
    stream_.await();
    all(true);
    stream_.await();
  }

  /// Constants, once.
  void emitPlacement(const Movement &movement) {
    Stream stream(machine_);
    const std::int64_t bursts = plan_->banks * plan_->weightBursts;
    const BankBursts weights = {
        firstBanks(plan_->banks), 0, plan_->weightBursts, stream.image("weights", bursts, true), 0,
        plan_->weightBursts};
    stream.phase(program::PhaseKind::kPlace, [&] { movement.moveIn(stream, hostWeights_, weights); });
    stream.close("channel", plan_->channels);
    if (const std::int64_t others = stream.channels() - plan_->channels; movement.isInBanks() && others > 0) {
      stream.phase(program::PhaseKind::kPlace, [&] { movement.moveIn(stream, hostWeights_, {}); });
      stream.close("host data", others);
    }
    out_.placement = stream.take();
  }

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
  }

  bool isBroadcast(const ProductPart &p) const {
    return !p.isInputPerBank && unit_.loadAll >= 0 && (p.banks() > 1 || unit_.load < 0);
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
      multiply(at, 1, 0, outputs * p.columns);
    } else {
      stream_.loop("chunk", chunks, [&](int chunk) {
        load(p, 0, chunk, g, b, entries);
        multiplyChunk(moved(at, chunk, entries * bytes), outputs, perOutput, entries);
      });
      if (rest > 0) {
        load(p, chunks * entries, -1, g, b, rest);
        multiplyChunk(shifted(at, chunks * entries * bytes), outputs, perOutput, rest);
      }
    }
    results(p, g, b, block, first);
  }

  void multiplyChunk(const Address &at, std::int64_t outputs, std::int64_t perOutput, std::int64_t columns) {
    set(columns);
    multiply(at, outputs, perOutput, columns);
  }

  /// Products in the order of the units' counters: rising addresses. A controller takes hits of open rows first, so
  /// none but the first row may be open when they begin: the first product goes alone. Where a bank can have several
  /// rows open, all do.
  void multiply(const Address &at, std::int64_t outputs, std::int64_t perOutput, std::int64_t columns) {
    const auto one = [&](const Address &a) { stream_.each(unit_.multiply, 0, a, Purpose::kPimMac); };
    const auto some = [&](const Address &a, std::int64_t n, bool isAlone) {
      stream_.loop("column", n, [&](int k) {
        one(moved(a, k, burstBytes()));
        if (isAlone) stream_.fence();
      });
    };
    if (machine_.dram->quirks.severalOpenRows)
      return stream_.loop("output", outputs, [&](int o) { some(moved(at, o, perOutput), columns, true); });
    one(at);
    stream_.fence();
    if (outputs * columns == 1) return;
    some(shifted(at, burstBytes()), columns - 1, false);
    stream_.loop("output", outputs - 1,
                 [&](int o) { some(moved(shifted(at, perOutput), o, perOutput), columns, false); });
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
  Stream stream_;
  int inputImage_ = -1, settingsImage_ = -1;
  HostBursts hostWeights_, hostNewRows_, hostInput_, hostOutput_;
  LoweredKernel out_;
  std::shared_ptr<ProductData> plan_;
};

}  // namespace

Result<LoweredKernel> lowerProduct(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                                   const machine::Machine &machine) {
  Result<Product> product = recogniseProduct(graph, kernel, machine);
  if (!product) return product.diagnostics();
  const Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, k, machine);
  if (!placed) return placed.diagnostics();
  return Builder(graph, kernel, std::move(*product), std::move(*placed), machine).run();
}

}  // namespace pimento::targets::near_bank
