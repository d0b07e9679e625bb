// Random kernels that affine parallel nests cannot say: indices from data in loads and stores, points that run in order
// and update in place along several lines, minima with their indices. One to three dims, guards, all of one type.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/kernel.h"

namespace pimento::test {

class RandomDataGraph {
 public:
  RandomDataGraph(Rng &rng, DType type) : rng_(rng), type_(type) {}

  /// May break a rule of verify(), where steps are drawn that points cannot run in any order.
  kernel::Graph make() {
    graph_ = {};
    switch (below(4)) {
      case 0:
        gather();
        break;
      case 1:
        scatter();
        break;
      case 2:
        sweep();
        break;
      default:
        extreme();
    }
    return std::move(graph_);
  }

 private:
  using Kind = kernel::DimKind;
  using Op = kernel::Op;

  int below(int n) { return static_cast<int>(rng_.next() % static_cast<std::uint64_t>(n)); }
  bool oneIn(int n) { return below(n) == 0; }

  int tensor(const std::string &name, std::vector<std::int64_t> shape, kernel::Role role, DType type) {
    graph_.tensors.push_back({name, type, std::move(shape), role});
    return static_cast<int>(graph_.tensors.size()) - 1;
  }
  int input(const std::string &name, std::vector<std::int64_t> shape) {
    return tensor(name, std::move(shape), kernel::Role::kInput, type_);
  }
  int indices(const std::string &name, std::vector<std::int64_t> shape) {
    constexpr DType kTypes[] = {DType::kI32, DType::kU8, DType::kI16, DType::kI32};
    return tensor(name, std::move(shape), kernel::Role::kInput, kTypes[below(4)]);
  }
  DType typeOf(int tensor) const { return graph_.tensors[static_cast<std::size_t>(tensor)].type; }

  /// `kinds` of dims, with extents.
  std::vector<kernel::Dim> dims(const std::vector<Kind> &kinds) {
    std::vector<kernel::Dim> out;
    for (std::size_t d = 0; d < kinds.size(); ++d)
      out.push_back({std::string(1, static_cast<char>('i' + d)), 1 + below(kinds.size() == 1 ? 200 : 24), kinds[d]});
    return out;
  }
  std::vector<std::int64_t> extents(const std::vector<kernel::Dim> &dims) const {
    std::vector<std::int64_t> out;
    for (const kernel::Dim &d : dims) out.push_back(d.extent);
    return out;
  }
  static std::vector<kernel::Affine> all(const kernel::KernelBuilder &b, std::size_t dims) {
    std::vector<kernel::Affine> out;
    for (std::size_t d = 0; d < dims; ++d) out.push_back(b.index(static_cast<int>(d)));
    return out;
  }
  void guard(kernel::KernelBuilder &b, std::size_t dims) {
    if (!oneIn(3)) return;
    const int d = below(static_cast<int>(dims)), e = below(static_cast<int>(dims));
    kernel::Affine g = b.index(d, oneIn(2) ? 1 : -1, below(8));
    if (e != d) g.coefficients[static_cast<std::size_t>(e)] = oneIn(2) ? 1 : -1;
    b.guard(std::move(g));
  }
  void take(kernel::KernelBuilder &b) { graph_.kernels.push_back(b.take()); }

  /// y[...] = or += table[..., p[...], ...] * x
  void gather() {
    const bool reduces = oneIn(2);
    const std::vector<kernel::Dim> d =
        dims(oneIn(2) ? std::vector{Kind::kParallel}
                      : std::vector{Kind::kParallel, reduces ? Kind::kReduction : Kind::kParallel});
    kernel::KernelBuilder b("gather", d);
    const std::vector<std::int64_t> shape = extents(d);
    const int p = indices("p", shape);
    const int at = b.load(typeOf(p), {p, all(b, d.size())});
    std::vector<std::int64_t> rows{1 + below(oneIn(2) ? 20 : 3000)};
    kernel::Access access{0, {b.at(0)}, 0, at};
    if (oneIn(2)) {  // rows of a table, or columns
      const int last = static_cast<int>(d.size()) - 1;
      const bool isFront = oneIn(2);
      access.index.insert(isFront ? access.index.begin() : access.index.end(), b.index(last, 1, below(2)));
      rows.insert(isFront ? rows.begin() : rows.end(), d.back().extent + 1);
      access.indirectAt = isFront ? 1 : 0;
    }
    access.tensor = input("table", rows);
    const int x = b.load(input("x", shape), type_, all(b, d.size()));
    const int first = b.load(type_, access);
    const int value = b.op(oneIn(2) ? Op::kAdd : Op::kMul, type_, first, x);
    const bool isSum = d.back().kind == Kind::kReduction;
    std::vector<std::int64_t> out = shape;
    if (isSum) out.pop_back();
    if (out.empty()) out.push_back(1);
    b.store(tensor("y", out, kernel::Role::kInOut, type_), isSum ? std::vector{b.index(0)} : all(b, d.size()), value,
            isSum ? kernel::Combine::kAdd : kernel::Combine::kAssign);
    guard(b, d.size());
    take(b);
  }

  /// h[p[...]] = or += x, with a second index perhaps
  void scatter() {
    const bool isAssign = oneIn(2);
    std::vector<Kind> kinds{isAssign ? Kind::kSequential : Kind::kReduction};
    const bool hasLine = oneIn(2);
    if (hasLine) kinds.push_back(Kind::kParallel);
    const std::vector<kernel::Dim> d = dims(kinds);
    kernel::KernelBuilder b("scatter", d);
    const int p = indices("p", {d[0].extent});
    const int at = b.load(p, typeOf(p), {b.index(0)});
    const int x = b.load(input("x", extents(d)), type_, all(b, d.size()));
    std::vector<std::int64_t> rows{1 + below(oneIn(2) ? 12 : 400)};
    kernel::Access access{0, {b.at(0)}, 0, at};
    const bool isShort = hasLine && d[1].extent > 1 && oneIn(3);  // without the first point, which has no element
    if (hasLine) {
      rows.push_back(d[1].extent - (isShort ? 1 : 0));
      access.index.push_back(b.index(1, 1, isShort ? -1 : 0));
    }
    if (isShort) b.guard(access.index.back());
    access.tensor = tensor("h", rows, oneIn(2) ? kernel::Role::kInOut : kernel::Role::kOutput, type_);
    constexpr kernel::Combine kSums[] = {kernel::Combine::kAdd, kernel::Combine::kMin, kernel::Combine::kMax};
    const kernel::Combine how = isAssign ? kernel::Combine::kAssign : kSums[below(3)];
    int value = x;
    if (isAssign && oneIn(2)) value = b.op(Op::kAdd, type_, x, b.load(type_, access));  // sees those before it
    b.store(access, value, how);
    guard(b, d.size());
    take(b);
    graph_.kernels.back().form = kernel::Form::kIndirect;
  }

  /// y[...] = y[elsewhere] + x, points in order along some dims
  void sweep() {
    std::vector<Kind> kinds;
    for (int n = 1 + below(2); n > 0; --n) kinds.push_back(oneIn(3) ? Kind::kParallel : Kind::kSequential);
    const std::vector<kernel::Dim> d = dims(kinds);
    kernel::KernelBuilder b("sweep", d);
    std::vector<std::int64_t> shape;
    std::vector<kernel::Affine> own;
    for (std::size_t i = 0; i < d.size(); ++i) {
      shape.push_back(d[i].extent + 2);
      own.push_back(b.index(static_cast<int>(i), 1, 1));
    }
    const bool isSquare = d.size() == 2 && oneIn(3);
    if (isSquare) shape = {std::max(shape[0], shape[1]), std::max(shape[0], shape[1])};
    const int y = tensor("y", shape, kernel::Role::kInOut, type_);
    int value = b.load(input("x", extents(d)), type_, all(b, d.size()));
    for (int n = 1 + below(3); n > 0; --n) {
      std::vector<kernel::Affine> elsewhere = own;
      for (std::size_t i = 0; i < d.size(); ++i)
        if (d[i].kind == Kind::kSequential) elsewhere[i].constant = below(3);
      if (isSquare && oneIn(2)) std::swap(elsewhere[0], elsewhere[1]);
      if (d.size() == 1 && oneIn(4)) elsewhere[0] = b.index(0, -1, d[0].extent);
      value = b.op(oneIn(2) ? Op::kAdd : Op::kSub, type_, value, b.load(y, type_, elsewhere));
    }
    b.store(y, own, value);
    if (oneIn(2)) {
      const std::vector<std::int64_t> rows =
          d[0].kind == Kind::kParallel ? std::vector{d[0].extent} : std::vector<std::int64_t>{1};
      b.store(tensor("total", rows, kernel::Role::kOutput, type_),
              {d[0].kind == Kind::kParallel ? b.index(0) : b.at(0)}, value,
              oneIn(2) ? kernel::Combine::kAdd : kernel::Combine::kMax);
    }
    guard(b, d.size());
    take(b);
  }

  /// m[i] min= x[i,j] with n[i] = j, k...
  void extreme() {
    const bool hasRows = oneIn(2);
    const std::vector<kernel::Dim> d =
        dims(hasRows ? std::vector{Kind::kParallel, Kind::kReduction} : std::vector{Kind::kReduction});
    kernel::KernelBuilder b("extreme", d);
    const int x = b.load(input("x", extents(d)), type_, all(b, d.size()));
    const std::vector<std::int64_t> rows{hasRows ? d[0].extent : 1};
    const kernel::Affine row = hasRows ? b.index(0) : b.at(0);
    const int last = static_cast<int>(d.size()) - 1;
    const int m = tensor("m", rows, oneIn(2) ? kernel::Role::kInOut : kernel::Role::kOutput, type_);
    b.store(m, {row}, x, oneIn(2) ? kernel::Combine::kMin : kernel::Combine::kMax);
    b.storeWith(tensor("n", rows, oneIn(2) ? kernel::Role::kInOut : kernel::Role::kOutput, DType::kI32),
                b.indexValue(last, DType::kI32));
    guard(b, d.size());
    take(b);
  }

  Rng &rng_;
  DType type_;
  kernel::Graph graph_;
};

}  // namespace pimento::test
