#include "pimento/targets/upmem/sample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pimento/base/diagnostics.h"
#include "pimento/base/statistics.h"

namespace pimento::targets::upmem {

namespace {

/// y = base + slope * x, fitted with weights.
struct Line {
  double base = 0, slope = 0;
  double deviation = 0;  ///< of a point of weight 1 off the line
  double weights = 0, mean = 0, spread = 0;
  int dof = 1;

  double at(double x) const { return base + slope * x; }
  /// Standard error of at(x).
  double errorAt(double x) const { return deviation * std::sqrt(1 / weights + (x - mean) * (x - mean) / spread); }
};

struct Point {
  double x = 0, y = 0, weight = 1;
};

Line fit(const std::vector<Point> &points) {
  PIMENTO_CHECK(points.size() > 1);
  Line out;
  double y = 0, products = 0, squares = 0;
  for (const Point &p : points) {
    out.weights += p.weight;
    out.mean += p.weight * p.x;
    y += p.weight * p.y;
  }
  out.mean /= out.weights;
  y /= out.weights;
  for (const Point &p : points) {
    out.spread += p.weight * (p.x - out.mean) * (p.x - out.mean);
    products += p.weight * (p.x - out.mean) * (p.y - y);
  }
  PIMENTO_CHECK(out.spread > 0 && "samples have two lengths");
  out.slope = products / out.spread;
  out.base = y - out.slope * out.mean;
  for (const Point &p : points) squares += p.weight * (p.y - out.at(p.x)) * (p.y - out.at(p.x));
  out.dof = std::max(1, static_cast<int>(points.size()) - 2);
  out.deviation = std::sqrt(squares / out.dof);
  return out;
}

/// The slowest of n runs has quantile p where one run, of so much deviation, has quantile p^(1/n).
Prediction slowest(double mean, double ofMean, double ofRun, int dof, Units units, double level) {
  const auto off = [&](double p, std::int64_t n) {
    return ofRun * normalQuantile(std::pow(p, 1.0 / static_cast<double>(n)));
  };
  const double tail = (1 - level) / 2, t = studentQuantile(1 - tail, dof), z = normalQuantile(1 - tail);
  const auto half = [&](double distance) { return std::hypot(t * ofMean, distance * t / z); };
  const double median = off(0.5, units.full);
  Prediction out;
  out.cycles = mean + median;
  out.low = out.cycles - half(median - off(tail, units.full));
  out.high = mean + off(0.5, units.all) + half(off(1 - tail, units.all) - off(0.5, units.all));
  return out;
}

}  // namespace

Prediction slowestOf(const std::vector<double> &cycles, Units units, double level) {
  PIMENTO_CHECK(cycles.size() > 1);
  const auto n = static_cast<double>(cycles.size());
  const double mean = std::accumulate(cycles.begin(), cycles.end(), 0.0) / n;
  double squares = 0;
  for (const double c : cycles) squares += (c - mean) * (c - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  Prediction out =
      slowest(mean, deviation / std::sqrt(n), deviation, static_cast<int>(cycles.size()) - 1, units, level);
  const double seen = *std::max_element(cycles.begin(), cycles.end());
  out.low = std::max(out.low, seen);
  out.cycles = std::max(out.cycles, seen);
  out.high = std::max(out.high, seen);
  return out;
}

Prediction predict(const std::vector<SampledRun> &samples, const std::vector<SampledRun> &alike, const WholeRun &whole,
                   double level) {
  PIMENTO_CHECK(alike.size() > 3);
  std::vector<Point> issued, together, apart;
  for (const SampledRun &s : samples) {
    issued.push_back({s.rounds, s.instructions - s.base, 1 / s.rounds});
    apart.push_back({s.instructions, s.cycles, 1 / s.rounds});
  }
  for (const SampledRun &s : alike) together.push_back({s.instructions, s.cycles});
  const Point before = together[together.size() - 2], last = together.back();
  together.resize(together.size() - 2);
  const Line instructions = fit(issued), cycles = fit(together);
  const double all = whole.rounds, root = std::sqrt(all), count = static_cast<double>(samples.size());
  double waiting = 0, squares = 0;  // of one round
  const auto waitingOf = [&](const SampledRun &s) {
    return (s.cycles - cycles.at(s.instructions)) / std::sqrt(s.rounds);
  };
  for (const SampledRun &s : samples) waiting += waitingOf(s) / count;
  for (const SampledRun &s : samples) squares += std::pow(waitingOf(s) - waiting, 2);
  const double scatter = std::sqrt(squares / (count - 1)) * root;
  const double most = std::max(whole.leastCycles, (last.y - before.y) / (last.x - before.x));
  const double slope = (whole.leastCycles + most) / 2, left = whole.base + instructions.at(all) - last.x;
  const double ofMean = std::hypot(slope * instructions.errorAt(all), scatter / std::sqrt(count), cycles.deviation);
  const double ofRun = std::hypot(slope * instructions.deviation * root, scatter);
  const double mean = last.y + slope * left + waiting * root;
  Prediction out = slowest(mean, ofMean, ofRun, instructions.dof, whole.units, level);
  const double byChance = std::max(0.0, fit(apart).slope - cycles.slope) * left;
  const double high = (most - slope) * left + std::max(0.0, byChance - waiting * root);
  out.low -= std::max(0.0, mean - whole.leastCycles * (last.x + left));
  out.high += std::max(0.0, high);
  return out;
}

}  // namespace pimento::targets::upmem
