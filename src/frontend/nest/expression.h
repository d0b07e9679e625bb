// Scalar expressions of loop nests as a shared graph: what a statement computes, in Op and DType of kernel.h, over
// elements of buffers and affine forms of loops.
//
// Nodes are never changed, and equal ones are one node, so that equality of numbers is equality of values read at one
// moment. Making a node simplifies it where the result stays the same bit for bit: constants, sums of loops, widenings
// that a narrowing takes back (Figueroa, When is double rounding innocuous?, 1995), minimum and maximum of integers.
// Knows nothing of C or MLIR.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// The one index of an element that is a value, no sum of loops.
struct DataIndex {
  int at = -1;     ///< which of the indices; -1: none
  int value = -1;  ///< an integer of the pool

  bool isThere() const { return at >= 0; }
  bool operator==(const DataIndex &) const = default;
};

/// A value. kLoad: element `index` of `buffer`, index number `integer` being the value args[0] where that is given.
/// kIndex: the value of `form`, whose coefficients go by loop number.
struct Expression {
  kernel::Op op = kernel::Op::kConstant;
  DType type = DType::kI32;
  std::array<int, 3> args{-1, -1, -1};
  double real = 0;
  std::int64_t integer = 0;
  int buffer = -1;
  std::vector<kernel::Affine> index;
  kernel::Affine form;

  DataIndex data() const {
    return op == kernel::Op::kLoad && args[0] >= 0 ? DataIndex{static_cast<int>(integer), args[0]} : DataIndex{};
  }
};

/// Whether every value of `from` is one of `to`.
bool holdsAll(DType to, DType from);

class ExpressionPool {
 public:
  /// `fits` says whether the values of a form are all values of an integer type. Signed integers wrap, or do not (C).
  explicit ExpressionPool(std::function<bool(const kernel::Affine &, DType)> fits, bool wraps = false)
      : fits_(std::move(fits)), wraps_(wraps) {}

  int real(DType type, double x);
  int integer(DType type, std::int64_t x);
  int form(DType type, kernel::Affine form);
  int load(DType type, int buffer, std::vector<kernel::Affine> index, DataIndex data, const Location &where);
  /// Arguments have the types that kernel.h asks for.
  int op(kernel::Op op, DType type, int a, int b = -1, int c = -1);
  int cast(DType type, int a);
  /// u8: whether a is not 0; a is 0.
  int isTrue(int a);
  int isFalse(int a);
  /// Both of two conditions in u8; -1 stands for "always".
  int both(int a, int b);

  const Expression &operator[](int e) const { return nodes_[static_cast<std::size_t>(e)]; }
  /// An integer that is a constant or a sum of loops.
  std::optional<kernel::Affine> formOf(int e) const;
  std::optional<std::int64_t> integerOf(int e) const;
  bool isConstant(int e) const { return (*this)[e].op == kernel::Op::kConstant; }
  /// Where a load was first written.
  Location whereOf(int e) const;

  /// Every node below and including `root`, once each.
  void visit(int root, const std::function<void(int)> &see) const;
  bool contains(int root, const std::function<bool(const Expression &)> &isIt) const;
  /// `root` with other nodes in place of those for which `change` gives one.
  int rewrite(int root, const std::function<std::optional<int>(int)> &change);
  /// `root` with other forms, in indices too.
  int mapForms(int root, const std::function<kernel::Affine(const kernel::Affine &)> &change);

 private:
  int add(Expression node);
  int foldConstants(kernel::Op op, DType type, int a, int b);
  int foldForms(kernel::Op op, DType type, int a, int b);
  int simplifyComparison(kernel::Op op, int a, int b);
  int simplifySelect(DType type, int condition, int a, int b);
  int castConstant(DType type, const Expression &c);
  std::optional<int> narrowInteger(DType type, int a, int depth);
  std::optional<int> narrowFloat(DType type, int a);
  /// `a` in `type` if it is a value of that type in a wider one.
  std::optional<int> unwidened(DType type, int a);

  std::function<bool(const kernel::Affine &, DType)> fits_;
  bool wraps_;
  std::deque<Expression> nodes_;  ///< what add() returns a number of stays where it is: references outlive it
  std::map<std::vector<std::int64_t>, int> known_;
  std::map<int, Location> places_;
};

/// Without zeros at the end, so that equal forms compare equal.
kernel::Affine trimmed(kernel::Affine form);

}  // namespace pimento::frontend
