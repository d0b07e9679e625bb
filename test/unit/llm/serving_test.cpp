// Served requests, held against a plain checker that knows nothing of how they were scheduled.
#include "pimento/llm/serving.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/base/rng.h"
#include "pimento/llm/host.h"
#include "pimento/llm/pim.h"
#include "pimento/targets/targets.h"
#include "test/support/cases.h"
#include "test/support/llm_host.h"
#include "test/support/machine_file.h"

namespace pimento::llm {
namespace {

Model tiny() {
  Model m = test::model("llama3-8b");
  m.name = "tiny";
  m.layers = 2;
  m.hidden = 256;
  m.heads = 4;
  m.kvHeads = 2;
  m.headDim = 64;
  m.ff = 512;
  m.vocabulary = 500;
  return m;
}

std::vector<Request> randomRequests(Rng &rng) {
  std::vector<Request> out(1 + rng.below(12));
  double now = 0;
  for (Request &r : out) {
    now += static_cast<double>(rng.below(3)) * 1e8;  // some arrive together
    r = {Picoseconds(now), 1 + static_cast<std::int64_t>(rng.below(60)), 1 + static_cast<std::int64_t>(rng.below(9))};
  }
  return out;
}

struct Serving : ::testing::Test {
  Host host = test::host();
  machine::Machine machine = test::load("attacc");
  PimDevice device{machine, nullptr, targets::near_bank::target(), {"reference", "reference"}, {}, {}};
  System both{host, 1, &device, 2}, alone{host, 1, nullptr, 0};
  Model model = tiny();
  ServingOptions options{4, 2, targets::near_bank::target().capacity(machine)};

  /// Steps one after the other; each request its prompt once, behind its arrival, then every other token once, alone in
  /// its step's list; never more at once than allowed; nothing before what it reads.
  void expectSound(const std::vector<Request> &requests, const Served &s) {
    std::vector<std::int64_t> tokens(requests.size(), 0);
    double now = 0;
    for (const ServedStep &step : s.steps) {
      EXPECT_GE(step.begin.value, now) << "two steps at once";
      double sum = step.begin.value;
      for (const LayerTime *t : step.layers) sum += t->time.value;
      EXPECT_NEAR(step.end.value, sum, 1e-9 * sum);
      now = step.end.value;
      EXPECT_LE(static_cast<std::int64_t>(step.requests.size()), options.mostRequests);
      std::vector<int> once = step.requests;
      std::ranges::sort(once);
      EXPECT_EQ(std::ranges::adjacent_find(once), once.end());
      for (const int r : step.requests) {
        const auto i = static_cast<std::size_t>(r);
        EXPECT_EQ(step.isPrompt, tokens[i] == 0) << "the prompt comes first, and once";
        if (step.isPrompt) {
          EXPECT_GE(step.begin, requests[i].arrival);
          EXPECT_EQ(step.begin, s.requests[i].admitted);
          EXPECT_EQ(step.end, s.requests[i].firstToken);
        }
        ++tokens[i];
        if (tokens[i] == requests[i].output) {
          EXPECT_EQ(step.end, s.requests[i].done);
        }
      }
      std::int64_t attended = 0;
      for (const LayerTime *t : step.layers)
        if (t->kind == LayerKind::kAttention && !step.isPrompt) attended += t->requests;
      if (!step.isPrompt) {
        EXPECT_EQ(attended, static_cast<std::int64_t>(step.requests.size())) << "every request attends once";
      }
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(tokens[i], requests[i].output) << i;
      if (i > 0) {
        EXPECT_GE(s.requests[i].admitted, s.requests[i - 1].admitted) << "in the order of arrival";
      }
    }
    EXPECT_EQ(s.end.value, now);
  }
};

TEST_F(Serving, IsSoundForRandomRequests) {
  Rng rng(5);
  for (std::int64_t i = 0; i < test::caseCount(1000); ++i) {
    const std::vector<Request> requests = randomRequests(rng);
    options.mostRequests = 1 + static_cast<std::int64_t>(rng.below(6));
    const Result<Served> s = serve(rng.below(2) == 0 ? both : alone, model, requests, options);
    ASSERT_TRUE(s.ok()) << s.diagnostics().front().str();
    expectSound(requests, *s);
  }
}

TEST_F(Serving, KeysAndValuesNeverTakeMoreThanThereIs) {
  ServingOptions tight = options;
  const double one = model.kvOfToken() * 40 * 2;
  double weights = 0;
  for (const LayerKind kind : kPlaced) weights += weightBytes(model, kind, 2);
  tight.pimRoom = Bytes(static_cast<std::int64_t>((weights + 2.5 * one) / 2));
  std::vector<Request> requests(6, Request{Picoseconds(0), 30, 10});
  const Result<Served> s = serve(both, model, requests, tight);
  ASSERT_TRUE(s.ok()) << s.diagnostics().front().str();
  EXPECT_LE(s->mostKeyBytes, s->keyRoom);
  if (s->isAttentionOnPim) {
    EXPECT_EQ(s->mostRequests, 2);
  }
}

TEST_F(Serving, OneRequestAtATimeWaitsForTheOthers) {
  options.mostRequests = 1;
  const std::vector<Request> requests(3, Request{Picoseconds(0), 16, 4});
  const Result<Served> s = serve(both, model, requests, options);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->requests[1].admitted, s->requests[0].done);
  EXPECT_EQ(s->requests[2].admitted, s->requests[1].done);
}

TEST(Percentiles, AreValuesThatThereAre) {
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.99), 4);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(percentile({}, 0.5), 0);
}

}  // namespace
}  // namespace pimento::llm
