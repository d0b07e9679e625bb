#include "queue.h"

#include <algorithm>

namespace pimento::upmem {

namespace {

/// The queue in whose job this thread is.
struct Place {
  const Queue *queue = nullptr;
  bool isDetached = false;
};
thread_local Place here;

}  // namespace

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    isEnding_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) worker_.join();
  for (std::thread &t : detached_) t.join();
}

void Queue::push(RankRange ranks, std::function<Outcome()> job, bool isDetached) {
  {
    const std::lock_guard lock(mutex_);
    if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
    waiting_.push_back({++numbers_, ranks, std::move(job), isDetached});
    pending_.emplace_back(numbers_, ranks);
    ++queued_;
  }
  changed_.notify_all();
}

void Queue::work() {
  here = {this, false};
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return isEnding_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    if (job.isDetached) {
      ++detachedRunning_;
      runDetached(std::move(job));
    } else {
      lock.unlock();
      Outcome outcome = attempt(job.run);
      lock.lock();
      finish(job, std::move(outcome));
    }
    --queued_;
    changed_.notify_all();
  }
}

void Queue::runDetached(Job job) {
  const RankRange ranks = job.ranks;
  const std::uint64_t number = job.number;
  const Outcome started = attempt([&]() -> Outcome {
    detached_.emplace_back([this, j = std::move(job)] {
      here = {this, true};
      Outcome outcome = attempt(j.run);
      const std::lock_guard lock(mutex_);
      finish(j, std::move(outcome));
      --detachedRunning_;
      changed_.notify_all();
    });
    return {};
  });
  if (started) return;
  finish({number, ranks, {}, true}, started);
  --detachedRunning_;
}

void Queue::finish(const Job &job, Outcome outcome) {
  std::erase_if(pending_, [&](const auto &p) { return p.first == job.number; });
  if (!outcome) failures_.push_back({job.ranks, std::move(outcome)});
}

void Queue::wait() {
  if (here.queue == this && !here.isDetached) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queued_ == 0; });
}

Outcome Queue::sync(RankRange ranks) {
  if (isInJob()) return {};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queued_ == 0 && detachedRunning_ == 0; });
  for (std::thread &t : detached_) t.join();
  detached_.clear();
  Outcome first;
  for (Failure &f : failures_)
    if (first && f.ranks.overlaps(ranks)) first = std::move(f.outcome);
  std::erase_if(failures_, [&](const Failure &f) { return f.ranks.overlaps(ranks); });
  return first;
}

bool Queue::isBusy(RankRange ranks) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(pending_, [&](const auto &p) { return p.second.overlaps(ranks); });
}

bool Queue::isInJob() const {
  return here.queue == this;
}

}  // namespace pimento::upmem
