// Programs of up to five kernels on shared tensors in index notation, at random: elementwise, shifted, broadcast,
// summed along either dim, and products of matrices.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/kernel/notation.h"

namespace pimento::test {

struct RegionsText {
  std::string text;
  kernel::Sizes sizes;
};

/// `most`: extents at most.
inline RegionsText randomRegions(Rng &rng, int kernels, std::int64_t most) {
  RegionsText out;
  const auto extent = [&] { return std::max<std::int64_t>(16, rng.integer(1, most / 16) * 16); };
  out.sizes = {{"i", extent()}, {"j", extent()}, {"k", extent()}};
  std::vector<std::string> matrices{"A", "B"}, rows{"u", "v"};  // [i,j]; [j]
  const auto any = [&](const std::vector<std::string> &of) {
    return of[static_cast<std::size_t>(rng.next() % of.size())];
  };
  for (int n = 0; n < kernels; ++n) {
    const std::string x = fmt::format("X{}", n);
    std::string one;
    switch (rng.integer(0, 6)) {
      case 0:
        one = fmt::format("{}[i,j] = {}[i,j] + {}[i,j]", x, any(matrices), any(matrices));
        matrices.push_back(x);
        break;
      case 1:
        one = fmt::format("{}[i,j] = {}[i,j] * {}[j] - {}[i,j]", x, any(matrices), any(rows), any(matrices));
        matrices.push_back(x);
        break;
      case 2:
        one = fmt::format("{}[j] += {}[i,j]", x, any(matrices));
        rows.push_back(x);
        break;
      case 3:
        one = fmt::format("{}[i] += {}[i,j] * {}[j]", x, any(matrices), any(rows));
        break;
      case 4:
        one = fmt::format("{}[i,k] += {}[i,j] * W{}[j,k]", x, any(matrices), n);
        break;
      case 5:
        one = fmt::format("{}[j] = {}[j] * {}[j] + {}[j]", x, any(rows), any(rows), any(rows));
        rows.push_back(x);
        break;
      default:
        one = fmt::format("{}[i,j] = relu({}[i,j]) * 0.5", x, any(matrices));
        matrices.push_back(x);
        break;
    }
    out.text += (out.text.empty() ? "" : "; ") + one;
  }
  // Sizes of indices that stand there.
  std::erase_if(out.sizes, [&](const auto &size) {
    for (const std::string close : {"[", ","})
      for (const std::string end : {"]", ","})
        if (out.text.find(close + size.first + end) != std::string::npos) return false;
    return true;
  });
  return out;
}

}  // namespace pimento::test
