// The command queue that a controller chooses from: column commands in order of arrival.
//
// Commands at consecutive columns of a row form one run: only the first of them can be next, so decisions look at runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pimento/program/loops_cursor.h"

namespace pimento::sim::dram {

/// A copy is a snapshot.
class CommandQueue {
 public:
  struct Run {
    program::Transaction first;
    std::int32_t length = 1;
    std::int64_t burst = 0;  ///< of the first one's image, where observed
  };

  /// For so many commands.
  explicit CommandQueue(std::int64_t capacity) : runs_(static_cast<std::size_t>(2 * capacity)) {}

  int runs() const { return count_; }
  int commands() const { return commands_; }
  const Run &operator[](int i) const { return runs_[static_cast<std::size_t>(head_ + i)]; }
  Run &operator[](int i) { return runs_[static_cast<std::size_t>(head_ + i)]; }

  /// Adds a command; `mayContinue`: it follows the one before it in its source, one column on.
  void add(const program::Transaction &t, bool mayContinue, std::int64_t burst) {
    ++commands_;
    if (mayContinue && count_ > 0 && !t.isBarrier) {
      Run &last = (*this)[count_ - 1];
      if (!last.first.isBarrier && last.first.command + last.length == t.command && last.first.row == t.row &&
          last.first.column + last.length == t.column) {
        ++last.length;
        return;
      }
    }
    makeRoom();
    (*this)[count_++] = {t, 1, burst};
  }

  void clear() { head_ = count_ = commands_ = 0; }
  /// Adds `length` commands from `first` on, each one column behind the one before; of no image.
  void addRun(const program::Transaction &first, std::int32_t length) {
    makeRoom();
    (*this)[count_++] = {first, length, 0};
    commands_ += length;
  }

  /// Takes out command `offset` of run `index`.
  void remove(int index, int offset) {
    --commands_;
    Run &run = (*this)[index];
    if (offset > 0) {  // an older command to the same burst held the front of the run back
      const int behind = run.length - offset - 1;
      run.length = offset;
      if (behind > 0) insertRest(index, offset + 1, behind);
      return;
    }
    if (--run.length > 0) {
      ++run.first.command;
      ++run.first.column;
      ++run.burst;
      return;
    }
    for (int i = index; i > 0; --i) (*this)[i] = (*this)[i - 1];
    ++head_;
    --count_;
  }

 private:
  void makeRoom() {
    if (head_ + count_ < static_cast<int>(runs_.size())) return;
    std::copy(runs_.begin() + head_, runs_.begin() + head_ + count_, runs_.begin());
    head_ = 0;
  }

  /// Makes the last `length` commands of run `index`, from `offset` on, a run of their own.
  void insertRest(int index, int offset, int length) {
    makeRoom();
    for (int i = count_; i > index + 1; --i) (*this)[i] = (*this)[i - 1];
    Run &rest = (*this)[index + 1];
    rest = (*this)[index];
    rest.first.command += offset;
    rest.first.column = static_cast<std::int16_t>(rest.first.column + offset);
    rest.burst += offset;
    rest.length = length;
    ++count_;
  }

  std::vector<Run> runs_;
  int head_ = 0, count_ = 0, commands_ = 0;  // first run, runs, commands in them
};

}  // namespace pimento::sim::dram
