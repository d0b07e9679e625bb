#include "pimento/targets/upmem/sample.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pimento/base/diagnostics.h"
#include "pimento/base/statistics.h"

namespace pimento::targets::upmem {

namespace {

constexpr int kTerms = 3;
using Row = std::array<double, kTerms>;

/// Over 1, the rounds and their root.
Row termsOf(double rounds) {
  return {1, rounds, std::sqrt(rounds)};
}

/// Inverse of a symmetric positive matrix, by Gauss and Jordan with pivots.
std::array<Row, kTerms> inverse(std::array<Row, kTerms> a) {
  std::array<Row, kTerms> out{};
  for (std::size_t i = 0; i < kTerms; ++i) out[i][i] = 1;
  for (std::size_t c = 0; c < kTerms; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < kTerms; ++r)
      if (std::fabs(a[r][c]) > std::fabs(a[pivot][c])) pivot = r;
    std::swap(a[c], a[pivot]);
    std::swap(out[c], out[pivot]);
    const double d = a[c][c];
    PIMENTO_CHECK(d != 0 && "samples have three numbers of rounds");
    for (std::size_t k = 0; k < kTerms; ++k) {
      a[c][k] /= d;
      out[c][k] /= d;
    }
    for (std::size_t r = 0; r < kTerms; ++r) {
      if (r == c) continue;
      const double f = a[r][c];
      for (std::size_t k = 0; k < kTerms; ++k) {
        a[r][k] -= f * a[c][k];
        out[r][k] -= f * out[c][k];
      }
    }
  }
  return out;
}

double dot(const Row &a, const Row &b) {
  double sum = 0;
  for (std::size_t i = 0; i < kTerms; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Prediction predict(const std::vector<SampledRun> &samples, std::int64_t rounds, std::int64_t dpus, double level) {
  PIMENTO_CHECK(samples.size() > kTerms);
  std::array<Row, kTerms> normal{};
  Row right{};
  for (const SampledRun &s : samples) {
    const Row x = termsOf(static_cast<double>(s.rounds));
    const double weight = 1 / static_cast<double>(s.rounds);
    for (std::size_t i = 0; i < kTerms; ++i) {
      right[i] += weight * x[i] * s.cycles;
      for (std::size_t k = 0; k < kTerms; ++k) normal[i][k] += weight * x[i] * x[k];
    }
  }
  const std::array<Row, kTerms> covariance = inverse(normal);
  Row fit{};
  for (std::size_t i = 0; i < kTerms; ++i) fit[i] = dot(covariance[i], right);
  double residual = 0;
  for (const SampledRun &s : samples) {
    const double off = s.cycles - dot(fit, termsOf(static_cast<double>(s.rounds)));
    residual += off * off / static_cast<double>(s.rounds);
  }
  const int dof = static_cast<int>(samples.size()) - kTerms;
  const double perRound = std::sqrt(residual / dof);  // deviation of a run of one round
  const Row x = termsOf(static_cast<double>(rounds));
  Row cx{};
  for (std::size_t i = 0; i < kTerms; ++i) cx[i] = dot(covariance[i], x);
  const double ofFit = perRound * std::sqrt(std::max(0.0, dot(x, cx)));
  const double ofRun = perRound * std::sqrt(static_cast<double>(rounds));
  // The slowest of n runs has quantile p where one run has quantile p^(1/n).
  const auto slowest = [&](double p) { return ofRun * normalQuantile(std::pow(p, 1.0 / static_cast<double>(dpus))); };
  const double tail = (1 - level) / 2, t = studentQuantile(1 - tail, dof), z = normalQuantile(1 - tail);
  Prediction out;
  out.cycles = dot(fit, x) + slowest(0.5);
  const auto half = [&](double off) { return std::hypot(t * ofFit, off * t / z); };
  out.low = out.cycles - half(slowest(0.5) - slowest(tail));
  out.high = out.cycles + half(slowest(1 - tail) - slowest(0.5));
  return out;
}

}  // namespace pimento::targets::upmem
