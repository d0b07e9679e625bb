#include "pimento/sim/dram/barrier_queue.h"

#include <algorithm>
#include <bit>

#include "pimento/sim/dram/moved.h"

namespace pimento::sim::dram {

using machine::CommandKind;
using program::LoopsCursor;
using program::Transaction;

BarrierQueue::BarrierQueue(const ChannelSpec &spec, const program::FlatLoops *code, CommandObserver *observer)
    : ChannelCore(spec, code, observer),
      policy_(spec),
      queue_(spec.commandQueue),
      modeProgress_(spec.modes.changes.size(), 0) {
  enterMode(0);
}

void BarrierQueue::requestRefresh(std::uint64_t ranks) {
  wake_ = 0;
  for (; ranks != 0; ranks &= ranks - 1) {
    const std::uint64_t bit = ranks & -ranks;
    if (spec_->hasSingleRefreshSlot) {
      if (pending_ != 0) ++counts_.lostRefreshes;
      pending_ = bit;
    } else {
      if ((pending_ & bit) != 0) ++counts_.lostRefreshes;
      pending_ |= bit;
    }
  }
}

// After a command, the next one is decided a cycle later; a request is refused until one has gone, a cycle has passed
// since the last one, or the fence is over.
void BarrierQueue::cycle(Tick t) {
  enterDueMode(t);
  const Choice choice = decide(t).choice;
  if (choice.time <= t) {
    execute(choice);
    wake_ = t + 1;
    return;
  }
  wake_ = std::min(choice.time, modeAt_);
  if (nextArrival_ >= t) wake_ = std::min(wake_, nextArrival_ + 1);
}

void BarrierQueue::executeOther(const Choice &choice) {
  switch (choice.act) {
    case Act::kActivate: {
      const Transaction &p = queue_[choice.index].first;
      issueRow(choice, choice.place, p.row, p.command, counts_.activates, counts_.allBankActivates);
      break;
    }
    case Act::kPrecharge:
      issueRow(choice, choice.index, device_.bank(choice.index).row, -1, counts_.precharges, counts_.allBankPrecharges);
      break;
    case Act::kRefresh: {
      const int first = choice.index * spec_->device.banksPerRank;
      device_.issue(spec_->refresh, first, 0, -1, choice.time);
      pending_ &= ~(std::uint64_t{1} << choice.index);
      ++counts_.refreshes;
      notify(choice.time, spec_->refresh, first, 0, 0, -1);
      break;
    }
    case Act::kColumn:
    case Act::kNone:
      PIMENTO_CHECK(!"nothing can ever issue");
  }
}

/// Opens or closes rows; `one` and `many` count it, by how many banks it reaches.
void BarrierQueue::issueRow(const Choice &choice, int bank, std::int64_t row, int opener, std::int64_t &one,
                            std::int64_t &many) {
  const bool isWide = spec_->device.width[static_cast<std::size_t>(choice.command)] > 1;
  device_.issue(choice.command, bank, static_cast<std::int32_t>(row), opener, choice.time);
  ++(isWide || spec_->modes.reachesMany(mode_, bank, row) ? many : one);
  notify(choice.time, choice.command, bank, row, 0, -1);
  trackMode(choice.time, spec_->device.kind[static_cast<std::size_t>(choice.command)], bank, row);
}

void BarrierQueue::issueColumn(const Choice &choice) {
  const CommandQueue::Run &run = queue_[choice.index];
  Transaction t = run.first;
  t.command += choice.place;
  t.column = static_cast<std::int16_t>(t.column + choice.place);
  const Tick latency = spec_->latency[static_cast<std::size_t>(t.op)];
  device_.issue(t.op, t.bank, t.row, t.command, choice.time, lengthOf(t.command));
  progress_ = std::max(progress_, choice.time + latency);
  ++counts_.columns;
  if (t.isBarrier && spec_->fence > 0 && nextArrival_ == kNever) nextArrival_ = choice.time + latency + spec_->fence;
  notify(choice.time, t.op, t.bank, t.row, t.column, t.command, run.burst + choice.place);
  queue_.remove(choice.index, choice.place);
}

void BarrierQueue::trackMode(Tick t, CommandKind kind, int bank, std::int64_t row) {
  const Modes &m = spec_->modes;
  if (m.changes.empty() || row < m.reservedRows.front()) return;
  for (std::size_t i = 0; i < m.changes.size(); ++i) {
    const Modes::Change &r = m.changes[i];
    // Commands arrive in order, so this one meets the mode that the ones before it will have set.
    if (r.command != kind || r.row != row || r.to == nextMode_) continue;
    const std::uint64_t bit = std::uint64_t{1} << (bank % spec_->device.banksPerRank);
    if (bank >= spec_->device.banksPerRank * m.ranks || !(r.banks & bit)) continue;
    modeProgress_[i] |= bit;
    if (modeProgress_[i] != r.banks) continue;
    modeProgress_[i] = 0;
    nextMode_ = r.to;
    modeAt_ = t + spec_->commandLatency;
  }
}

void BarrierQueue::enterMode(int mode) {
  mode_ = mode;
  refused_ = spec_->modes.modes[static_cast<std::size_t>(mode)].refused;
}

// Parts that several channels stand in one behind the other tell where they end.
void BarrierQueue::encode(Part part, const LoopsCursor &cursor, Tick now, StateWords &out) const {
  const auto ahead = [now](Tick t) { return t == kNever ? -1 : std::max<Tick>(t - now, 0); };
  switch (part) {
    case Part::kMode:
      out.put(mode_, nextMode_);
      return out.put(ahead(modeAt_));
    case Part::kModeProgress:
      for (const std::uint64_t p : modeProgress_) out.put(static_cast<std::int64_t>(p));
      return;
    case Part::kTurn:
      return out.put(policy_.state());
    case Part::kCompletion:  // one still ahead may be the last one of all; one that has passed cannot
      return out.put(ahead(progress_));
    case Part::kPending:
      return out.put(static_cast<std::int64_t>(pending_));
    case Part::kArrival:
      // A request may come in the cycle after; so one that may come now is told from one that may not.
      return out.put(nextArrival_ == kNever ? -1 : std::max<Tick>(nextArrival_ - (now - 1), 0));
    case Part::kQueue:
      return encodeQueue(cursor, out);
    case Part::kRows:
      return encodeRows(cursor, out);
    case Part::kWaits:
      device_.encodeWaits(now, out);
      return out.put(-1);
    case Part::kBusyBanks:
      device_.encodeBusyBanks(now, out);
      return out.put(-1);
    case Part::kWindows:
      device_.encodeWindows(now, out);
      return out.put(-1);
  }
}

void BarrierQueue::restore(Part part, const LoopsCursor &cursor, Tick now, StateReader &in) {
  switch (part) {
    case Part::kMode: {
      const auto [mode, nextMode] = in.getPair();
      enterMode(mode);
      nextMode_ = nextMode;
      modeAt_ = in.getTime(now, kNever);
      return;
    }
    case Part::kModeProgress:
      for (std::uint64_t &p : modeProgress_) p = static_cast<std::uint64_t>(in.get());
      return;
    case Part::kTurn:
      return policy_.setState(static_cast<int>(in.get()));
    case Part::kCompletion:
      progress_ = now + in.get();
      return;
    case Part::kPending:
      pending_ = static_cast<std::uint64_t>(in.get());
      return;
    case Part::kArrival:
      nextArrival_ = in.getTime(now - 1, kNever);
      return;
    case Part::kQueue:
      return restoreQueue(cursor, in);
    case Part::kRows:
      return restoreRows(cursor, in);
    case Part::kWaits:
      return device_.restoreWaits(now, in);
    case Part::kBusyBanks:
      return device_.restoreBusyBanks(now, in);
    case Part::kWindows:
      return device_.restoreWindows(now, in);
  }
}

void BarrierQueue::encodeQueue(const LoopsCursor &cursor, StateWords &out) const {
  out.put(queue_.runs());
  for (int i = 0; i < queue_.runs(); ++i) {
    const CommandQueue::Run &run = queue_[i];
    const Moved moved = movedBy(cursor, flatCommand(cursor, run.first.command));
    out.put(static_cast<std::int32_t>(run.first.row - moved.row),
            static_cast<std::int32_t>(run.first.column - static_cast<std::int16_t>(moved.column)));
    out.put(run.first.command, 2 * run.length + (run.first.isBarrier ? 1 : 0));
  }
}

void BarrierQueue::restoreQueue(const LoopsCursor &cursor, StateReader &in) {
  queue_.clear();
  for (std::int64_t n = in.get(); n > 0; --n) {
    const auto [row, column] = in.getPair();
    const auto [command, length] = in.getPair();
    const program::FlatLoops::FlatCommand &f = flatCommand(cursor, command);
    const Moved moved = movedBy(cursor, f);
    Transaction t = f.origin;
    t.row = static_cast<std::int32_t>(row + moved.row);
    t.column = static_cast<std::int16_t>(column + moved.column);
    t.isBarrier = (length & 1) != 0;
    queue_.addRun(t, length / 2);
  }
}

void BarrierQueue::encodeRows(const LoopsCursor &cursor, StateWords &out) const {
  out.put(static_cast<std::int64_t>(device_.active()));
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const Bank &b = device_.bank(std::countr_zero(m));
    out.put(static_cast<std::int32_t>(b.row - movedBy(cursor, flatCommand(cursor, b.opener)).row), b.opener);
  }
}

void BarrierQueue::restoreRows(const LoopsCursor &cursor, StateReader &in) {
  device_.setActive(static_cast<std::uint64_t>(in.get()));
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const auto [row, opener] = in.getPair();
    device_.setRow(std::countr_zero(m),
                   static_cast<std::int32_t>(row + movedBy(cursor, flatCommand(cursor, opener)).row), opener);
  }
}

}  // namespace pimento::sim::dram
