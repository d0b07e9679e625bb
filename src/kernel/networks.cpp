#include "pimento/kernel/networks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pimento/kernel/builder.h"

namespace pimento::kernel {

namespace {

using Shape = std::vector<std::int64_t>;

/// Adds layers to a graph; tensors are numbers, as in Access.
class Layers {
 public:
  Layers(std::string name, DType type) : type_(type) { graph_.name = std::move(name); }

  int input(std::string name, Shape shape) { return tensor(std::move(name), std::move(shape), Role::kInput); }
  int weights(std::string name, Shape shape) {
    const int t = input(std::move(name), std::move(shape));
    graph_.tensors[static_cast<std::size_t>(t)].isConstant = true;
    return t;
  }
  int state(std::string name, Shape shape) { return tensor(std::move(name), std::move(shape), Role::kInOut); }
  int made(std::string name, Shape shape) { return tensor(std::move(name), std::move(shape), Role::kTemporary); }
  const Shape &shape(int t) const { return graph_.tensors[static_cast<std::size_t>(t)].shape; }
  DType type() const { return type_; }
  void add(KernelBuilder &b) { graph_.kernels.push_back(b.take()); }

  /// The graph, with `last` as its output.
  Graph take(int last) {
    graph_.tensors[static_cast<std::size_t>(last)].role = Role::kOutput;
    return std::move(graph_);
  }

  /// y += W x over all elements of x; `rows` is the shape of y.
  void product(const std::string &name, int w, int x, int y) {
    std::vector<Dim> dims;
    for (std::size_t d = 0; d < shape(y).size(); ++d)
      dims.push_back({fmt::format("m{}", d), shape(y)[d], DimKind::kParallel});
    for (std::size_t d = 0; d < shape(x).size(); ++d)
      dims.push_back({fmt::format("n{}", d), shape(x)[d], DimKind::kReduction});
    KernelBuilder b(name, dims);
    std::vector<Affine> row, column;
    for (int d = 0; d < static_cast<int>(dims.size()); ++d)
      (d < static_cast<int>(shape(y).size()) ? row : column).push_back(b.index(d));
    std::vector<Affine> both = row;
    both.insert(both.end(), column.begin(), column.end());
    const int term = b.op(Op::kMul, type_, b.load(w, type_, both), b.load(x, type_, column));
    b.store(y, row, term, Combine::kAdd);
    add(b);
  }

  int linear(const std::string &name, int x, std::int64_t outputs) {
    Shape both{outputs};
    both.insert(both.end(), shape(x).begin(), shape(x).end());
    const int w = weights(name + ".w", both), y = made(name + ".y", {outputs});
    product(name, w, x, y);
    return y;
  }

  /// y[t, o] += W[o, i] x[t, i]: one matrix for all rows of x.
  int linearPerRow(const std::string &name, int x, std::int64_t outputs) {
    const std::int64_t rows = shape(x)[0], inputs = shape(x)[1];
    const int w = weights(name + ".w", {outputs, inputs}), y = made(name + ".y", {rows, outputs});
    KernelBuilder b(
        name,
        {{"t", rows, DimKind::kParallel}, {"m", outputs, DimKind::kParallel}, {"n", inputs, DimKind::kReduction}});
    const int term =
        b.op(Op::kMul, type_, b.load(w, type_, {b.index(1), b.index(2)}), b.load(x, type_, {b.index(0), b.index(2)}));
    b.store(y, {b.index(0), b.index(1)}, term, Combine::kAdd);
    add(b);
    return y;
  }

  /// y[o, h, w] += W[o, c, r, s] x[c, h * stride + r - pad, w * stride + s - pad]; beyond the image x is 0.
  int convolution(const std::string &name, int x, std::int64_t outputs, std::int64_t window, std::int64_t stride,
                  std::int64_t pad) {
    const std::int64_t channels = shape(x)[0];
    const int w = weights(name + ".w", {outputs, channels, window, window});
    const int y =
        made(name + ".y", {outputs, outExtent(x, 1, window, stride, pad), outExtent(x, 2, window, stride, pad)});
    KernelBuilder b(name, {{"o", outputs, DimKind::kParallel},
                           {"h", shape(y)[1], DimKind::kParallel},
                           {"w", shape(y)[2], DimKind::kParallel},
                           {"c", channels, DimKind::kReduction},
                           {"r", window, DimKind::kReduction},
                           {"s", window, DimKind::kReduction}});
    const Affine row = windowIndex(b, x, 1, 4, window, stride, pad),
                 column = windowIndex(b, x, 2, 5, window, stride, pad);
    const int term = b.op(Op::kMul, type_, b.load(w, type_, {b.index(0), b.index(3), b.index(4), b.index(5)}),
                          b.load(x, type_, {b.index(3), row, column}));
    b.store(y, {b.index(0), b.index(1), b.index(2)}, term, Combine::kAdd);
    add(b);
    return y;
  }

  int maxPool(const std::string &name, int x, std::int64_t window, std::int64_t stride, std::int64_t pad) {
    const int y =
        made(name + ".y", {shape(x)[0], outExtent(x, 1, window, stride, pad), outExtent(x, 2, window, stride, pad)});
    KernelBuilder b(name, {{"c", shape(y)[0], DimKind::kParallel},
                           {"h", shape(y)[1], DimKind::kParallel},
                           {"w", shape(y)[2], DimKind::kParallel},
                           {"r", window, DimKind::kReduction},
                           {"s", window, DimKind::kReduction}});
    const Affine row = windowIndex(b, x, 1, 3, window, stride, pad),
                 column = windowIndex(b, x, 2, 4, window, stride, pad);
    b.store(y, {b.index(0), b.index(1), b.index(2)}, b.load(x, type_, {b.index(0), row, column}), Combine::kMax);
    add(b);
    return y;
  }

  /// The mean of each channel.
  int averagePool(const std::string &name, int x) {
    const int y = made(name + ".y", {shape(x)[0]});
    KernelBuilder b(name, {{"c", shape(x)[0], DimKind::kParallel},
                           {"h", shape(x)[1], DimKind::kReduction},
                           {"w", shape(x)[2], DimKind::kReduction}});
    const double share = 1.0 / static_cast<double>(shape(x)[1] * shape(x)[2]);
    const int term =
        b.op(Op::kMul, type_, b.load(x, type_, {b.index(0), b.index(1), b.index(2)}), b.constant(type_, share));
    b.store(y, {b.index(0)}, term, Combine::kAdd);
    add(b);
    return y;
  }

  int relu(const std::string &name, int x) {
    return elementwise(name, x, [&](KernelBuilder &b, int value) { return b.op(Op::kRelu, type_, value); });
  }

  int sum(const std::string &name, int x, int other) {
    return elementwise(name, x, [&](KernelBuilder &b, int value) {
      return b.op(Op::kAdd, type_, value, b.load(other, type_, all(b, other)));
    });
  }

  /// y = f(x) element by element; `f` adds values to the body and returns the last one.
  template <class F>
  int elementwise(const std::string &name, int x, F f) {
    const int y = made(name + ".y", shape(x));
    KernelBuilder b(name, dimsOf(x));
    b.store(y, all(b, x), f(b, b.load(x, type_, all(b, x))));
    add(b);
    return y;
  }

  std::vector<Dim> dimsOf(int t) const {
    std::vector<Dim> dims;
    for (std::size_t d = 0; d < shape(t).size(); ++d)
      dims.push_back({fmt::format("i{}", d), shape(t)[d], DimKind::kParallel});
    return dims;
  }

  std::vector<Affine> all(const KernelBuilder &b, int t) const {
    std::vector<Affine> index;
    for (int d = 0; d < static_cast<int>(shape(t).size()); ++d) index.push_back(b.index(d));
    return index;
  }

  /// 1 / (1 + exp(-x))
  int sigmoid(KernelBuilder &b, int x) const {
    const int one = b.constant(type_, 1);
    return b.op(Op::kDiv, type_, one, b.op(Op::kAdd, type_, one, b.op(Op::kExp, type_, b.op(Op::kNeg, type_, x))));
  }

 private:
  int tensor(std::string name, Shape shape, Role role) {
    Tensor t;
    t.name = std::move(name);
    t.type = type_;
    t.shape = std::move(shape);
    t.role = role;
    graph_.tensors.push_back(std::move(t));
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  std::int64_t outExtent(int x, std::size_t dim, std::int64_t window, std::int64_t stride, std::int64_t pad) const {
    return (shape(x)[dim] + 2 * pad - window) / stride + 1;
  }

  /// Index of image dim `dim` for output dim `dim` of the kernel and window dim `windowDim`; with guards where a window
  /// reaches beyond the image.
  Affine windowIndex(KernelBuilder &b, int x, int dim, int windowDim, std::int64_t window, std::int64_t stride,
                     std::int64_t pad) const {
    Affine at = b.index(dim, stride, -pad);
    at.coefficients[static_cast<std::size_t>(windowDim)] = 1;
    const std::int64_t extent = shape(x)[static_cast<std::size_t>(dim)];
    const std::int64_t last =
        (outExtent(x, static_cast<std::size_t>(dim), window, stride, pad) - 1) * stride + window - 1;
    if (pad > 0) b.guard(at);
    if (last - pad >= extent) {
      Affine rest = at;
      for (std::int64_t &c : rest.coefficients) c = -c;
      rest.constant = extent - 1 - at.constant;
      b.guard(rest);
    }
    return at;
  }

  Graph graph_;
  DType type_;
};

// ---- RNN-T ----

/// One LSTM layer (Hochreiter and Schmidhuber, 1997; gates i, f, g, o). Weights and state are made once, step() runs
/// it.
class Lstm {
 public:
  Lstm(Layers &net, std::string name, std::int64_t inputs, std::int64_t units)
      : net_(net),
        name_(std::move(name)),
        units_(units),
        inputWeights_(net.weights(name_ + ".wx", {4, units, inputs})),
        stateWeights_(net.weights(name_ + ".wh", {4, units, units})),
        bias_(net.weights(name_ + ".b", {4, units})),
        hidden_(net.state(name_ + ".h", {units})),
        cell_(net.state(name_ + ".c", {units})) {}

  /// Runs on `x` of any shape with as many elements as the layer has inputs; returns the hidden state. `copy`, if
  /// given, also receives it from element `copyAt` on.
  int step(const std::string &at, int x, int copy = -1, std::int64_t copyAt = 0) {
    const std::string p = name_ + at;
    const int gates = net_.made(p + ".gates", {4, units_});
    std::array<int, 4> active{};
    for (std::size_t g = 0; g < 4; ++g) active[g] = net_.made(fmt::format("{}.{}", p, "ifgo"[g]), {units_});
    net_.product(p + ".wx", inputWeights_, x, gates);
    net_.product(p + ".wh", stateWeights_, hidden_, gates);
    activate(p + ".act", gates, active);
    updateCell(p + ".cell", active);
    updateHidden(p + ".hidden", active[3], copy, copyAt);
    return hidden_;
  }

 private:
  void activate(const std::string &name, int gates, const std::array<int, 4> &active) {
    KernelBuilder b(name, {{"j", units_, DimKind::kParallel}});
    for (std::int64_t g = 0; g < 4; ++g) {
      const std::vector<Affine> at{b.at(g), b.index(0)};
      const int sum = b.op(Op::kAdd, net_.type(), b.load(gates, net_.type(), at), b.load(bias_, net_.type(), at));
      b.store(active[static_cast<std::size_t>(g)], {b.index(0)},
              g == 2 ? b.op(Op::kTanh, net_.type(), sum) : net_.sigmoid(b, sum));
    }
    net_.add(b);
  }

  /// c = f c + i g
  void updateCell(const std::string &name, const std::array<int, 4> &active) {
    KernelBuilder b(name, {{"j", units_, DimKind::kParallel}});
    const auto gate = [&](std::size_t g) { return b.load(active[g], net_.type(), {b.index(0)}); };
    const int kept = b.op(Op::kMul, net_.type(), gate(1), b.load(cell_, net_.type(), {b.index(0)}));
    const int added = b.op(Op::kMul, net_.type(), gate(0), gate(2));
    b.store(cell_, {b.index(0)}, b.op(Op::kAdd, net_.type(), kept, added));
    net_.add(b);
  }

  /// h = o tanh(c)
  void updateHidden(const std::string &name, int output, int copy, std::int64_t copyAt) {
    KernelBuilder b(name, {{"j", units_, DimKind::kParallel}});
    const int c = b.op(Op::kTanh, net_.type(), b.load(cell_, net_.type(), {b.index(0)}));
    const int h = b.op(Op::kMul, net_.type(), b.load(output, net_.type(), {b.index(0)}), c);
    b.store(hidden_, {b.index(0)}, h);
    if (copy >= 0) b.store(copy, {b.index(0, 1, copyAt)}, h);
    net_.add(b);
  }

  Layers &net_;
  std::string name_;
  std::int64_t units_;
  int inputWeights_, stateWeights_, bias_, hidden_, cell_;
};

// ---- ResNet ----

int bottleneck(Layers &net, const std::string &name, int x, std::int64_t width, std::int64_t stride, bool isFirst) {
  int y = net.relu(name + ".relu1", net.convolution(name + ".conv1", x, width, 1, 1, 0));
  y = net.relu(name + ".relu2", net.convolution(name + ".conv2", y, width, 3, stride, 1));
  y = net.convolution(name + ".conv3", y, 4 * width, 1, 1, 0);
  const int shortcut = isFirst ? net.convolution(name + ".down", x, 4 * width, 1, stride, 0) : x;
  return net.relu(name + ".relu", net.sum(name + ".add", y, shortcut));
}

int basicBlock(Layers &net, const std::string &name, int x, std::int64_t width, std::int64_t stride) {
  int y = net.relu(name + ".relu1", net.convolution(name + ".conv1", x, width, 3, stride, 1));
  y = net.convolution(name + ".conv2", y, width, 3, 1, 1);
  const bool isSame = stride == 1 && net.shape(x)[0] == width;
  const int shortcut = isSame ? x : net.convolution(name + ".down", x, width, 1, stride, 0);
  return net.relu(name + ".relu", net.sum(name + ".add", y, shortcut));
}

// ---- wav2vec 2.0 ----

constexpr std::int64_t kModel = 768, kHeads = 12, kFeedForward = 3072, kFeatures = 512, kLetters = 32;

/// (x - mean) / sqrt(variance + eps) per row, times and plus constants of the layer.
int layerNorm(Layers &net, const std::string &name, int x) {
  const std::int64_t rows = net.shape(x)[0], n = net.shape(x)[1];
  const DType t = net.type();
  const int mean = net.made(name + ".mean", {rows}), variance = net.made(name + ".variance", {rows});
  const int y = net.made(name + ".y", {rows, n});
  const int gain = net.weights(name + ".gain", {n}), bias = net.weights(name + ".bias", {n});
  const double share = 1.0 / static_cast<double>(n);
  const std::vector<Dim> reduced{{"t", rows, DimKind::kParallel}, {"n", n, DimKind::kReduction}};
  const auto centred = [&](KernelBuilder &b) {
    return b.op(Op::kSub, t, b.load(x, t, {b.index(0), b.index(1)}), b.load(mean, t, {b.index(0)}));
  };
  KernelBuilder a(name + ".mean", reduced);
  a.store(mean, {a.index(0)}, a.op(Op::kMul, t, a.load(x, t, {a.index(0), a.index(1)}), a.constant(t, share)),
          Combine::kAdd);
  net.add(a);
  KernelBuilder v(name + ".variance", reduced);
  const int d = centred(v);
  v.store(variance, {v.index(0)}, v.op(Op::kMul, t, v.op(Op::kMul, t, d, d), v.constant(t, share)), Combine::kAdd);
  net.add(v);
  KernelBuilder b(name + ".scale", {{"t", rows, DimKind::kParallel}, {"n", n, DimKind::kParallel}});
  const int root = b.op(Op::kSqrt, t, b.op(Op::kAdd, t, b.load(variance, t, {b.index(0)}), b.constant(t, 1e-5)));
  const int scaled = b.op(Op::kMul, t, b.op(Op::kDiv, t, centred(b), root), b.load(gain, t, {b.index(1)}));
  b.store(y, {b.index(0), b.index(1)}, b.op(Op::kAdd, t, scaled, b.load(bias, t, {b.index(1)})));
  net.add(b);
  return y;
}

/// softmax(q k^T / sqrt(d)) v per head; q, k, v are [frames, heads * d].
int attention(Layers &net, const std::string &name, int q, int k, int v) {
  const std::int64_t frames = net.shape(q)[0], d = kModel / kHeads;
  const DType t = net.type();
  const std::vector<Dim> rows{{"h", kHeads, DimKind::kParallel}, {"t", frames, DimKind::kParallel}};
  const auto with = [&](const char *dim, std::int64_t extent, DimKind kind) {
    std::vector<Dim> dims = rows;
    dims.push_back({dim, extent, kind});
    return dims;
  };
  const int score = net.made(name + ".score", {kHeads, frames, frames}),
            peak = net.made(name + ".peak", {kHeads, frames});
  const int weight = net.made(name + ".weight", {kHeads, frames, frames}),
            total = net.made(name + ".total", {kHeads, frames}), y = net.made(name + ".y", {frames, kModel});
  // Element h * d + j of frame number `frame` (a dim).
  const auto part = [&](const KernelBuilder &b, int frame, int j) {
    Affine e = b.index(0, d);
    e.coefficients[static_cast<std::size_t>(j)] = 1;
    return std::vector<Affine>{b.index(frame), e};
  };
  std::vector<Dim> products = with("u", frames, DimKind::kParallel);
  products.push_back({"j", d, DimKind::kReduction});
  KernelBuilder dot(name + ".qk", products);
  dot.store(score, {dot.index(0), dot.index(1), dot.index(2)},
            dot.op(Op::kMul, t, dot.load(q, t, part(dot, 1, 3)), dot.load(k, t, part(dot, 2, 3))), Combine::kAdd);
  net.add(dot);
  KernelBuilder top(name + ".peak", with("u", frames, DimKind::kReduction));
  top.store(peak, {top.index(0), top.index(1)}, top.load(score, t, {top.index(0), top.index(1), top.index(2)}),
            Combine::kMax);
  net.add(top);
  KernelBuilder e(name + ".exp", with("u", frames, DimKind::kParallel));
  const int below = e.op(Op::kSub, t, e.load(score, t, {e.index(0), e.index(1), e.index(2)}),
                         e.load(peak, t, {e.index(0), e.index(1)}));
  e.store(weight, {e.index(0), e.index(1), e.index(2)},
          e.op(Op::kExp, t, e.op(Op::kMul, t, below, e.constant(t, 1.0 / std::sqrt(static_cast<double>(d))))));
  net.add(e);
  KernelBuilder s(name + ".total", with("u", frames, DimKind::kReduction));
  s.store(total, {s.index(0), s.index(1)}, s.load(weight, t, {s.index(0), s.index(1), s.index(2)}), Combine::kAdd);
  net.add(s);
  std::vector<Dim> contexts = with("j", d, DimKind::kParallel);
  contexts.push_back({"u", frames, DimKind::kReduction});
  KernelBuilder c(name + ".av", contexts);
  const int share = c.op(Op::kDiv, t, c.load(weight, t, {c.index(0), c.index(1), c.index(3)}),
                         c.load(total, t, {c.index(0), c.index(1)}));
  c.store(y, part(c, 1, 2), c.op(Op::kMul, t, share, c.load(v, t, part(c, 3, 2))), Combine::kAdd);
  net.add(c);
  return y;
}

/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): Hendrycks and Gimpel, 2016, approximation of the paper.
int gelu(Layers &net, const std::string &name, int x) {
  const DType t = net.type();
  return net.elementwise(name, x, [&](KernelBuilder &b, int v) {
    const int cube = b.op(Op::kMul, t, v, b.op(Op::kMul, t, v, v));
    const int inner = b.op(Op::kAdd, t, v, b.op(Op::kMul, t, b.constant(t, 0.044715), cube));
    const int tanh = b.op(Op::kTanh, t, b.op(Op::kMul, t, b.constant(t, std::sqrt(2 / 3.14159265358979323846)), inner));
    return b.op(Op::kMul, t, b.op(Op::kMul, t, b.constant(t, 0.5), v), b.op(Op::kAdd, t, b.constant(t, 1), tanh));
  });
}

int transformerLayer(Layers &net, const std::string &name, int x) {
  const int q = net.linearPerRow(name + ".q", x, kModel), k = net.linearPerRow(name + ".k", x, kModel),
            v = net.linearPerRow(name + ".v", x, kModel);
  const int o = net.linearPerRow(name + ".o", attention(net, name + ".attn", q, k, v), kModel);
  const int y = layerNorm(net, name + ".norm1", net.sum(name + ".add1", x, o));
  const int f = gelu(net, name + ".gelu", net.linearPerRow(name + ".ff1", y, kFeedForward));
  return layerNorm(net, name + ".norm2", net.sum(name + ".add2", y, net.linearPerRow(name + ".ff2", f, kModel)));
}

}  // namespace

Graph rnnt(DType type) {
  constexpr std::int64_t kEncoder = 1024, kPrediction = 320, kJoint = 512, kSymbols = 29, kFrames = 2;
  Layers net("rnnt", type);
  const int stacked = net.made("stacked", {kFrames * kEncoder});
  Lstm first(net, "enc1", 240, kEncoder), second(net, "enc2", kEncoder, kEncoder);
  for (std::int64_t f = 0; f < kFrames; ++f) {
    const std::string at = fmt::format(".f{}", f);
    second.step(at, first.step(at, net.input("frame" + std::to_string(f), {240})), stacked, f * kEncoder);
  }
  int x = stacked;
  for (int layer = 3; layer <= 5; ++layer)
    x = Lstm(net, fmt::format("enc{}", layer), net.shape(x)[0], kEncoder).step("", x);
  int p = net.input("token", {kPrediction});
  for (int layer = 1; layer <= 2; ++layer)
    p = Lstm(net, fmt::format("pred{}", layer), kPrediction, kPrediction).step("", p);
  const int joint = net.made("joint.y", {kJoint});
  net.product("joint.enc", net.weights("joint.enc.w", {kJoint, kEncoder}), x, joint);
  net.product("joint.pred", net.weights("joint.pred.w", {kJoint, kPrediction}), p, joint);
  return net.take(net.linear("symbols", net.relu("joint.relu", joint), kSymbols));
}

Graph alexnet(DType type) {
  Layers net("alexnet", type);
  int x = net.input("image", {3, 224, 224});
  x = net.relu("relu1", net.convolution("conv1", x, 64, 11, 4, 2));
  x = net.maxPool("pool1", x, 3, 2, 0);
  x = net.relu("relu2", net.convolution("conv2", x, 192, 5, 1, 2));
  x = net.maxPool("pool2", x, 3, 2, 0);
  x = net.relu("relu3", net.convolution("conv3", x, 384, 3, 1, 1));
  x = net.relu("relu4", net.convolution("conv4", x, 256, 3, 1, 1));
  x = net.relu("relu5", net.convolution("conv5", x, 256, 3, 1, 1));
  x = net.maxPool("pool5", x, 3, 2, 0);
  x = net.relu("relu6", net.linear("fc6", x, 4096));
  x = net.relu("relu7", net.linear("fc7", x, 4096));
  return net.take(net.linear("fc8", x, 1000));
}

Graph resnet(std::int64_t depth, DType type) {
  const bool isBottleneck = depth == 50;
  const std::vector<int> blocks = isBottleneck ? std::vector<int>{3, 4, 6, 3} : std::vector<int>{2, 2, 2, 2};
  Layers net("resnet", type);
  int x = net.relu("relu1", net.convolution("conv1", net.input("image", {3, 224, 224}), 64, 7, 2, 3));
  x = net.maxPool("pool1", x, 3, 2, 1);
  for (std::size_t stage = 0; stage < blocks.size(); ++stage)
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string name = fmt::format("s{}.b{}", stage + 2, block);
      const std::int64_t width = std::int64_t{64} << stage, stride = stage > 0 && block == 0 ? 2 : 1;
      x = isBottleneck ? bottleneck(net, name, x, width, stride, block == 0) : basicBlock(net, name, x, width, stride);
    }
  return net.take(net.linear("fc", net.averagePool("pool", x), 1000));
}

Graph wav2(std::int64_t frames, std::int64_t layers, DType type) {
  Layers net("wav2", type);
  int x = net.linearPerRow("project", net.input("features", {frames, kFeatures}), kModel);
  for (std::int64_t l = 0; l < layers; ++l) x = transformerLayer(net, fmt::format("l{}", l), x);
  return net.take(net.linearPerRow("letters", x, kLetters));
}

}  // namespace pimento::kernel
