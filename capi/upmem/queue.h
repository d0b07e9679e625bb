// Asynchronous work of one allocation: jobs that run behind each other, in a thread of their own.
//
// One thread for all ranks: order per rank follows from the one order in which jobs came, and results do not depend on
// how threads are scheduled. Work within a job is spread over threads by whoever wrote the job. A job that nothing
// waits for (a nonblocking callback) begins in its turn and ends on its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "outcome.h"

namespace pimento::upmem {

/// Ranks of an allocation that lie side by side.
struct RankRange {
  std::uint32_t first = 0, count = 0;

  bool overlaps(const RankRange &o) const { return first < o.first + o.count && o.first < first + count; }
};

class Queue {
 public:
  Queue() = default;
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;
  /// Waits for everything.
  ~Queue();

  void push(RankRange ranks, std::function<Outcome()> job, bool isDetached = false);
  /// Returns when all jobs have run; within a job at once.
  void wait();
  /// ... and when those that nothing waits for have, too. Gives the first failure of jobs on these ranks, once.
  Outcome sync(RankRange ranks);
  /// Whether work on these ranks is left.
  bool isBusy(RankRange ranks) const;
  /// Whether the caller runs within a job.
  bool isInJob() const;

 private:
  struct Job {
    std::uint64_t number = 0;
    RankRange ranks;
    std::function<Outcome()> run;
    bool isDetached = false;
  };
  struct Failure {
    RankRange ranks;
    Outcome outcome;
  };
  void work();
  void finish(const Job &job, Outcome outcome);
  void runDetached(Job job);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::vector<std::pair<std::uint64_t, RankRange>> pending_;  ///< jobs that have not ended
  std::size_t queued_ = 0, detachedRunning_ = 0;              ///< of these, in turn or running in turn; on their own
  std::vector<Failure> failures_;
  std::uint64_t numbers_ = 0;
  bool isEnding_ = false;
  std::thread worker_;
  std::vector<std::thread> detached_;
};

}  // namespace pimento::upmem
