#include "pimento/targets/hbm_pim/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "pimento/base/integer.h"
#include "pimento/targets/hbm_pim/elementwise_data.h"
#include "pimento/targets/hbm_pim/part_programs.h"
#include "pimento/targets/hbm_pim/stream.h"

namespace pimento::targets::hbm_pim {

namespace {

class Builder {
 public:
  Builder(const kernel::Graph &graph, int kernel, const Elementwise &pattern, mapping::PlacedMapping placed,
          const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        pattern_(pattern),
        machine_(machine),
        stream_(machine),
        tilesPerRow_(machine.dram->organization.columns / ElementwiseData::kColumns) {
    out_.placed = std::move(placed);
    plan_ = std::make_shared<ElementwiseData>(graph, kernel, machine);
    dims_.resize(kernel_.dims.size());
    std::iota(dims_.begin(), dims_.end(), 0);
  }

  Result<Lowered> run() {
    out_.rules.unitType = machine_.pim->type;
    for (const int s : out_.placed.executionOrder) {
      Result<ElementwiseData::Part> p = part({kernel_, out_.placed, s, machine_});
      if (!p) return p.diagnostics();
      plan_->parts.push_back(std::move(*p));
    }
    if (const Status s = checkRows(kernel_, out_.dataRows, machine_, "elements"); !s) return s.diagnostics();
    writeProgram(out_, plan_->parts, stream_, machine_,
                 [this](std::vector<CommandNode> &commands, const ElementwiseData::Part &p, std::int64_t number) {
                   body(commands, p, number);
                 });
    out_.data = plan_;
    return std::move(out_);
  }

 private:
  std::int64_t tiles(const lower::Shares &shares) const {
    const std::int64_t perTile = machine_.pim->banksPerBlock * ElementwiseData::kColumns;
    if (out_.placed.mapping.tail == mapping::Tail::kPad) return ceilDiv(shares.rangeOf(dims_), perTile);
    std::int64_t points = 1;
    for (const lower::Axis &a : shares.axes) points *= a.size;
    const std::int64_t units = shares.instancesOf(0, dims_) * shares.instancesOf(1, dims_);
    return ceilDiv(points, shares.instancesOf(2, dims_)) / (units * perTile);
  }

  Result<ElementwiseData::Part> part(const lower::Shares &shares) {
    ElementwiseData::Part p;
    p.shares = shares;
    p.tiles = tiles(shares);
    Result<ElementwiseCode> code = compileElementwise(kernel_, pattern_, machine_, p.tiles);
    if (!code) return code.diagnostics();
    p.code = std::move(*code);
    p.firstRow = out_.dataRows;
    p.regionRows = std::max(ceilDiv(p.tiles, tilesPerRow_), ElementwiseData::kReferenceRegionRows);
    const std::int64_t lastRows = std::max<std::int64_t>(ceilDiv(p.tiles, tilesPerRow_), 1);
    out_.dataRows += p.regionRows * (p.code.regions - 1) + lastRows;
    const machine::PimUnit &unit = *machine_.pim;
    const std::int64_t bursts =
        p.tiles * ElementwiseData::kColumns * unit.banksPerBlock * unit.blocks * machine_.dram->organization.channels;
    const std::int64_t bytes = bursts * machine_.dram->organization.burst.value;
    const auto operands = static_cast<std::int64_t>(p.code.loads.size());
    const std::int64_t kept = std::count_if(p.code.loads.begin(), p.code.loads.end(), [&](int l) { return isKept(l); });
    const std::int64_t moved = isLinear() ? 0 : bytes;
    out_.host.place(bytes * (operands - kept), moved * (operands - kept));
    out_.host.place(bytes * kept, moved * kept, true);
    out_.host.read(bytes * (p.code.regions - operands), moved * (p.code.regions - operands));
    return p;
  }

  bool isKept(int load) const {
    return load >= 0 && graph_.tensors[static_cast<std::size_t>(operandAccess(kernel_, load).tensor)].isConstant;
  }

  /// Whether the layout is the tensors' own: one dim, read and written in order, bursts dealt out as addresses run.
  bool isLinear() const {
    const mapping::Mapping &m = out_.placed.mapping;
    const std::int64_t lanes = machine_.pim->lanes;
    const std::map<std::string, std::int64_t> linear = {{machine_.levels[0].name, lanes},
                                                        {machine_.levels[1].name, lanes * machine_.pim->banksPerBlock},
                                                        {machine_.levels[2].name, 1}};
    const auto isInOrder = [](const kernel::Access &a) {
      return a.index.size() == 1 && a.index[0].constant == 0 && a.index[0].coefficients[0] == 1;
    };
    return dims_.size() == 1 && m.subspaces.size() == 1 && m.cyclic == linear &&
           std::all_of(kernel_.loads.begin(), kernel_.loads.end(), isInOrder) &&
           std::all_of(kernel_.stores.begin(), kernel_.stores.end(),
                       [&](const kernel::Store &s) { return isInOrder(s.target); });
  }

  void body(std::vector<CommandNode> &out, const ElementwiseData::Part &p, std::int64_t number) const {
    stream_.loadMicrokernel(out, kCrfImage, p.crfBurst, p.crfBursts);
    if (p.code.factor || p.code.addend) stream_.loadScalars(out, kScalarImage, number);
    stream_.control(out, kControlImage, 1);
    // Four tiles fill a row; the loops keep row and column apart.
    const std::int64_t fullRows = p.tiles / tilesPerRow_, rest = p.tiles % tilesPerRow_;
    if (fullRows > 0)
      out.push_back(CommandNode::loop("row", fullRows, {CommandNode::loop("tile", tilesPerRow_, tile(p, 0, true))}));
    if (rest > 0) out.push_back(CommandNode::loop("tile", rest, tile(p, fullRows, false)));
    stream_.control(out, kControlImage, 0);
  }

  std::vector<CommandNode> tile(const ElementwiseData::Part &p, std::int64_t row, bool isInRowLoop) const {
    std::vector<CommandNode> out;
    for (int bank = 0; bank < machine_.pim->banksPerBlock; ++bank)
      for (const Step &s : p.code.steps) {
        const std::int64_t base = p.firstRow + s.region * p.regionRows + row;
        const Operand rows = isInRowLoop ? affine(base, {{0, 1}}) : affine(base);
        const Operand columns = affine(0, {{isInRowLoop ? 1 : 0, ElementwiseData::kColumns}});
        if (s.isStore)
          stream_.writeColumns(out, bank, rows, columns, s.purpose);
        else
          stream_.readColumns(out, bank, rows, columns, s.purpose);
      }
    return out;
  }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  const Elementwise &pattern_;
  const machine::Machine &machine_;
  Stream stream_;
  std::int64_t tilesPerRow_;
  std::vector<int> dims_;
  Lowered out_;
  std::shared_ptr<ElementwiseData> plan_;
};

}  // namespace

Result<Lowered> lowerElementwise(const kernel::Graph &graph, int kernel, const Elementwise &pattern,
                                 mapping::PlacedMapping placed, const machine::Machine &machine) {
  return Builder(graph, kernel, pattern, std::move(placed), machine).run();
}

}  // namespace pimento::targets::hbm_pim
