#include "pimento/kernel/isolate.h"

#include <map>
#include <set>

namespace pimento::kernel {

Graph isolated(const Graph &graph, int first, int count) {
  Graph out;
  const auto begin = graph.kernels.begin() + first, end = begin + count;
  out.name = begin->name;
  std::set<int> loaded, stored, made, wanted;
  for (auto k = begin; k != end; ++k) {
    for (const Access &a : k->loads) loaded.insert(a.tensor);
    for (const Store &s : k->stores) stored.insert(s.target.tensor);
  }
  for (auto k = graph.kernels.begin(); k != begin; ++k)
    for (const Store &s : k->stores) made.insert(s.target.tensor);
  for (auto k = end; k != graph.kernels.end() && count > 1; ++k)
    for (const Access &a : k->loads) wanted.insert(a.tensor);
  std::map<int, int> number;
  const auto keep = [&](Access &a) {
    const auto [at, isNew] = number.emplace(a.tensor, static_cast<int>(out.tensors.size()));
    if (isNew) {
      Tensor t = graph.tensors[static_cast<std::size_t>(a.tensor)];
      const bool isWritten = stored.count(a.tensor) > 0;
      const bool hasContents = t.role == Role::kInOut || made.count(a.tensor) > 0;
      // What is read by those who alone write it (a scan, the scores of attention) stays as it is.
      const bool isInside = loaded.count(a.tensor) > 0 && wanted.count(a.tensor) == 0;
      if (isWritten && (hasContents || t.role != Role::kTemporary || !isInside))
        t.role = hasContents ? Role::kInOut : Role::kOutput;
      else if (!isWritten)
        t.role = Role::kInput;
      out.tensors.push_back(std::move(t));
    }
    a.tensor = at->second;
  };
  for (auto k = begin; k != end; ++k) {
    Kernel copy = *k;
    for (Access &a : copy.loads) keep(a);
    for (Store &s : copy.stores) keep(s.target);
    out.kernels.push_back(std::move(copy));
  }
  return out;
}

std::string shapeText(Graph graph) {
  graph.name.clear();
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) graph.tensors[t].name = "t" + std::to_string(t);
  for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
    graph.kernels[k].name = "k" + std::to_string(k);
    for (std::size_t d = 0; d < graph.kernels[k].dims.size(); ++d)
      graph.kernels[k].dims[d].name = "d" + std::to_string(d);
  }
  return print(graph);
}

}  // namespace pimento::kernel
