// A queue of bounded length between two threads: one puts values in, one takes them out, in the same order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace pimento {

template <typename T>
class Pipe {
 public:
  explicit Pipe(std::size_t most) : most_(most) {}

  /// Waits for room; false, and the value is dropped, once the pipe is closed.
  bool put(T value) {
    std::unique_lock lock(mutex_);
    hasRoom_.wait(lock, [&] { return isClosed_ || values_.size() < most_; });
    if (isClosed_) return false;
    values_.push_back(std::move(value));
    hasValue_.notify_one();
    return true;
  }
  /// Waits for a value; none once the pipe is closed and empty.
  std::optional<T> take() {
    std::unique_lock lock(mutex_);
    hasValue_.wait(lock, [&] { return isClosed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<T> out(std::move(values_.front()));
    values_.pop_front();
    hasRoom_.notify_one();
    return out;
  }
  /// Nothing is put in any more; what is there can be taken.
  void close() {
    const std::lock_guard lock(mutex_);
    isClosed_ = true;
    hasRoom_.notify_all();
    hasValue_.notify_all();
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable hasRoom_, hasValue_;
  std::deque<T> values_;
  bool isClosed_ = false;
};

}  // namespace pimento
