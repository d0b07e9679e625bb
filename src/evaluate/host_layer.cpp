#include "pimento/evaluate/host_layer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/base/integer.h"
#include "pimento/evaluate/price.h"

namespace pimento::evaluate {

namespace {

/// At most this many elements of its tensor does `access` reach: the spans of its indices, one element per point.
std::int64_t reached(const kernel::Access &access, const kernel::Kernel &kernel) {
  std::int64_t elements = 1;
  for (const kernel::Affine &index : access.index) {
    std::int64_t span = 1;
    for (std::size_t d = 0; d < kernel.dims.size(); ++d)
      span = addSaturated(span, multiplySaturated(std::abs(index.coefficients[d]), kernel.dims[d].extent - 1));
    elements = multiplySaturated(elements, span);
  }
  return std::min(elements, kernel.points());
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

HostLayer hostLayer(const kernel::Graph &graph, int kernel, const machine::Machine &machine) {
  const kernel::Kernel &k = graph.kernels[static_cast<std::size_t>(kernel)];
  std::map<int, std::int64_t> read, written;
  const auto add = [&](std::map<int, std::int64_t> &to, const kernel::Access &access, bool isWhole) {
    std::int64_t &n = to[access.tensor];
    const kernel::Tensor &tensor = graph.tensors[static_cast<std::size_t>(access.tensor)];
    n = addSaturated(n, isWhole ? tensor.elements() : reached(access, k));
  };
  for (const kernel::Access &a : k.loads) add(read, a, false);
  for (const kernel::Store &s : k.stores) {
    const bool isAnywhere = s.indirectIndex >= 0;
    add(written, s.target, isAnywhere);
    if (s.combine != kernel::Combine::kAssign && isWrittenBefore(graph, kernel, s.target.tensor))
      add(read, s.target, isAnywhere);
  }
  HostLayer layer;
  layer.operations = kernel::scalarOperations(k);
  layer.read = bytesOf(read, graph);
  layer.written = bytesOf(written, graph);
  layer.cycles = Cycles(hostLayerTerm(machine, layer.operations, layer.read, layer.written).value);
  return layer;
}

energy::ActionCounts hostLayerActions(const machine::Machine &machine, const HostLayer &layer) {
  lower::HostWork traffic;
  traffic.placed = layer.written;
  traffic.readBack = layer.read;
  Breakdown time;
  time.host = layer.cycles;
  return hostActions(machine, traffic, time).add(energy::Action::kHostOperations, layer.operations);
}

}  // namespace pimento::evaluate
