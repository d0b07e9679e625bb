// Searches over random candidates: what is left out changes nothing, fates add up, and gaps hold against the true
// optimum.
#include "pimento/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/base/rng.h"

namespace pimento::search {
namespace {

/// Candidates with known costs. Some are illegal from the start, some only when they are evaluated, some equal others.
class Problem final : public Evaluator {
 public:
  Problem(std::uint64_t seed, int size, bool hasEnergy) : costs(static_cast<std::size_t>(size)) {
    Rng rng(seed);
    const auto below = [&](double cost) { return cost * (0.3 + 0.07 * static_cast<double>(rng.below(11))); };
    for (std::size_t i = 0; i < costs.size(); ++i) {
      Candidate c;
      costs[i] = Objectives{static_cast<double>(10 + rng.below(60)),
                            hasEnergy ? static_cast<double>(10 + rng.below(60)) : 0.0};
      c.bound = {below(costs[i]->time), below(costs[i]->energy)};
      c.isLegal = rng.below(10) != 0;
      if (const std::size_t other = rng.below(i + 1); i > 0 && other < i && rng.below(4) == 0)
        if (candidates[other].isLegal && candidates[other].like < 0) {
          c = candidates[other];
          c.like = static_cast<std::int64_t>(other);
          costs[i] = costs[other];
        }
      candidates.push_back(c);
    }
    for (std::size_t i = 0; i < costs.size(); ++i)
      if (candidates[i].like < 0 && rng.below(12) == 0) costs[i].reset();
    for (std::size_t i = 0; i < costs.size(); ++i)
      if (candidates[i].like >= 0) costs[i] = costs[static_cast<std::size_t>(candidates[i].like)];
  }

  Result<std::vector<std::optional<Objectives>>> evaluate(std::span<const std::int64_t> which) override {
    std::vector<std::optional<Objectives>> out;
    for (const std::int64_t i : which) out.push_back(costs[static_cast<std::size_t>(i)]);
    evaluations += static_cast<std::int64_t>(which.size());
    return out;
  }

  /// Least time of all that are legal; infinity where none is.
  double optimum() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < costs.size(); ++i)
      if (candidates[i].isLegal && costs[i]) least = std::min(least, costs[i]->time);
    return least;
  }

  bool isExact() const override { return !isSampled; }

  std::vector<Candidate> candidates;
  std::vector<std::optional<Objectives>> costs;
  std::int64_t evaluations = 0;
  bool isSampled = false;
};

bool isSame(const Pareto::Point &a, const Pareto::Point &b) {
  return a.time == b.time && a.energy == b.energy && a.number == b.number;
}

TEST(Search, BestFirstFindsTheFrontOfAnExhaustiveRunWithFewerEvaluations) {
  std::int64_t saved = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Problem problem(seed, 60, seed % 2 == 0), whole = problem;
    const auto found = BestFirst().run(problem.candidates, problem, {});
    const auto all = Exhaustive().run(whole.candidates, whole, {});
    ASSERT_TRUE(found.ok() && all.ok());
    EXPECT_TRUE(std::ranges::equal(found->front, all->front, isSame)) << seed;
    EXPECT_TRUE(found->proof.isOptimal() && all->proof.isOptimal());
    EXPECT_EQ(found->stop, Stop::kDone);
    EXPECT_EQ(found->evaluations, problem.evaluations);
    EXPECT_EQ(all->count(Fate::kBounded), 0);
    saved += whole.evaluations - problem.evaluations;
  }
  EXPECT_GT(saved, 500 * 10);
}

TEST(Search, EveryCandidateHasAFateThatItsCostBearsOut) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Problem problem(seed, 60, true);
    const auto found = BestFirst().run(problem.candidates, problem, {});
    ASSERT_TRUE(found.ok());
    for (std::size_t i = 0; i < problem.candidates.size(); ++i) {
      const Verdict &v = found->verdicts[i];
      switch (v.fate) {
        case Fate::kOpen:
          ADD_FAILURE() << i;
          break;
        case Fate::kIllegal:
          EXPECT_TRUE(!problem.candidates[i].isLegal || !problem.costs[i]);
          break;
        case Fate::kEqual:
        case Fate::kEstimated:
          EXPECT_EQ(v.cost.time, problem.costs[i]->time);
          EXPECT_EQ(v.fate == Fate::kEqual, v.by >= 0);
          break;
        case Fate::kBounded: {
          const Verdict &by = found->verdicts[static_cast<std::size_t>(v.by)];
          EXPECT_LE(by.cost.time, v.cost.time);
          EXPECT_LE(by.cost.energy, v.cost.energy);
          break;
        }
      }
    }
  }
}

TEST(Search, ABudgetEndsItAndTheGapHolds) {
  bool hasGap = false;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Problem problem(seed, 60, false);
    const auto found = BestFirst(2, 2).run(problem.candidates, problem, {.evaluations = 5});
    ASSERT_TRUE(found.ok());
    EXPECT_LE(problem.evaluations, 5);
    EXPECT_EQ(found->stop == Stop::kBudget, found->count(Fate::kOpen) > 0);
    for (const Verdict &v : found->verdicts)
      if (v.fate == Fate::kOpen && !found->front.empty()) {
        EXPECT_LE(v.cost.time, found->front.front().time);
      }
    if (found->front.empty()) continue;
    const double best = found->front.front().time;
    EXPECT_GE(problem.optimum(), (1 - found->proof.gap.time) * best - 1e-9) << seed;
    hasGap |= found->proof.gap.time > 0;
  }
  EXPECT_TRUE(hasGap);
}

TEST(Search, AReservedCandidateIsSettledAfterTheBudgetAndOneSetAsideStaysOpen) {
  Problem problem(3, 40, false);
  for (Candidate &c : problem.candidates) c = {.bound = {1, 0}};
  for (auto &cost : problem.costs) cost = Objectives{9, 0};
  problem.costs[39] = Objectives{2, 0};
  problem.candidates[39].isReserved = true;
  problem.candidates[0].isSetAside = true;
  const auto found = BestFirst().run(problem.candidates, problem, {.evaluations = 8});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->front.front().number, 39);
  EXPECT_EQ(found->evaluations, 9);
  EXPECT_EQ(found->verdicts[0].fate, Fate::kOpen);
  EXPECT_EQ(found->proof.gap.time, 0.5);
}

TEST(Search, SampledCostsProveNothing) {
  Problem problem(1, 40, true);
  problem.isSampled = true;
  const auto found = BestFirst().run(problem.candidates, problem, {});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->count(Fate::kOpen), 0);
  EXPECT_FALSE(found->proof.isOptimal());
}

TEST(Search, StopsWhenAsked) {
  const std::atomic<bool> isStopped = true;
  Problem problem(1, 40, true);
  Budget budget;
  budget.isStopped = &isStopped;
  const auto found = BestFirst().run(problem.candidates, problem, budget);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->stop, Stop::kStopped);
  EXPECT_EQ(problem.evaluations, 0);
}

TEST(Search, AProofIsSaidInAFewWords) {
  const auto text = [](const Proof &proof) { return proofText(proof, "mapping", "here"); };
  EXPECT_EQ(text({}), "optimal here");
  EXPECT_EQ(text({{0.125, 0}}), "not proved optimal: no mapping here is more than 12.5 % faster");
  EXPECT_EQ(text({{0.5, 0.25}}),
            "not proved optimal: no mapping here is more than 50.0 % faster or takes over 25.0 % less energy");
  EXPECT_EQ(text({{}, true}), "the best here by sampled times, not proved optimal");
  EXPECT_EQ(text({{0.125, 0}, true}),
            "not proved optimal: by sampled times, no mapping here is more than 12.5 % faster");
  EXPECT_EQ(text({{0, 0.25}}), "not proved optimal: no mapping here takes over 25.0 % less energy");
}

}  // namespace
}  // namespace pimento::search
