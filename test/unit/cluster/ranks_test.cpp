// Ranks as threads: what the first one asks for is computed, whoever is lost, and is not if they differ.
#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <thread>

#include "pimento/cluster/many_ranks.h"
#include "pimento/cluster/messages.h"

namespace pimento::cluster {
namespace {

using namespace std::chrono_literals;

constexpr Patience kPatience{20ms, 300ms};

/// Messages between threads.
struct Post {
  explicit Post(std::size_t ranks) : boxes(ranks) {}
  std::mutex mutex;
  std::vector<std::deque<std::pair<std::size_t, std::string>>> boxes;
};

class PostChannel final : public Channel {
 public:
  PostChannel(Post &post, std::size_t rank) : post_(post), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t count() const override { return post_.boxes.size(); }
  void send(std::size_t to, std::string message) override {
    const std::lock_guard<std::mutex> lock(post_.mutex);
    post_.boxes[to].emplace_back(rank_, std::move(message));
  }
  bool receive(std::size_t &from, std::string &message) override {
    const std::lock_guard<std::mutex> lock(post_.mutex);
    auto &box = post_.boxes[rank_];
    if (box.empty()) return false;
    from = box.front().first;
    message = std::move(box.front().second);
    box.pop_front();
    return true;
  }
  void close(bool /*isWhole*/) override {}

 private:
  Post &post_;
  std::size_t rank_;
};

std::unique_ptr<Ranks> rankOf(Post &post, std::size_t rank, const std::string &build = "build") {
  return manyRanks(std::make_unique<PostChannel>(post, rank), build, kPatience);
}

std::string doubled(const std::string &task) {
  return std::to_string(2 * std::stoi(task));
}

/// doubled(), which takes so long.
Work slowly(std::chrono::milliseconds time) {
  return [time](const std::string &task) {
    std::this_thread::sleep_for(time);
    return doubled(task);
  };
}

Tasks numbers(int from, int to) {
  Tasks t;
  for (int i = from; i < to; ++i) t.now.push_back(std::to_string(i));
  return t;
}

/// Asks for tasks, and expects all results.
void expectAll(Ranks &first, int from, int to) {
  std::vector<std::string> results(static_cast<std::size_t>(to - from));
  const Status s = first.compute(numbers(from, to), nullptr, [&](std::size_t n, const std::string &result) {
    EXPECT_TRUE(results[n].empty());
    results[n] = result;
  });
  ASSERT_TRUE(s.ok()) << s.diagnostics().front().str();
  for (int i = from; i < to; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i - from)], std::to_string(2 * i));
}

TEST(Ranks, OneComputesAllWithItsThreads) {
  const auto one = oneRank();
  ASSERT_TRUE(one->join("plan", doubled, 3).ok());
  EXPECT_TRUE(one->isFirst());
  EXPECT_FALSE(one->sharing().has_value());
  expectAll(*one, 0, 200);
}

TEST(Ranks, SeveralComputeWhatTheFirstAsksFor) {
  Post post(3);
  std::atomic<int> elsewhere = 0;
  std::vector<std::thread> others;
  for (std::size_t r = 1; r < 3; ++r)
    others.emplace_back([&, r] {
      const auto rank = rankOf(post, r);
      EXPECT_TRUE(rank->join(
                          "plan",
                          [&](const std::string &t) {
                            ++elsewhere;
                            return doubled(t);
                          },
                          2)
                      .ok());
      rank->leave({});
    });
  const auto first = rankOf(post, 0);
  ASSERT_TRUE(first->join("plan", slowly(2ms), 1).ok());
  expectAll(*first, 0, 300);
  expectAll(*first, 250, 400);  // some of them are known
  const auto sharing = first->sharing();
  ASSERT_TRUE(sharing.has_value());
  EXPECT_EQ(sharing->ranks, 3);
  EXPECT_EQ(sharing->jobs, 5);
  EXPECT_EQ(sharing->lost, 0);
  EXPECT_GE(sharing->tasks, 400);
  EXPECT_GT(elsewhere, 0);
  first->leave({});
  for (std::thread &t : others) t.join();
}

TEST(Ranks, WhatASilentRankHadIsComputedByOthers) {
  Post post(2);
  // A rank that takes tasks and says nothing.
  PostChannel dead(post, 1);
  const auto other = [&] {  // says the same as a real one would
    Post probe(2);
    const auto rank = rankOf(probe, 1);
    std::thread joins([&] { (void)rank->join("plan", doubled, 4); });
    std::string message;
    std::size_t from = 0;
    PostChannel first(probe, 0);
    while (!first.receive(from, message)) std::this_thread::sleep_for(1ms);
    first.send(1, written(Message::kEnd));
    joins.join();
    return message;
  }();
  Hello real;
  ASSERT_TRUE(read(other, real));
  real.host = "elsewhere";  // no process of this machine
  dead.send(0, written(real));
  const auto first = rankOf(post, 0);
  ASSERT_TRUE(first->join("plan", slowly(1ms), 1).ok());
  expectAll(*first, 0, 50);
  EXPECT_EQ(first->sharing()->lost, 1);
}

TEST(Ranks, WhatWasExpectedTwiceAgoIsComputedWhenItIsWanted) {
  Post post(2);  // the other rank never begins
  const auto first = rankOf(post, 0);
  ASSERT_TRUE(first->join("plan", doubled, 1).ok());
  std::vector<std::string> results;
  for (const auto &[now, later] : {std::pair{"0", "5"}, {"1", "6"}, {"5", "7"}}) {
    const Status s = first->compute({{now}, {later}}, nullptr,
                                    [&](std::size_t, const std::string &result) { results.push_back(result); });
    ASSERT_TRUE(s.ok());
  }
  EXPECT_EQ(results, (std::vector<std::string>{"0", "2", "10"}));
}

TEST(Ranks, AnotherBuildOrPlanIsADiagnostic) {
  for (const bool isBuild : {false, true}) {
    Post post(2);
    std::thread other([&] {
      const auto rank = rankOf(post, 1, isBuild ? "other build" : "build");
      (void)rank->join(isBuild ? "plan" : "other plan", doubled, 1);
      rank->leave({});
    });
    const auto first = rankOf(post, 0);
    ASSERT_TRUE(first->join("plan", slowly(20ms), 1).ok());
    const Status s = first->compute(numbers(0, 100), nullptr, [](std::size_t, const std::string &) {});
    ASSERT_FALSE(s.ok());
    EXPECT_EQ(s.diagnostics().front().code, "ranks-differ");
    EXPECT_NE(s.diagnostics().front().message.find(isBuild ? "build" : "input"), std::string::npos);
    first->leave({});
    other.join();
  }
}

TEST(Ranks, WhatARankCannotBeginWithIsADiagnosticOfTheFirst) {
  Post post(2);
  std::thread other(
      [&] { rankOf(post, 1)->leave({error("unreadable-file", {"a.mlir", 3, 1}, "it is not there", "put")}); });
  const auto first = rankOf(post, 0);
  ASSERT_TRUE(first->join("plan", slowly(20ms), 1).ok());
  const Status s = first->compute(numbers(0, 100), nullptr, [](std::size_t, const std::string &) {});
  ASSERT_FALSE(s.ok());
  const Diagnostic &d = s.diagnostics().front();
  EXPECT_EQ(d.code, "rank-failed");
  EXPECT_EQ(d.where.str(), "a.mlir:3:1");
  EXPECT_NE(d.message.find("rank 1"), std::string::npos) << d.message;
  EXPECT_NE(d.message.find("[unreadable-file]"), std::string::npos) << d.message;
  first->leave({});
  other.join();
}

TEST(Ranks, ATaskThatThrowsEndsAll) {
  for (const bool isFirst : {false, true}) {
    Post post(2);
    const auto bad = [](const std::string &) -> std::string { throw std::bad_alloc(); };
    const Work good = slowly(5ms);
    std::thread other([&] {
      const auto rank = rankOf(post, 1);
      const Status s = isFirst ? rank->join("plan", good, 1) : rank->join("plan", bad, 1);
      EXPECT_EQ(s.ok(), isFirst);
      rank->leave(s ? Diagnostics{} : s.diagnostics());
    });
    const auto first = rankOf(post, 0);
    ASSERT_TRUE((isFirst ? first->join("plan", bad, 1) : first->join("plan", good, 1)).ok());
    const auto compute = [&] {
      return first->compute(numbers(0, 500), nullptr, [](std::size_t, const std::string &) {});
    };
    if (isFirst) {
      EXPECT_THROW((void)compute(), std::bad_alloc);
    } else {
      const Status s = compute();
      ASSERT_FALSE(s.ok());
      EXPECT_EQ(s.diagnostics().front().code, "rank-failed");
      EXPECT_NE(s.diagnostics().front().message.find("out of memory"), std::string::npos);
    }
    first->leave({});
    other.join();
  }
}

TEST(Ranks, OthersEndWhereTheFirstIsSilent) {
  Post post(2);
  const auto rank = rankOf(post, 1);
  const Status s = rank->join("plan", doubled, 1);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.diagnostics().front().code, "ranks-lost");
}

TEST(Ranks, StopWhenAsked) {
  Post post(2);
  std::thread other([&] {
    const auto rank = rankOf(post, 1);
    (void)rank->join("plan", slowly(5ms), 1);
    rank->leave({});
  });
  const auto first = rankOf(post, 0);
  ASSERT_TRUE(first->join("plan", slowly(5ms), 1).ok());
  std::atomic<bool> isStopped = false;
  std::size_t taken = 0;
  const Status s = first->compute(numbers(0, 10'000), &isStopped, [&](std::size_t, const std::string &) {
    if (++taken == 10) isStopped = true;
  });
  EXPECT_TRUE(s.ok());
  EXPECT_GE(taken, 10U);
  EXPECT_LT(taken, 10'000U);
  first->leave({});
  other.join();
}

TEST(Messages, AreReadAsTheyWereWritten) {
  std::vector<TaskMessage> tasks;
  ASSERT_TRUE(read(written(std::vector<TaskMessage>{{3, "a b"}, {-4, std::string("\0x", 2)}}), tasks));
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[1].number, -4);
  EXPECT_EQ(tasks[1].text, std::string("\0x", 2));
  std::vector<ResultMessage> results;
  ASSERT_TRUE(read(written(std::vector<ResultMessage>{{1, 0.125, "r"}}), results));
  EXPECT_EQ(results.front().seconds, 0.125);
  Diagnostics problems;
  ASSERT_TRUE(read(written(Diagnostics{usageError("code", "--option", "message", "hint")}), problems));
  EXPECT_EQ(problems.front().kind, DiagnosticKind::kUsage);
  EXPECT_EQ(problems.front().where.file, "--option");
}

TEST(Messages, ThatAreCutAreNone) {
  const std::string whole = written(std::vector<ResultMessage>{{1, 0.125, "result"}, {2, 3, "other"}});
  for (std::size_t n = 1; n < whole.size(); ++n) {
    std::vector<ResultMessage> results;
    if (read(whole.substr(0, n), results)) {
      EXPECT_LT(results.size(), 2U);
    }
    std::vector<TaskMessage> tasks;
    EXPECT_FALSE(read(whole.substr(0, n), tasks)) << "another kind";
  }
  EXPECT_EQ(kindOf(""), Message::kAlive);
}

}  // namespace
}  // namespace pimento::cluster
