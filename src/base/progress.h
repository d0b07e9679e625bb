// A progress line with the time left, on standard error.
//
// Shown only where someone watches: standard error is a terminal, progress is wanted, and the work has taken over a
// second; or, where this process writes a job's log, as lines of their own each half minute. Thread-safe. The one class
// of the library that writes to a stream, because it was asked to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace pimento {

class Progress {
 public:
  /// `total` items of work called `what`; nothing is ever shown unless `isWanted` and standard error is a terminal.
  Progress(std::string what, std::int64_t total, bool isWanted);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// `count` more items are done.
  void advance(std::int64_t count = 1);

  /// From now on, standard error is a job's log.
  static void toLog() { isLog_ = true; }

  /// The line for `done` items after `seconds`: "tuning: 25 % (1/4), 9 s left".
  static std::string line(const std::string &what, std::int64_t done, std::int64_t total, double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  static inline std::atomic<bool> isLog_ = false;

  std::string what_;
  std::int64_t total_;
  bool isShown_;
  Clock::time_point start_ = Clock::now();
  std::atomic<std::int64_t> done_{0};
  std::mutex mutex_;
  Clock::time_point lastShown_{};
  std::size_t lastLength_ = 0;
};

}  // namespace pimento
