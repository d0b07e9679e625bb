// What is computed, with nothing said about where or how it is spread.
//
// A Kernel is a perfect loop nest over an iteration space with one scalar body: each point reads tensors through
// affine accesses, evaluates a small expression DAG and stores (or accumulates) into tensors. A Graph is a list of
// Kernels that share tensors and run one after the other, some of them in loops (rounds.h). The shape follows MLIR's
// linalg.generic (MLIR language reference, "linalg" dialect) and CoMoNM section IV-B, plus what affine nests cannot
// say: an index from data (gather, scatter, histogram), a minimum with its index, selection (stream compaction).
//
// Not here: tiling, placement, order of accumulation (see order.h and the `mapping` room).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"

namespace pimento::kernel {

enum class DimKind : std::uint8_t {
  kParallel,    ///< points may run in any order
  kReduction,   ///< points combine into the same output elements; order matters only through rounding
  kSequential,  ///< points must run in ascending order (a scan)
  kCounter,     ///< counter of a loop around the kernel (Graph::loops): the first dims, from the outside in
};

/// One loop of the nest, from 0 to `extent` - 1.
struct Dim {
  std::string name;
  std::int64_t extent = 0;
  DimKind kind = DimKind::kParallel;
};

/// constant + sum of coefficients[d] * (value of dim d). `coefficients` has one entry per dim of the kernel.
struct Affine {
  std::vector<std::int64_t> coefficients;
  std::int64_t constant = 0;

  bool operator==(const Affine &) const = default;
};

enum class Role : std::uint8_t {
  kInput,      ///< read only, given by the user
  kOutput,     ///< written; its first accumulation starts from the identity of the combine operation
  kInOut,      ///< given by the user and updated; an accumulation starts from the given value
  kTemporary,  ///< made by one kernel of the graph and read by a later one (by itself, in a scan)
};

/// A dense row-major array of the graph.
struct Tensor {
  std::string name;
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;
  Role role = Role::kInput;
  bool isConstant = false;  ///< an input that is the same in every run (weights of a network): placed once, kept

  std::int64_t elements() const;
};

/// Element `index` of tensor number `tensor` of the graph; one affine form per tensor dimension. One of the indices may
/// come from data instead: x[idx[i]], h[x[i]], N[best[p]][k].
struct Access {
  int tensor = -1;
  std::vector<Affine> index;
  int indirectAt = -1;     ///< which index comes from data (its affine form is 0); -1: none
  int indirectIndex = -1;  ///< the body value that gives it, an integer; of a load: an earlier value than the load

  bool isIndirect() const { return indirectAt >= 0; }
  bool operator==(const Access &) const = default;
};

enum class Op : std::uint8_t {
  kConstant,  ///< `constant`
  kLoad,      ///< element read through accesses[access]
  kIndex,     ///< value of dim `dim`
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,  // two arguments of the result's type
  kNeg,
  kAbs,
  kExp,
  kLog,
  kSqrt,
  kTanh,  // one argument
  kRelu,  ///< one argument: +0 where its sign bit is set (-0 and negative NaN too, as HBM-PIM does), else the argument
  kCmpEq,
  kCmpNe,
  kCmpLt,
  kCmpLe,
  kCmpGt,
  kCmpGe,   // two arguments of one type; result 0 or 1 in DType::kU8
  kSelect,  // args[0] != 0 ? args[1] : args[2]
  kCast,    // one argument of any type, rounded or truncated to `type`
};

/// "add", "select", ...: what print() and diagnostics call it.
std::string_view name(Op op);
/// 0 to 3.
int argumentCount(Op op);

/// One node of the scalar body. Arguments are indices of earlier nodes. Every node's value is rounded to `type`
/// (floating point: to nearest even; integers wrap), so the body defines the precision of each step.
///
/// Corners. Integers: x / 0 = x % 0 = 0; division truncates; a shift by the width or more gives 0 (kShr of a negative
/// number: -1). Floating point: kMin and kMax give the other argument where one is NaN, and -0 < +0; comparisons with
/// NaN are false, kCmpNe true; kRem is C's fmod; NaN made by arithmetic is the positive quiet NaN. kExp, kLog, kTanh:
/// the double-precision library function, rounded once. kCast of a floating value to an integer: truncated, NaN gives
/// 0, outside 64 bits saturated, then wrapped.
struct Value {
  Op op = Op::kConstant;
  DType type = DType::kF32;
  std::array<int, 3> args{-1, -1, -1};
  double constant = 0;       ///< kConstant of a floating type
  std::int64_t integer = 0;  ///< kConstant of an integer type
  int access = -1;           ///< kLoad
  int dim = -1;              ///< kIndex
};

enum class Combine : std::uint8_t { kAssign, kAdd, kMul, kMin, kMax };
std::string_view name(Combine c);
/// The operation that merges two partial results; kAssign is our bug.
Op opOf(Combine c);

/// Where a body value goes. With kAssign each element is written by at most one point (the verifier checks what it
/// can prove), or by points of sequential dims, of which the last counts; the other operations accumulate, onto what an
/// earlier kernel of the graph left there if one did. A point's loads come before its stores. A kernel may load what it
/// stores only at the same element (an update in place) or with a sequential dim. Stores whose indices come from data
/// may meet in one element: assignments in the order of the points, accumulations of floating-point numbers too.
struct Store {
  Access target;
  int value = -1;
  Combine combine = Combine::kAssign;
  /// A minimum (maximum) with its index: number of the store of the kernel, with combine kMin or kMax and the same
  /// indices, that this assignment follows: both happen at points whose value is less (greater) than what the element
  /// holds, by comparison (never for NaN), so the first of equals wins.
  int follows = -1;
};

enum class Form : std::uint8_t {
  kAffine,    ///< every index is affine
  kIndirect,  ///< one store's target is indirect: h[x[i]] += 1
  kSelect,    ///< body value `predicate` decides whether the stored value is appended to the target, in point order:
              ///< one list per row, rows being what the target's other indices tell apart (the last one is ignored). A
              ///< second store (combine kAdd, the rows' indices) may hold the counts
};

/// A dim that data bound: it runs from one body value up to below another, the rows of a sparse matrix. Both are
/// integers that are known before it runs: they hang on dims before it alone, and on nothing that the kernel stores.
/// Wherever first < end, both must lie within 0..extent; the interpreter checks it. Whatever asks how far the dim may
/// run takes its extent.
struct DataBounds {
  int dim = -1;
  int first = -1;  ///< body value; -1: 0
  int end = -1;    ///< body value; -1: the extent
};

/// A loop nest with one scalar body. Points run in row-major order of `dims` unless an Order says otherwise.
struct Kernel {
  std::string name;
  std::vector<Dim> dims;
  std::vector<Access> loads;  ///< what Value::access refers to
  std::vector<Value> body;    ///< topologically sorted
  std::vector<Store> stores;
  std::vector<Affine> guards;      ///< a point runs only where all are >= 0
  std::vector<DataBounds> bounds;  ///< at most one per dim
  Form form = Form::kAffine;
  int predicate = -1;       ///< Form::kSelect
  std::int64_t limit = -1;  ///< Form::kSelect: what exceeds this many in a row is neither appended nor counted
  Location where;           ///< of the statement or operation it came from

  int dimNamed(std::string_view dim) const;  ///< index, or -1
  std::int64_t points() const;               ///< product of the extents, guards and bounds ignored
  bool hasIndirectLoads() const;
  const DataBounds *boundsOf(int dim) const;  ///< null: all of it runs
};

/// Kernels that run in turns, once per value of a counter, from 0 to `extent` - 1. The counter is a leading dim of each
/// of them (DimKind::kCounter), so that it may stand in indices, guards and bodies; bounds that move with outer
/// counters are guards.
struct Loop {
  std::string name;
  std::int64_t extent = 0;
  int first = 0, end = 0;  ///< kernels [first, end) of the graph
  /// Tensors of one type and shape that exchange their names after every round: whoever names one from then on, in
  /// later rounds and behind the loop, means the other.
  std::vector<std::array<int, 2>> swaps;
  Location where;
};

/// Kernels that run one after the other on shared tensors. A single kernel is a graph of one.
struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Kernel> kernels;
  std::vector<Loop> loops;  ///< nested or apart; in the order of their first kernels, outer ones first

  int tensorNamed(std::string_view tensor) const;  ///< index, or -1
};

/// Where the parts of a graph stand in the text it was read from; lists are as long as the graph's, or empty.
struct Places {
  struct OfKernel {
    std::vector<Location> dims, guards, bounds, loads, values, stores;
  };
  std::vector<Location> tensors, loops;
  std::vector<OfKernel> kernels;
};

/// Checks every rule stated above: ranks, bounds of accesses under the guards' box, types, roles, use before
/// definition, duplicate writes. Returns all findings, each with its place if `places` knows it, else the kernel's.
Status verify(const Graph &graph, const Places *places = nullptr);

/// A readable, complete text of the graph (`compile --emit kernel`).
std::string print(const Graph &graph);

/// Multiply, add, compare... per point, reductions counted: the arithmetic a roofline needs. Points that a guard
/// leaves out are counted; loads, constants, indices and casts are not. Rows that data bound are taken for parts of
/// their dim that do not overlap.
std::int64_t scalarOperations(const Graph &graph);
std::int64_t scalarOperations(const Kernel &kernel);

}  // namespace pimento::kernel
