#include "pimento/targets/hbm_pim/streamed.h"

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/targets/hbm_pim/part_programs.h"
#include "pimento/targets/hbm_pim/reductions.h"
#include "pimento/targets/hbm_pim/stream.h"
#include "pimento/targets/hbm_pim/streamed_data.h"

namespace pimento::targets::hbm_pim {

namespace {

using Part = StreamedData::Part;

class Builder {
 public:
  Builder(const kernel::Graph &graph, int kernel, const Streamed &pattern, mapping::PlacedMapping placed,
          const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        pattern_(pattern),
        machine_(machine),
        stream_(machine) {
    out_.placed = std::move(placed);
    for (std::size_t d = 0; d < kernel_.dims.size(); ++d)
      (kernel_.dims[d].kind == kernel::DimKind::kReduction ? reductionDims_ : outputDims_)
          .push_back(static_cast<int>(d));
    nestReductions(reductionDims_, kernel_, out_.placed.mapping);
    plan_ = std::make_shared<StreamedData>(graph, kernel, pattern, outputDims_, reductionDims_, machine);
  }

  Result<Lowered> run() {
    out_.rules.unitType = machine_.pim->type;
    out_.rules.mergeType = DType::kF32;
    std::vector<lower::Shares> shares;
    for (const int s : out_.placed.executionOrder) shares.emplace_back(kernel_, out_.placed, s, machine_);
    out_.rules.spill = pieceLength(shares);
    for (lower::Shares &s : shares) {
      Result<Part> p = part(std::move(s));
      if (!p) return p.diagnostics();
      plan_->parts.push_back(std::move(*p));
    }
    std::int64_t outputs = 1;
    for (const int d : outputDims_) outputs *= kernel_.dims[static_cast<std::size_t>(d)].extent;
    if (!pattern_.isUpdate) out_.host.merges -= outputs;
    if (const Status s = checkRows(kernel_, out_.dataRows, machine_, "elements to sum up"); !s) return s.diagnostics();
    writeProgram(
        out_, plan_->parts, stream_, machine_,
        [this](std::vector<CommandNode> &commands, const Part &p, std::int64_t number) { body(commands, p, number); });
    out_.data = plan_;
    return std::move(out_);
  }

 private:
  /// Terms that one accumulator takes where the outputs leave some without work: the same for all subspaces, as the
  /// order of accumulation says it once. 0: all of them.
  std::int64_t pieceLength(const std::vector<lower::Shares> &shares) const {
    const std::int64_t accumulators = machine_.pim->banksPerBlock * StreamedData::kColumns;
    std::int64_t length = 0;
    for (const lower::Shares &s : shares) {
      const std::int64_t beside = std::max<std::int64_t>(accumulators / s.rangeOf(outputDims_), 1);
      length = std::max(length, ceilDiv(s.rangeOf(reductionDims_), beside));
    }
    const bool isSplit = std::any_of(shares.begin(), shares.end(),
                                     [&](const lower::Shares &s) { return s.rangeOf(reductionDims_) > length; });
    return isSplit ? length : 0;
  }

  Result<Part> part(lower::Shares shares) {
    Part p;
    p.shares = std::move(shares);
    const std::int64_t terms = p.shares.rangeOf(reductionDims_);
    p.length = out_.rules.spill > 0 ? std::min(out_.rules.spill, terms) : terms;
    p.pieces = ceilDiv(terms, p.length);
    p.tiles = ceilDiv(p.shares.rangeOf(outputDims_) * p.pieces, machine_.pim->banksPerBlock * StreamedData::kColumns);
    Result<ElementwiseCode> code = compileStreamed(kernel_, pattern_, machine_, p.length);
    if (!code) return code.diagnostics();
    p.code = std::move(*code);
    const bool isFull = kernel_.guards.empty() && p.pieces * p.length == terms && !isPadded(p.shares);
    for (const int load : p.code.loads) addRegion(p, isPerTerm(load) || (load >= 0 && !isFull), load);
    p.regions.push_back({out_.dataRows, false});
    out_.dataRows += p.tiles;
    countResults(p);
    return p;
  }

  bool isPadded(const lower::Shares &s) const {
    return std::any_of(reductionDims_.begin(), reductionDims_.end(), [&](int d) {
      const lower::Axis &a = s.axis(d);
      return a.perUnit() * a.units() != a.size;
    });
  }

  bool isPerTerm(int load) const {
    if (load == ElementwiseCode::kMask) return true;
    if (load < 0) return false;
    return std::any_of(reductionDims_.begin(), reductionDims_.end(), [&](int d) {
      const auto &index = kernel_.loads[static_cast<std::size_t>(load)].index;
      return std::any_of(index.begin(), index.end(),
                         [&](const kernel::Affine &e) { return e.coefficients[static_cast<std::size_t>(d)] != 0; });
    });
  }

  std::int64_t bytesOf(std::int64_t groups) const {
    const machine::Organization &o = machine_.dram->organization;
    return groups * StreamedData::kColumns * machine_.pim->banksPerBlock * machine_.pim->blocks * o.channels *
           o.burst.value;
  }

  void addRegion(Part &p, bool isPerTerm, int load) {
    p.regions.push_back({out_.dataRows, isPerTerm});
    out_.dataRows += p.tiles * (isPerTerm ? ceilDiv(p.length, plan_->groupsPerRow()) : 1);
    const std::int64_t bytes = bytesOf(p.tiles * (isPerTerm ? p.length : 1));
    const bool isKept =
        load >= 0 &&
        graph_.tensors[static_cast<std::size_t>(kernel_.loads[static_cast<std::size_t>(load)].tensor)].isConstant;
    out_.host.place(bytes, bytes, isKept);
  }

  /// Pieces x lanes x channels give partial results; run() takes off one merge per output.
  void countResults(const Part &p) {
    out_.host.read(bytesOf(p.tiles), 0);
    std::int64_t outputs = 1;
    for (const int d : outputDims_) outputs *= p.shares.axis(d).size;
    out_.host.merges +=
        outputs * p.pieces * p.shares.instancesOf(2, reductionDims_) * p.shares.instancesOf(0, reductionDims_);
  }

  void body(std::vector<CommandNode> &out, const Part &p, std::int64_t number) const {
    stream_.loadMicrokernel(out, kCrfImage, p.crfBurst, p.crfBursts);
    stream_.loadScalars(out, kScalarImage, number);
    std::vector<CommandNode> tile;
    stream_.control(tile, kControlImage, 1);
    for (int bank = 0; bank < machine_.pim->banksPerBlock; ++bank) pass(tile, p, bank);
    stream_.control(tile, kControlImage, 0);
    out.push_back(CommandNode::loop("tile", p.tiles, std::move(tile)));
  }

  void pass(std::vector<CommandNode> &tile, const Part &p, int bank) const {
    const std::int64_t groups = plan_->groupsPerRow(), rows = p.length / groups, rest = p.length % groups;
    step(tile, p, bank, {false, 0, Purpose::kPimMove}, 0, Nest::kNone);
    if (rows > 0) {
      std::vector<CommandNode> terms;
      for (const Step &s : p.code.steps) step(terms, p, bank, s, 0, Nest::kRows);
      tile.push_back(CommandNode::loop("row", rows, {CommandNode::loop("term", groups, std::move(terms))}));
    }
    if (rest > 0) {
      std::vector<CommandNode> terms;
      for (const Step &s : p.code.steps) step(terms, p, bank, s, rows, Nest::kTerms);
      tile.push_back(CommandNode::loop("term", rest, std::move(terms)));
    }
    step(tile, p, bank, {true, static_cast<int>(p.regions.size()) - 1, Purpose::kPimStore}, 0, Nest::kNone);
  }

  /// Loops inside that over tiles.
  enum class Nest { kNone, kTerms, kRows };

  void step(std::vector<CommandNode> &out, const Part &p, int bank, const Step &s, std::int64_t row, Nest nest) const {
    const Part::Region &r = p.regions[static_cast<std::size_t>(s.region)];
    Operand rows = affine(r.firstRow, {{0, r.isPerTerm ? ceilDiv(p.length, plan_->groupsPerRow()) : 1}}), columns;
    if (r.isPerTerm && nest != Nest::kNone) {
      rows.base += row;
      if (nest == Nest::kRows) rows.stride[1] = 1;
      columns.stride[nest == Nest::kRows ? 2 : 1] = StreamedData::kColumns;
    }
    if (s.isStore)
      stream_.writeColumns(out, bank, rows, columns, s.purpose);
    else
      stream_.readColumns(out, bank, rows, columns, s.purpose);
  }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  const Streamed &pattern_;
  const machine::Machine &machine_;
  Stream stream_;
  std::vector<int> outputDims_, reductionDims_;
  Lowered out_;
  std::shared_ptr<StreamedData> plan_;
};

}  // namespace

Result<Lowered> lowerStreamed(const kernel::Graph &graph, int kernel, const Streamed &pattern,
                              mapping::PlacedMapping placed, const machine::Machine &machine) {
  return Builder(graph, kernel, pattern, std::move(placed), machine).run();
}

}  // namespace pimento::targets::hbm_pim
