// How many ranks one first rank can feed: the same scheduler as in real runs (cluster/hand_out.h), simulated ranks.
//
//   hand_out [--ranks N] [--tasks N] [FILE]   FILE: seconds of tasks, one per line; else those of an exploration are
//   measured
//
// Measured here: what tasks take (every split of a vector addition over 4,096 DPUs, as in docs/papers/comonm.md), and
// what the first rank does for a message and for a result: reading, bookkeeping, an entry in a store, writing the
// answer. The network adds kLatency each way. Without --ranks: 100 to 10,000 ranks, and tasks of ten and a
// hundred times the time. Times are drawn from the measured ones; the same seed, the same table.
#include "pimento/cluster/hand_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <queue>
#include <string>
#include <vector>

#include "bench/need.h"
#include "pimento/base/cache.h"
#include "pimento/base/rng.h"
#include "pimento/cluster/messages.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/kernel/zoo.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/targets.h"
#include "pimento/tune/candidates.h"
#include "pimento/tune/computation.h"
#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"

namespace {

using namespace pimento;
using bench::need;
using Clock = std::chrono::steady_clock;

constexpr double kLatency = 250e-6;  ///< seconds to the other side: 50 us of a network, and the pause between two looks

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the first rank does.
struct Costs {
  double message = 0, result = 0;  ///< seconds
};

std::vector<double> measuredTasks() {
  const machine::Machine machine = need(machine::loadMachine("upmem", {PIMENTO_MACHINE_FOLDER}, {{"ranks", "32"}}));
  const kernel::Graph graph = need(kernel::makeZooKernel("va", {{"n", 16777216}}, DType::kI32));
  const auto compiler = driver::makeDpuCompiler();
  const evaluate::Tools tools{compiler.get(), std::make_shared<Cache>()};
  tune::Problem problem = need(tune::makeProblem(graph, machine, *need(targets::targetOf(machine)), "plain", tools));
  problem.hasAllFactors = true;
  std::vector<std::string> texts;
  for (tune::Candidates c(problem); c.next();) texts.push_back(c.text());
  constexpr std::size_t kMeasured = 1500;
  const std::size_t every = texts.size() / kMeasured + 1;
  tune::Computation computation({&problem});
  std::vector<double> out;
  for (std::size_t i = 0; i < texts.size(); i += every) {
    if (computation.resultOf(tune::compileTask(0, false, texts[i])).starts_with("!")) continue;
    const Clock::time_point start = Clock::now();
    static_cast<void>(computation.resultOf(tune::runTask(0, texts[i])));
    out.push_back(secondsSince(start));
  }
  return out;
}

Costs measuredCosts() {
  constexpr int kMessages = 2000, kResults = 10;
  const std::filesystem::path file = std::filesystem::temp_directory_path() / fmt::format("hand_out_{}.db", rand());
  cluster::HandOut handOut(3);
  handOut.join(1, 1);
  for (std::int64_t t = 0; t < kMessages * (kResults + 2); ++t) handOut.add(t);
  const std::string task = "r0 M1:{(16),(64),(17),(963)}",
                    result = "1234567 cycle=1234567 instruction=7654321 dma=98765 @0";
  Costs costs;
  {
    const auto store = need(tune::Store::open(file.string(), "bench", "bench"));
    tune::Store::Batches batches(store.get());
    std::int64_t number = 0;
    const auto pass = [&](int results) {
      const Clock::time_point start = Clock::now();
      for (int m = 0; m < kMessages; ++m) {
        std::vector<cluster::ResultMessage> sent;
        for (int r = 0; r < results; ++r) sent.push_back({number++, 0.01, result});
        std::vector<cluster::ResultMessage> read;
        static_cast<void>(cluster::read(cluster::written(sent), read));
        for (const cluster::ResultMessage &r : read) {
          static_cast<void>(handOut.finish(1, r.number, r.seconds));
          need(store->put("run", std::to_string(r.number), r.text));
        }
        need(batches.flush());
        std::vector<cluster::TaskMessage> tasks;
        for (const std::int64_t t : handOut.take(1)) tasks.push_back({t, task});
        static_cast<void>(cluster::written(tasks));
      }
      return secondsSince(start) / kMessages;
    };
    const double one = pass(1), many = pass(kResults);
    costs.result = (many - one) / (kResults - 1);
    costs.message = std::max(0.0, one - costs.result);
  }
  for (const char *ending : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + ending);
  return costs;
}

/// One run on simulated ranks of one job each; the first only deals out, since its job hardly counts.
class Simulation {
 public:
  Simulation(std::size_t ranks, std::int64_t tasks, const std::vector<double> &seconds, double scale, Costs costs)
      : costs_(costs), handOut_(ranks + 1), ranks_(ranks + 1) {
    Rng rng(1);
    for (std::int64_t t = 0; t < tasks; ++t) {
      seconds_.push_back(scale * seconds[rng.below(seconds.size())]);
      work_ += seconds_.back();
      handOut_.add(t);
    }
    for (std::size_t r = 1; r <= ranks; ++r) {
      handOut_.join(r, 1);
      at(kLatency, r, true);
    }
  }

  void run() {
    while (!events_.empty()) {
      const Event e = events_.top();
      events_.pop();
      if (e.isAtFirst)
        serve(e.time, e.rank);
      else
        finishTask(e.time, e.rank);
    }
  }

  double seconds() const { return end_; }
  double idleShare() const { return 1 - work_ / (end_ * static_cast<double>(ranks_.size() - 1)); }
  double firstShare() const { return busy_ / end_; }
  std::int64_t chunks() const { return handOut_.chunks(); }

 private:
  struct Event {
    double time = 0;
    std::size_t rank = 0;
    bool isAtFirst = false;  ///< results, or the wish for work, arrive there; else the rank's task ends
    std::int64_t number = 0;
    bool operator<(const Event &o) const { return std::pair(time, number) > std::pair(o.time, o.number); }
  };
  struct Rank {
    std::deque<std::int64_t> tasks;              // the first of them runs
    std::vector<std::int64_t> results;           // not sent yet
    std::deque<std::vector<std::int64_t>> sent;  // on their way
    double sentAt = 0;
    bool isWaiting = true;
  };

  void at(double time, std::size_t rank, bool isAtFirst) { events_.push({time, rank, isAtFirst, number_++}); }

  /// The first rank takes one message after the other.
  void serve(double arrival, std::size_t rank) {
    free_ = std::max(free_, arrival);
    double takes = costs_.message;
    Rank &r = ranks_[rank];
    if (!r.sent.empty()) {
      takes += costs_.result * static_cast<double>(r.sent.front().size());
      for (const std::int64_t t : r.sent.front())
        static_cast<void>(handOut_.finish(rank, t, seconds_[static_cast<std::size_t>(t)]));
      r.sent.pop_front();
    }
    const std::vector<std::int64_t> chunk = handOut_.take(rank);
    free_ += takes;
    busy_ += takes;
    end_ = std::max(end_, free_);
    if (chunk.empty()) return;
    const double there = free_ + kLatency;
    r.tasks.insert(r.tasks.end(), chunk.begin(), chunk.end());
    if (!r.isWaiting) return;
    r.isWaiting = false;
    at(there + seconds_[static_cast<std::size_t>(r.tasks.front())], rank, false);
  }

  void finishTask(double now, std::size_t rank) {
    Rank &r = ranks_[rank];
    r.results.push_back(r.tasks.front());
    r.tasks.pop_front();
    if (r.tasks.empty() || now - r.sentAt >= cluster::messageSeconds(ranks_.size())) {
      r.sent.push_back(std::move(r.results));
      r.results.clear();
      r.sentAt = now;
      at(now + kLatency, rank, true);
    }
    r.isWaiting = r.tasks.empty();
    if (!r.isWaiting) at(now + seconds_[static_cast<std::size_t>(r.tasks.front())], rank, false);
  }

  Costs costs_;
  cluster::HandOut handOut_;
  std::vector<Rank> ranks_;
  std::vector<double> seconds_;
  std::priority_queue<Event> events_;
  std::int64_t number_ = 0;
  double work_ = 0, free_ = 0, busy_ = 0, end_ = 0;
};

void row(std::size_t ranks, std::int64_t tasks, const std::vector<double> &seconds, double scale, Costs costs) {
  double mean = 0;
  for (const double s : seconds) mean += scale * s / static_cast<double>(seconds.size());
  Simulation s(ranks, tasks, seconds, scale, costs);
  s.run();
  fmt::print("| {} | {} | {:.3g} ms | {:.2f} s | {} | {:.1f} % | {:.1f} % |\n", ranks, tasks, 1e3 * mean, s.seconds(),
             s.chunks(), 100 * s.idleShare(), 100 * s.firstShare());
}

}  // namespace

int main(int argc, char **argv) {
  std::int64_t ranks = 0, perRank = 1000;
  std::vector<double> seconds;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--ranks" && i + 1 < argc) {
      ranks = std::atoll(argv[++i]);
    } else if (word == "--tasks" && i + 1 < argc) {
      perRank = std::atoll(argv[++i]);
    } else {
      std::ifstream in(word);
      for (double s = 0; in >> s;) seconds.push_back(s);
    }
  }
  if (seconds.empty()) seconds = measuredTasks();
  std::ranges::sort(seconds);
  const Costs costs = measuredCosts();
  fmt::print(
      "{} tasks measured: {:.3g} ms to {:.3g} ms, median {:.3g} ms; the first rank takes {:.1f} us for a message and "
      "{:.1f} us for a result\n\n",
      seconds.size(), 1e3 * seconds.front(), 1e3 * seconds.back(), 1e3 * seconds[seconds.size() / 2],
      1e6 * costs.message, 1e6 * costs.result);
  fmt::print(
      "| ranks | tasks | mean task | takes | chunks | idle | first rank busy "
      "|\n|---:|---:|---:|---:|---:|---:|---:|\n");
  if (ranks > 0) {
    row(static_cast<std::size_t>(ranks), ranks * perRank, seconds, 1, costs);
    return 0;
  }
  for (const std::int64_t n : {100, 1'000, 10'000}) row(static_cast<std::size_t>(n), n * perRank, seconds, 1, costs);
  for (const double scale : {10.0, 100.0}) row(10'000, 10'000 * perRank, seconds, scale, costs);
  for (const std::int64_t each : {perRank / 10, perRank / 100}) row(10'000, 10'000 * each, seconds, 100, costs);
}
