#include "pimento/tdfg/hints.h"

#include <algorithm>

namespace pimento::tdfg {

void addHints(const Program &program, Region &region) {
  region.hints.assign(region.nodes.empty() ? 0 : program.arrays.size(), {});
  if (region.nodes.empty()) return;
  std::vector<std::vector<int>> arrays(region.nodes.size());
  const auto hintsOf = [&](int array) -> Hints & { return region.hints[static_cast<std::size_t>(array)]; };
  const auto align = [&](const std::vector<int> &met) {
    for (const int a : met)
      for (const int b : met) {
        auto &with = hintsOf(a).alignedWith;
        if (a != b && std::find(with.begin(), with.end(), b) == with.end()) with.push_back(b);
      }
  };
  for (std::size_t n = 0; n < region.nodes.size(); ++n) {
    const Node &node = region.nodes[n];
    std::vector<int> &mine = arrays[n];
    if (node.kind == NodeKind::kTensor) mine = {node.array};
    for (const int a : node.args)
      for (const int array : arrays[static_cast<std::size_t>(a)])
        if (std::find(mine.begin(), mine.end(), array) == mine.end()) mine.push_back(array);
    for (const int array : mine) {
      if (node.kind == NodeKind::kMv) hintsOf(array).shifted |= 1U << node.dim;
      if (node.kind == NodeKind::kBc) hintsOf(array).broadcast |= 1U << node.dim;
      if (node.kind == NodeKind::kReduce) hintsOf(array).reduced |= 1U << node.dim;
    }
    if (node.kind == NodeKind::kCmp) align(mine);
  }
  for (const Output &output : region.outputs) {
    if (output.isStream) continue;
    std::vector<int> met = arrays[static_cast<std::size_t>(output.node)];
    if (std::find(met.begin(), met.end(), output.array) == met.end()) met.push_back(output.array);
    align(met);
  }
  for (std::size_t a = 0; a < program.arrays.size(); ++a) {
    std::sort(region.hints[a].alignedWith.begin(), region.hints[a].alignedWith.end());
    const kernel::Role role = program.arrays[a].role;
    const bool isGiven = role == kernel::Role::kInput || role == kernel::Role::kInOut;
    const auto writes = [a](const Output &o) { return o.array == static_cast<int>(a); };
    region.hints[a].needsNoFetch = !isGiven && std::any_of(region.outputs.begin(), region.outputs.end(), writes) &&
                                   std::none_of(region.nodes.begin(), region.nodes.end(), [a](const Node &n) {
                                     return (n.kind == NodeKind::kTensor && n.array == static_cast<int>(a)) ||
                                            (n.kind == NodeKind::kStrm && n.pattern.array == static_cast<int>(a)) ||
                                            (n.kind == NodeKind::kConst && n.array == static_cast<int>(a));
                                   });
  }
}

}  // namespace pimento::tdfg
