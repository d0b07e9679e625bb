#include "pimento/targets/upmem/sample.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pimento/base/diagnostics.h"

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

double normalQuantile(double p) {
  constexpr std::array<double, 6> a = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                                       1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array<double, 5> b = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                                       6.680131188771972e+01, -1.328068155288572e+01};
  constexpr std::array<double, 6> c = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                                       -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array<double, 4> d = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                                       3.754408661907416e+00};
  constexpr double kTail = 0.02425;
  if (p > 1 - kTail) return -normalQuantile(1 - p);
  if (p < kTail) {
    const double q = std::sqrt(-2 * std::log(p));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  }
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double studentQuantile(double p, int dof) {
  const double z = normalQuantile(p), n = dof;
  const double z2 = z * z;
  const double g1 = (z2 + 1) * z / 4, g2 = ((5 * z2 + 16) * z2 + 3) * z / 96,
               g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384,
               g4 = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * z / 92160;
  return z + g1 / n + g2 / (n * n) + g3 / (n * n * n) + g4 / (n * n * n * n);
}

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
  out.mean = dot(fit, x);
  out.cycles = out.mean + slowest(0.5);
  const auto half = [&](double off) { return std::hypot(t * ofFit, off * t / z); };
  out.low = out.cycles - half(slowest(0.5) - slowest(tail));
  out.high = out.cycles + half(slowest(1 - tail) - slowest(0.5));
  return out;
}

}  // namespace pimento::targets::upmem
