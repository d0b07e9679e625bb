// How the host reaches the WRAM of a DPU whose program runs: between two instructions, in the thread that simulates.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "pimento/sim/dpu/dpu.h"

namespace pimento::upmem {

class Door : public sim::dpu::Observer {
 public:
  /// Does `visit` before the next instruction of the run, or at once where nothing runs. Returns when it is done.
  void enter(const std::function<void()> &visit) {
    std::unique_lock lock(mutex_);
    if (!isRunning_) return visit();
    bool isDone = false;
    waiting_.push_back({&visit, &isDone});
    isAsked_.store(true, std::memory_order_relaxed);
    done_.wait(lock, [&] { return isDone; });
  }
  bool isRunning() const {
    const std::lock_guard lock(mutex_);
    return isRunning_;
  }

  /// A run, as long as it lives.
  class Running {
   public:
    explicit Running(Door &door) : door_(door) {
      const std::lock_guard lock(door.mutex_);
      door.isRunning_ = true;
    }
    ~Running() {
      const std::lock_guard lock(door_.mutex_);
      door_.serve();
      door_.isRunning_ = false;
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

   private:
    Door &door_;
  };

  void onIssue(std::int64_t, int, std::uint32_t) override {
    if (!isAsked_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    serve();
  }
  void onTransfer(std::int64_t, std::int64_t, std::int64_t, std::int64_t, int, bool, std::int64_t) override {}

 private:
  struct Visit {
    const std::function<void()> *run;
    bool *isDone;
  };
  /// Under the lock.
  void serve() {
    for (const Visit &v : waiting_) {
      (*v.run)();
      *v.isDone = true;
    }
    waiting_.clear();
    isAsked_.store(false, std::memory_order_relaxed);
    done_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::vector<Visit> waiting_;
  std::atomic<bool> isAsked_ = false;
  bool isRunning_ = false;
};

}  // namespace pimento::upmem
