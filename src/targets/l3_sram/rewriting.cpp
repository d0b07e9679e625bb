#include "pimento/targets/l3_sram/rewriting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "pimento/base/element_bits.h"
#include "pimento/emit/format.h"
#include "pimento/lower/l3_sram/region.h"
#include "pimento/sim/sram/command_time.h"
#include "pimento/tdfg/text.h"

namespace pimento::targets::l3_sram {

namespace {

/// Where a command cannot be timed: more than moves of one bitline, less than a spill.
constexpr std::int64_t kUnknownCycles = 1000;

class Costs {
 public:
  Costs(const tdfg::Program &program, int region, const tdfg::Values &values, const std::vector<std::int64_t> &given,
        const machine::Sram &sram)
      : values_(values), sram_(sram), time_(sram) {
    const auto instance = tdfg::bindRegion(program, region, values);
    if (!instance || instance->isEmpty || instance->bounding.empty()) return;
    extents_ = instance->bounding;
    if (given.size() >= extents_.size()) {
      tile_.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(extents_.size()));
      return;
    }
    const auto tile = lower::l3_sram::heuristicTile(
        extents_, lower::l3_sram::wishesOf(program.regions[static_cast<std::size_t>(region)]), sram);
    if (tile) tile_.assign(tile->begin(), tile->begin() + static_cast<std::ptrdiff_t>(extents_.size()));
  }

  std::int64_t of(const tdfg::Node &node) {
    switch (node.kind) {
      case tdfg::NodeKind::kCmp:
        return ofCompute(node);
      case tdfg::NodeKind::kMv:
      case tdfg::NodeKind::kBc:
      case tdfg::NodeKind::kReduce:
        return ofMove(node);
      default:
        return 0;
    }
  }

 private:
  std::int64_t ofCompute(const tdfg::Node &node) {
    program::SramCommand c;
    c.kind = program::SramCommandKind::kCompute;
    c.op = node.op;
    c.type = node.type;
    c.argument = node.op == kernel::Op::kSelect ? DType::kU8 : node.type;
    c.bitlines.add(1, sram_.bitlines);
    c.tiles.add(1, sram_.arraysPerBank());
    const auto cycles = time_.of(c, 0);
    return cycles ? cycles->value : kUnknownCycles;
  }

  std::int64_t numberOf(const tdfg::Form &form, std::int64_t other) const {
    const auto value = tdfg::valueOf(form, values_);
    return value && *value != 0 ? *value : other;
  }

  std::int64_t ofMove(const tdfg::Node &node) {
    const auto key =
        std::tuple(node.kind, node.type, node.dim, numberOf(node.distance, 1), static_cast<int>(node.combine));
    const auto [at, isNew] = moves_.try_emplace(key, kUnknownCycles);
    if (isNew && !tile_.empty())
      if (const auto cycles = timed(node)) at->second = *cycles;
    return at->second;
  }

  /// A region of this node alone, over the whole lattice.
  std::optional<std::int64_t> timed(const tdfg::Node &node) {
    const auto d = static_cast<std::size_t>(node.dim);
    tdfg::Program p;
    p.name = "move";
    std::vector<tdfg::Form> shape;
    for (std::size_t k = extents_.size(); k-- > 0;) shape.push_back(tdfg::constantForm(extents_[k]));
    p.arrays = {{"x", node.type, shape, kernel::Role::kInput}, {"y", node.type, shape, kernel::Role::kOutput}};
    tdfg::Region r;
    r.name = "r0";
    r.lattice = static_cast<int>(extents_.size());
    tdfg::Box all;
    for (const std::int64_t n : extents_) all.push_back({{tdfg::Form{}}, {tdfg::constantForm(n)}, 1});
    tdfg::Node tensor, moved = node;
    tensor.kind = tdfg::NodeKind::kTensor;
    tensor.type = node.type;
    tensor.array = 0;
    tensor.box = all;
    moved.args = {0};
    tdfg::Box out = all;
    const auto range = [](std::int64_t low, std::int64_t high) {
      return tdfg::Range{{tdfg::constantForm(low)}, {tdfg::constantForm(high)}, 1};
    };
    if (node.kind == tdfg::NodeKind::kMv) {
      const std::int64_t by = numberOf(node.distance, 1);
      if (by >= extents_[d] || -by >= extents_[d]) return std::nullopt;
      moved.distance = tdfg::constantForm(by);
      out[d] = range(std::max<std::int64_t>(0, by), extents_[d] + std::min<std::int64_t>(0, by));
    } else if (node.kind == tdfg::NodeKind::kBc) {
      tensor.box[d] = range(0, 1);
      moved.distance = tdfg::Form{};
      moved.count = tdfg::constantForm(extents_[d]);
    } else {
      out[d] = range(0, 1);
    }
    r.domain = all;
    r.nodes = {tensor, moved};
    tdfg::Output output;
    output.node = 1;
    output.array = 1;
    output.box = out;
    r.outputs = {output};
    p.regions = {r};
    const auto instance = tdfg::bindRegion(p, 0, {});
    const auto schedule =
        tdfg::schedule(p, 0, {static_cast<int>(sram_.wordlines), static_cast<int>(sram_.bitlines)}, nullptr);
    const auto layout = lower::l3_sram::place(extents_, tile_, static_cast<int>(sizeOf(node.type).value), sram_);
    if (!instance || !schedule || !layout) return std::nullopt;
    const std::vector<std::uint64_t> constants(p.regions[0].nodes.size(), 0);
    const auto code = lower::l3_sram::lowerRegion(*instance, *schedule, *layout, constants);
    if (!code) return std::nullopt;
    const auto time = time_.of(code->commands);
    if (!time) return std::nullopt;
    return time->total.value;
  }

  const tdfg::Values &values_;
  const machine::Sram &sram_;
  sim::sram::CommandTime time_;
  std::vector<std::int64_t> extents_, tile_;
  std::map<std::tuple<tdfg::NodeKind, DType, int, std::int64_t, int>, std::int64_t> moves_;
};

int spillsOf(const tdfg::Program &program, std::size_t region, const tdfg::ArraySize &size, const tdfg::Homes *homes) {
  const auto schedule = tdfg::schedule(program, static_cast<int>(region), size, homes);
  return schedule ? schedule->spills : -1;
}

}  // namespace

tdfg::NodeCost nodeCosts(const tdfg::Program &program, int region, const tdfg::Values &values,
                         const std::vector<std::int64_t> &tile, const machine::Sram &sram) {
  auto costs = std::make_shared<Costs>(program, region, values, tile, sram);
  return [costs](const tdfg::Node &node) { return costs->of(node); };
}

Rewriting rewriteGraphs(tdfg::Program &program, const tdfg::Values &values, const std::vector<std::int64_t> &tile,
                        const tdfg::ArraySize &size, const tdfg::Homes *homes, const machine::Sram &sram,
                        bool explains) {
  Rewriting out;
  if (sram.rewrite == machine::Sram::Rewrite::kNone) return out;
  for (std::size_t r = 0; r < program.regions.size(); ++r) {
    tdfg::Region &region = program.regions[r];
    if (region.nodes.empty()) continue;
    const int spills = spillsOf(program, r, size, homes);
    if (spills < 0) continue;
    const tdfg::Region before = region;
    const tdfg::NodeCost costs = nodeCosts(program, static_cast<int>(r), values, tile, sram);
    tdfg::OptimiserReport report = tdfg::optimise(program, region, costs, {.explains = explains});
    bool isReordered = false;
    if (sram.rewrite == machine::Sram::Rewrite::kReassociate) {
      // Another order is worth a gain that one can measure.
      tdfg::Region other = before;
      const tdfg::OptimiserReport reordered =
          tdfg::optimise(program, other, costs, {.mayReassociate = true, .explains = explains});
      isReordered = reordered.after * 100 < report.after * 99;
      if (isReordered) {
        region = std::move(other);
        report = reordered;
      }
    }
    if (!report.unchanged.empty()) continue;
    const int now = spillsOf(program, r, size, homes);
    if (now < 0 || now > spills) {
      region = before;
      continue;
    }
    out.isReordered |= isReordered && std::ranges::any_of(region.nodes, [](const tdfg::Node &n) {
                         return n.kind == tdfg::NodeKind::kCmp && isFloat(n.type);
                       });
    out.sentences.push_back(fmt::format("graph {} rewritten: {} instead of {} cycles of operations and moves ({}, {})",
                                        region.name, emit::grouped(report.after), emit::grouped(report.before),
                                        name(report.stop),
                                        report.isProved ? "proved to be the least" : "the least that was found"));
    if (explains)
      for (std::string &step : stepsOf(report)) out.sentences.push_back(fmt::format("graph {}: {}", region.name, step));
  }
  return out;
}

std::vector<std::string> stepsOf(const tdfg::OptimiserReport &report) {
  std::vector<std::string> lines;
  std::int64_t cost = report.before, silent = 0;
  std::set<std::string> equations;
  const auto addSilent = [&] {
    if (silent > 0)
      lines.push_back(
          fmt::format("{} step{} at no cost: {}", silent, silent == 1 ? "" : "s", fmt::join(equations, ", ")));
    silent = 0;
    equations.clear();
  };
  for (const tdfg::OptimiserReport::Step &step : report.steps) {
    if (step.cost == cost) {
      ++silent;
      equations.insert(step.rule.substr(0, step.rule.find(',')));
      continue;
    }
    addSilent();
    lines.push_back(fmt::format("{}{}: {}{}", step.rule, step.isForward ? "" : ", right to left",
                                step.cost > cost ? "+" : "", emit::grouped(step.cost - cost)));
    cost = step.cost;
  }
  addSilent();
  if (!report.isReplayed) lines.emplace_back("the other steps were not found within the limits");
  return lines;
}

std::vector<tdfg::Program> versionsOf(const tdfg::Program &program, const tdfg::Values &values,
                                      const machine::Sram &sram) {
  std::vector<tdfg::Program> out;
  std::set<std::string> known{tdfg::print(program, tdfg::Part::kGraphs)};
  const tdfg::ArraySize size{static_cast<int>(sram.wordlines), static_cast<int>(sram.bitlines)};
  std::vector<std::vector<std::int64_t>> tiles{{}};  // the heuristic's; long, square and high ones
  for (const std::int64_t t0 : {sram.bitlines, sram.bitlines / 16, std::int64_t{4}})
    tiles.push_back({t0, std::max<std::int64_t>(1, sram.bitlines / t0), 1});
  for (const std::vector<std::int64_t> &tile : tiles) {
    tdfg::Program version = program;
    rewriteGraphs(version, values, tile, size, nullptr, sram);
    if (known.insert(tdfg::print(version, tdfg::Part::kGraphs)).second) out.push_back(std::move(version));
  }
  return out;
}

}  // namespace pimento::targets::l3_sram
