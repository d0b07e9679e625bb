#include "pimento/kernel/isolate.h"

#include <map>
#include <set>

namespace pimento::kernel {

Graph isolated(const Graph &graph, int kernel) {
  Graph out;
  Kernel k = graph.kernels[static_cast<std::size_t>(kernel)];
  out.name = k.name;
  std::set<int> loaded, stored, made;
  for (const Access &a : k.loads) loaded.insert(a.tensor);
  for (const Store &s : k.stores) stored.insert(s.target.tensor);
  for (int before = 0; before < kernel; ++before)
    for (const Store &s : graph.kernels[static_cast<std::size_t>(before)].stores) made.insert(s.target.tensor);
  std::map<int, int> number;
  const auto keep = [&](Access &a) {
    const auto [at, isNew] = number.emplace(a.tensor, static_cast<int>(out.tensors.size()));
    if (isNew) {
      Tensor t = graph.tensors[static_cast<std::size_t>(a.tensor)];
      const bool isWritten = stored.count(a.tensor) > 0;
      const bool hasContents = t.role == Role::kInOut || made.count(a.tensor) > 0;
      // A kernel that reads what it alone writes (a scan) keeps the tensor as it is.
      if (isWritten && (hasContents || t.role != Role::kTemporary || loaded.count(a.tensor) == 0))
        t.role = hasContents ? Role::kInOut : Role::kOutput;
      else if (!isWritten)
        t.role = Role::kInput;
      out.tensors.push_back(std::move(t));
    }
    a.tensor = at->second;
  };
  for (Access &a : k.loads) keep(a);
  for (Store &s : k.stores) keep(s.target);
  out.kernels.push_back(std::move(k));
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
