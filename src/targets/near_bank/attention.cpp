#include "pimento/targets/near_bank/attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/lower/tensor_place.h"
#include "pimento/targets/near_bank/attention_stream.h"

namespace pimento::targets::near_bank {

namespace {

using kernel::Kernel;
using mapping::Mapping;

constexpr std::size_t kChannel = 0, kBank = 1;

/// Whether banks that differ in `dim` alone are of one node with so many banks.
bool areOfOneNode(const lower::Shares &shares, const std::vector<int> &otherDims, int dim, std::int64_t banksOfNode) {
  const std::vector<std::int32_t> numbers = shares.numbers(kBank, {dim});
  return std::ranges::all_of(shares.numbers(kBank, otherDims), [&](std::int32_t first) {
    return std::ranges::all_of(numbers,
                               [&](std::int32_t n) { return (first + n) / banksOfNode == first / banksOfNode; });
  });
}

class Lowering {
 public:
  Lowering(const kernel::Graph &graph, const Attention &attention, const Mapping &mapping,
           const machine::Machine &machine)
      : graph_(graph),
        attention_(attention),
        mapping_(mapping),
        machine_(machine),
        unit_(*machine.nearBank),
        kernel_(graph.kernels[static_cast<std::size_t>(attention.first)]) {}

  Result<LoweredAttention> run() {
    if (Status s = checkUnits(); !s) return s.diagnostics();
    if (Status s = checkForm(); !s) return s.diagnostics();
    if (Status s = place(); !s) return s.diagnostics();
    if (Status s = layOut(); !s) return s.diagnostics();
    if (Status s = checkRoom(); !s) return s.diagnostics();
    makeRules();
    auto data = std::make_shared<AttentionData>(graph_, attention_, layout_, machine_);
    if (Status s = append(*data); !s) return s.diagnostics();
    Movement movement(machine_, ceilDiv(data->bursts(), machine_.dram->organization.columns),
                      Passes(mapping_, machine_));
    data->addHostData(movement);
    if (Status s = checkRows(movement); !s) return s.diagnostics();
    out_.program = attentionProgram(*data, movement, mapping_.mode, machine_);
    out_.placement = placementOf(data->stationary(), movement, machine_);
    countHostWork(*data, movement);
    choose();
    out_.data = std::move(data);
    return std::move(out_);
  }

 private:
  Diagnostic refuse(const std::string &code, const std::string &message, std::string hint) const {
    return unsupported(
        "unsupported-" + code, kernel_.where,
        fmt::format("attention of kernel '{}' cannot run on {}: {}", kernel_.name, machine_.name, message),
        std::move(hint));
  }
  Location placeOf(std::size_t row) const {
    const mapping::Subspace &s = mapping_.subspaces.front();
    return row < s.rowsWhere.size() ? s.rowsWhere[row] : s.where;
  }
  const Kernel &kernelOf(int number) const {
    return graph_.kernels[static_cast<std::size_t>(attention_.first + number)];
  }
  std::string nameOf(int dim) const { return kernel_.dims[static_cast<std::size_t>(dim)].name; }

  Status checkUnits() const {
    if (unit_.lanes != sim::pim::kLanes || !fusesAttention(machine_))
      return refuse("machine",
                    fmt::format("programs are made for units of {} lanes and as many accumulators, with a softmax unit",
                                sim::pim::kLanes),
                    "give a mapping per kernel, separated by '|': the softmax then stays on the host");
    for (int k = 0; k < attention_.kernels; ++k) {
      const Kernel &of = kernelOf(k);
      std::vector<int> tensors{of.stores[0].target.tensor};
      for (const kernel::Access &a : of.loads) tensors.push_back(a.tensor);
      for (const int t : tensors) {
        const kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(t)];
        if (tensor.type != unit_.type)
          return refuse("type",
                        fmt::format("tensor '{}' holds {}, but the units compute in {}", tensor.name, name(tensor.type),
                                    name(unit_.type)),
                        fmt::format("use --dtype {}", name(unit_.type)));
      }
      for (const kernel::Value &v : of.body)
        if (v.type != unit_.type)
          return refuse(
              "type",
              fmt::format("kernel '{}' computes in {}, the units in {}", of.name, name(v.type), name(unit_.type)),
              "give a mapping per kernel, separated by '|': the softmax then stays on the host");
    }
    return okStatus();
  }

  Status checkForm() const {
    if (mapping_.subspaces.size() == 1 && mapping_.tail == mapping::Tail::kPad && mapping_.cyclic.empty() &&
        mapping_.order.empty())
      return okStatus();
    return refuse("mapping", "its program takes one subspace, without order, cyclic and tail",
                  "write M1:{(..),(..),(..)}: channels, banks and range of each dim of the first kernel");
  }

  /// The mapping for every kernel: that of the first one, dim by dim.
  Status place() {
    for (int k = 0; k < attention_.kernels; ++k) {
      Mapping m = mapping_;
      const std::vector<int> &dims = attention_.dimsOfFirst[static_cast<std::size_t>(k)];
      if (k > 0)
        for (std::vector<std::int64_t> &row : m.subspaces.front().factors) {
          std::vector<std::int64_t> own;
          for (const int d : dims) own.push_back(row[static_cast<std::size_t>(d)]);
          row = std::move(own);
        }
      Result<mapping::PlacedMapping> placed = mapping::place(m, kernelOf(k), machine_);
      if (!placed) return placed.diagnostics();
      out_.placed.push_back(std::move(*placed));
    }
    return okStatus();
  }

  Status layOut() {
    AttentionLayout &l = layout_;
    const machine::Organization &o = machine_.dram->organization;
    const machine::SoftmaxUnit &softmax = *unit_.softmax;
    const Attention &a = attention_;
    l.scores = lower::Shares(kernel_, out_.placed.front(), 0, machine_);
    l.context = lower::Shares(kernelOf(a.last()), out_.placed.back(), 0, machine_);
    const auto banksOf = [&](const std::vector<int> &dims) { return l.scores.instancesOf(kBank, dims); };
    for (const int d : {a.lengthDim, a.depthDim})
      if (l.scores.instancesOf(kChannel, {d}) > 1)
        return error("illegal-mapping", placeOf(kChannel),
                     fmt::format("'{}' is split over channels, and no unit can merge what channels have: the softmax "
                                 "units of {} see one channel",
                                 nameOf(d), machine_.name),
                     fmt::format("split '{}' over channels, '{}' over banks",
                                 a.groupDims.empty() ? "heads" : nameOf(a.groupDims.front()), nameOf(d)));
    l.channels = l.scores.instances[kChannel];
    l.banks = l.scores.instances[kBank];
    l.heads = l.scores.rangeOf(a.groupDims);
    l.length = l.scores.rangeOf({a.lengthDim});
    l.depth = l.scores.rangeOf({a.depthDim});
    l.depthColumns = ceilDiv(l.depth, unit_.lanes);
    l.lengthColumns = ceilDiv(l.length, unit_.lanes);
    l.groupBanks = banksOf(a.groupDims);
    l.lengthBanks = banksOf({a.lengthDim});
    l.depthBanks = banksOf({a.depthDim});
    const std::int64_t together = o.banksPerNode(softmax.merges);
    std::vector<int> others = a.groupDims, othersOfLast{dimOfLast(a.depthDim)};
    for (const int d : a.groupDims) othersOfLast.push_back(dimOfLast(d));
    others.push_back(a.lengthDim);
    if (!areOfOneNode(l.scores, others, a.depthDim, together))
      return error("illegal-mapping", placeOf(kBank),
                   fmt::format("'{}' is split over {} banks, and no unit can merge their scores: {} adds up what the "
                               "banks of a {} have",
                               nameOf(a.depthDim), l.depthBanks, machine_.name, name(softmax.merges)),
                   fmt::format("split '{}' over banks instead", nameOf(a.lengthDim)));
    l.mergesOutputs = l.lengthBanks > 1 && areOfOneNode(l.context, othersOfLast, dimOfLast(a.lengthDim), together);
    l.banksPerMove = o.banksPerNode(machine_.dram->commands[static_cast<std::size_t>(unit_.result)].scope);
    l.isQueryPerBank = l.groupBanks * l.depthBanks > 1;
    l.isQueryPerChannel = l.channels > 1;
    if (l.isQueryPerBank && unit_.load < 0)
      return error("illegal-mapping", placeOf(kBank),
                   fmt::format("banks would need parts of the query of their own, and those of {} share a buffer",
                               machine_.name),
                   fmt::format("split '{}' alone over banks", nameOf(a.lengthDim)));
    l.entriesPerHead = multiplySaturated(l.lengthBanks, l.lengthColumns);
    const std::int64_t results = l.mergesOutputs ? l.groupBanks * l.depthBanks : 0;
    const std::int64_t round = multiplySaturated(l.groupBanks, l.entriesPerHead);
    l.headsAtOnce = std::clamp<std::int64_t>((softmax.entries - results) / round, 1, l.heads);
    l.resultEntry = multiplySaturated(l.headsAtOnce, round);
    l.queryBursts = l.heads * l.depthColumns * l.queryCopies();
    return okStatus();
  }

  int dimOfLast(int dimOfFirst) const {
    const std::vector<int> &dims = attention_.dimsOfFirst.back();
    return static_cast<int>(std::ranges::find(dims, dimOfFirst) - dims.begin());
  }

  Status checkRoom() const {
    const AttentionLayout &l = layout_;
    const std::int64_t results = l.mergesOutputs ? l.groupBanks * l.depthBanks : 0;
    const std::string what = l.groupBanks == 1 ? "a head's scores" : fmt::format("scores of {} heads", l.groupBanks);
    if (Status s = lower::checkCapacity(
            kernel_, l.resultEntry + results, fmt::format("entries of a channel's softmax buffer, for {}", what),
            unit_.softmax->entries, "the buffer has",
            l.groupBanks > 1 ? "split fewer heads over banks"
                             : "use a shorter length, or give a mapping per kernel, separated "
                               "by '|': the softmax then stays on the host");
        !s)
      return s;
    return okStatus();
  }

  /// Rows that the program and the host's data take.
  Status checkRows(const Movement &movement) {
    const std::int64_t rows = machine_.dram->organization.rows;
    out_.rows = movement.rows();
    return lower::checkCapacity(kernel_, out_.rows, "rows of a bank, the host's data included", rows, "a bank has",
                                "spread the kernel over more banks");
  }

  /// New ones are the last of the length.
  Status append(AttentionData &data) {
    for (StationaryTensor &t : data.stationary())
      if (Status s = t.append(mapping_); !s) return s;
    const std::vector<int> &last = attention_.dimsOfFirst.back();
    const int ofKeys = data.stationary().front().newRowsDim(), ofValues = data.stationary().back().newRowsDim();
    if (ofKeys < 0 || (ofKeys == attention_.lengthDim && last[static_cast<std::size_t>(ofValues)] == ofKeys))
      return okStatus();
    return refuse("mapping",
                  fmt::format("keys and values grow along '{}', which is not the last axis but one of both",
                              nameOf(attention_.lengthDim)),
                  "omit append=, or give K and V a row per token");
  }

  void makeRules() {
    const machine::SoftmaxUnit &softmax = *unit_.softmax;
    mapping::AccumulationRules products;
    products.unitType = unit_.accumulator;
    products.mergeType = softmax.accumulator;
    products.tree = unit_.lanes;
    products.movedType = unit_.moved;
    mapping::AccumulationRules exponentials;
    exponentials.unitType = exponentials.mergeType = softmax.accumulator;
    exponentials.tree = unit_.lanes;
    out_.rules.assign(static_cast<std::size_t>(attention_.kernels), std::nullopt);
    out_.rules.front() = products;
    out_.rules[static_cast<std::size_t>(attention_.sum())] = exponentials;
    if (!layout_.mergesOutputs) products.mergeType = DType::kF32;
    out_.rules.back() = products;
  }

  void countHostWork(const AttentionData &data, const Movement &movement) {
    const AttentionLayout &l = layout_;
    const std::int64_t burst = machine_.dram->organization.burst.value;
    for (const StationaryTensor &t : data.stationary()) t.count(out_.host, movement);
    if (!movement.isInBanks()) {
      out_.host.place(0, l.queryBursts * (l.isQueryPerChannel ? l.channels : 1) * burst, data.queryTensor().isConstant);
      // Outputs leave by commands of the program; the host sorts them.
      evaluate::HostWork::add(out_.host.rearrangedOut, data.layout().resultBursts * l.channels * burst);
    }
    if (l.mergesOutputs) return;
    std::int64_t outputs = 1;
    for (const int d : attention_.groupDims) outputs *= kernel_.dims[static_cast<std::size_t>(d)].extent;
    outputs *= kernel_.dims[static_cast<std::size_t>(attention_.depthDim)].extent;
    out_.host.merges += outputs * (l.lengthBanks - 1);
  }

  void choose() {
    const AttentionLayout &l = layout_;
    const auto say = [&](std::string text) { out_.choices.push_back(std::move(text)); };
    say(l.isQueryPerBank ? "queries are loaded bank by bank: banks need different ones"
        : loadsGroups(Passes(mapping_, machine_), unit_)
            ? "queries are loaded into all banks of a channel by one command"
            : "queries are loaded bank by bank: the same ones");
    say(loadsWeightsToAll(l, unit_) ? "weights are loaded into all banks of a channel by one command"
                                    : "weights are loaded bank by bank");
    if (l.depthBanks > 1)
      say(fmt::format("partial scores of {} banks are added up in the softmax buffer", l.depthBanks));
    if (l.lengthBanks > 1)
      say(fmt::format("partial outputs of {} banks are added up {}, banks ascending", l.lengthBanks,
                      l.mergesOutputs ? "in the softmax buffer" : "by the host"));
    const std::int64_t heads = l.headsAtOnce * l.groupBanks;
    say(fmt::format("{} of a channel's heads {} scores at a time in the softmax buffer", heads,
                    heads == 1 ? "has its" : "have their"));
    for (std::string &line : leftOut(mapping_, machine_)) say(std::move(line));
  }

  const kernel::Graph &graph_;
  const Attention &attention_;
  const Mapping &mapping_;
  const machine::Machine &machine_;
  const machine::NearBankUnit &unit_;
  const Kernel &kernel_;
  AttentionLayout layout_;
  LoweredAttention out_;
};

}  // namespace

Result<LoweredAttention> lowerAttention(const kernel::Graph &graph, const Attention &attention, const Mapping &mapping,
                                        const machine::Machine &machine) {
  return Lowering(graph, attention, mapping, machine).run();
}

}  // namespace pimento::targets::near_bank
