// Fast-forward of several processes, each in loops of its own: what a plain run gives, on random toys that share ports.
#include <gtest/gtest.h>

#include <numeric>

#include "pimento/base/rng.h"
#include "pimento/program/text.h"
#include "test/support/cases.h"
#include "test/support/toy_processes.h"
#include "test/support/trace.h"

namespace pimento::test {
namespace {

using sim::FastForward;
using sim::FastForwardOptions;
using sim::FastForwardResult;

struct Toy {
  ToyProcesses::Numbers numbers;
  std::vector<program::CommandLoops> loops;
  std::vector<program::FlatLoops> codes;

  void add(program::CommandLoops body) {
    codes.emplace_back(body, std::vector<std::int64_t>{}, 64);
    loops.push_back(std::move(body));
  }
  std::string str() const {
    std::string out = fmt::format("{} ports, closed for {} every {} and {}\n", numbers.ports, numbers.closed,
                                  numbers.interval[0], numbers.interval[1]);
    for (const program::CommandLoops &l : loops) out += program::print({"toy", {}, {process(l)}});
    return out;
  }
};

struct Outcome {
  std::int64_t completion = 0;
  ToyProcesses::Counts counts;
  FastForwardResult result;

  bool operator==(const Outcome &o) const { return completion == o.completion && counts == o.counts; }
  std::string str() const {
    return fmt::format("ends at {}, {} uses, {} cycles waited, {} events; {} skipped, {} memoised", completion,
                       counts.uses, counts.waited, counts.events, result.skipped, result.memoised);
  }
};

Outcome runWith(const Toy &toy, const FastForwardOptions &options) {
  ToyProcesses sim(toy.numbers, toy.codes);
  const FastForwardResult r = FastForward<ToyProcesses>(sim, options).run();
  return {sim.completion(), sim.counts(), r};
}

/// Three processes whose iterations take coprime numbers of cycles when nobody is in their way.
class ToyMaker {
 public:
  explicit ToyMaker(std::uint64_t seed) : rng_(seed) {}

  Toy make() {
    Toy toy;
    toy.numbers.ports = static_cast<int>(rng_.integer(1, 3));
    if (chance(60)) {
      toy.numbers.closed = rng_.integer(1, 60);
      toy.numbers.interval = {rng_.integer(100, 3000), chance(50) ? rng_.integer(100, 3000) : 0};
    }
    const std::int64_t longest = chance(50) ? 60 : 16;
    std::vector<std::int64_t> periods;
    while (periods.size() < 3) {
      const std::int64_t period = rng_.integer(3, longest);
      const auto isCoprime = [period](std::int64_t p) { return std::gcd(p, period) == 1; };
      if (std::all_of(periods.begin(), periods.end(), isCoprime)) periods.push_back(period);
    }
    for (const std::int64_t p : periods) toy.add(body(p, 0));
    return toy;
  }

 private:
  bool chance(int percent) { return rng_.integer(0, 99) < percent; }

  program::CommandLoops body(std::int64_t period, int depth) {
    program::CommandLoops out;
    for (std::int64_t parts = rng_.integer(1, 3); parts > 0; --parts) {
      if (depth < 2 && chance(depth == 0 ? 90 : 25)) {
        const std::int64_t trip = depth == 0 ? rng_.integer(50, 1500) : rng_.integer(1, 9);
        out.push_back(program::CommandNode::loop("i", trip, body(period, depth + 1)));
      } else {
        out.push_back(rd(0, period, rng_.integer(1, period)));
      }
    }
    return out;
  }

  Rng rng_;
};

TEST(FastForwardOfProcesses, GivesTheTimeAndTheCountsOfAPlainRun) {
  const std::int64_t cases = caseCount(60);
  std::int64_t skipped = 0, memoised = 0, all = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const Toy toy = ToyMaker(static_cast<std::uint64_t>(seed)).make();
    const Outcome plain = runWith(toy, {.isEnabled = false}), fast = runWith(toy, {});
    ASSERT_TRUE(plain == fast) << "seed " << seed << "\nplain: " << plain.str() << "\nfast:  " << fast.str() << "\n"
                               << toy.str();
    skipped += fast.result.skipped;
    all += fast.completion;
    memoised += fast.result.memoised > 0 ? 1 : 0;
  }
  EXPECT_GT(skipped, all / 4) << "the cases are too tame to show anything";
  EXPECT_GT(memoised, cases / 10);
}

TEST(FastForwardOfProcesses, WithoutAnyPartOfTheStateSomeCaseIsWrong) {
  for (std::size_t part = 0; part < ToyProcesses::kParts.size(); ++part) {
    bool isWrong = false;
    for (std::uint64_t seed = 0; seed < 400 && !isWrong; ++seed) {
      const Toy toy = ToyMaker(seed).make();
      isWrong = !(runWith(toy, {.weakening = {sim::Parts{1} << part}}) == runWith(toy, {.isEnabled = false}));
    }
    EXPECT_TRUE(isWrong) << "nothing needs " << ToyProcesses::kParts[part];
  }
}

// Each at its own rhythm: 7, 11 and 13 cycles, so together they recur after 1,001. The first loop that ends bounds the
// skip: none of them is skipped past the end of its loop.
TEST(FastForwardOfProcesses, SkipsAsManyPeriodsAsTheShortestLoopAllows) {
  for (const std::int64_t trip : {2000, 100000}) {
    Toy toy;
    toy.numbers.ports = 3;
    toy.add({program::CommandNode::loop("i", trip, {rd(0, 7, 2)})});
    toy.add({program::CommandNode::loop("i", 100000, {rd(0, 11, 3)})});
    toy.add({program::CommandNode::loop("i", 100000, {rd(0, 13, 1)})});
    const Outcome plain = runWith(toy, {.isEnabled = false}), fast = runWith(toy, {});
    EXPECT_TRUE(plain == fast) << plain.str() << "\n" << fast.str();
    EXPECT_EQ(fast.completion, 1300001);
    EXPECT_LT(fast.completion - fast.result.skipped, trip == 2000 ? 1300000 : 20000) << fast.str();
    EXPECT_GT(fast.result.skipped, 0);
  }
}

// What is kept of an interval is what changed in it, and each state once: the simulation, with its memory, is not.
TEST(FastForwardOfProcesses, IntervalsKeepWhatChanged) {
  Toy toy;
  toy.numbers = {.ports = 1000, .interval = {997, 0}, .closed = 10};
  toy.add({program::CommandNode::loop("i", 100000, {rd(0, 7, 2)})});
  toy.add({program::CommandNode::loop("i", 100000, {rd(0, 11, 3)})});
  const Outcome plain = runWith(toy, {.isEnabled = false}), fast = runWith(toy, {});
  EXPECT_TRUE(plain == fast) << plain.str() << "\n" << fast.str();
  EXPECT_GT(fast.result.skipped, fast.completion * 9 / 10);
  EXPECT_GT(fast.result.memoBytes, 0);
}

}  // namespace
}  // namespace pimento::test
