#include "pimento/targets/l3_sram/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "pimento/base/element_bits.h"
#include "pimento/base/integer.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"
#include "pimento/tdfg/lattice.h"

namespace pimento::targets::l3_sram {

using evaluate::GraphPart;

namespace {

/// The kernel by itself: what earlier kernels left is given.
kernel::Graph isolated(const GraphPart &part, std::vector<int> &tensors) {
  const kernel::Kernel &k = part.kernel();
  kernel::Graph g;
  g.name = k.name;
  std::vector<int> number(part.graph->tensors.size(), -1);
  const auto take = [&](int tensor) {
    int &n = number[static_cast<std::size_t>(tensor)];
    if (n < 0) {
      n = static_cast<int>(g.tensors.size());
      g.tensors.push_back(part.graph->tensors[static_cast<std::size_t>(tensor)]);
      g.tensors.back().role = kernel::Role::kInput;
      tensors.push_back(tensor);
    }
    return n;
  };
  kernel::Kernel copy = k;
  for (kernel::Access &a : copy.loads) a.tensor = take(a.tensor);
  for (kernel::Store &s : copy.stores) s.target.tensor = take(s.target.tensor);
  for (const kernel::Store &s : copy.stores) {
    kernel::Tensor &t = g.tensors[static_cast<std::size_t>(s.target.tensor)];
    const int original = tensors[static_cast<std::size_t>(s.target.tensor)];
    bool isMade = part.graph->tensors[static_cast<std::size_t>(original)].role == kernel::Role::kInOut;
    for (int i = 0; i < part.first && !isMade; ++i)
      for (const kernel::Store &other : part.graph->kernels[static_cast<std::size_t>(i)].stores)
        isMade |= other.target.tensor == original;
    t.role = isMade ? kernel::Role::kInOut : kernel::Role::kOutput;
    t.isConstant = false;
  }
  g.kernels.push_back(std::move(copy));
  return g;
}

/// By lattice dim, the dim of the kernel whose loop runs along it, as the first region with a graph has it; -1: none.
std::vector<int> dimsOf(tdfg::Program program, const kernel::Kernel &k) {
  std::vector<int> dims(lower::l3_sram::kMostDims, -1);
  for (const tdfg::Region &region : program.regions) {
    if (region.nodes.empty()) continue;
    const auto choice = tdfg::chooseLattice(program, region.streams);  // its rounds get names once more
    PIMENTO_CHECK(choice.lattice.has_value());
    for (std::size_t l = 0; l < choice.lattice->dims.size(); ++l) {
      const int loop = choice.lattice->dims[l].loop;
      if (loop < 0) continue;
      const auto &name = region.streams.dims[static_cast<std::size_t>(loop)].name;
      const auto at = std::ranges::find(k.dims, name, &kernel::Dim::name);
      if (at != k.dims.end()) dims[l] = static_cast<int>(at - k.dims.begin());
    }
    break;
  }
  return dims;
}

lower::l3_sram::Wishes wishesOf(const tdfg::Program &program) {
  lower::l3_sram::Wishes w;
  for (const tdfg::Region &r : program.regions) {
    const lower::l3_sram::Wishes own = lower::l3_sram::wishesOf(r);
    w.shifted |= own.shifted;
    w.broadcast |= own.broadcast;
    w.reduced |= own.reduced;
  }
  return w;
}

/// Wordlines of the tensors of a graph of several kernels, in its order, so that kernels find what others left;
/// nothing: they do not all fit.
std::optional<tdfg::Homes> homesOf(const GraphPart &part, const std::vector<int> &tensors, const tdfg::Program &program,
                                   const tdfg::ArraySize &size) {
  if (part.graph->kernels.size() < 2) return std::nullopt;
  tdfg::Homes homes;
  homes.byArray.assign(program.arrays.size(), -1);
  int next = 0;
  for (std::size_t t = 0; t < part.graph->tensors.size(); ++t) {
    const int bits = bitsOf(part.graph->tensors[t].type);
    const auto own = std::ranges::find(tensors, static_cast<int>(t));
    if (own != tensors.end())
      homes.byArray[static_cast<std::size_t>(own - tensors.begin())] = next;
    else
      homes.others.push_back({next, bits});
    next += bits;
  }
  // Arrays of the program alone.
  for (std::size_t a = 0; a < program.arrays.size(); ++a)
    if (homes.byArray[a] < 0) next = (homes.byArray[a] = next) + bitsOf(program.arrays[a].type);
  if (next > size.wordlines) return std::nullopt;
  return homes;
}

}  // namespace

Result<Plan> graphsOf(const GraphPart &part, const machine::Machine & /*machine*/) {
  Plan plan;
  const kernel::Graph graph = isolated(part, plan.tensors);
  auto program = tdfg::fitStreams({}, [&](const auto &) -> Result<kernel::Graph> { return graph; });
  if (!program) return program.diagnostics();
  plan.program = std::move(*program);
  tdfg::extract(plan.program);
  if (const Status s = tdfg::verify(plan.program); !s) return s.diagnostics();
  auto values = tdfg::bindSizes(plan.program, {});
  if (!values) return values.diagnostics();
  plan.values = std::move(*values);
  plan.dimOf = dimsOf(plan.program, part.kernel());
  for (const tdfg::Array &a : plan.program.arrays)
    plan.elementBytes = std::min(plan.elementBytes, static_cast<int>(sizeOf(a.type).value));
  return plan;
}

namespace {

/// Changes the plan's graphs.
Rewriting rewritten(Plan &plan, const GraphPart &part, const machine::Machine &machine, const mapping::Mapping &mapping,
                    bool explains) {
  const tdfg::ArraySize size{static_cast<int>(machine.sram->wordlines), static_cast<int>(machine.sram->bitlines)};
  const std::optional<tdfg::Homes> homes = homesOf(part, plan.tensors, plan.program, size);
  return rewriteGraphs(plan.program, plan.values, tileOf(plan, mapping, lower::l3_sram::kMostDims), size,
                       homes ? &*homes : nullptr, *machine.sram, explains);
}

}  // namespace

Result<Plan> makePlan(const GraphPart &part, const machine::Machine &machine, const mapping::Mapping &mapping) {
  Result<Plan> made = graphsOf(part, machine);
  if (!made) return made;
  Plan &plan = *made;
  const tdfg::ArraySize size{static_cast<int>(machine.sram->wordlines), static_cast<int>(machine.sram->bitlines)};
  const std::optional<tdfg::Homes> homes = homesOf(part, plan.tensors, plan.program, size);
  plan.rewriting = rewritten(plan, part, machine, mapping, false);
  for (std::size_t r = 0; r < plan.program.regions.size(); ++r) {
    tdfg::Region &region = plan.program.regions[r];
    plan.schedules.emplace_back();
    if (region.nodes.empty()) continue;
    auto schedule = tdfg::schedule(plan.program, static_cast<int>(r), size, homes ? &*homes : nullptr);
    if (schedule) {
      plan.schedules.back() = std::move(*schedule);
      continue;
    }
    leaveToStreams(region, schedule.diagnostics().front().message);
  }
  return made;
}

std::vector<std::string> rewritesOf(const GraphPart &part, const machine::Machine &machine,
                                    const mapping::Mapping &mapping) {
  Result<Plan> made = graphsOf(part, machine);
  return made ? rewritten(*made, part, machine, mapping, true).sentences : std::vector<std::string>();
}

std::vector<std::int64_t> tileOf(const Plan &plan, const mapping::Mapping &mapping, std::size_t dims) {
  std::vector<std::int64_t> tile(dims, 1);
  const mapping::Subspace &s = mapping.subspaces.front();
  for (std::size_t d = 0; d < dims; ++d)
    if (plan.dimOf[d] >= 0) tile[d] = s.extentInside(0, plan.dimOf[d]);
  return tile;
}

namespace {

/// Of the arrays of the first region with a graph: kernels on parts of an array have one layout of it. Empty: there is
/// none.
std::vector<std::int64_t> boundingOf(const Plan &plan) {
  for (std::size_t r = 0; r < plan.program.regions.size(); ++r) {
    if (plan.program.regions[r].nodes.empty()) continue;
    const auto instance = tdfg::bindRegion(plan.program, static_cast<int>(r), plan.values);
    return instance ? instance->bounding : std::vector<std::int64_t>();
  }
  return {};
}

}  // namespace

namespace {

/// The lattice as far as loops reach along it, and by dim of it the kernel's.
struct Reached {
  std::vector<std::int64_t> lattice;
  std::vector<std::size_t> dims;
};

Reached reachedBy(const GraphPart &part, const Plan &plan, const machine::Machine &machine) {
  Reached out;
  const kernel::Kernel &k = part.kernel();
  const std::vector<std::int64_t> arrays = machine.kernels ? boundingOf(plan) : std::vector<std::int64_t>();
  for (std::size_t l = 0; l < plan.dimOf.size(); ++l) {
    const int d = plan.dimOf[l];
    // Loops in order are streams.
    if (d < 0 || k.dims[static_cast<std::size_t>(d)].kind == kernel::DimKind::kSequential) continue;
    out.dims.push_back(static_cast<std::size_t>(d));
    out.lattice.push_back(std::max<std::int64_t>(1, l < arrays.size() ? arrays[l] : k.dims[out.dims.back()].extent));
  }
  return out;
}

/// Those of powers of two with a product of `cells`, each up to the extent's next one.
void addTiles(const std::vector<std::int64_t> &lattice, std::int64_t cells, Tile &tile, std::vector<Tile> &out) {
  const std::size_t d = tile.size();
  const auto most = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(lattice[d])));
  if (d + 1 == lattice.size()) {
    if (cells > most) return;
    out.push_back(tile);
    out.back().push_back(cells);
    return;
  }
  for (std::int64_t n = 1; n <= std::min(cells, most); n *= 2) {
    tile.push_back(n);
    addTiles(lattice, cells / n, tile, out);
    tile.pop_back();
  }
}

}  // namespace

Result<std::vector<Tile>> tilesOf(const GraphPart &part, const Plan &plan, const machine::Machine &machine,
                                  const evaluate::Parameters &wanted) {
  const Reached reached = reachedBy(part, plan, machine);
  if (reached.lattice.empty()) return std::vector<Tile>{{}};
  const auto tile = lower::l3_sram::heuristicTile(reached.lattice, wishesOf(plan.program), *machine.sram);
  if (!tile && machine.kernels) return std::vector<Tile>{{}};  // other places take it
  if (!tile) return tile.diagnostics();
  std::vector<Tile> all{Tile(tile->begin(), tile->begin() + static_cast<std::ptrdiff_t>(reached.lattice.size()))};
  std::vector<Tile> others;
  Tile empty;
  addTiles(reached.lattice, (*tile)[0] * (*tile)[1] * (*tile)[2], empty, others);
  std::ranges::copy_if(others, std::back_inserter(all), [&](const Tile &t) { return t != all.front(); });
  if (reached.lattice.size() < 2) return all;
  for (const auto &[name, d] : {std::pair("t0", 0), std::pair("t1", 1)}) {
    const auto at = wanted.find(name);
    if (at == wanted.end()) continue;
    const std::vector<Tile> before = all;
    std::erase_if(all, [&](const Tile &t) { return t[static_cast<std::size_t>(d)] != at->second; });
    if (!all.empty()) continue;
    std::set<std::int64_t> choices;
    for (const Tile &t : before) choices.insert(t[static_cast<std::size_t>(d)]);
    return unsupported("illegal-tile", part.kernel().where,
                       fmt::format("kernel '{}' has no tile with {}={}", part.kernel().name, name, at->second),
                       fmt::format("use {}", fmt::join(choices, ", ")));
  }
  return all;
}

mapping::Mapping mappingIn(const Tile &tile, const GraphPart &part, const Plan &plan, const machine::Machine &machine,
                           const mapping::MapSpec &spec) {
  mapping::Mapping m = spec.mapping;
  mapping::Subspace s;
  const kernel::Kernel &k = part.kernel();
  s.factors.assign(machine.levels.size() + 1, std::vector<std::int64_t>(k.dims.size(), 1));
  s.factors.back().clear();
  for (const kernel::Dim &d : k.dims) s.factors.back().push_back(d.extent);
  // Dims that no loop moves along have tiles of one cell.
  const std::vector<std::size_t> dims = reachedBy(part, plan, machine).dims;
  std::int64_t left = 1;
  for (const std::int64_t n : tile) left *= n;
  left /= machine.sram->bitlines;
  for (std::size_t d = 0; d < std::min(dims.size(), tile.size()); ++d) {
    const std::int64_t range = std::max<std::int64_t>(1, std::min(left, tile[d]));
    left /= range;
    s.factors[0][dims[d]] = ceilDiv(k.dims[dims[d]].extent, tile[d]);
    s.factors[1][dims[d]] = tile[d] / range;
    s.factors[2][dims[d]] = range;
  }
  m.subspaces = {std::move(s)};
  m.text = mapping::print(m);
  return m;
}

RegionProgram regionProgram(const Plan &plan, const mapping::Mapping &mapping, const machine::Machine &machine) {
  return {&plan.program, &plan.values, &plan.schedules, [&](int /*region*/, const tdfg::Instance &instance) {
            return lower::l3_sram::place(instance.bounding, tileOf(plan, mapping, instance.bounding.size()),
                                         plan.elementBytes, *machine.sram);
          }};
}

}  // namespace pimento::targets::l3_sram
