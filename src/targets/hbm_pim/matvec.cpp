#include "pimento/targets/hbm_pim/matvec.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/targets/hbm_pim/matvec_data.h"
#include "pimento/targets/hbm_pim/microkernel.h"
#include "pimento/targets/hbm_pim/reductions.h"
#include "pimento/targets/hbm_pim/stream.h"

namespace pimento::targets::hbm_pim {

namespace {

/// Where a split would need different inputs in blocks or lanes of one channel. A lane's input is its own where no
/// output shares it.
std::optional<Diagnostic> checkInputs(const kernel::Kernel &kernel, const lower::Shares &shares,
                                      const MatVec &pattern) {
  for (const auto *dims : {&pattern.batchDims, &pattern.groupDims})
    for (const std::size_t level : {1, 2})
      if (shares.instancesOf(level, *dims) > 1 && (level == 1 || dims == &pattern.batchDims))
        return error("illegal-mapping", kernel.where,
                     fmt::format("kernel '{}': dim '{}' selects the input vector and cannot be split over {}",
                                 kernel.name, kernel.dims[static_cast<std::size_t>(dims->front())].name,
                                 level == 1 ? "blocks (inputs are broadcast to all of them)"
                                            : "lanes (one burst serves all of them)"),
                     "split it over channels, or put it in the range");
  return std::nullopt;
}

class Builder {
 public:
  Builder(const kernel::Graph &graph, int kernel, const MatVec &pattern, mapping::PlacedMapping placed,
          const machine::Machine &machine, Variant variant)
      : graph_(graph),
        index_(kernel),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        pattern_(pattern),
        machine_(machine),
        stream_(machine),
        isTree_(variant == Variant::kTree) {
    out_.placed = std::move(placed);
    nestReductions(pattern_.reductionDims, kernel_, out_.placed.mapping);
  }

  Result<Lowered> run() {
    out_.rules.unitType = machine_.pim->type;
    out_.rules.mergeType = DType::kF32;
    (isTree_ ? out_.rules.spill : out_.rules.evenOddTile) = kBursts;
    plan_ = std::make_shared<MatVecData>(graph_, index_, pattern_, machine_, isTree_);
    for (const int s : out_.placed.executionOrder) {
      const lower::Shares shares(kernel_, out_.placed, s, machine_);
      if (const auto bad = checkInputs(kernel_, shares, pattern_)) return *bad;
      Result<MatVecData::Part> p = part(shares);
      if (!p) return p.diagnostics();
      plan_->parts.push_back(std::move(*p));
    }
    std::int64_t outputs = 1;
    for (const auto *dims : {&pattern_.groupDims, &pattern_.outputDims, &pattern_.batchDims})
      for (const int d : *dims) outputs *= kernel_.dims[static_cast<std::size_t>(d)].extent;
    if (!pattern_.isUpdate) out_.host.merges -= outputs;
    const std::int64_t zeroRow = isTree_ ? reserveZeroRow() : -1;
    if (const Status s = checkRows(kernel_, out_.dataRows, machine_, "output or input elements"); !s)
      return s.diagnostics();
    emit(zeroRow);
    out_.data = plan_;
    return std::move(out_);
  }

 private:
  static constexpr std::int64_t kSlots = MatVecData::kSlots, kBursts = MatVecData::kBursts;

  /// Sizes one subspace and gives it rows behind those of the others: weights first, then results.
  Result<MatVecData::Part> part(const lower::Shares &shares) {
    MatVecData::Part p;
    p.shares = shares;
    p.outputTiles = ceilDiv(shares.rangeOf(pattern_.outputDims), kSlots);
    p.inputTiles = ceilDiv(shares.rangeOf(pattern_.reductionDims), kBursts);
    p.batch = shares.rangeOf(pattern_.batchDims);
    p.groups = shares.rangeOf(pattern_.groupDims);
    if (pattern_.isDirect) {
      Result<DirectLayout> layout = directLayout(kernel_, pattern_, shares, out_.placed.mapping);
      if (!layout) return layout.diagnostics();
      p.direct = std::move(*layout);
      p.outputTiles = p.direct->outputTiles();
    }
    p.evenTiles = (p.inputTiles + 1) / 2;
    p.oddTiles = p.inputTiles / 2;
    p.weightRow =
        out_.dataRows + out_.dataRows % 2;  // MAC takes GRF_A's number from row bit 0: tiles begin in even rows
    const std::int64_t tiles =
        p.direct ? p.direct->positions * p.direct->tilesPerBank() : p.groups * p.outputTiles * p.evenTiles;
    p.resultRow = p.weightRow + 2 * tiles;
    p.resultsPerOutput = isTree_ ? p.inputTiles : 1;
    out_.dataRows = p.resultRow + p.groups * p.outputTiles * p.batch * p.resultsPerOutput;
    p.inputBurst = plan_->inputBursts;
    plan_->inputBursts += p.groups * p.batch * p.inputTiles * kBursts;
    p.isInputPerChannel = shares.instancesOf(0, pattern_.reductionDims) * shares.instancesOf(0, pattern_.batchDims) *
                              shares.instancesOf(0, pattern_.groupDims) >
                          1;
    plan_->isInputPerChannel |= p.isInputPerChannel;
    countHostWork(shares, p);
    return p;
  }

  void countHostWork(const lower::Shares &shares, const MatVecData::Part &p) {
    const machine::PimUnit &unit = *machine_.pim;
    const std::int64_t channels = machine_.dram->organization.channels;
    const std::int64_t burst = machine_.dram->organization.burst.value;
    const std::int64_t tiles =
        p.direct ? 2 * p.direct->positions * p.direct->tilesPerBank() : p.groups * p.outputTiles * p.inputTiles;
    const std::int64_t bursts = tiles * kSlots * kBursts * unit.blocks * channels;
    const int weights = kernel_.loads[static_cast<std::size_t>(pattern_.weights)].tensor;
    const bool isKept = graph_.tensors[static_cast<std::size_t>(weights)].isConstant;
    out_.host.place(bursts * burst, bursts * burst, isKept);
    if (!plan_->isInputInOrder())
      out_.host.place(
          0, p.groups * p.batch * p.inputTiles * kBursts * burst * (p.isInputPerChannel ? channels : 1),
          graph_.tensors[static_cast<std::size_t>(kernel_.loads[static_cast<std::size_t>(pattern_.input)].tensor)]
              .isConstant);
    const std::int64_t results =
        p.groups * p.outputTiles * kSlots * p.batch * p.resultsPerOutput * unit.blocks * channels;
    out_.host.read(results * burst, 0);
    // Lanes x pieces x channel splits partial results per output of the box; run() takes off one addition per output.
    std::int64_t outputs = 1;
    for (const auto *dims : {&pattern_.groupDims, &pattern_.outputDims, &pattern_.batchDims})
      for (const int d : *dims) outputs *= shares.axis(d).size;
    const std::int64_t partials = shares.instancesOf(2, pattern_.reductionDims) *
                                  shares.instancesOf(0, pattern_.reductionDims) * p.resultsPerOutput;
    out_.host.merges += outputs * partials;
  }

  /// A row of zeros that clears the accumulators. The reference simulator uses one fixed row; where weights or results
  /// lie there, the next free row serves as well.
  std::int64_t reserveZeroRow() {
    if (out_.dataRows <= MatVecData::kReferenceZeroRow) {
      out_.dataRows = MatVecData::kReferenceZeroRow + 1;
      return MatVecData::kReferenceZeroRow;
    }
    return out_.dataRows++;
  }

  void emit(std::int64_t zeroRow) {
    program::Program &p = out_.program;
    p.target = machine_.name;
    std::int64_t crfBursts = 0;
    for (MatVecData::Part &part : plan_->parts) {
      out_.microkernels.push_back(matVecMicrokernel(part.evenTiles, part.oddTiles, isTree_));
      part.crfBurst = crfBursts;
      part.crfBursts =
          isTree_ ? MatVecData::kTreeCrfBursts : ceilDiv(static_cast<std::int64_t>(out_.microkernels.back().size()), 8);
      crfBursts += part.crfBursts;
    }
    plan_->microkernels = out_.microkernels;
    p.images = {{"crf", crfBursts, false},
                {"control", 2, false},
                {"input", plan_->inputBursts, plan_->isInputPerChannel},
                {"zero", 1, false}};
    std::vector<CommandNode> cleared;
    if (isTree_) clearZeroRow(cleared, zeroRow);
    p.processes.push_back(stream_.process(std::move(cleared), [&](std::vector<CommandNode> &commands) {
      for (const MatVecData::Part &part : plan_->parts) body(commands, part, zeroRow);
    }));
  }

  void clearZeroRow(std::vector<CommandNode> &out, std::int64_t zeroRow) const {
    for (int b = 0; b < machine_.dram->organization.banks(); ++b)
      for (std::int64_t c = 0; c < kSlots; ++c)
        out.push_back(stream_.write(b, affine(zeroRow), affine(c), Purpose::kHostWrite, false, kZeroImage));
    out.back().statement.isBarrier = true;
  }

  void body(std::vector<CommandNode> &out, const MatVecData::Part &p, std::int64_t zeroRow) const {
    stream_.loadMicrokernel(out, kCrfImage, p.crfBurst, p.crfBursts);
    if (p.direct) return directBody(out, p);
    std::vector<CommandNode> tile;  // depths: group where there are several, output tile, batch
    stream_.control(tile, kControlImage, 1);
    const int at = p.outerDepth();
    if (isTree_) {
      if (p.oddTiles > 0) tile.push_back(CommandNode::loop("pair", p.oddTiles, pair(p, zeroRow)));
      if (p.evenTiles > p.oddTiles) append(tile, treeStep(p, 0, p.oddTiles, false, zeroRow));
    } else {
      tile.push_back(CommandNode::loop("even", p.evenTiles, step(p, 0, 0, true)));
      if (p.oddTiles > 0) tile.push_back(CommandNode::loop("odd", p.oddTiles, step(p, 1, 0, true)));
      Operand row = affine(p.resultRow, {{at, p.batch}, {at + 1, 1}});
      if (at > 0) row.stride[0] = p.outputTiles * p.batch;
      stream_.writeColumns(tile, 1, row, {}, Purpose::kPimStore);
    }
    stream_.control(tile, kControlImage, 0);
    CommandNode outputs =
        CommandNode::loop("output", p.outputTiles, {CommandNode::loop("batch", p.batch, std::move(tile))});
    out.push_back(at > 0 ? CommandNode::loop("group", p.groups, {std::move(outputs)}) : std::move(outputs));
  }

  /// The loops over groups, outputs and terms one by one, since each moves the rows by a step of its own.
  void directBody(std::vector<CommandNode> &out, const MatVecData::Part &p) const {
    const DirectLayout &layout = *p.direct;
    Nest nest{affine(p.weightRow), affine(p.inputBurst), affine(p.resultRow), 0, {}};
    const std::int64_t tiles = layout.outputTiles();
    nest.enter(layout.groups, layout, {p.batch * p.inputTiles * kBursts, tiles * p.batch});
    nest.enter(layout.outputs, layout, {0, p.batch});
    nest.enter({{-1, p.batch}}, layout, {p.inputTiles * kBursts, 1});
    std::vector<CommandNode> body;
    stream_.control(body, kControlImage, 1);
    for (const int parity : {0, 1}) {
      Nest terms = nest;
      terms.loops.clear();
      terms.enter(layout.terms, layout, {2 * layout.tilesPerBank() * kBursts, 0});
      terms.weights.stride[static_cast<std::size_t>(terms.depth)] = 2;
      terms.input.stride[static_cast<std::size_t>(terms.depth)] = 2 * kBursts;
      terms.input.base += parity * kBursts;
      std::vector<CommandNode> step;
      stream_.writeInput(step, kInputImage, terms.input);
      step.push_back(multiply(parity, terms.weights, terms.depth + 1));
      append(body, terms.wrap({CommandNode::loop("tile", layout.tilesPerBank(), std::move(step))}));
    }
    stream_.writeColumns(body, 1, nest.result, {}, Purpose::kPimStore);
    stream_.control(body, kControlImage, 0);
    append(out, nest.wrap(std::move(body)));
  }

  /// Loops from the outside in, and what they add to rows and bursts.
  struct Nest {
    Operand weights, input, result;
    int depth = 0;
    std::vector<DirectLayout::Loop> loops;

    struct Strides {
      std::int64_t input = 0, result = 0;  ///< of the innermost of the loops
    };
    /// Loops are row-major; those of one iteration are left out.
    void enter(const std::vector<DirectLayout::Loop> &more, const DirectLayout &layout, Strides strides) {
      int at = depth;
      for (const auto &l : more) at += l.trip > 1 ? 1 : 0;
      depth = at;
      for (std::size_t i = more.size(); i-- > 0;) {
        if (more[i].trip == 1) continue;
        const auto d = static_cast<std::size_t>(--at);
        if (more[i].dim >= 0)
          weights.stride[d] = 2 * layout.tilesPerBank() * layout.steps[static_cast<std::size_t>(more[i].dim)];
        input.stride[d] = strides.input;
        result.stride[d] = strides.result;
        strides.input *= more[i].trip;
        strides.result *= more[i].trip;
      }
      for (const auto &l : more)
        if (l.trip > 1) loops.push_back(l);
    }
    /// The loops around `body`.
    std::vector<CommandNode> wrap(std::vector<CommandNode> body) const {
      for (std::size_t i = loops.size(); i-- > 0;) {
        CommandNode loop = CommandNode::loop("direct", loops[i].trip, std::move(body));
        body.clear();
        body.push_back(std::move(loop));
      }
      return body;
    }
  };

  /// The 64 bursts of a weight tile, loops at `depth` and inside.
  CommandNode multiply(int parity, Operand row, int depth) const {
    row.stride[static_cast<std::size_t>(depth)] = 1;
    std::vector<CommandNode> columns;
    stream_.readColumns(columns, parity, row, affine(0, {{depth + 1, kSlots}}), Purpose::kPimMac);
    const std::int64_t groups = machine_.dram->organization.columns / kSlots;
    return CommandNode::loop("row", kBursts / groups, {CommandNode::loop("burst", groups, std::move(columns))});
  }

  /// One input tile: broadcast it, then multiply-accumulate its 64 weight bursts. Tile number of this bank parity:
  /// `first` + the counter of the loop inside the batch's, if `isLooped`.
  std::vector<CommandNode> step(const MatVecData::Part &p, int parity, std::int64_t first, bool isLooped) const {
    const std::int64_t tiles = parity == 0 ? p.evenTiles : p.oddTiles;
    const std::int64_t moves = isLooped ? 1 : 0;
    const int at = p.outerDepth(), depth = isLooped ? at + 3 : at + 2;
    std::vector<CommandNode> out;
    Operand input = affine(p.inputBurst + (2 * first + parity) * kBursts,
                           {{at + 1, p.inputTiles * kBursts}, {at + 2, 2 * kBursts * moves}});
    Operand row = affine(p.weightRow + 2 * first, {{at, 2 * tiles}, {at + 2, 2 * moves}});
    if (at > 0) {
      input.stride[0] = p.batch * p.inputTiles * kBursts;
      row.stride[0] = 2 * p.outputTiles * tiles;
    }
    stream_.writeInput(out, kInputImage, input);
    out.push_back(multiply(parity, row, depth));
    return out;
  }

  std::vector<CommandNode> pair(const MatVecData::Part &p, std::int64_t zeroRow) const {
    std::vector<CommandNode> out = treeStep(p, 0, 0, true, zeroRow);
    append(out, treeStep(p, 1, 0, true, zeroRow));
    return out;
  }

  std::vector<CommandNode> treeStep(const MatVecData::Part &p, int parity, std::int64_t first, bool isLooped,
                                    std::int64_t zeroRow) const {
    std::vector<CommandNode> out = step(p, parity, first, isLooped);
    const std::int64_t n = p.inputTiles;
    const int at = p.outerDepth();
    Operand row =
        affine(p.resultRow + 2 * first + parity, {{at, p.batch * n}, {at + 1, n}, {at + 2, isLooped ? 2 : 0}});
    if (at > 0) row.stride[0] = p.outputTiles * p.batch * n;
    stream_.writeColumns(out, 1, row, {}, Purpose::kPimStore);
    stream_.readColumns(out, 0, affine(zeroRow), {}, Purpose::kPimRead);
    return out;
  }

  static void append(std::vector<CommandNode> &to, std::vector<CommandNode> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  static constexpr int kCrfImage = 0, kControlImage = 1, kInputImage = 2, kZeroImage = 3;

  const kernel::Graph &graph_;
  int index_;
  const kernel::Kernel &kernel_;
  MatVec pattern_;
  const machine::Machine &machine_;
  Stream stream_;
  bool isTree_;
  Lowered out_;
  std::shared_ptr<MatVecData> plan_;
};

}  // namespace

Result<Lowered> lowerMatVec(const kernel::Graph &graph, int kernel, const MatVec &pattern,
                            mapping::PlacedMapping placed, const machine::Machine &machine, Variant variant) {
  return Builder(graph, kernel, pattern, std::move(placed), machine, variant).run();
}

}  // namespace pimento::targets::hbm_pim
