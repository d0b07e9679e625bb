#include "pimento/evaluate/host_layer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/base/integer.h"
#include "pimento/evaluate/price.h"
#include "pimento/kernel/linear.h"

namespace pimento::evaluate {

namespace {

/// At most this many elements of its tensor does `access` reach: the spans of its indices, one element per point.
std::int64_t reached(const kernel::Access &access, const kernel::Kernel &kernel) {
  return std::min(kernel::spanOf(access, kernel), kernel.points());
}

bool isWrittenBefore(const kernel::Graph &graph, int kernel, int tensor) {
  if (graph.tensors[static_cast<std::size_t>(tensor)].role == kernel::Role::kInOut) return true;
  return std::any_of(graph.kernels.begin(), graph.kernels.begin() + kernel, [&](const kernel::Kernel &k) {
    return std::any_of(k.stores.begin(), k.stores.end(),
                       [&](const kernel::Store &s) { return s.target.tensor == tensor; });
  });
}

/// Bytes of elements by tensor, none more than the tensor has.
Bytes bytesOf(const std::map<int, std::int64_t> &elements, const kernel::Graph &graph) {
  std::int64_t total = 0;
  for (const auto &[tensor, n] : elements) {
    const kernel::Tensor &t = graph.tensors[static_cast<std::size_t>(tensor)];
    total = addSaturated(total, multiplySaturated(std::min(n, t.elements()), sizeOf(t.type).value));
  }
  return Bytes(total);
}

}  // namespace

HostLayer hostLayer(const GraphPart &part, const machine::Machine &machine) {
  const kernel::Graph &graph = *part.graph;
  HostLayer layer;
  for (int n = part.first; n < part.first + part.count; ++n) {
    const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(n)];
    std::map<int, std::int64_t> read, written;
    const auto add = [&](std::map<int, std::int64_t> &to, const kernel::Access &access, bool isWhole) {
      std::int64_t &elements = to[access.tensor];
      const kernel::Tensor &tensor = graph.tensors[static_cast<std::size_t>(access.tensor)];
      elements = addSaturated(elements, isWhole ? tensor.elements() : reached(access, k));
    };
    for (const kernel::Access &a : k.loads) add(read, a, false);
    for (const kernel::Store &s : k.stores) {
      const bool isAnywhere = s.target.isIndirect();
      add(written, s.target, isAnywhere);
      if (s.combine != kernel::Combine::kAssign && isWrittenBefore(graph, n, s.target.tensor))
        add(read, s.target, isAnywhere);
    }
    layer.operations = addSaturated(layer.operations, kernel::scalarOperations(k));
    layer.read += bytesOf(read, graph);
    layer.written += bytesOf(written, graph);
  }
  layer.cycles = Cycles(hostLayerTerm(machine, layer.operations, layer.read, layer.written).value);
  return layer;
}

energy::ActionCounts hostLayerActions(const machine::Machine &machine, const HostLayer &layer) {
  HostWork traffic;
  traffic.placed = layer.written;
  traffic.readBack = layer.read;
  Breakdown time;
  time[Part::kHost] = layer.cycles;
  return hostActions(machine, traffic, time).add(kHostOperations, layer.operations);
}

}  // namespace pimento::evaluate
