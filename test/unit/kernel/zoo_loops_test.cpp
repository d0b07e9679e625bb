// Every kernel of the zoo against a plain loop, at odd sizes and in several types.
#include <gtest/gtest.h>

#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

const std::int64_t kLengths[] = {1, 7, 255, 256, 257, 1000};
const DType kTypes[] = {DType::kF64,    DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3,
                        DType::kF8E5M2, DType::kI64, DType::kI32, DType::kI16,  DType::kI8,
                        DType::kU64,    DType::kU32, DType::kU16, DType::kU8};
const DType kIntegers[] = {DType::kI64, DType::kI32, DType::kI16, DType::kI8,
                           DType::kU64, DType::kU32, DType::kU16, DType::kU8};

DataSet interpreted(const Graph &graph, const DataSpec &spec = {}) {
  DataSet data = makeData(graph, spec);
  const Status status = interpret(graph, data);
  EXPECT_TRUE(status) << status.diagnostics()[0].str();
  return data;
}

std::string label(const std::string &kernel, DType type, std::int64_t n) {
  return kernel + " " + std::string(name(type)) + " " + std::to_string(n);
}

/// y = A x by definition: each sum from left to right in the element type.
Array matrixVector(const Array &a, const Array &x, std::int64_t m, std::int64_t n) {
  Array y(a.type, m);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) y[i] = plus(a.type, y[i], times(a.type, a[i * n + j], x[j]));
  }
  return y;
}

TEST(ZooLoops, ElementwiseKernels) {
  struct Case {
    const char *name, *output;
    std::function<Number(DType, Number, Number)> op;
  };
  const Case cases[] = {
      {"va", "z", plus},
      {"add", "z", plus},
      {"mul", "z", times},
      {"relu", "y", [](DType t, Number a, Number) { return rectified(t, a); }},
      {"axpy", "z", [](DType t, Number a, Number b) { return plus(t, times(t, numberOf(t, 2), a), b); }},
  };
  for (const Case &c : cases) {
    for (const DType type : kTypes) {
      for (const std::int64_t n : kLengths) {
        const Graph graph = fromZoo(c.name, {{"n", n}}, type);
        DataSet data = interpreted(graph);
        const Array x(named(graph, data, "x"));
        const Array y(graph.tensorNamed("y") >= 0 && std::string(c.output) != "y" ? named(graph, data, "y")
                                                                                  : named(graph, data, "x"));
        Array want(type, n);
        for (std::int64_t e = 0; e < n; ++e) want[e] = c.op(type, x[e], y[e]);
        expectSame(named(graph, data, c.output), want, label(c.name, type, n));
      }
    }
  }
}

TEST(ZooLoops, MatrixVectorProduct) {
  for (const DType type : kTypes) {
    for (const auto &[m, n] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {3, 257}, {65, 31}, {2, 600}}) {
      const Graph graph = fromZoo("gemv", {{"m", m}, {"n", n}}, type);
      DataSet data = interpreted(graph);
      const Array a(named(graph, data, "A")), x(named(graph, data, "x"));
      expectSame(named(graph, data, "y"), matrixVector(a, x, m, n), label("gemv", type, n));
    }
  }
}

TEST(ZooLoops, BatchedMatrixVectorProduct) {
  const std::int64_t batch = 3, m = 5, n = 300;
  for (const DType type : kTypes) {
    const Graph graph = fromZoo("gemv", {{"batch", batch}, {"m", m}, {"n", n}}, type);
    DataSet data = interpreted(graph);
    const Array a(named(graph, data, "A")), x(named(graph, data, "X"));
    Array want(type, batch * m);
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          want[b * m + i] = plus(type, want[b * m + i], times(type, a[i * n + j], x[b * n + j]));
        }
      }
    }
    expectSame(named(graph, data, "Y"), want, label("batched gemv", type, n));
  }
}

TEST(ZooLoops, MatrixVectorProductWithBiasAndRelu) {
  const std::int64_t m = 37, n = 129;
  for (const DType type : kTypes) {
    const Graph graph = fromZoo("gemvrelu", {{"m", m}, {"n", n}}, type);
    DataSet data = interpreted(graph);
    const Array a(named(graph, data, "A")), x(named(graph, data, "x")), b(named(graph, data, "b"));
    Array want = matrixVector(a, x, m, n);
    for (std::int64_t i = 0; i < m; ++i) want[i] = rectified(type, plus(type, want[i], b[i]));
    expectSame(named(graph, data, "z"), want, label("gemvrelu", type, n));
  }
}

TEST(ZooLoops, SumOfOneOrTwoArrays) {
  for (const DType type : kTypes) {
    for (const std::int64_t n : kLengths) {
      for (const std::string variant : {"plain", "measured"}) {
        const Graph graph = fromZoo("red", {{"n", n}}, type, variant);
        DataSet data = interpreted(graph);
        const Array x(named(graph, data, "x"));
        Array want(type, 1);
        for (std::int64_t e = 0; e < n; ++e) {
          Number term = x[e];
          if (variant == "measured") term = plus(type, term, Array(named(graph, data, "y"))[e]);
          want[0] = plus(type, want[0], term);
        }
        expectSame(named(graph, data, "s"), want, label("red " + variant, type, n));
      }
    }
  }
}

TEST(ZooLoops, SelectionOfEvenValues) {
  for (const DType type : kIntegers) {
    for (const std::int64_t n : kLengths) {
      const Graph graph = fromZoo("sel", {{"n", n}}, type);
      DataSet data = interpreted(graph);
      const Array x(named(graph, data, "x"));
      Array want(type, n);
      std::int64_t count = 0;
      for (std::int64_t e = 0; e < n; ++e) {
        if (x[e].i % 2 == 0) want[count++] = x[e];
      }
      expectSame(named(graph, data, "y"), want, label("sel", type, n));
      EXPECT_EQ(named(graph, data, "count").asInteger(0), count);
    }
  }
}

TEST(ZooLoops, HistogramOfTwelveBitData) {
  for (const DType type : kIntegers) {
    for (const std::int64_t bins : {16, 256, 1000}) {
      const std::int64_t n = 1234;
      const Graph graph = fromZoo("hst", {{"n", n}, {"bins", bins}}, type);
      DataSpec spec{DataSpec::Kind::kUniform, 0, sizeOf(type).value > 1 ? 4095.0 : 127.0, 3};
      DataSet data = interpreted(graph, spec);
      const Array x(named(graph, data, "x"));
      Array want(DType::kU32, bins);
      for (std::int64_t e = 0; e < n; ++e) ++want[x[e].i * bins / 4096].i;
      expectSame(named(graph, data, "h"), want, label("hst", type, bins));
    }
  }
}

TEST(ZooLoops, InclusivePrefixSum) {
  for (const DType type : kTypes) {
    for (const std::int64_t n : kLengths) {
      const Graph graph = fromZoo("scan", {{"n", n}}, type);
      DataSet data = interpreted(graph);
      const Array x(named(graph, data, "x"));
      Array want(type, n);
      Number sum{};
      for (std::int64_t e = 0; e < n; ++e) want[e] = sum = plus(type, sum, x[e]);
      expectSame(named(graph, data, "y"), want, label("scan", type, n));
    }
  }
}

TEST(ZooLoops, MatrixProduct) {
  const std::int64_t m = 9, n = 17, k = 260;
  for (const DType type : kTypes) {
    const Graph graph = fromZoo("gemm", {{"m", m}, {"n", n}, {"k", k}}, type);
    DataSet data = interpreted(graph);
    const Array a(named(graph, data, "A")), b(named(graph, data, "B"));
    Array want(type, m * n);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t l = 0; l < k; ++l) {
          want[i * n + j] = plus(type, want[i * n + j], times(type, a[i * k + l], b[l * n + j]));
        }
      }
    }
    expectSame(named(graph, data, "C"), want, label("gemm", type, k));
  }
}

TEST(ZooLoops, AttentionOfOneToken) {
  const std::int64_t batch = 2, heads = 3, dhead = 16, len = 33;
  for (const DType t : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const Graph graph = fromZoo("attn", {{"batch", batch}, {"heads", heads}, {"dhead", dhead}, {"len", len}}, t);
    DataSet data = interpreted(graph);
    const Array q(named(graph, data, "q")), keys(named(graph, data, "K")), values(named(graph, data, "V"));
    Array want(t, batch * heads * dhead);
    const Number scale = numberOf(t, 0.25);
    for (std::int64_t h = 0; h < batch * heads; ++h) {
      std::vector<double> score, weight;
      double peak = -INFINITY, total = 0;
      for (std::int64_t l = 0; l < len; ++l) {
        Number dot{};
        for (std::int64_t d = 0; d < dhead; ++d) {
          dot = plus(t, dot, times(t, q[h * dhead + d], keys[(h * len + l) * dhead + d]));
        }
        score.push_back(times(t, dot, scale).f);
        peak = std::max(peak, score.back());
      }
      for (const double s : score) {
        weight.push_back(rounded(t, std::exp(rounded(t, s - peak))));
        total = rounded(t, total + weight.back());
      }
      for (std::int64_t d = 0; d < dhead; ++d) {
        Number o{};
        for (std::int64_t l = 0; l < len; ++l) {
          const Number w{rounded(t, weight[static_cast<std::size_t>(l)] / total), 0};
          o = plus(t, o, times(t, w, values[(h * len + l) * dhead + d]));
        }
        want[h * dhead + d] = o;
      }
    }
    expectSame(named(graph, data, "o"), want, label("attn", t, len));
  }
}

TEST(ZooLoops, TwoLayerPerceptron) {
  const std::int64_t n = 19, hidden = 41, m = 7;
  for (const DType type : kTypes) {
    const Graph graph = fromZoo("mlp", {{"n", n}, {"hidden", hidden}, {"m", m}}, type);
    DataSet data = interpreted(graph);
    Array layer = matrixVector(Array(named(graph, data, "A")), Array(named(graph, data, "x")), hidden, n);
    const Array b(named(graph, data, "b")), c(named(graph, data, "c"));
    for (std::int64_t i = 0; i < hidden; ++i) layer[i] = rectified(type, plus(type, layer[i], b[i]));
    Array want = matrixVector(Array(named(graph, data, "B")), layer, m, hidden);
    for (std::int64_t i = 0; i < m; ++i) want[i] = plus(type, want[i], c[i]);
    expectSame(named(graph, data, "y"), want, label("mlp", type, hidden));
  }
}

}  // namespace
}  // namespace pimento::kernel
