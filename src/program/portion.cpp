#include "pimento/program/portion.h"

#include <algorithm>

#include "pimento/base/integer.h"

namespace pimento::program {

namespace {

/// Cuts the loops in `body` and returns by how much the largest of them is larger than one iteration of each.
std::int64_t cut(std::vector<Node> &body, std::int64_t coefficient) {
  std::int64_t most = 1;
  for (Node &n : body) {
    if (!n.isLoop) continue;
    const std::int64_t inside = cut(n.children, coefficient);
    n.trip = std::min(n.trip, ceilDiv(coefficient, inside));
    most = std::max(most, multiplySaturated(inside, n.trip));
  }
  return most;
}

bool isInnermost(const Node &loop) {
  return std::none_of(loop.children.begin(), loop.children.end(), [](const Node &n) { return n.isLoop; });
}

std::int64_t sizeOf(const std::vector<Node> &body) {
  std::int64_t size = 0;
  for (const Node &n : body) {
    if (!n.isLoop) continue;
    const std::int64_t once = isInnermost(n) ? static_cast<std::int64_t>(n.children.size()) : sizeOf(n.children);
    size = addSaturated(size, multiplySaturated(n.trip, once));
  }
  return size;
}

}  // namespace

Process portionOf(const Process &process, std::int64_t coefficient) {
  Process out = process;
  cut(out.body, coefficient);
  return out;
}

std::int64_t sizeOfLoops(const Process &process) {
  return sizeOf(process.body);
}

}  // namespace pimento::program
