// Nested loops around statements of one kind, and operands that are affine in the loops' counters.
//
// What a statement is, is a type: loops of device commands (command.h) cannot hold a virtual instruction (virtual.h).
// Rows and columns never carry into one another, so a loop's effect on an address is a plain shift.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/integer.h"

namespace pimento::program {

/// Loops nest at most this deep. Lowerings stay well below.
inline constexpr int kMaxDepth = 12;

/// base + sum over enclosing loops of stride[depth] * counter[depth]; depth 0 is the outermost loop.
struct Operand {
  std::int64_t base = 0;
  std::array<std::int64_t, kMaxDepth> stride{};

  bool operator==(const Operand &) const = default;
};

/// Smallest and largest value of `operand` over `trips` (one per enclosing loop, outermost first).
struct Range {
  std::int64_t low = 0, high = 0;
};
Range rangeOf(const Operand &operand, const std::vector<std::int64_t> &trips);

/// A loop (children, trip count), or a single statement.
template <typename Statement>
struct Node {
  bool isLoop = false;
  std::string label;  ///< loop: name of what it iterates, for readers
  std::int64_t trip = 0;
  std::vector<Node> children;
  Statement statement;  ///< where it is no loop

  Node() = default;
  Node(Statement s) : statement(std::move(s)) {}
  static Node loop(std::string label, std::int64_t trip, std::vector<Node> children) {
    Node n;
    n.isLoop = true;
    n.label = std::move(label);
    n.trip = trip;
    n.children = std::move(children);
    return n;
  }
  bool operator==(const Node &) const = default;
};

/// Calls `visit(statement, times)` for every statement in textual order: how often it executes, saturated.
template <typename Statement, typename Visit>
void forEachStatement(const std::vector<Node<Statement>> &nodes, const Visit &visit, std::int64_t times = 1) {
  for (const Node<Statement> &n : nodes)
    if (n.isLoop)
      forEachStatement(n.children, visit, multiplySaturated(times, n.trip));
    else
      visit(n.statement, times);
}

}  // namespace pimento::program
