// Random graphs of the kind HBM-PIM runs: element-wise expressions, sums and products of them, and matrix-vector
// products over several dims, in groups and with guards, with permuted, strided, reversed, shifted and broadcast
// accesses, alone or in chains.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/kernel.h"

namespace pimento::test {

class RandomHbmPimGraph {
 public:
  explicit RandomHbmPimGraph(std::uint64_t seed) : rng_(seed) {}

  kernel::Graph make() {
    graph_.name = "random";
    const std::uint64_t dice = rng_.below(10);
    const int kernels = dice < 5 ? 1 : dice < 8 ? 2 : 3;
    for (int k = 0; k < kernels; ++k) {
      const std::uint64_t kind = rng_.below(9);
      if (kind < 3) {
        elementwise(k);
      } else if (kind < 6) {
        matVec(k);
      } else if (kind < 8) {
        sum(k);
      } else {
        convolution(k);
      }
    }
    return std::move(graph_);
  }

 private:
  using Affine = kernel::Affine;
  using Op = kernel::Op;
  using Role = kernel::Role;
  static constexpr DType kType = DType::kF16;

  bool chance(int percent) { return rng_.below(100) < static_cast<std::uint64_t>(percent); }

  /// 1 to `most`, every order of magnitude alike; sometimes a power of two or a neighbour of one.
  std::int64_t extent(std::int64_t most) {
    std::int64_t bits = 1;
    while ((std::int64_t{1} << bits) <= most) ++bits;
    const std::int64_t power = std::int64_t{1} << rng_.below(static_cast<std::uint64_t>(bits));
    const std::int64_t n = chance(30) ? power + rng_.integer(-1, 1) : rng_.integer(1, 2 * power);
    return std::clamp<std::int64_t>(n, 1, most);
  }

  std::vector<int> shuffled(std::size_t n) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), 0);
    for (std::size_t i = n; i > 1; --i) std::swap(v[i - 1], v[rng_.below(i)]);
    return v;
  }

  /// An affine form over dims with its extent: shifted so that it starts at 0 or a little later.
  struct Axis {
    Affine index;
    std::int64_t size = 1;
  };

  Axis axis(const std::vector<kernel::Dim> &dims, const std::vector<std::pair<int, std::int64_t>> &terms) {
    Axis a{{std::vector<std::int64_t>(dims.size(), 0), 0}, 1};
    std::int64_t reach = 0;
    for (const auto &[d, c] : terms) {
      const std::int64_t span = c * (dims[static_cast<std::size_t>(d)].extent - 1);
      a.index.coefficients[static_cast<std::size_t>(d)] = c;
      if (span < 0) a.index.constant -= span;
      reach += std::abs(span);
    }
    const std::int64_t shift = chance(25) ? rng_.integer(1, 3) : 0;
    a.index.constant += shift;
    a.size = reach + 1 + shift + (chance(25) ? rng_.integer(1, 2) : 0);
    return a;
  }

  int tensor(std::string name, const std::vector<Axis> &axes, Role role) {
    kernel::Tensor t{std::move(name), kType, {}, role};
    for (const Axis &a : axes) t.shape.push_back(a.size);
    graph_.tensors.push_back(std::move(t));
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  static std::vector<Affine> indices(const std::vector<Axis> &axes) {
    std::vector<Affine> out;
    for (const Axis &a : axes) out.push_back(a.index);
    return out;
  }

  std::int64_t coefficient() {
    constexpr std::int64_t kChoices[] = {1, 1, 1, 1, 1, 2, 3, -1};
    return kChoices[rng_.below(8)];
  }

  /// Axes of a tensor that is read over some of `use`: each dim mostly in an axis of its own, some left out, some two
  /// in one axis.
  std::vector<Axis> readAxes(const std::vector<kernel::Dim> &dims, const std::vector<int> &use, int dropPercent) {
    std::vector<Axis> axes;
    for (const int i : shuffled(use.size())) {
      const int d = use[static_cast<std::size_t>(i)];
      if (chance(dropPercent)) continue;
      std::vector<std::pair<int, std::int64_t>> terms{{d, coefficient()}};
      const int other = use[rng_.below(use.size())];
      if (chance(10) && other != d) terms.push_back({other, 1});
      axes.push_back(axis(dims, terms));
    }
    if (axes.empty() || chance(5)) axes.push_back(axis(dims, {}));
    return axes;
  }

  /// Axes of a tensor in which every point of `use` has an element of its own.
  std::vector<Axis> writeAxes(const std::vector<kernel::Dim> &dims, const std::vector<int> &use) {
    std::vector<Axis> axes;
    const std::vector<int> order = shuffled(use.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int d = use[static_cast<std::size_t>(order[i])];
      if (chance(15) && i + 1 < order.size()) {  // two digits of one index
        const int low = use[static_cast<std::size_t>(order[++i])];
        axes.push_back(axis(dims, {{d, dims[static_cast<std::size_t>(low)].extent}, {low, 1}}));
      } else {
        axes.push_back(axis(dims, {{d, coefficient()}}));
      }
    }
    if (axes.empty() || chance(5)) axes.push_back(axis(dims, {}));
    return axes;
  }

  /// A load over `use`: of a new input, or of what an earlier kernel wrote as far as its shape allows.
  int load(kernel::KernelBuilder &b, const std::vector<kernel::Dim> &dims, const std::vector<int> &use, int dropPercent,
           const std::string &name) {
    if (!written_.empty() && chance(60)) return loadWritten(b, dims, use);
    const std::vector<Axis> axes = readAxes(dims, use, dropPercent);
    return b.load(tensor(name, axes, Role::kInput), kType, indices(axes));
  }

  int loadWritten(kernel::KernelBuilder &b, const std::vector<kernel::Dim> &dims, const std::vector<int> &use) {
    const int t = written_[rng_.below(written_.size())];
    kernel::Tensor &tensor = graph_.tensors[static_cast<std::size_t>(t)];
    if (tensor.role == Role::kOutput) tensor.role = Role::kTemporary;
    std::vector<Affine> index;
    for (const std::int64_t size : tensor.shape) {
      Affine a{std::vector<std::int64_t>(dims.size(), 0), rng_.integer(0, size - 1)};
      for (const int i : shuffled(use.size())) {
        const int d = use[static_cast<std::size_t>(i)];
        const std::int64_t n = dims[static_cast<std::size_t>(d)].extent;
        if (n > size || n == 1) continue;
        const bool isReversed = chance(20);
        a.coefficients[static_cast<std::size_t>(d)] = isReversed ? -1 : 1;
        a.constant = rng_.integer(0, size - n) + (isReversed ? n - 1 : 0);
        break;
      }
      index.push_back(std::move(a));
    }
    return b.load(t, kType, std::move(index));
  }

  double constant() {
    constexpr double kChoices[] = {0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 0.1, -7.25, 0x1p-24, 6e-5, 300.0, 65504.0};
    return kChoices[rng_.below(std::size(kChoices))];
  }

  int expression(kernel::KernelBuilder &b, const std::vector<int> &loads, int depth) {
    const std::uint64_t dice = rng_.below(10);
    if (depth == 0 || dice < 2) {
      if (chance(25)) return b.constant(kType, constant());
      return loads[rng_.below(loads.size())];
    }
    const auto argument = [&](int d) { return expression(b, loads, d); };
    // Few trees with two deep sides: the units have two register files.
    const int other = chance(30) ? depth - 1 : 0;
    if (dice < 5) return b.op(Op::kAdd, kType, argument(depth - 1), argument(other));
    if (dice < 7) return b.op(Op::kMul, kType, argument(other), argument(depth - 1));
    if (dice < 8) return b.op(Op::kSub, kType, argument(depth - 1), argument(other));
    return b.op(dice < 9 ? Op::kRelu : Op::kNeg, kType, argument(depth - 1));
  }

  void elementwise(int number) {
    constexpr std::int64_t kMost[] = {20000, 200, 40};
    const std::size_t count = 1 + rng_.below(3);
    std::vector<kernel::Dim> dims;
    for (std::size_t d = 0; d < count; ++d) dims.push_back({std::string(1, "ijk"[d]), extent(kMost[count - 1])});
    const std::string prefix = "k" + std::to_string(number);
    kernel::KernelBuilder b(prefix, dims);
    std::vector<int> use(count);
    std::iota(use.begin(), use.end(), 0);
    std::vector<int> loads;
    const std::size_t operands = 1 + rng_.below(4);
    for (std::size_t i = 0; i < operands; ++i)
      loads.push_back(load(b, dims, use, 15, prefix + "x" + std::to_string(i)));
    if (chance(10)) {  // only a part of the space runs: i_0 + ... <= bound
      Affine guard{std::vector<std::int64_t>(count, -1), 0};
      for (const kernel::Dim &d : dims) guard.constant += d.extent;
      guard.constant = rng_.integer(0, guard.constant);
      b.guard(guard);
    }
    const std::size_t stores = 1 + (chance(30) ? 1 + rng_.below(2) : 0);
    std::vector<int> made;
    for (std::size_t s = 0; s < stores; ++s) {
      const std::vector<Axis> axes = writeAxes(dims, use);
      const bool isUpdate = chance(15);
      const int t = tensor(prefix + "y" + std::to_string(s), axes, isUpdate ? Role::kInOut : Role::kOutput);
      const bool isCombined = chance(15);  // z += e or z *= e, onto given values or onto nothing
      std::vector<int> own = loads;
      if (isUpdate && !isCombined) own.insert(own.end(), 2, b.load(t, kType, indices(axes)));
      b.store(t, indices(axes), expression(b, own, 1 + static_cast<int>(rng_.below(4))),
              !isCombined  ? kernel::Combine::kAssign
              : chance(50) ? kernel::Combine::kAdd
                           : kernel::Combine::kMul);
      made.push_back(t);
    }
    graph_.kernels.push_back(b.take());
    written_.insert(written_.end(), made.begin(), made.end());
  }

  /// i_0 + ... <= a bound that leaves some out.
  void someGuard(kernel::KernelBuilder &b, const std::vector<kernel::Dim> &dims, const std::vector<int> &use) {
    Affine guard{std::vector<std::int64_t>(dims.size(), 0), 0};
    for (const int d : use) {
      guard.coefficients[static_cast<std::size_t>(d)] = -1;
      guard.constant += dims[static_cast<std::size_t>(d)].extent;
    }
    guard.constant = rng_.integer(0, guard.constant);
    b.guard(guard);
  }

  void sum(int number) {
    constexpr std::int64_t kMostOut[] = {1, 300, 30}, kMostIn[] = {1, 400, 30};
    const std::size_t outputs = rng_.below(3), reductions = 1 + rng_.below(2);
    std::vector<kernel::Dim> dims;
    std::vector<int> out, all;
    for (const int i : shuffled(outputs + reductions)) {
      const bool isOutput = static_cast<std::size_t>(i) < outputs;
      const int d = static_cast<int>(dims.size());
      dims.push_back({std::string(1, static_cast<char>('a' + d)),
                      extent(isOutput ? kMostOut[outputs] : kMostIn[reductions]),
                      isOutput ? kernel::DimKind::kParallel : kernel::DimKind::kReduction});
      if (isOutput) out.push_back(d);
      all.push_back(d);
    }
    const std::string prefix = "k" + std::to_string(number);
    kernel::KernelBuilder b(prefix, dims);
    std::vector<int> loads;
    const std::size_t operands = 1 + rng_.below(3);
    for (std::size_t i = 0; i < operands; ++i)
      loads.push_back(load(b, dims, all, 15, prefix + "x" + std::to_string(i)));
    const std::vector<Axis> axes = writeAxes(dims, out);
    const int y = tensor(prefix + "y", axes, chance(25) ? Role::kInOut : Role::kOutput);
    const bool isProduct = chance(20);
    const int term = isProduct ? loads[0] : expression(b, loads, static_cast<int>(rng_.below(3)));
    b.store(y, indices(axes), term, isProduct ? kernel::Combine::kMul : kernel::Combine::kAdd);
    if (chance(15)) someGuard(b, dims, all);
    graph_.kernels.push_back(b.take());
    written_.push_back(y);
  }

  /// y[o, p..] += w[o, c, r..] * x[c, p * stride + r * dilation - pad..], grouped or not, dims in any order.
  void convolution(int number) {
    enum Part { kOut, kChannel, kImage, kTap };
    const std::size_t images = 1 + rng_.below(2);
    std::vector<Part> parts{kOut, kChannel};
    for (std::size_t i = 0; i < images; ++i) parts.insert(parts.end(), {kImage, kTap});
    const std::vector<int> place = shuffled(parts.size());
    std::vector<kernel::Dim> dims(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      kernel::Dim &d = dims[static_cast<std::size_t>(place[i])];
      const bool isReduction = parts[i] == kChannel || parts[i] == kTap;
      d.kind = isReduction ? kernel::DimKind::kReduction : kernel::DimKind::kParallel;
      d.extent = parts[i] == kImage ? extent(images == 1 ? 60 : 14)
                 : parts[i] == kTap ? 1 + rng_.integer(0, 3)
                                    : extent(20);
    }
    for (std::size_t d = 0; d < dims.size(); ++d) dims[d].name = std::string(1, static_cast<char>('a' + d));
    const std::string prefix = "k" + std::to_string(number);
    kernel::KernelBuilder b(prefix, dims);
    const auto dim = [&](std::size_t i) { return place[i]; };
    const auto extentOf = [&](std::size_t i) { return dims[static_cast<std::size_t>(place[i])].extent; };
    std::vector<Affine> x{b.index(dim(1))}, w{b.index(dim(0)), b.index(dim(1))}, y{b.index(dim(0))};
    std::vector<std::int64_t> xs{extentOf(1)}, ws{extentOf(0), extentOf(1)}, ys{extentOf(0)};
    for (std::size_t i = 0; i < images; ++i) {
      const std::size_t image = 2 + 2 * i, tap = image + 1;
      const std::int64_t stride = rng_.integer(1, 2), dilation = rng_.integer(1, 2),
                         pad = chance(40) ? rng_.integer(0, 2) : 0;
      Affine at = b.index(dim(image), stride, -pad);
      at.coefficients[static_cast<std::size_t>(dim(tap))] = dilation;
      const std::int64_t size =
          std::max<std::int64_t>((extentOf(image) - 1) * stride + (extentOf(tap) - 1) * dilation + 1 - 2 * pad, 1);
      if (pad > 0) {
        Affine below = at;
        for (std::int64_t &c : below.coefficients) c = -c;
        below.constant = size - 1 - at.constant;
        b.guard(at);
        b.guard(below);
      }
      x.push_back(at);
      xs.push_back(size);
      w.push_back(b.index(dim(tap)));
      ws.push_back(extentOf(tap));
      y.push_back(b.index(dim(image)));
      ys.push_back(extentOf(image));
    }
    const auto given = [&](const char *name, const std::vector<std::int64_t> &shape, Role role) {
      graph_.tensors.push_back({prefix + name, kType, shape, role});
      return static_cast<int>(graph_.tensors.size()) - 1;
    };
    const int image = given("x", xs, Role::kInput), weights = given("w", ws, Role::kInput),
              result = given("y", ys, chance(25) ? Role::kInOut : Role::kOutput);
    const bool isFirst = chance(50);
    const int first = b.load(weights, kType, w), second = b.load(image, kType, x);
    b.store(result, y, isFirst ? b.op(Op::kMul, kType, first, second) : b.op(Op::kMul, kType, second, first),
            kernel::Combine::kAdd);
    graph_.kernels.push_back(b.take());
    written_.push_back(result);
  }

  void matVec(int number) {
    const std::size_t groups = chance(75) ? 0 : 1 + rng_.below(2);
    const std::size_t outputs = chance(5) ? 0 : 1 + rng_.below(3), reductions = 1 + rng_.below(2);
    const std::size_t batches = chance(60) ? 0 : 1 + rng_.below(2);
    constexpr std::int64_t kMostOut[] = {1, 700, 40, 9}, kMostIn[] = {1, 1200, 50}, kMostBatch[] = {1, 6, 3},
                           kMostGroups = 7;
    const std::size_t count = outputs + reductions + batches + groups;
    std::vector<kernel::Dim> dims(count);
    std::vector<int> out, in, both, group;
    const std::vector<int> place = shuffled(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int d = place[i];
      const bool isOutput = i < outputs, isReduction = !isOutput && i < outputs + reductions;
      kernel::Dim &dim = dims[static_cast<std::size_t>(d)];
      const bool isGroup = i >= outputs + reductions + batches;
      dim.extent = extent(isGroup       ? kMostGroups
                          : isOutput    ? kMostOut[outputs]
                          : isReduction ? kMostIn[reductions]
                                        : kMostBatch[batches]);
      dim.kind = isReduction ? kernel::DimKind::kReduction : kernel::DimKind::kParallel;
      if (isOutput || isReduction) (isOutput ? out : both).push_back(d);
      if (!isOutput && !isReduction) (isGroup ? group : in).push_back(d);
    }
    const std::vector<int> terms = both;
    both.insert(both.end(), group.begin(), group.end());
    for (std::size_t d = 0; d < count; ++d) dims[d].name = std::string(1, static_cast<char>('a' + d));
    const std::string prefix = "k" + std::to_string(number);
    const std::vector<Axis> axes = writeAxes(dims, join(join(out, in), group));
    const int y = tensor(prefix + "y", axes, chance(25) ? Role::kInOut : Role::kOutput);
    const int products = chance(15) ? 2 : 1;  // the second sum goes onto the first
    for (int p = 0; p < products; ++p) {
      kernel::KernelBuilder b(prefix + (p > 0 ? "more" : ""), dims);
      const int product = multiply(b, dims, join(out, both), join(in, both), both);
      b.store(y, indices(axes), product, kernel::Combine::kAdd);
      if (chance(15)) someGuard(b, dims, join(terms, chance(50) ? in : out));
      graph_.kernels.push_back(b.take());
    }
    written_.push_back(y);
  }

  static std::vector<int> join(std::vector<int> a, const std::vector<int> &more) {
    a.insert(a.end(), more.begin(), more.end());
    return a;
  }

  int multiply(kernel::KernelBuilder &b, const std::vector<kernel::Dim> &dims, const std::vector<int> &weights,
               const std::vector<int> &input, const std::vector<int> &reductions) {
    const std::string prefix = "t" + std::to_string(graph_.tensors.size());
    int factors[2] = {load(b, dims, weights, 7, prefix + "w"), load(b, dims, input, 7, prefix + "v")};
    if (factors[0] == factors[1]) {  // a square is no product of two operands
      const std::vector<Axis> axes = readAxes(dims, reductions, 0);
      factors[1] = b.load(tensor(prefix + "u", axes, Role::kInput), kType, indices(axes));
    }
    if (chance(50)) std::swap(factors[0], factors[1]);
    return b.op(Op::kMul, kType, factors[0], factors[1]);
  }

  Rng rng_;
  kernel::Graph graph_;
  std::vector<int> written_;  // tensors that kernels so far have made
};

}  // namespace pimento::test
