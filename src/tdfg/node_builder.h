// Nodes of a region's graph while it is made: one node for equal ones, literals folded, and in the end an order in
// which few values wait. Internal to the room.
//
// Not here: which nodes a stream needs (extract.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pimento/tdfg/lattice.h"
#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Adds nodes to a region; a node is its index there. Region and lattice must outlive it; the lattice may change, and
/// is what it is when a node is added.
class NodeBuilder {
 public:
  NodeBuilder(Region &region, const Lattice &lattice) : region_(region), lattice_(lattice) {}

  /// The node, or an equal one that is there.
  int add(Node node);
  DType typeOf(int node) const { return at(node).type; }
  bool isConstant(int node) const { return at(node).kind == NodeKind::kConst; }
  /// The coordinates of all points.
  Box wholeBox() const;

  int move(int node, std::size_t l, const Form &distance);
  /// Repeats a tensor that is one cell thick at `from` over all coordinates of lattice dim `l`.
  int broadcast(int node, std::size_t l, const Form &from);
  int compute(kernel::Op op, DType type, std::vector<int> args);
  int cast(int node, DType type);
  int shrink(int node, const Box &box);
  /// A load stream's tensor: along the dims that it moves with, repeated along the others.
  int stream(Pattern pattern, DType type, const std::string &reason);
  /// A constant as a tensor: a stream lays it out in all cells. Other nodes as they are.
  int finite(int node);
  /// The result of an operation on literals; nothing where an argument is none.
  std::optional<int> fold(const kernel::Value &value, const std::vector<int> &args);

  /// Keeps the nodes that outputs hang on, each just before it is needed: few values wait in wordlines.
  void order();

 private:
  const Node &at(int node) const { return region_.nodes[static_cast<std::size_t>(node)]; }
  int place(int root, std::vector<int> &number, std::vector<Node> &ordered) const;

  Region &region_;
  const Lattice &lattice_;
};

}  // namespace pimento::tdfg
