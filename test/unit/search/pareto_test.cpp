// The front of a set of points is what brute force says, in whatever order they come.
#include "pimento/search/pareto.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/base/rng.h"

namespace pimento::test {
namespace {

using search::Pareto;
using Point = Pareto::Point;

bool rulesOut(const Point &a, const Point &b) {
  if (a.time > b.time || a.energy > b.energy) return false;
  return a.time < b.time || a.energy < b.energy || a.number < b.number;
}

std::vector<Point> randomPoints(Rng &rng) {
  std::vector<Point> points(1 + rng.below(30));
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {static_cast<double>(rng.integer(0, 12)), static_cast<double>(rng.integer(0, 12)),
                 static_cast<std::int64_t>(i)};
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[rng.below(i)]);
  return points;
}

TEST(Pareto, KeepsWhatNothingRulesOutWhateverTheOrder) {
  Rng rng(1);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<Point> points = randomPoints(rng);
    Pareto front;
    for (const Point &p : points) front.add(p);
    std::vector<std::int64_t> expected, found;
    for (const Point &p : points)
      if (std::none_of(points.begin(), points.end(), [&](const Point &q) { return rulesOut(q, p); }))
        expected.push_back(p.number);
    for (const Point &p : front.front()) found.push_back(p.number);
    std::sort(expected.begin(), expected.end());
    std::vector<std::int64_t> sorted = found;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, expected) << "case " << i;
    double time = -1, energy = 1e9;
    for (const Point &p : front.front()) {
      EXPECT_GT(p.time, time);
      EXPECT_LT(p.energy, energy);
      time = p.time;
      energy = p.energy;
    }
  }
}

TEST(Pareto, SaysWhoRulesAPointOut) {
  Rng rng(2);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<Point> points = randomPoints(rng);
    Pareto front;
    for (const Point &p : points) front.add(p);
    const Point probe{static_cast<double>(rng.integer(0, 12)), static_cast<double>(rng.integer(0, 12)),
                      rng.integer(0, 40)};
    const bool isOut = std::any_of(points.begin(), points.end(), [&](const Point &q) { return rulesOut(q, probe); });
    const auto by = front.rulesOut(probe);
    ASSERT_EQ(by.has_value(), isOut) << "case " << i;
    if (by) {
      EXPECT_TRUE(std::any_of(points.begin(), points.end(),
                              [&](const Point &q) { return q.number == *by && rulesOut(q, probe); }));
    }
  }
}

TEST(Pareto, OfEqualPointsTheFirstStays) {
  Pareto front;
  front.add({5, 5, 7});
  front.add({5, 5, 3});
  front.add({5, 5, 9});
  ASSERT_EQ(front.front().size(), 1u);
  EXPECT_EQ(front.front()[0].number, 3);
  EXPECT_FALSE(front.rulesOut({5, 5, 2}).has_value());
  EXPECT_TRUE(front.rulesOut({5, 5, 4}).has_value());
}

}  // namespace
}  // namespace pimento::test
