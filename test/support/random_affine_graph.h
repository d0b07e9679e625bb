// Random affine kernels: up to four dims, strided, shifted and reversed accesses, guards, small bodies of all types.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "pimento/base/rng.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/kernel.h"
#include "pimento/mapping/mapping.h"

namespace pimento::test {

class RandomAffineGraph {
 public:
  RandomAffineGraph(Rng &rng, DType type) : rng_(rng), type_(type) {}

  kernel::Graph make() {
    kernel::Graph graph;
    kernel::Kernel k;
    k.name = "random";
    const int dims = 1 + below(4);
    const bool hasReduction = below(2) == 0;
    for (int d = 0; d < dims; ++d) {
      const bool isReduction = hasReduction && below(2) == 0;
      k.dims.push_back({std::string(1, static_cast<char>('i' + d)), 1 + below(dims < 3 ? 40 : 11),
                        isReduction ? kernel::DimKind::kReduction : kernel::DimKind::kParallel});
    }
    const int loads = 1 + below(3);
    for (int l = 0; l < loads; ++l) {
      const bool isAgain = l > 0 && below(3) == 0;
      k.loads.push_back(isAgain ? shifted(k.loads.back()) : access(k, l));
      if (!isAgain) graph.tensors.push_back({"x" + std::to_string(l), type_, {}, kernel::Role::kInput});
      k.loads.back().tensor = static_cast<int>(graph.tensors.size()) - 1;
    }
    shape(graph, k);
    addBody(k);
    for (int stores = below(4) == 0 ? 2 : 1; stores > 0; --stores) addStore(graph, k);
    if (below(4) == 0) addGuard(k);
    graph.kernels.push_back(std::move(k));
    return graph;
  }

  /// Splits at random, tasklets along several dims; at most `units` of each level along a dim.
  mapping::Mapping mappingOf(const kernel::Kernel &k, int units) {
    mapping::Mapping m;
    mapping::Subspace s;
    s.factors.assign(4, std::vector<std::int64_t>(k.dims.size(), 1));
    for (std::size_t d = 0; d < k.dims.size(); ++d) s.factors[3][d] = k.dims[d].extent;
    for (const std::size_t level : {0, 1, 2, 2, 2}) {
      const auto d = static_cast<std::size_t>(below(static_cast<int>(k.dims.size())));
      const std::int64_t n = std::min<std::int64_t>(1 + below(level == 0 ? 2 : units), s.factors[3][d]);
      if (s.factors[level][d] > 1 || (level == 2 && unitsOf(s.factors[level]) * n > kMostTasklets)) continue;
      s.factors[level][d] = n;
      s.factors[3][d] = (s.factors[3][d] + n - 1) / n;
    }
    m.subspaces = {s};
    if (below(3) == 0) m.parameters["buffer"] = 8 * (1 + below(8));
    m.text = mapping::print(m);
    return m;
  }

 private:
  static constexpr std::int64_t kMostTasklets = 24;

  static std::int64_t unitsOf(const std::vector<std::int64_t> &factors) {
    return std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
  }

  int below(int n) { return static_cast<int>(rng_.next() % static_cast<std::uint64_t>(n)); }

  kernel::Access access(const kernel::Kernel &k, int) {
    kernel::Access a;
    for (int i = 1 + below(3); i > 0; --i) {
      kernel::Affine index;
      index.coefficients.assign(k.dims.size(), 0);
      for (int n = 1 + below(2); n > 0; --n) {
        constexpr int kSteps[] = {1, 1, 1, 1, 2, 3, -1};
        index.coefficients[static_cast<std::size_t>(below(static_cast<int>(k.dims.size())))] = kSteps[below(7)];
      }
      a.index.push_back(std::move(index));
    }
    return a;
  }

  kernel::Access shifted(kernel::Access a) {
    for (kernel::Affine &index : a.index) index.constant += below(3);
    return a;
  }

  /// Shapes that hold every access, and constants that leave none negative.
  void shape(kernel::Graph &graph, kernel::Kernel &k) {
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
      std::vector<std::int64_t> &shape = graph.tensors[t].shape;
      for (kernel::Access &a : k.loads) {
        if (a.tensor != static_cast<int>(t)) continue;
        shape.resize(a.index.size(), 1);
        for (std::size_t i = 0; i < a.index.size(); ++i) shape[i] = std::max(shape[i], fit(k, a.index[i]));
      }
    }
  }

  static std::int64_t fit(const kernel::Kernel &k, kernel::Affine &index) {
    std::int64_t low = index.constant, high = index.constant;
    for (std::size_t d = 0; d < k.dims.size(); ++d) {
      const std::int64_t end = index.coefficients[d] * (k.dims[d].extent - 1);
      (end < 0 ? low : high) += end;
    }
    if (low < 0) {
      index.constant -= low;
      high -= low;
    }
    return high + 1;
  }

  int add(kernel::Kernel &k, kernel::Value v) {
    k.body.push_back(v);
    return static_cast<int>(k.body.size()) - 1;
  }

  void addBody(kernel::Kernel &k) {
    using kernel::Op;
    for (std::size_t l = 0; l < k.loads.size(); ++l) {
      kernel::Value v;
      v.op = Op::kLoad;
      v.type = type_;
      v.access = static_cast<int>(l);
      add(k, v);
    }
    kernel::Value c;
    c.type = type_;
    c.constant = 1.5 * (1 + below(3));
    c.integer = 1 + below(9);
    add(k, c);
    constexpr Op kInteger[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kMin, Op::kMax, Op::kDiv,
                               Op::kRem, Op::kShl, Op::kShr, Op::kXor, Op::kAbs, Op::kRelu};
    constexpr Op kFloating[] = {Op::kAdd, Op::kSub,  Op::kMul, Op::kMin, Op::kMax, Op::kAbs,
                                Op::kDiv, Op::kRelu, Op::kNeg, Op::kAdd, Op::kMul, Op::kSqrt};
    for (int n = 1 + below(4); n > 0; --n) {
      kernel::Value v;
      v.op = isFloat(type_) ? kFloating[below(12)] : kInteger[below(12)];
      v.type = type_;
      for (int i = 0; i < kernel::argumentCount(v.op); ++i)
        v.args[static_cast<std::size_t>(i)] = below(static_cast<int>(k.body.size()));
      add(k, v);
    }
  }

  void addStore(kernel::Graph &graph, kernel::Kernel &k) {
    bool isSum = false;
    kernel::Store s;
    s.target.tensor = static_cast<int>(graph.tensors.size());
    std::vector<std::int64_t> shape;
    for (std::size_t d = 0; d < k.dims.size(); ++d) {
      if (k.dims[d].kind == kernel::DimKind::kReduction) {
        isSum = true;
        continue;
      }
      kernel::Affine index;
      index.coefficients.assign(k.dims.size(), 0);
      index.coefficients[d] = 1;
      const auto at = static_cast<std::ptrdiff_t>(below(static_cast<int>(shape.size()) + 1));
      s.target.index.insert(s.target.index.begin() + at, index);
      shape.insert(shape.begin() + at, k.dims[d].extent);
    }
    if (shape.empty()) {
      kernel::Affine index;
      index.coefficients.assign(k.dims.size(), 0);
      s.target.index.push_back(index);
      shape.push_back(1);
    }
    constexpr kernel::Combine kSums[] = {kernel::Combine::kAdd, kernel::Combine::kMin, kernel::Combine::kMax,
                                         kernel::Combine::kMul};
    s.combine = isSum ? kSums[below(4)] : kernel::Combine::kAssign;
    s.value = static_cast<int>(k.body.size()) - 1;
    graph.tensors.push_back({"y" + std::to_string(k.stores.size()), type_, shape,
                             isSum && below(2) == 0 ? kernel::Role::kInOut : kernel::Role::kOutput});
    k.stores.push_back(std::move(s));
  }

  void addGuard(kernel::Kernel &k) {
    kernel::Affine guard;
    guard.coefficients.assign(k.dims.size(), 0);
    for (int n = 1 + below(2); n > 0; --n)
      guard.coefficients[static_cast<std::size_t>(below(static_cast<int>(k.dims.size())))] = below(2) == 0 ? 1 : -1;
    guard.constant = below(6);
    k.guards.push_back(std::move(guard));
  }

  Rng &rng_;
  DType type_;
};

}  // namespace pimento::test
