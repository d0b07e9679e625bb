// Operators that sum: products of matrices, convolutions, pooling, reductions.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "pimento/frontend/model/importer.h"

namespace pimento::frontend::model {

using kernel::Affine;
using kernel::Combine;
using kernel::Dim;
using kernel::DimKind;
using kernel::KernelBuilder;
using kernel::Op;

namespace {

Status matMul(Importer &m, const Operator &op) {
  const Result<Value> a = m.input(op, 0), b = m.input(op, 1);
  if (!a) return a.diagnostics();
  if (!b) return b.diagnostics();
  const auto wrongShapes = [&] {
    return Importer::wrong(op, "model-shape", text(a->shape) + " times " + text(b->shape),
                           "columns of the first are rows of the second");
  };
  if (a->rank() == 0 || b->rank() == 0) return wrongShapes();
  const bool isRow = a->rank() == 1, isColumn = b->rank() == 1;
  const std::int64_t inner = a->shape.back(), rows = isRow ? 1 : a->shape[a->rank() - 2],
                     columns = isColumn ? 1 : b->shape.back();
  if ((isColumn ? b->shape[0] : b->shape[b->rank() - 2]) != inner) return wrongShapes();
  const auto batchOf = [](const Value &v) {
    return v.rank() > 2 ? Shape(v.shape.begin(), v.shape.end() - 2) : Shape{};
  };
  const std::optional<Shape> batch = broadcast(batchOf(*a), batchOf(*b));
  if (!batch) return wrongShapes();
  Shape s = *batch;
  if (!isRow) s.push_back(rows);
  if (!isColumn) s.push_back(columns);
  std::vector<Dim> dims;
  for (std::size_t d = 0; d < batch->size(); ++d)
    dims.push_back({fmt::format("b{}", d), (*batch)[d], DimKind::kParallel});
  const auto m0 = static_cast<int>(dims.size());
  if (!isRow) dims.push_back({"m", rows, DimKind::kParallel});
  const auto n0 = static_cast<int>(dims.size());
  if (!isColumn) dims.push_back({"n", columns, DimKind::kParallel});
  const auto k0 = static_cast<int>(dims.size());
  dims.push_back({"k", inner, DimKind::kReduction});
  const Value y = m.fresh(op, a->type, s);
  KernelBuilder k = m.kernel(op, "", dims);
  const auto batchIndex = [&](const Value &v) {
    std::vector<Affine> at;
    const Shape own = batchOf(v);
    for (std::size_t d = 0; d < own.size(); ++d)
      at.push_back(own[d] == 1 ? k.at(0) : k.index(static_cast<int>(batch->size() - own.size() + d)));
    return at;
  };
  std::vector<Affine> ofA = batchIndex(*a), ofB = batchIndex(*b);
  if (!isRow) ofA.push_back(k.index(m0));
  ofA.push_back(k.index(k0));
  ofB.push_back(k.index(k0));
  if (!isColumn) ofB.push_back(k.index(n0));
  const int term = k.op(Op::kMul, a->type, m.load(k, *a, std::move(ofA)), m.load(k, *b, std::move(ofB)));
  m.store(k, y, Importer::indices(k, 0, s.size()), term, Combine::kAdd);
  m.add(k);
  m.give(op, 0, y);
  return okStatus();
}

Status gemm(Importer &m, const Operator &op) {
  const Result<Value> a = m.input(op, 0), b = m.input(op, 1);
  if (!a) return a.diagnostics();
  if (!b) return b.diagnostics();
  if (a->rank() != 2 || b->rank() != 2)
    return Importer::wrong(op, "model-shape", text(a->shape) + " times " + text(b->shape), "both are matrices");
  const bool isA = m.attribute(op, "transA", std::int64_t{0}) != 0,
             isB = m.attribute(op, "transB", std::int64_t{0}) != 0;
  const double alpha = m.attribute(op, "alpha", 1.0), beta = m.attribute(op, "beta", 1.0);
  const std::int64_t rows = a->shape[isA ? 1 : 0], inner = a->shape[isA ? 0 : 1], columns = b->shape[isB ? 0 : 1];
  if (b->shape[isB ? 1 : 0] != inner)
    return Importer::wrong(op, "model-shape", text(a->shape) + " times " + text(b->shape),
                           "columns of the first are rows of the second");
  const bool hasTerm = Importer::has(op, 2) && beta != 0, isScaled = alpha != 1 || hasTerm;
  const Value product = isScaled ? m.fresh(op.outputs.front() + "_product", a->type, {rows, columns})
                                 : m.fresh(op, a->type, {rows, columns});
  KernelBuilder k = m.kernel(
      op, isScaled ? "product" : "",
      {{"m", rows, DimKind::kParallel}, {"n", columns, DimKind::kParallel}, {"k", inner, DimKind::kReduction}});
  const auto at = [&](bool isTransposed, int first, int second) {
    return isTransposed ? std::vector<Affine>{k.index(second), k.index(first)}
                        : std::vector<Affine>{k.index(first), k.index(second)};
  };
  const int term = k.op(Op::kMul, a->type, m.load(k, *a, at(isA, 0, 2)), m.load(k, *b, at(isB, 2, 1)));
  m.store(k, product, {k.index(0), k.index(1)}, term, Combine::kAdd);
  m.add(k);
  if (!isScaled) {
    m.give(op, 0, product);
    return okStatus();
  }
  const Value y = m.fresh(op, a->type, {rows, columns});
  KernelBuilder sum = m.kernel(op, "", Importer::parallel({rows, columns}));
  const auto every = Importer::indices(sum, 0, 2);
  int value = m.load(sum, product, every);
  if (alpha != 1) value = sum.op(Op::kMul, a->type, sum.constant(a->type, alpha), value);
  if (hasTerm) {
    const Result<Value> c = m.input(op, 2);
    if (!c) return c.diagnostics();
    const std::optional<Shape> both = broadcast({rows, columns}, c->shape);
    if (!both || *both != Shape{rows, columns})
      return Importer::wrong(op, "model-shape", text(c->shape) + " added to " + text({rows, columns}),
                             "what is added fits the product");
    int more = m.loadBroadcast(sum, *c, every);
    if (beta != 1) more = sum.op(Op::kMul, a->type, sum.constant(a->type, beta), more);
    value = sum.op(Op::kAdd, a->type, value, more);
  }
  m.store(sum, y, every, value);
  m.add(sum);
  m.give(op, 0, y);
  return okStatus();
}

/// How windows lie in the spatial dimensions of an input [batch, channels, ...].
struct Windows {
  Shape in, size, stride, dilation, before, after, out;

  std::size_t rank() const { return in.size(); }
};

Result<Windows> windowsOf(Importer &m, const Operator &op, const Value &x, const Shape &size) {
  if (x.rank() < 3 || size.size() != x.rank() - 2)
    return Importer::wrong(op, "model-shape", fmt::format("windows of {} in {}", text(size), text(x.shape)),
                           "inputs are batch, channels, and an extent per dimension of the window");
  Windows w;
  w.in.assign(x.shape.begin() + 2, x.shape.end());
  w.size = size;
  w.stride = m.attributes(op, "strides").value_or(Shape(size.size(), 1));
  w.dilation = m.attributes(op, "dilations").value_or(Shape(size.size(), 1));
  const Shape pads = m.attributes(op, "pads").value_or(Shape(2 * size.size(), 0));
  if (w.stride.size() != size.size() || w.dilation.size() != size.size() || pads.size() != 2 * size.size() ||
      std::ranges::any_of(w.stride, [](std::int64_t n) { return n < 1; }) ||
      std::ranges::any_of(w.dilation, [](std::int64_t n) { return n < 1; }) ||
      std::ranges::any_of(pads, [](std::int64_t n) { return n < 0; }))
    return Importer::wrong(op, "model-attribute", "strides, dilations or pads do not fit the window",
                           "give one per dimension, pads twice");
  const std::string mode = m.attribute(op, "auto_pad", "NOTSET");
  const bool isCeil = m.attribute(op, "ceil_mode", std::int64_t{0}) != 0;
  for (std::size_t d = 0; d < size.size(); ++d) {
    const std::int64_t span = (size[d] - 1) * w.dilation[d] + 1;
    std::int64_t before = pads[d], after = pads[d + size.size()];
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      const std::int64_t out = (w.in[d] + w.stride[d] - 1) / w.stride[d];
      const std::int64_t all = std::max<std::int64_t>(0, (out - 1) * w.stride[d] + span - w.in[d]);
      before = mode == "SAME_UPPER" ? all / 2 : all - all / 2;
      after = all - before;
    } else if (mode == "VALID") {
      before = after = 0;
    }
    const std::int64_t free = w.in[d] + before + after - span;
    if (free < 0)
      return Importer::wrong(op, "model-shape",
                             fmt::format("a window of {} in {} elements", span, w.in[d] + before + after),
                             "windows are no larger than what they walk over");
    std::int64_t out = (isCeil ? (free + w.stride[d] - 1) / w.stride[d] : free / w.stride[d]) + 1;
    if (isCeil && (out - 1) * w.stride[d] >= w.in[d] + before) --out;  // windows begin within the input
    w.before.push_back(before);
    w.after.push_back(after);
    w.out.push_back(out);
  }
  return w;
}

/// Index of spatial dimension `d` at output dim `at` and window dim `inside` (-1: none), guarded against what lies
/// beside the input.
Affine windowIndex(KernelBuilder &k, const Windows &w, std::size_t d, int at, int inside) {
  Affine a = k.index(at, w.stride[d], -w.before[d]);
  if (inside >= 0) a.coefficients[static_cast<std::size_t>(inside)] += w.dilation[d];
  const std::int64_t last = (w.out[d] - 1) * w.stride[d] + (w.size[d] - 1) * w.dilation[d] - w.before[d];
  if (w.before[d] > 0) k.guard(a);
  if (last >= w.in[d]) {
    Affine rest = a;
    for (std::int64_t &c : rest.coefficients) c = -c;
    rest.constant = w.in[d] - 1 - a.constant;
    k.guard(rest);
  }
  return a;
}

Status conv(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0), weights = m.input(op, 1);
  if (!x) return x.diagnostics();
  if (!weights) return weights.diagnostics();
  if (weights->rank() < 3 || weights->rank() != x->rank())
    return Importer::wrong(op, "model-shape", text(weights->shape) + " weights for " + text(x->shape),
                           "weights are outputs, channels of a group, and the window");
  const auto w = windowsOf(m, op, *x, Shape(weights->shape.begin() + 2, weights->shape.end()));
  if (!w) return w.diagnostics();
  const std::int64_t groups = m.attribute(op, "group", std::int64_t{1}), outputs = weights->shape[0],
                     channels = weights->shape[1];
  if (groups < 1 || outputs % groups != 0 || channels * groups != x->shape[1])
    return Importer::wrong(
        op, "model-shape",
        fmt::format("{} groups of {} channels, {} outputs, for {} channels", groups, channels, outputs, x->shape[1]),
        "channels and outputs are divided evenly among the groups");
  const std::int64_t perGroup = outputs / groups;
  const bool hasBias = Importer::has(op, 2);
  Shape s = {x->shape[0], outputs};
  s.insert(s.end(), w->out.begin(), w->out.end());
  const Value y = hasBias ? m.fresh(op.outputs.front() + "_product", x->type, s) : m.fresh(op, x->type, s);
  // Dims of extent 1 that say nothing are left out: groups of a plain convolution, channels of a depthwise one.
  std::vector<Dim> dims = {{"b", x->shape[0], DimKind::kParallel}};
  int g = -1, o = -1, c = -1;
  const auto dim = [&](int &number, std::string name, std::int64_t extent, DimKind kind) {
    number = static_cast<int>(dims.size());
    dims.push_back({std::move(name), extent, kind});
  };
  if (groups > 1) dim(g, "g", groups, DimKind::kParallel);
  if (perGroup > 1 || groups == 1) dim(o, "o", perGroup, DimKind::kParallel);
  const auto out0 = static_cast<int>(dims.size());
  static constexpr std::string_view kOut[] = {"h", "w", "t"}, kIn[] = {"r", "s", "q"};
  for (std::size_t d = 0; d < w->rank(); ++d)
    dims.push_back({d < 3 ? std::string(kOut[d]) : fmt::format("p{}", d), w->out[d], DimKind::kParallel});
  if (channels > 1 || groups == 1) dim(c, "c", channels, DimKind::kReduction);
  std::vector<int> inside(w->rank(), -1);
  for (std::size_t d = 0; d < w->rank(); ++d)
    if (w->size[d] > 1 || (c < 0 && d + 1 == w->rank()))
      dim(inside[d], d < 3 ? std::string(kIn[d]) : fmt::format("q{}", d), w->size[d], DimKind::kReduction);
  KernelBuilder k = m.kernel(op, hasBias ? "product" : "", dims);
  const auto joined = [&](int outer, std::int64_t per, int inner) {
    Affine a = outer >= 0 ? k.index(outer, per) : k.at(0);
    if (inner >= 0) a.coefficients[static_cast<std::size_t>(inner)] += 1;
    return a;
  };
  std::vector<Affine> to = {k.index(0), joined(g, perGroup, o)}, ofW = {to[1], c >= 0 ? k.index(c) : k.at(0)},
                      ofX = {k.index(0), joined(g, channels, c)};
  for (std::size_t d = 0; d < w->rank(); ++d) {
    const int at = out0 + static_cast<int>(d);
    to.push_back(k.index(at));
    ofW.push_back(inside[d] >= 0 ? k.index(inside[d]) : k.at(0));
    ofX.push_back(windowIndex(k, *w, d, at, inside[d]));
  }
  const int term = k.op(Op::kMul, x->type, m.load(k, *weights, std::move(ofW)), m.load(k, *x, std::move(ofX)));
  m.store(k, y, std::move(to), term, Combine::kAdd);
  m.add(k);
  if (!hasBias) {
    m.give(op, 0, y);
    return okStatus();
  }
  const Result<Value> bias = m.input(op, 2);
  if (!bias) return bias.diagnostics();
  if (bias->shape != Shape{outputs})
    return Importer::wrong(op, "model-shape", fmt::format("{} biases for {} outputs", text(bias->shape), outputs),
                           "there is one per output");
  const Value sum = m.fresh(op, x->type, s);
  KernelBuilder add = m.kernel(op, "", Importer::parallel(s));
  const auto every = Importer::indices(add, 0, s.size());
  m.store(add, sum, every, add.op(Op::kAdd, x->type, m.load(add, y, every), m.load(add, *bias, {add.index(1)})));
  m.add(add);
  m.give(op, 0, sum);
  return okStatus();
}

/// Windows of each channel, `Combine::kMax` or a sum that `perElement` scales.
Status pool(Importer &m, const Operator &op, const Value &x, const Windows &w, Combine combine, double share,
            const Value &y, std::string_view part) {
  Shape s = {x.shape[0], x.shape[1]};
  s.insert(s.end(), w.out.begin(), w.out.end());
  std::vector<Dim> dims = Importer::parallel(s);
  for (std::size_t d = 0; d < w.rank(); ++d) dims.push_back({fmt::format("r{}", d), w.size[d], DimKind::kReduction});
  KernelBuilder k = m.kernel(op, part, dims);
  std::vector<Affine> from = {k.index(0), k.index(1)};
  for (std::size_t d = 0; d < w.rank(); ++d)
    from.push_back(windowIndex(k, w, d, static_cast<int>(d) + 2, static_cast<int>(s.size() + d)));
  int value = m.load(k, x, std::move(from));
  if (share != 1) value = k.op(Op::kMul, x.type, value, k.constant(x.type, share));
  m.store(k, y, Importer::indices(k, 0, s.size()), value, combine);
  m.add(k);
  return okStatus();
}

Status maxPool(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  if (op.outputs.size() > 1 && !op.outputs[1].empty())
    return Importer::wrong(op, "model-operator", "indices of the largest are not known", "use its first output alone");
  const auto w = windowsOf(m, op, *x, m.attributes(op, "kernel_shape").value_or(Shape{}));
  if (!w) return w.diagnostics();
  Shape s = {x->shape[0], x->shape[1]};
  s.insert(s.end(), w->out.begin(), w->out.end());
  const Value y = m.fresh(op, x->type, s);
  m.give(op, 0, y);
  return pool(m, op, *x, *w, Combine::kMax, 1, y, "");
}

Status averagePool(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto w = windowsOf(m, op, *x, m.attributes(op, "kernel_shape").value_or(Shape{}));
  if (!w) return w.diagnostics();
  Shape s = {x->shape[0], x->shape[1]};
  s.insert(s.end(), w->out.begin(), w->out.end());
  const std::int64_t all = elementsOf(w->size);
  const bool countsPads = m.attribute(op, "count_include_pad", std::int64_t{0}) != 0;
  // What lies beside the padded input counts nowhere.
  bool isEven = true;
  kernel::TensorData shares(DType::kF64, w->out);
  std::vector<std::int64_t> at(w->rank(), 0);
  for (std::int64_t n = 0; n < shares.elements(); ++n) {
    std::int64_t counted = 1;
    for (std::size_t d = 0; d < w->rank(); ++d) {
      std::int64_t inside = 0;
      for (std::int64_t r = 0; r < w->size[d]; ++r) {
        const std::int64_t i = at[d] * w->stride[d] + r * w->dilation[d] - w->before[d];
        inside += (countsPads ? i < w->in[d] + w->after[d] : i >= 0 && i < w->in[d]) ? 1 : 0;
      }
      counted *= inside;
    }
    isEven = isEven && counted == all;
    shares.setDouble(n, 1.0 / static_cast<double>(std::max<std::int64_t>(counted, 1)));
    for (std::size_t d = w->rank(); d-- > 0;) {
      if (++at[d] < w->out[d]) break;
      at[d] = 0;
    }
  }
  if (isEven) {
    const Value y = m.fresh(op, x->type, s);
    m.give(op, 0, y);
    return pool(m, op, *x, *w, Combine::kAdd, 1.0 / static_cast<double>(all), y, "");
  }
  const Value sums = m.fresh(op.outputs.front() + "_sums", x->type, s), y = m.fresh(op, x->type, s);
  if (Status status = pool(m, op, *x, *w, Combine::kAdd, 1, sums, "sums"); !status) return status;
  Value share;
  share.name = op.outputs.front() + "_shares";
  share.type = x->type;
  share.shape = w->out;
  kernel::TensorData typed(x->type, w->out);
  for (std::int64_t n = 0; n < typed.elements(); ++n) typed.setDouble(n, shares.asDouble(n));
  share.constant = std::move(typed);
  KernelBuilder k = m.kernel(op, "", Importer::parallel(s));
  const auto every = Importer::indices(k, 0, s.size());
  m.store(k, y, every, k.op(Op::kMul, x->type, m.load(k, sums, every), m.loadBroadcast(k, share, every)));
  m.add(k);
  m.give(op, 0, y);
  return okStatus();
}

enum class Reduction : std::uint8_t { kSum, kMean, kMax, kMin, kProduct, kSquares, kNorm };

/// Over axes, which stay with extent 1 or go.
Status reduceOver(Importer &m, const Operator &op, const Value &x, const std::set<std::size_t> &axes, bool keeps,
                  Reduction how) {
  Shape kept, s;
  std::vector<Dim> dims;
  double count = 1;
  std::vector<int> dimOf(x.rank());
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (axes.contains(d)) continue;
    dimOf[d] = static_cast<int>(dims.size());
    dims.push_back({fmt::format("d{}", d), x.shape[d], DimKind::kParallel});
    kept.push_back(x.shape[d]);
  }
  for (const std::size_t d : axes) {
    dimOf[d] = static_cast<int>(dims.size());
    dims.push_back({fmt::format("r{}", d), x.shape[d], DimKind::kReduction});
    count *= static_cast<double>(x.shape[d]);
  }
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (!axes.contains(d) || keeps) s.push_back(axes.contains(d) ? 1 : x.shape[d]);
  if (axes.empty()) {
    m.give(op, 0, x);
    return okStatus();
  }
  const Value y = m.fresh(op, x.type, s);
  const bool hasRoot = how == Reduction::kNorm;
  const Value sums = hasRoot ? m.fresh(op.outputs.front() + "_sums", x.type, s) : y;
  KernelBuilder k = m.kernel(op, hasRoot ? "sums" : "", dims);
  std::vector<Affine> from, to;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    from.push_back(k.index(dimOf[d]));
    if (!axes.contains(d))
      to.push_back(k.index(dimOf[d]));
    else if (keeps)
      to.push_back(k.at(0));
  }
  int value = m.load(k, x, std::move(from));
  if (how == Reduction::kMean)
    value = isFloat(x.type) ? k.op(Op::kMul, x.type, value, k.constant(x.type, 1 / count)) : value;
  if (how == Reduction::kSquares || how == Reduction::kNorm) value = k.op(Op::kMul, x.type, value, value);
  const Combine combine = how == Reduction::kMax       ? Combine::kMax
                          : how == Reduction::kMin     ? Combine::kMin
                          : how == Reduction::kProduct ? Combine::kMul
                                                       : Combine::kAdd;
  m.store(k, sums, std::move(to), value, combine);
  m.add(k);
  if (hasRoot) {
    KernelBuilder root = m.kernel(op, "", Importer::parallel(s));
    const auto every = Importer::indices(root, 0, s.size());
    m.store(root, y, every, root.op(Op::kSqrt, x.type, m.load(root, sums, every)));
    m.add(root);
  }
  m.give(op, 0, y);
  return okStatus();
}

template <Reduction kHow>
Status reduce(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto given = m.integersOrAttribute(op, 1, "axes");
  if (!given) return given.diagnostics();
  if (kHow == Reduction::kMean && !isFloat(x->type))
    return Importer::wrong(op, "model-type", "a mean of integers", "cast them first");
  std::set<std::size_t> axes;
  if (*given && !(*given)->empty()) {
    for (const std::int64_t a : **given) {
      const auto axis = m.axisOf(op, a, x->rank());
      if (!axis) return axis.diagnostics();
      axes.insert(*axis);
    }
  } else if (m.attribute(op, "noop_with_empty_axes", std::int64_t{0}) == 0) {
    for (std::size_t d = 0; d < x->rank(); ++d) axes.insert(d);
  }
  return reduceOver(m, op, *x, axes, m.attribute(op, "keepdims", std::int64_t{1}) != 0, kHow);
}

template <Reduction kHow>
Status global(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  std::set<std::size_t> axes;
  for (std::size_t d = 2; d < x->rank(); ++d) axes.insert(d);
  return reduceOver(m, op, *x, axes, true, kHow);
}

}  // namespace

void addSums(Handlers &h) {
  h.byKind.insert({{"MatMul", matMul},
                   {"Gemm", gemm},
                   {"Conv", conv},
                   {"MaxPool", maxPool},
                   {"AveragePool", averagePool},
                   {"GlobalAveragePool", global<Reduction::kMean>},
                   {"GlobalMaxPool", global<Reduction::kMax>},
                   {"ReduceSum", reduce<Reduction::kSum>},
                   {"ReduceMean", reduce<Reduction::kMean>},
                   {"ReduceMax", reduce<Reduction::kMax>},
                   {"ReduceMin", reduce<Reduction::kMin>},
                   {"ReduceProd", reduce<Reduction::kProduct>},
                   {"ReduceSumSquare", reduce<Reduction::kSquares>},
                   {"ReduceL2", reduce<Reduction::kNorm>}});
}

}  // namespace pimento::frontend::model
