#include "pimento/mapping/box.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "pimento/base/integer.h"

namespace pimento::mapping {

Box intersection(const Box &a, const Box &b) {
  Box both = a;
  for (std::size_t d = 0; d < a.lower.size(); ++d) {
    both.lower[d] = std::max(a.lower[d], b.lower[d]);
    both.size[d] = std::min(a.lower[d] + a.size[d], b.lower[d] + b.size[d]) - both.lower[d];
  }
  return both;
}

bool isEmpty(const Box &box) {
  return std::any_of(box.size.begin(), box.size.end(), [](std::int64_t n) { return n <= 0; });
}

void subtract(const Box &a, const Box &b, std::vector<Box> &out) {
  const Box both = intersection(a, b);
  if (isEmpty(both)) {
    out.push_back(a);
    return;
  }
  // What is left narrows to `both` dim by dim; the slabs cut off below and above are disjoint.
  Box left = a;
  for (std::size_t d = 0; d < a.lower.size(); ++d) {
    const std::int64_t upper = left.lower[d] + left.size[d], bothUpper = both.lower[d] + both.size[d];
    if (left.lower[d] < both.lower[d]) {
      Box below = left;
      below.size[d] = both.lower[d] - left.lower[d];
      out.push_back(std::move(below));
    }
    if (bothUpper < upper) {
      Box above = left;
      above.lower[d] = bothUpper;
      above.size[d] = upper - bothUpper;
      out.push_back(std::move(above));
    }
    left.lower[d] = both.lower[d];
    left.size[d] = both.size[d];
  }
}

std::int64_t volume(const Box &box) {
  std::int64_t n = 1;
  for (const std::int64_t size : box.size) n = size <= 0 ? 0 : multiplySaturated(n, size);
  return n;
}

std::string pointText(const std::vector<std::int64_t> &point) {
  std::string s;
  for (const std::int64_t x : point) s += (s.empty() ? "" : ",") + std::to_string(x);
  return "(" + s + ")";
}

std::string str(const Box &box) {
  std::string s;
  for (const std::int64_t n : box.size) s += (s.empty() ? "" : "x") + std::to_string(n);
  return s + " at " + pointText(box.lower);
}

}  // namespace pimento::mapping
