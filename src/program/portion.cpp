#include "pimento/program/portion.h"

#include <algorithm>

#include "pimento/base/overloaded.h"

namespace pimento::program {

namespace {

/// Cuts the loops in `body` and returns by how much the largest of them is larger than one iteration of each.
template <typename Statement>
std::int64_t cut(std::vector<Node<Statement>> &body, std::int64_t coefficient) {
  std::int64_t most = 1;
  for (Node<Statement> &n : body) {
    if (!n.isLoop) continue;
    const std::int64_t inside = cut(n.children, coefficient);
    n.trip = std::min(n.trip, ceilDiv(coefficient, inside));
    most = std::max(most, multiplySaturated(inside, n.trip));
  }
  return most;
}

template <typename Statement>
std::int64_t sizeOf(const std::vector<Node<Statement>> &body) {
  const auto isLoop = [](const Node<Statement> &n) { return n.isLoop; };
  std::int64_t size = 0;
  for (const Node<Statement> &n : body) {
    if (!n.isLoop) continue;
    const bool isInnermost = std::none_of(n.children.begin(), n.children.end(), isLoop);
    const std::int64_t once = isInnermost ? static_cast<std::int64_t>(n.children.size()) : sizeOf(n.children);
    size = addSaturated(size, multiplySaturated(n.trip, once));
  }
  return size;
}

}  // namespace

Process portionOf(const Process &process, std::int64_t coefficient) {
  Process out = process;
  std::visit(overloaded{[&](CommandLoops &nodes) { cut(nodes, coefficient); },
                        [&](UnitLoops &loops) { cut(loops.nodes, coefficient); }, [](MachineCode &) {}},
             out.body);
  return out;
}

std::int64_t sizeOfLoops(const Process &process) {
  return std::visit(overloaded{[](const CommandLoops &nodes) { return sizeOf(nodes); },
                               [](const UnitLoops &loops) { return sizeOf(loops.nodes); },
                               [](const MachineCode &) { return std::int64_t{0}; }},
                    process.body);
}

}  // namespace pimento::program
