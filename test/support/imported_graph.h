// What fuzz targets of the front ends share: sizes at the top of a text, and what a graph read from one must be good
// for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pimento/kernel/interpreter.h"

namespace pimento::test {

/// Cuts "--size NAME=N" lines off the front of `text`.
inline kernel::Sizes takeSizes(std::string_view &text) {
  constexpr std::string_view kOption = "--size ";
  kernel::Sizes sizes;
  while (text.substr(0, kOption.size()) == kOption) {
    const std::string line(text.substr(kOption.size(), text.find('\n') - kOption.size()));
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos)
      sizes[line.substr(0, equals)] = std::strtoll(line.c_str() + equals + 1, nullptr, 10);
    text.remove_prefix(std::min(text.size(), kOption.size() + line.size() + 1));
  }
  return sizes;
}

/// It verifies, prints, and where it is small, the reference interpreter runs it; `allowed` is the diagnostic that it
/// may end with.
inline void checkAccepted(const kernel::Graph &graph, std::string_view allowed = {}) {
  PIMENTO_CHECK(kernel::verify(graph).ok());
  PIMENTO_CHECK(!kernel::print(graph).empty());
  std::int64_t work = 0;
  for (const kernel::Tensor &t : graph.tensors) work = std::max(work, t.elements());
  for (const kernel::Kernel &k : graph.kernels) work = std::max(work, k.points());
  if (work > 4096) return;
  kernel::DataSet data = kernel::makeData(graph, {});
  const Status done = kernel::interpret(graph, data);
  PIMENTO_CHECK(done.ok() || done.diagnostics().front().code == allowed);
}

}  // namespace pimento::test
