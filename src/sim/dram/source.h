// Where a channel's commands come from: the loops of a process, a list, or requests that another engine hands in.
//
// A source is a value; a copy is a snapshot. It offers
//   bool isDone() const;                    nothing will come any more
//   Tick arrival() const;                   the next command enters the queue no earlier; kNever: not known yet
//   Tick horizon() const;                   no decision later than this: what may still come is not known
//   Transaction peek() const; int advance();   the next command; past it, the loop whose iteration that completed or -1
//   bool mayContinue(const Transaction &) const;   it stands one column behind the one before it, moving alike
//   int64 burst(const Transaction &) const;        of its image, for observers
//   const program::FlatLoops *code() const;   whose commands Transaction::command numbers, or null
//   kHasLoops                               position() is a cursor in loops: what fast-forward needs
//   kIsQueuedAtOnce                         the host has queued everything in cycle 0
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/device.h"

namespace pimento::sim::dram {

/// The loops of one process, which must outlive it.
class LoopsSource {
 public:
  static constexpr bool kHasLoops = true, kIsQueuedAtOnce = true;
  LoopsSource(const program::FlatLoops &code) : cursor_(code) {}

  bool isDone() const { return cursor_.isDone(); }
  static constexpr Tick arrival() { return 0; }
  static constexpr Tick horizon() { return kNever; }
  program::Transaction peek() const { return cursor_.peek(); }
  int advance() { return cursor_.advance(); }
  bool mayContinue(const program::Transaction &t) const { return flat(t.command).continuesPrevious; }
  std::int64_t burst(const program::Transaction &t) const {
    const program::FlatLoops::FlatCommand &f = flat(t.command);
    std::int64_t burst = f.command.burst.base;
    for (int d = 0; d < f.depth; ++d) burst += f.command.burst.stride[static_cast<std::size_t>(d)] * cursor_.counter(d);
    return burst;
  }
  const program::FlatLoops *code() const { return &cursor_.code(); }

  const program::LoopsCursor &position() const { return cursor_; }
  program::LoopsCursor &position() { return cursor_; }

 private:
  const program::FlatLoops::FlatCommand &flat(int number) const {
    return cursor_.code().commands()[static_cast<std::size_t>(number)];
  }

  program::LoopsCursor cursor_;
};

/// Commands of a list, all there in cycle 0. A command's number is its place in the list.
class ListSource {
 public:
  static constexpr bool kHasLoops = false, kIsQueuedAtOnce = true;
  ListSource(std::vector<program::Transaction> commands)
      : commands_(std::make_shared<const std::vector<program::Transaction>>(std::move(commands))) {}

  bool isDone() const { return next_ == commands_->size(); }
  static constexpr Tick arrival() { return 0; }
  static constexpr Tick horizon() { return kNever; }
  program::Transaction peek() const {
    program::Transaction t = (*commands_)[next_];
    t.command = static_cast<std::int32_t>(next_);
    return t;
  }
  int advance() {
    ++next_;
    return -1;
  }
  static constexpr bool mayContinue(const program::Transaction & /*t*/) { return false; }
  static constexpr std::int64_t burst(const program::Transaction & /*t*/) { return 0; }
  static constexpr const program::FlatLoops *code() { return nullptr; }

 private:
  std::shared_ptr<const std::vector<program::Transaction>> commands_;
  std::size_t next_ = 0;
};

/// Requests with the cycles in which they arrive, handed in while the channel runs: it stops where a request that is
/// not there yet could matter. A command's number is that of its request, counted from 0.
class RequestSource {
 public:
  static constexpr bool kHasLoops = false, kIsQueuedAtOnce = false;

  /// A request that arrives in cycle `time`, no earlier than those before it and than what was promised.
  void handIn(Tick time, program::Transaction t) {
    PIMENTO_CHECK(time >= horizon_ && !isClosed_);
    t.command = handedIn_++;
    waiting_.push_back({time, t});
    horizon_ = time;
  }
  /// None will arrive before cycle `time`.
  void promise(Tick time) { horizon_ = std::max(horizon_, time); }
  /// None will arrive any more.
  void close() { isClosed_ = true; }

  bool isDone() const { return isClosed_ && waiting_.empty(); }
  Tick arrival() const { return waiting_.empty() ? kNever : waiting_.front().time; }
  /// What arrives in one cycle is seen in the next.
  Tick horizon() const { return isClosed_ ? kNever : horizon_; }
  program::Transaction peek() const { return waiting_.front().command; }
  int advance() {
    waiting_.pop_front();
    return -1;
  }
  static constexpr bool mayContinue(const program::Transaction & /*t*/) { return false; }
  static constexpr std::int64_t burst(const program::Transaction & /*t*/) { return 0; }
  static constexpr const program::FlatLoops *code() { return nullptr; }

 private:
  struct Request {
    Tick time = 0;
    program::Transaction command;
  };
  std::deque<Request> waiting_;
  Tick horizon_ = 0;
  std::int32_t handedIn_ = 0;
  bool isClosed_ = false;
};

}  // namespace pimento::sim::dram
