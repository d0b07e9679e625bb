// The tensor dataflow graph (tDFG): what a program computes on tensors in one lattice, sizes still being names.
//
// Every array lies at the lattice's origin; its last (contiguous) dimension is lattice dim 0, the one before it dim 1.
// Nodes are in static single assignment: each gives a new tensor, a set of lattice cells (a box) with one element in
// each. A region is one graph; loops around regions and a region's own rounds run it again, with other values of the
// loops' names. Infinity Stream, section 3. In text (text.h reads and writes it):
//
//   tdfg smooth
//   size n
//   array a f32 [n] input
//   array b f32 [n] output
//   region r0 lattice 1
//     domain [1:n - 1]
//     %0 = tensor a [0:n - 2]
//     %1 = mv %0 dim 0 by 1
//     %2 = tensor a [1:n - 1]
//     %3 = cmp add f32 %1, %2
//     out b = %3 over [1:n - 1]
//   end
//
// Not here: how a graph is placed in arrays of bitlines (tiles, wordlines, commands), and how it is made (extract.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/kernel/kernel.h"
#include "pimento/tdfg/form.h"
#include "pimento/tdfg/sdfg.h"

namespace pimento::tdfg {

enum class NodeKind : std::uint8_t {
  kTensor,  ///< `box` of array `array`, where it lies
  kCmp,     ///< `op` on each cell that all arguments have
  kMv,      ///< args[0], moved by `distance` along `dim`
  kBc,      ///< args[0], one cell thick along `dim`, repeated `count` times there, the first `distance` cells away
  kShrink,  ///< args[0] in `box` alone
  kReduce,  ///< lines of args[0] along `dim`, combined into their first cells
  kStrm,    ///< what load stream `stream` lays out in `box`
  kConst,   ///< one value in every cell of the lattice: its domain is infinite
};
/// "tensor", "cmp", ...
std::string_view name(NodeKind kind);

/// Where a constant's value comes from.
enum class ConstantKind : std::uint8_t {
  kLiteral,  ///< `constant` (floating types) or `integer`
  kForm,     ///< `form`, wrapped to the (integer) type
  kElement,  ///< element `index` of array `array`, read when the region (round) begins
};

/// One element of an array per lattice cell x of a box: index i is index[i].form + sum over lattice dims of
/// index[i].factors[l] * x_l, or, for the index at `indirectAt`, the integer that tensor `indirect` has in the cell.
struct Pattern {
  struct Index {
    Form form{};
    std::vector<std::int64_t> factors;  ///< one per lattice dim
    bool operator==(const Index &) const = default;
  };
  int array = -1;  ///< of a load; -1: the value is the index itself, index[0] (a stream that counts)
  std::vector<Index> index;
  int indirectAt = -1, indirect = -1;
  bool operator==(const Pattern &) const = default;
};

struct Node {
  NodeKind kind = NodeKind::kTensor;
  DType type = DType::kF32;                         ///< of its elements; cmp: of the result
  kernel::Op op = kernel::Op::kAdd;                 ///< kCmp
  kernel::Combine combine = kernel::Combine::kAdd;  ///< kReduce
  /// Earlier nodes. kReduce: the lines, then (if there are two) what the first cells hold before, else they start from
  /// the identity. Order: within a tile of T cells (aligned to multiples of T, missing cells being the identity) the
  /// upper half is combined onto the lower one, log2 T times; then what was held before takes in the tiles' results,
  /// ascending. T = 1 is a plain loop.
  std::vector<int> args{};
  int dim = -1;                                  ///< kMv, kBc, kReduce
  Form distance{};                               ///< kMv, kBc
  Form count{};                                  ///< kBc
  Box box{};                                     ///< kTensor, kShrink, kStrm
  int array = -1;                                ///< kTensor; kConst of kElement
  Pattern pattern{};                             ///< kStrm
  std::string reason{};                          ///< kStrm: why it is no tensor
  ConstantKind source = ConstantKind::kLiteral;  ///< kConst
  double constant = 0;
  std::int64_t integer = 0;
  Form form{};                ///< kConst of kForm
  std::vector<Form> index{};  ///< kConst of kElement
};

/// What a region leaves behind. All outputs see arrays as they were when the region (round) began.
struct Output {
  int node = -1;
  Box box;  ///< cells that are written; the node has them all
  /// kAssign and in place: array `array` holds the node's elements in `box` from then on. Otherwise a store stream
  /// goes over the box, outermost lattice dim slowest, and combines each element onto pattern's.
  bool isStream = false;
  int array = -1;
  Pattern pattern{};  ///< of a stream; its array is `array`
  kernel::Combine combine = kernel::Combine::kAssign;
  std::string reason{};  ///< of a stream
};

/// A loop that the program puts around lattice operations: one run of the region's graph for each value.
struct Round {
  int name = -1;
  Range range;
};

/// Layout hints for one array: lattice dims, one bit each.
struct Hints {
  std::uint32_t shifted = 0, broadcast = 0, reduced = 0;
  std::vector<int> alignedWith;  ///< arrays whose elements meet this array's in one cell
  bool needsNoFetch = false;     ///< all of it is written before it is read
  bool operator==(const Hints &) const = default;
};

struct Region {
  std::string name;
  int lattice = 0;            ///< dims, 0 to 3; 0: streams alone do it
  std::vector<Round> rounds;  ///< around the graph, outermost first
  Box domain;                 ///< cells of all points; empty at some values: then nothing happens, nothing is read
  std::vector<Node> nodes;    ///< each after its arguments; empty: streams alone do it (`streams`)
  std::vector<Output> outputs;
  std::string reason;        ///< why streams do it all; empty: they do not
  Streams streams;           ///< the same computation as streams (sDFG)
  std::vector<Hints> hints;  ///< by array; empty where there is no graph
  std::string source;        ///< where the loop nest stands in the source: "FILE:LINE:COL"
  Location where;            ///< of the region, for messages
};

/// Regions that run one after the other, in turns for each value of the name, from 0 to below `extent`.
struct Loop {
  int name = -1;
  Form extent;
  int first = 0, end = 0;                   ///< regions [first, end)
  std::vector<std::array<int, 2>> swaps{};  ///< arrays that exchange their names after every round
};

struct Array {
  std::string name;
  DType type = DType::kF32;
  std::vector<Form> shape;  ///< outermost first; empty: a scalar
  kernel::Role role = kernel::Role::kInput;
  /// What outputs and temporaries hold at first: the identity of this operation; kAssign: 0.
  kernel::Combine start = kernel::Combine::kAssign;
};

struct Program {
  std::string name;
  std::vector<Name> names;
  std::vector<Array> arrays;
  std::vector<Region> regions;
  std::vector<Loop> loops;     ///< nested or apart, in the order of their first regions, outer ones first
  std::int64_t leastSize = 1;  ///< every size is at least this; below, the program may not mean what its source does

  int nameNamed(std::string_view name) const;   ///< index, or -1
  int arrayNamed(std::string_view name) const;  ///< index, or -1
};

/// Checks every rule stated above that does not depend on sizes. Returns all findings (tdfg-invalid).
Status verify(const Program &program, const std::string &file = {});

// ---- A region instance: what just-in-time lowering and executors work on ----

/// A node with numbers for names. A domain is `box`: what cells the result has (kConst: infinite, no box).
struct BoundNode {
  const Node *node = nullptr;  ///< kind, op, type, args, dim, array, pattern
  BoundBox box;                ///< domain of the result, one range per lattice dim
  std::int64_t distance = 0, count = 0;
  std::int64_t integer = 0;  ///< kConst of kForm: the value; of kElement: the element's number, row-major
};

struct BoundOutput {
  const Output *output = nullptr;
  BoundBox box;
};

/// A region with sizes and loops bound. Refers to the program, which must outlive it.
struct Instance {
  const Region *region = nullptr;
  Values values;                       ///< by name
  std::vector<std::int64_t> bounding;  ///< the bounding box: extents by lattice dim, from the origin
  bool isEmpty = false;                ///< the region's domain is: no nodes, no outputs, nothing happens
  std::vector<BoundNode> nodes;        ///< as long as the region's
  std::vector<BoundOutput> outputs;
};

/// Values of all names for these sizes; loops are 0. Diagnostics: missing-size, unknown-size, size-range.
Result<Values> bindSizes(const Program &program, const std::map<std::string, std::int64_t> &sizes);
/// By name, whether its value hangs on loops: theirs, and quotients of them.
std::vector<bool> loopNames(const Program &program);
/// Quotients anew, after loops have changed.
void updateQuotients(const Program &program, Values &values);
/// Extents by array.
Result<std::vector<std::vector<std::int64_t>>> shapesOf(const Program &program, const Values &values);

/// The region at these values. What leaves the bounding box (of the arrays that the region names, and of what streams
/// lay out) is dropped. Diagnostics: tdfg-undefined (a cell that an output or a shrink takes has no value),
/// tdfg-outside (a box leaves its array), tdfg-range (a number beyond 64 bits).
Result<Instance> bindRegion(const Program &program, int region, const Values &values);

}  // namespace pimento::tdfg
