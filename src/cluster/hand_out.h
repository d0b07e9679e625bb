// Which rank computes which task: tasks are dealt out in chunks, to ranks that ask for work.
//
// A chunk takes about the same time, by what tasks took so far, and gets smaller towards the end (guided
// self-scheduling: at most half of an equal share of what is left), so that ranks end together. What a lost rank had is
// dealt out again. Nothing here sends, waits or looks at a clock: the same code deals to real ranks (first_rank.cpp)
// and to simulated ones (bench/hand_out.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <vector>

namespace pimento::cluster {

/// Seconds between two messages of one of so many ranks: short against what is lost when it dies, long enough for the
/// first rank, which gets no more than 5,000 in a second.
constexpr double messageSeconds(std::size_t ranks) {
  constexpr double kLeast = 0.1, kEach = 1.0 / 5000;
  return kEach * static_cast<double>(ranks) > kLeast ? kEach * static_cast<double>(ranks) : kLeast;
}

class HandOut {
 public:
  /// Ranks 0 to `ranks - 1`; none has joined. `chunkSeconds`: of work that one job gets at a time; of the first rank,
  /// which gets its work without a message, task by task or 10 ms.
  HandOut(std::size_t ranks, double chunkSeconds) : chunkSeconds_(chunkSeconds), ranks_(ranks) {}
  explicit HandOut(std::size_t ranks) : HandOut(ranks, messageSeconds(ranks)) {}

  /// The rank is there, and works on `jobs` tasks at a time.
  void join(std::size_t rank, int jobs);
  /// The rank is lost: its tasks are the next to be dealt out.
  void leave(std::size_t rank);

  /// A task to be computed; a number of the caller's.
  void add(std::int64_t task) { now_.push_back(task); }
  /// Tasks that other ranks than the first may begin while there is no other, instead of those named before.
  void setLater(std::vector<std::int64_t> tasks) { later_.assign(tasks.begin(), tasks.end()); }
  /// A task that was among the later ones, now or before, and that no rank has begun, is wanted now.
  void promote(std::int64_t task);

  /// The next chunk of a rank; none: it has enough, or there is nothing.
  std::vector<std::int64_t> take(std::size_t rank);
  /// A task is computed, in so many seconds. False: it was before, by another rank.
  bool finish(std::size_t rank, std::int64_t task, double seconds);

  /// No task waits, and no rank has one.
  bool isIdle() const { return now_.empty() && out_ == 0; }
  std::size_t waiting() const { return now_.size(); }
  bool hasLater() const { return !later_.empty(); }
  /// The rank has a job without a task.
  bool isShort(std::size_t rank) const {
    return static_cast<std::int64_t>(ranks_[rank].tasks.size()) < ranks_[rank].jobs;
  }
  std::int64_t chunks() const { return chunks_; }
  /// Of the tasks so far; 0: there is none.
  double meanSeconds() const { return finished_ == 0 ? 0 : seconds_ / static_cast<double>(finished_); }

 private:
  struct Rank {
    int jobs = 0;           ///< 0: it is not there
    std::int64_t each = 1;  ///< tasks for a job, of its last chunk
    std::set<std::int64_t> tasks;
  };

  double chunkSeconds_;
  std::vector<Rank> ranks_;
  std::deque<std::int64_t> now_, later_;
  std::int64_t jobs_ = 0;  // of all ranks that are there
  std::int64_t out_ = 0;   // tasks that ranks have
  std::int64_t chunks_ = 0, finished_ = 0;
  double seconds_ = 0;
};

}  // namespace pimento::cluster
