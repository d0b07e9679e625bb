// Arithmetic by definition, for tests that compute a kernel's result with plain loops. Shares nothing with the
// interpreter but the rounding of one number: every operation is done in double (exact, or wide enough for one
// rounding, for types up to f32) or in 64-bit integers and then brought to its type.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"

namespace pimento::kernel {

/// A number of a type: `f` for floating types, `i` for integers.
struct Number {
  double f = 0;
  std::int64_t i = 0;
};

inline double rounded(DType t, double x) {
  return decodeFloat(t, encodeFloat(t, x));
}

inline Number numberOf(DType t, double x) {
  return isFloat(t) ? Number{rounded(t, x), 0} : Number{0, wrapInteger(t, static_cast<std::int64_t>(x))};
}
inline Number plus(DType t, Number a, Number b) {
  if (isFloat(t)) return {rounded(t, a.f + b.f), 0};
  return {0,
          wrapInteger(t, static_cast<std::int64_t>(static_cast<std::uint64_t>(a.i) + static_cast<std::uint64_t>(b.i)))};
}
inline Number times(DType t, Number a, Number b) {
  if (isFloat(t)) return {rounded(t, a.f * b.f), 0};
  return {0,
          wrapInteger(t, static_cast<std::int64_t>(static_cast<std::uint64_t>(a.i) * static_cast<std::uint64_t>(b.i)))};
}
inline Number rectified(DType t, Number a) {
  if (isFloat(t)) return {std::signbit(a.f) ? 0.0 : a.f, 0};
  return {0, isSigned(t) && a.i < 0 ? 0 : a.i};
}

/// An array with a shape, filled by plain loops or from tensor data.
struct Array {
  DType type = DType::kF32;
  std::vector<Number> elements;

  Array(DType t, std::int64_t n) : type(t), elements(static_cast<std::size_t>(n)) {}
  explicit Array(const TensorData &data) : Array(data.type, data.elements()) {
    for (std::int64_t e = 0; e < data.elements(); ++e) {
      (*this)[e] = isFloat(type) ? Number{data.asDouble(e), 0} : Number{0, data.asInteger(e)};
    }
  }
  Number &operator[](std::int64_t e) { return elements[static_cast<std::size_t>(e)]; }
  const Number &operator[](std::int64_t e) const { return elements[static_cast<std::size_t>(e)]; }
};

inline TensorData &named(const Graph &graph, DataSet &data, const std::string &name) {
  const int t = graph.tensorNamed(name);
  EXPECT_GE(t, 0) << name;
  return data[static_cast<std::size_t>(t)];
}

/// Compares bit for bit, NaN aside.
inline void expectSame(const TensorData &got, const Array &want, const std::string &what) {
  ASSERT_EQ(got.type, want.type) << what;
  ASSERT_EQ(got.elements(), static_cast<std::int64_t>(want.elements.size())) << what;
  for (std::int64_t e = 0; e < got.elements(); ++e) {
    if (isFloat(got.type)) {
      const double x = got.asDouble(e);
      if (std::isnan(x) && std::isnan(want[e].f)) continue;
      ASSERT_EQ(x, want[e].f) << what << ", element " << e;
      ASSERT_EQ(std::signbit(x), std::signbit(want[e].f)) << what << ", element " << e;
    } else {
      ASSERT_EQ(got.asInteger(e), want[e].i) << what << ", element " << e;
    }
  }
}

inline Graph parsed(const std::string &text, const Sizes &sizes, DType type = DType::kF32) {
  auto graph = parseNotation(text, sizes, type);
  if (!graph) {
    ADD_FAILURE() << text << "\n" << graph.diagnostics()[0].str();
    return {};
  }
  return *graph;
}

inline Graph fromZoo(const std::string &name, const Sizes &sizes, DType type, const std::string &variant = {}) {
  auto graph = makeZooKernel(name, sizes, type, variant);
  if (!graph) {
    ADD_FAILURE() << name << "\n" << graph.diagnostics()[0].str();
    return {};
  }
  return *graph;
}

/// Makes a row vector's data from doubles.
inline TensorData vectorOf(DType type, const std::vector<double> &values) {
  TensorData data(type, {static_cast<std::int64_t>(values.size())});
  for (std::size_t e = 0; e < values.size(); ++e) data.setDouble(static_cast<std::int64_t>(e), values[e]);
  return data;
}

}  // namespace pimento::kernel
