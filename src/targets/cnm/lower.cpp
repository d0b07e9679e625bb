#include "pimento/targets/cnm/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/targets/cnm/body.h"
#include "pimento/targets/cnm/data.h"

namespace pimento::targets::cnm {

using program::Address;
using program::Array;
using program::Instruction;
using Node = program::InstructionNode;

namespace {

Status checkMachine(const machine::Machine &m) {
  const bool hasUnits = m.levels.size() >= 2 && m.levels[m.levels.size() - 2].role == machine::LevelRole::kUnit;
  if (m.compute && m.unitMemory && hasUnits) return okStatus();
  return unsupported("unsupported-machine", {"--target"},
                     fmt::format("machine '{}' has no costs for virtual instructions", m.name),
                     "its file needs the section 'compute', and levels of units with threads");
}

class Writer {
 public:
  Writer(const kernel::Graph &graph, Plan &plan, program::UnitLoops &loops, std::vector<Lowered::Parameter> &parameters)
      : graph_(graph), plan_(plan), loops_(loops), parameters_(parameters) {
    around_.parameter = [this](int dim, bool isGlobal) { return parameter(dim, isGlobal); };
  }

  void run() {
    unit().threads = plan_.threads;
    declareArrays();
    around_.tileLoop.assign(plan_.axes.size(), -1);
    around_.pointLoop.assign(plan_.axes.size(), -1);
    for (const int d : plan_.nest) {  // addresses name loops before they are written
      const Axis &a = plan_.axis(d);
      if (a.isTiled()) around_.tileLoop[static_cast<std::size_t>(d)] = depth_++;
    }
    const int tileLoops = depth_;
    for (const int d : plan_.nest)
      if (plan_.axis(d).tile > 1) around_.pointLoop[static_cast<std::size_t>(d)] = depth_++;
    depth_ = tileLoops;
    loops_.nodes = tiles(0);
  }

 private:
  program::Unit &unit() { return loops_.unit; }

  std::string uniqueName(std::string name) {
    while (!names_.insert(name).second) name += '_';
    return name;
  }

  void declareArrays() {
    const auto declare = [this](Array::Space space, const std::string &name, const Operand &o, std::int64_t elements,
                                bool isShared) {
      unit().arrays.push_back({space, uniqueName(name), o.type, elements, isShared});
      return static_cast<int>(unit().arrays.size()) - 1;
    };
    for (Operand &o : plan_.operands) {
      const std::string &name = graph_.tensors[static_cast<std::size_t>(o.tensor)].name;
      o.array = declare(Array::Space::kBank, name, o, o.elements(plan_.sizesOf(o)), o.use == Use::kInput);
      if (plan_.hasScratchpad && !o.isInBank)
        o.tile = declare(Array::Space::kScratchpad, name + "_tile", o, o.elements(plan_.sizesPerTile()), false);
    }
  }

  int parameter(int dim, bool isGlobal) {
    for (std::size_t p = 0; p < parameters_.size(); ++p)
      if (parameters_[p].dim == dim && parameters_[p].isGlobal == isGlobal) return static_cast<int>(p);
    const Axis &a = plan_.axis(dim);
    parameters_.push_back({dim, isGlobal});
    // Loop variables may have the dim's name; parameters never.
    std::string name = isGlobal ? "base_" : "first_";
    for (const char c : a.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    const std::int64_t values = (isGlobal ? a.padded() : a.perUnit()) - a.range + 1;
    unit().parameters.push_back({uniqueName(name), values});
    return static_cast<int>(parameters_.size()) - 1;
  }

  /// From the tile loop of nest position `n` on.
  std::vector<Node> tiles(std::size_t n) {
    std::vector<Node> out;
    moves(out, static_cast<int>(n) - 1, true);
    if (n == plan_.nest.size()) {
      std::vector<Node> points = writePoints(plan_, around_);
      out.insert(out.end(), std::make_move_iterator(points.begin()), std::make_move_iterator(points.end()));
    } else {
      const Axis &a = plan_.axis(plan_.nest[n]);
      const bool isLoop = a.isTiled();
      depthAtMoves_ += isLoop ? 1 : 0;
      std::vector<Node> inside = tiles(n + 1);
      depthAtMoves_ -= isLoop ? 1 : 0;
      if (isLoop)
        out.push_back(Node::loop(a.name + "_tile", a.range / a.tile, std::move(inside)));
      else
        out.insert(out.end(), std::make_move_iterator(inside.begin()), std::make_move_iterator(inside.end()));
    }
    moves(out, static_cast<int>(n) - 1, false);
    return out;
  }

  void moves(std::vector<Node> &out, int level, bool isIn) {
    if (!plan_.hasScratchpad) return;
    for (const Operand &o : plan_.operands)
      if (o.tile >= 0 && o.level == level && (isIn ? plan_.isRead(o) : o.use != Use::kInput)) move(out, o, isIn);
  }

  /// A tile row by row, the rows as long as they are one piece on both sides.
  void move(std::vector<Node> &out, const Operand &o, bool isIn) {
    const PerDim bankSizes = plan_.sizesOf(o), tileSizes = plan_.sizesPerTile();
    std::size_t rows = o.positions.size();  // indices from here on are one piece
    std::int64_t count = 1;
    PerDim tile;
    for (const lower::Position &p : o.positions) tile.push_back(p.extent(tileSizes));
    for (bool isWhole = true; rows > 0 && isWhole; --rows) {
      count *= tile[rows - 1];
      isWhole = tile[rows - 1] == o.positions[rows - 1].extent(bankSizes);
    }
    const kernel::Affine from = plan_.inBank(o, tileSizes);
    Around around = around_;
    around.pointLoop.assign(plan_.axes.size(), -1);
    Instruction i;
    i.kind = Instruction::Kind::kMove;
    i.count = count;
    Address inBank = addressOf(plan_, around, from, o.use == Use::kInput ? Origin::kUnit : Origin::kThread), inTile;
    // Loops over the rows, inside the tile loops.
    std::vector<std::int64_t> trips;
    for (std::size_t p = 0; p < rows; ++p) {
      if (tile[p] == 1) continue;
      const std::size_t depth = static_cast<std::size_t>(depthAtMoves_) + trips.size();
      trips.push_back(tile[p]);
      if (depth >= program::kMaxDepth) continue;  // verify says so
      inBank.loops.stride[depth] += o.home.pitch[p] / o.size();
      inTile.loops.stride[depth] += o.near.pitch[p] / o.size();
    }
    i.array = isIn ? o.tile : o.array;
    i.from = isIn ? o.array : o.tile;
    i.at = isIn ? inTile : inBank;
    i.fromAt = isIn ? inBank : inTile;
    Node node = Node(std::move(i));
    for (std::size_t t = trips.size(); t-- > 0;) node = Node::loop("row", trips[t], {std::move(node)});
    out.push_back(std::move(node));
  }

  const kernel::Graph &graph_;
  Plan &plan_;
  program::UnitLoops &loops_;
  std::vector<Lowered::Parameter> &parameters_;
  Around around_;
  std::set<std::string> names_;
  int depth_ = 0, depthAtMoves_ = 0;
};

}  // namespace

Result<Lowered> lower(const kernel::Graph &graph, int kernel, const mapping::Mapping &mapping,
                      const machine::Machine &machine) {
  if (const Status s = checkMachine(machine); !s) return s.diagnostics();
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  Result<mapping::PlacedMapping> placed = mapping::place(mapping, k, machine);
  if (!placed) return placed.diagnostics();
  Result<Plan> made = makePlan(graph, kernel, *placed, machine);
  if (!made) return made.diagnostics();
  Lowered out;
  Plan plan = std::move(*made);
  program::Process process;
  process.name = machine::levelOf(machine.levels, machine::LevelRole::kUnit)->name;
  process.instances = plan.units;
  int loops = 0;
  for (const Axis &a : plan.axes) loops += (a.isTiled() ? 1 : 0) + (a.tile > 1 ? 1 : 0);
  if (loops > program::kMaxDepth)
    return unsupported(
        "program-depth", k.where,
        fmt::format("kernel '{}' needs {} nested loops, but the limit is {}", k.name, loops, program::kMaxDepth),
        "split it over more threads, or merge dims");
  Writer(graph, plan, process.body.emplace<program::UnitLoops>(), out.parameters).run();
  out.program = {machine.name, {}, {std::move(process)}};
  if (const Status s = program::verify(out.program, machine); !s) {
    Diagnostics why = s.diagnostics();
    for (Diagnostic &d : why) d.where = k.where;
    rename(why, {{"program-operation", "unsupported-operation"}});
    return why;
  }
  // What threads have is what the order of sums is about.
  for (std::size_t d = 0; d < plan.axes.size(); ++d)
    placed->mapping.subspaces.front().factors.back()[d] = plan.axes[d].range;
  out.placed = std::move(*placed);
  out.host = hostWorkOf(plan);
  out.plan = std::make_shared<const Plan>(std::move(plan));
  return out;
}

}  // namespace pimento::targets::cnm
