// How the host reaches the WRAM of a DPU whose program runs: between two instructions, in the thread that simulates.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "pimento/sim/dpu/dpu.h"

namespace pimento::upmem {

class Door : public sim::dpu::Observer {
 public:
  /// Something to do between two instructions.
  struct Visit {
    std::function<void()> run;
    bool isDone = false;
  };
  /// Has it done before the next instruction of the run; at once where nothing runs. It must live until wait() returns.
  void post(Visit &visit) {
    const std::lock_guard lock(mutex_);
    if (!isRunning_) {
      visit.run();
      visit.isDone = true;
      return;
    }
    waiting_.push_back(&visit);
    isAsked_.store(true, std::memory_order_relaxed);
  }
  void wait(const Visit &visit) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return visit.isDone; });
  }
  bool isRunning() const {
    const std::lock_guard lock(mutex_);
    return isRunning_;
  }
  /// Whether visits would wait for the end of a run.
  bool isShut() const {
    const std::lock_guard lock(mutex_);
    return isRunning_ && !isOpen_;
  }

  /// A run, as long as it lives; `isOpen`: it has the door as its observer.
  class Running {
   public:
    Running(Door &door, bool isOpen) : door_(door) {
      const std::lock_guard lock(door.mutex_);
      door.isRunning_ = true;
      door.isOpen_ = isOpen;
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
    // Programs that wait for the host leave it, and each other, processors to run on.
    constexpr std::uint32_t kPatience = 1 << 12;
    if (++issued_ % kPatience == 0) std::this_thread::yield();
    if (!isAsked_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    serve();
  }
  void onTransfer(std::int64_t, std::int64_t, std::int64_t, std::int64_t, int, bool, std::int64_t) override {}

 private:
  /// Under the lock.
  void serve() {
    for (Visit *v : waiting_) {
      v->run();
      v->isDone = true;
    }
    waiting_.clear();
    isAsked_.store(false, std::memory_order_relaxed);
    done_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable done_;
  std::vector<Visit *> waiting_;
  std::atomic<bool> isAsked_ = false;
  bool isRunning_ = false, isOpen_ = false;
  std::uint32_t issued_ = 0;  ///< only of the thread that simulates
};

/// Does visit(dpu) for all of `dpus`, at about the same time: pointers to what has a door.
template <typename Dpus, typename F>
void visitAll(const Dpus &dpus, F &&visit) {
  std::vector<Door::Visit> visits(dpus.size());
  for (std::size_t i = 0; i < dpus.size(); ++i) {
    visits[i].run = [&visit, &dpus, i] { visit(i, *dpus[i]); };
    dpus[i]->door.post(visits[i]);
  }
  for (std::size_t i = 0; i < dpus.size(); ++i) dpus[i]->door.wait(visits[i]);
}

}  // namespace pimento::upmem
