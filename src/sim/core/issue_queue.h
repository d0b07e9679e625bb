// How many instructions wait to be issued, by the cycles in which they will be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace pimento::sim::core {

class IssueQueue {
 public:
  explicit IssueQueue(int entries) : entries_(static_cast<std::size_t>(entries)), counts_(kNear, 0) {}

  /// The first cycle from `at` on in which there is room; never before an earlier answer. An entry is free from the
  /// cycle on in which its instruction is issued.
  std::int64_t room(std::int64_t at) {
    drop(at);
    if (near_ + far_.size() < entries_) return at;
    std::int64_t first = begin_;
    if (near_ > 0)
      while (counts_[slot(first)] == 0) ++first;
    if (!far_.empty()) first = near_ > 0 ? std::min(first, far_.front()) : far_.front();
    drop(first);
    return first;
  }
  /// One that is issued in a cycle after the last answer.
  void add(std::int64_t issued) {
    if (issued - begin_ < static_cast<std::int64_t>(kNear)) {
      ++counts_[slot(issued)];
      ++near_;
    } else {
      far_.push_back(issued);
      std::push_heap(far_.begin(), far_.end(), std::greater<>());
    }
  }

 private:
  static constexpr std::size_t kNear = 4096;  ///< cycles that are counted one by one; later ones are sorted
  static std::size_t slot(std::int64_t cycle) { return static_cast<std::size_t>(cycle) & (kNear - 1); }

  void drop(std::int64_t until) {
    for (; near_ > 0 && begin_ <= until; ++begin_) {
      near_ -= counts_[slot(begin_)];
      counts_[slot(begin_)] = 0;
    }
    begin_ = std::max(begin_, until + 1);
    while (!far_.empty() && far_.front() <= until) {
      std::pop_heap(far_.begin(), far_.end(), std::greater<>());
      far_.pop_back();
    }
  }

  std::size_t entries_;
  std::vector<std::uint16_t> counts_;  ///< of cycles from begin_ on
  std::int64_t begin_ = 0;
  std::size_t near_ = 0;
  std::vector<std::int64_t> far_;  ///< a heap, the first in front
};

}  // namespace pimento::sim::core
