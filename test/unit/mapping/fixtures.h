// Small machines, kernels and random mappings for the tests of the mapping room.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pimento/mapping/mapping.h"

namespace pimento::mapping::test {

using Random = std::mt19937;

/// 1 .. most
inline std::int64_t pick(Random &random, std::int64_t most) {
  return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most));
}

/// Channels, blocks and lanes as HBM-PIM has them; the host adds the lanes.
inline machine::Machine hbmPim() {
  machine::Machine machine;
  machine.name = "hbm-pim";
  machine.levels = {{"channel", 64, false, "", true}, {"block", 8, false, "", true}, {"lane", 16, true, "host", true}};
  return machine;
}

inline machine::Machine upmem() {
  machine::Machine machine;
  machine.name = "upmem";
  machine.levels = {
      {"rank", 18, true, "host", false}, {"dpu", 64, true, "host", false}, {"tasklet", 24, true, "dpu", false}};
  return machine;
}

/// One level of eight parts that merge nothing.
inline machine::Machine flat(bool splitsReduction = false) {
  machine::Machine machine;
  machine.name = "flat";
  machine.levels = {{"part", 8, splitsReduction, splitsReduction ? "host" : "", false}};
  return machine;
}

inline kernel::Affine index(std::vector<std::int64_t> coefficients, std::int64_t constant = 0) {
  return {std::move(coefficients), constant};
}

/// y[i] += A[i,j] * x[j].
inline kernel::Graph gemv(std::int64_t m, std::int64_t n, DType type = DType::kF16) {
  using namespace kernel;
  Graph graph;
  graph.name = "gemv";
  graph.tensors = {{"A", type, {m, n}, Role::kInput}, {"x", type, {n}, Role::kInput}, {"y", type, {m}, Role::kOutput}};
  Kernel k;
  k.name = "gemv";
  k.dims = {{"i", m, DimKind::kParallel}, {"j", n, DimKind::kReduction}};
  k.loads = {{0, {index({1, 0}), index({0, 1})}}, {1, {index({0, 1})}}};
  Value a, x, product;
  a.op = x.op = Op::kLoad;
  a.type = x.type = product.type = type;
  a.access = 0;
  x.access = 1;
  product.op = Op::kMul;
  product.args = {0, 1, -1};
  k.body = {a, x, product};
  k.stores = {{{2, {index({1, 0})}}, 2, Combine::kAdd, -1}};
  graph.kernels = {k};
  return graph;
}

/// A nest with nothing in it: what placement and orders need.
inline kernel::Kernel nest(std::vector<kernel::Dim> dims) {
  kernel::Kernel k;
  k.name = "nest";
  k.dims = std::move(dims);
  return k;
}

inline Mapping parsed(const std::string &text) {
  Result<MapSpec> spec = parseMapSpec(text);
  if (!spec) throw std::runtime_error(spec.diagnostics().front().str());
  return spec->mapping;
}

inline PlacedMapping placed(const Mapping &mapping, const kernel::Kernel &kernel, const machine::Machine &machine) {
  Result<PlacedMapping> result = place(mapping, kernel, machine);
  if (!result) throw std::runtime_error(result.diagnostics().front().str());
  return *result;
}

/// A mapping with a machine and a kernel it fits: up to 3 levels and 3 dims, padding, cyclic levels, an order.
struct Case {
  machine::Machine machine;
  kernel::Kernel kernel;
  Mapping mapping;
};

inline Case randomCase(Random &random) {
  Case c;
  c.machine.name = "random";
  const std::int64_t levels = pick(random, 3), dims = pick(random, 3);
  Subspace subspace;
  for (std::int64_t l = 0; l <= levels; ++l) {
    subspace.factors.emplace_back();
    std::int64_t count = 1;
    for (std::int64_t d = 0; d < dims; ++d) {
      subspace.factors.back().push_back(pick(random, l == levels ? 5 : 3));
      count *= subspace.factors.back().back();
    }
    if (l < levels) c.machine.levels.push_back({"level" + std::to_string(l), count, true, "host", false});
  }
  for (std::int64_t d = 0; d < dims; ++d) {
    const std::int64_t padding = random() % 2 ? 0 : static_cast<std::int64_t>(random() % 8);
    const std::int64_t extent = std::max<std::int64_t>(1, subspace.extent(static_cast<int>(d)) - padding);
    const auto kind = random() % 2 ? kernel::DimKind::kReduction : kernel::DimKind::kParallel;
    c.kernel.dims.push_back({"d" + std::to_string(d), extent, kind});
  }
  c.kernel.name = "random";
  for (std::int64_t l = 0; l < levels; ++l) {
    if (random() % 2) continue;
    std::int64_t common = 0;
    for (std::int64_t d = 0; d < dims; ++d) {
      if (subspace.factors[static_cast<std::size_t>(l)][static_cast<std::size_t>(d)] > 1) {
        common = std::gcd(common, subspace.extentInside(static_cast<int>(l), static_cast<int>(d)));
      }
    }
    const std::int64_t chunk = pick(random, std::max<std::int64_t>(1, common));
    if (common % chunk == 0) c.mapping.cyclic["level" + std::to_string(l)] = chunk;
  }
  if (random() % 2) {
    for (const kernel::Dim &dim : c.kernel.dims) c.mapping.order.push_back(dim.name);
    std::shuffle(c.mapping.order.begin(), c.mapping.order.end(), random);
  }
  c.mapping.subspaces.push_back(std::move(subspace));
  return c;
}

}  // namespace pimento::mapping::test
