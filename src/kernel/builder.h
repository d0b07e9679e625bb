// Builds the body of a Kernel node by node: what every front end does.
//
// Equal accesses, loads and constants are shared. Nothing is checked here: verify() does that on the finished graph.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

class KernelBuilder {
 public:
  KernelBuilder(std::string name, std::vector<Dim> dims, Location where = {});

  /// coefficient * dim + constant.
  Affine index(int dim, std::int64_t coefficient = 1, std::int64_t constant = 0) const;
  /// A constant index.
  Affine at(std::int64_t constant) const;

  /// Body values; each returns the new value's number (or that of an equal earlier one).
  int load(int tensor, DType type, std::vector<Affine> index) { return load(type, {tensor, std::move(index)}); }
  int load(DType type, Access access);
  int constant(DType type, double x);
  int integer(DType type, std::int64_t x);
  int indexValue(int dim, DType type);
  int op(Op op, DType type, int a, int b = -1, int c = -1);
  int cast(DType type, int a);  ///< `a` itself where it has that type

  void store(int tensor, std::vector<Affine> index, int value, Combine combine = Combine::kAssign) {
    store({tensor, std::move(index)}, value, combine);
  }
  void store(Access target, int value, Combine combine = Combine::kAssign);
  /// The last store, a minimum or maximum (or what follows one), with an index of its own: `value` is assigned where
  /// that one takes place.
  void storeWith(int tensor, int value);
  void guard(Affine nonNegative) { kernel_.guards.push_back(std::move(nonNegative)); }
  /// `dim` runs from one body value up to below another; -1: from 0, up to its extent.
  void bound(int dim, int first, int end) { kernel_.bounds.push_back({dim, first, end}); }
  /// The stored value is appended where `predicate` is not 0, at most `limit` times in a row.
  void select(int predicate, std::int64_t limit = -1);

  DType typeOf(int value) const { return kernel_.body[static_cast<std::size_t>(value)].type; }
  Kernel take() { return std::move(kernel_); }

 private:
  int add(const Value &value);

  Kernel kernel_;
};

}  // namespace pimento::kernel
