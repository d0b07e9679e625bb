// Any text: parse, print, parse again; then place it on small kernels and machines, and read its layout, order and
// merges. A crash, a hang or a round trip that changes the mapping is a finding.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/mapping/dependence.h"
#include "pimento/mapping/mapping.h"

namespace {

using namespace pimento;

kernel::Graph gemv(std::int64_t m, std::int64_t n) {
  kernel::Graph graph;
  graph.tensors = {{"A", DType::kF16, {m, n}, kernel::Role::kInput}, {"y", DType::kF16, {m}, kernel::Role::kOutput}};
  kernel::Kernel k;
  k.name = "gemv";
  k.dims = {{"i", m, kernel::DimKind::kParallel}, {"j", n, kernel::DimKind::kReduction}};
  k.loads = {{0, {{{1, 0}, 0}, {{0, 1}, 0}}}};
  k.stores = {{{1, {{{1, 0}, 0}}}, 0, kernel::Combine::kAdd, -1}};
  graph.kernels = {k};
  return graph;
}

kernel::Graph nest() {
  kernel::Graph graph;
  graph.tensors = {{"X", DType::kI32, {5, 7, 6}, kernel::Role::kInput}};
  kernel::Kernel k;
  k.name = "nest";
  k.dims = {{"r", 5, kernel::DimKind::kReduction},
            {"t", 7, kernel::DimKind::kSequential},
            {"s", 6, kernel::DimKind::kReduction}};
  k.loads = {{0, {{{1, 0, 0}, 0}, {{0, 1, 0}, 0}, {{0, 0, 1}, 0}}}};
  graph.kernels = {k};
  return graph;
}

/// D[i,j] += A[i+2,2*j+1] * B[11-i] over 12 x 10, and j in C: strides, offsets, a function that falls.
kernel::Graph strided() {
  kernel::Graph graph;
  graph.name = "strided";
  graph.tensors = {{"A", DType::kI32, {14, 20}, kernel::Role::kInput},
                   {"B", DType::kI32, {12}, kernel::Role::kInput},
                   {"C", DType::kI32, {25}, kernel::Role::kInput},
                   {"D", DType::kI32, {12}, kernel::Role::kOutput}};
  kernel::Kernel k;
  k.name = "strided";
  k.dims = {{"i", 12, kernel::DimKind::kParallel}, {"j", 10, kernel::DimKind::kReduction}};
  k.loads = {{0, {{{1, 0}, 2}, {{0, 2}, 1}}}, {1, {{{-1, 0}, 11}}}, {2, {{{0, 1}, 4}}}};
  for (int load = 0; load < 3; ++load) {
    kernel::Value v;
    v.op = kernel::Op::kLoad;
    v.access = load;
    k.body.push_back(v);
  }
  k.stores = {{{3, {{{1, 0}, 0}}}, 2, kernel::Combine::kAdd, -1}};
  graph.kernels = {k};
  return graph;
}

machine::Machine threeLevels() {
  machine::Machine machine;
  machine.name = "three";
  machine.levels = {{"rank", 4, true, "host", false, machine::LevelRole::kGroup},
                    {"dpu", 6, true, "host", false, machine::LevelRole::kUnit},
                    {"tasklet", 8, true, "dpu", false, machine::LevelRole::kThread}};
  return machine;
}

machine::Machine oneLevel() {
  machine::Machine machine;
  machine.name = "one";
  machine.levels = {{"lane", 4, true, "host", true, machine::LevelRole::kLane}};
  return machine;
}

std::int64_t termsOf(const kernel::Accumulation &node) {
  std::int64_t n = 0;
  for (const kernel::Terms &terms : node.terms) n += terms.count;
  for (const kernel::Accumulation &child : node.children) n += termsOf(child);
  return n;
}

void checkLayout(const mapping::Mapping &map, const kernel::Kernel &kernel, const machine::Machine &machine) {
  for (const mapping::Subspace &subspace : map.subspaces) {
    for (int d = 0; d < static_cast<int>(kernel.dims.size()); ++d) {
      const std::int64_t last = subspace.extent(d) - 1;
      for (const std::int64_t x : {std::int64_t{0}, last / 3, last / 2, last}) {
        const mapping::DimPosition at = mapping::locate(map, subspace, machine.levels, d, x);
        PIMENTO_CHECK(mapping::globalIndex(map, subspace, machine.levels, d, at) == x);
      }
    }
  }
}

/// Every value of the kernel in its tile, and back.
void checkTiles(const mapping::PlacedMapping &placed, const kernel::Kernel &kernel, const machine::Machine &machine) {
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    std::int64_t values = 0;
    for (const mapping::Stretch &tile : placed.tiles[d]) values += tile.count();
    PIMENTO_CHECK(placed.tiles[d].empty() || values == kernel.dims[d].extent);
    for (std::int64_t x = 0; x < kernel.dims[d].extent; ++x) {
      const mapping::DimPosition at = mapping::locate(placed, 0, machine.levels, static_cast<int>(d), x);
      PIMENTO_CHECK(at.local >= 0 && at.local < placed.mapping.subspaces[0].range(static_cast<int>(d)));
      PIMENTO_CHECK(mapping::globalIndex(placed, 0, machine.levels, static_cast<int>(d), at) == x);
    }
  }
}

void checkPlaced(const mapping::Mapping &map, const kernel::Graph &graph, const machine::Machine &machine) {
  const kernel::Kernel &kernel = graph.kernels[0];
  const Result<mapping::PlacedMapping> placed = mapping::place(map, graph, 0, machine);
  if (!placed) {
    for (const Diagnostic &d : placed.diagnostics()) PIMENTO_CHECK(!d.code.empty() && !d.hint.empty());
    return;
  }
  if (map.by.empty())
    checkLayout(map, kernel, machine);
  else
    checkTiles(*placed, kernel, machine);
  mapping::AccumulationRules rules;
  const kernel::Order order = mapping::accumulationOrder(*placed, kernel, machine, rules);
  std::int64_t reduction = 1;
  for (const kernel::Dim &dim : kernel.dims) {
    if (dim.kind == kernel::DimKind::kReduction) reduction *= dim.extent;
  }
  for (const kernel::OrderRegion &region : order.regions) {
    PIMENTO_CHECK(map.tail == mapping::Tail::kTruncate || termsOf(region.sum) == reduction);
  }
  std::int64_t longest = 1;
  for (const mapping::Subspace &subspace : map.subspaces) {
    std::int64_t positions = 1;
    for (int d = 0; d < static_cast<int>(kernel.dims.size()); ++d) positions *= subspace.range(d);
    longest = positions > longest ? positions : longest;
  }
  if (longest < 4096) {  // tiles and pieces are counted over the padded range
    rules.evenOddTile = 2;
    rules.spill = 3;
    PIMENTO_CHECK(mapping::accumulationOrder(*placed, kernel, machine, rules).regions.size() == order.regions.size());
  }
  for (const mapping::Merge &merge : mapping::merges(*placed, kernel, machine)) PIMENTO_CHECK(merge.partials > 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const Result<mapping::MapSpec> spec = mapping::parseMapSpec(text);
  if (!spec) {
    PIMENTO_CHECK(spec.diagnostics().size() == 1 && spec.diagnostics()[0].where.column > 0);
    return 0;
  }
  const std::string canonical = mapping::print(*spec);
  const Result<mapping::MapSpec> again = mapping::parseMapSpec(canonical);
  PIMENTO_CHECK(again.ok() && mapping::print(*again) == canonical);
  if (spec->kind != mapping::MapSpec::Kind::kExplicit) return 0;

  static const std::vector<kernel::Graph> kGraphs = {gemv(12, 24), gemv(100, 300), nest(), strided()};
  static const std::vector<machine::Machine> kMachines = {threeLevels(), oneLevel()};
  for (const kernel::Graph &graph : kGraphs) {
    for (const machine::Machine &machine : kMachines) checkPlaced(spec->mapping, graph, machine);
  }
  return 0;
}
