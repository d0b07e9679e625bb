#include "pimento/cluster/other_rank.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "pimento/base/checksum.h"
#include "pimento/cluster/hand_out.h"
#include "pimento/cluster/this_process.h"

namespace pimento::cluster {

namespace {

using Clock = std::chrono::steady_clock;

/// Tasks that threads compute, and results that wait to be sent. What is left of both at the end is dropped.
struct Bench {
  std::mutex mutex;
  std::condition_variable hasTasks;
  std::deque<TaskMessage> tasks;
  std::vector<ResultMessage> results;
  std::string problem;  ///< why a thread ended; empty: none has
  std::size_t working = 0;
  bool isClosed = false;
  Work work;

  void run() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      hasTasks.wait(lock, [&] { return isClosed || !tasks.empty(); });
      if (isClosed) return;
      const TaskMessage task = std::move(tasks.front());
      tasks.pop_front();
      ++working;
      lock.unlock();
      const Clock::time_point start = Clock::now();
      std::string text, wrong;
      try {
        text = work(task.text);
      } catch (const std::bad_alloc &) {
        wrong = "out of memory";
      } catch (const std::exception &e) {
        wrong = e.what();
      }
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      lock.lock();
      --working;
      if (wrong.empty()) {
        results.push_back({task.number, seconds, std::move(text)});
      } else {
        problem = wrong;
        return;
      }
    }
  }
};

}  // namespace

OtherRank::~OtherRank() {
  leave({});
}

Status OtherRank::join(const std::string &plan, Work work, int jobs) {
  channel_->send(0, written(Hello{md5(plan), build_, hostName(), getpid(), jobs}));
  Bench bench;
  bench.work = std::move(work);
  std::vector<std::thread> threads;
  for (int j = 0; j < jobs; ++j) threads.emplace_back([&bench] { bench.run(); });
  const std::chrono::duration<double> flush(messageSeconds(channel_->count()));  // results that are kept back at most
  Clock::time_point heardAt = Clock::now(), saidAt = heardAt, sentAt = heardAt;
  while (!hasEnded_) {
    std::size_t from = 0;
    std::string message;
    bool isBusy = false;
    while (!hasEnded_ && channel_->receive(from, message)) {
      isBusy = true;
      heardAt = Clock::now();
      std::vector<TaskMessage> tasks;
      if (kindOf(message) == Message::kEnd) {
        hasEnded_ = true;
      } else if (read(message, tasks)) {
        const std::lock_guard<std::mutex> lock(bench.mutex);
        for (TaskMessage &t : tasks) bench.tasks.push_back(std::move(t));
        bench.hasTasks.notify_all();
      }
    }
    const Clock::time_point now = Clock::now();
    std::vector<ResultMessage> results;
    {
      const std::lock_guard<std::mutex> lock(bench.mutex);
      if (!bench.problem.empty()) break;
      const bool isShort = bench.tasks.size() + bench.working < static_cast<std::size_t>(jobs);
      if (!bench.results.empty() && (isShort || now - sentAt >= flush)) results.swap(bench.results);
    }
    if (!results.empty()) {
      channel_->send(0, written(results));
      saidAt = sentAt = now;
      isBusy = true;
    } else if (now - saidAt >= patience_.sign) {
      channel_->send(0, written(Message::kAlive));
      saidAt = now;
    }
    if (now - heardAt >= patience_.silence) loseFirst();
    if (!isBusy) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  {
    const std::lock_guard<std::mutex> lock(bench.mutex);
    bench.isClosed = true;
    bench.hasTasks.notify_all();
  }
  for (std::thread &thread : threads) thread.join();  // what they are in is dropped
  if (!bench.problem.empty())
    return capacityError("rank-failed", {}, bench.problem, "start fewer ranks on a node, or use smaller sizes");
  if (!isWhole_)
    return usageError("ranks-lost", "", "the first rank was not heard of any more, so this one ends",
                      "with --store FILE.db the same command continues where it stopped");
  return okStatus();
}

Status OtherRank::compute(const Tasks & /*tasks*/, const std::atomic<bool> * /*isStopped*/, const Take & /*take*/) {
  return okStatus();
}

/// It was silent for too long.
void OtherRank::loseFirst() {
  hasEnded_ = true;
  isWhole_ = false;
}

void OtherRank::leave(const Diagnostics &problems) {
  if (isLeft_) return;
  isLeft_ = true;
  if (!hasEnded_) {
    if (!problems.empty()) channel_->send(0, written(problems));
    for (Clock::time_point heardAt = Clock::now(); !hasEnded_;) {
      std::size_t from = 0;
      std::string message;
      if (channel_->receive(from, message)) {
        heardAt = Clock::now();
        hasEnded_ = kindOf(message) == Message::kEnd;
      } else if (Clock::now() - heardAt >= patience_.silence) {
        loseFirst();
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  channel_->close(isWhole_);
}

}  // namespace pimento::cluster
