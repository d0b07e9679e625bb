#include "pimento/sim/dram/channel.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dram {

using machine::CommandKind;
using program::Transaction;

ChannelCounts &ChannelCounts::add(const ChannelCounts &o, std::int64_t times) {
  activates += o.activates * times;
  allBankActivates += o.allBankActivates * times;
  precharges += o.precharges * times;
  allBankPrecharges += o.allBankPrecharges * times;
  refreshes += o.refreshes * times;
  lostRefreshes += o.lostRefreshes * times;
  columns += o.columns * times;
  return *this;
}

template <typename Source, typename Policy>
ChannelOf<Source, Policy>::ChannelOf(const ChannelSpec &spec, Source source, CommandObserver *observer)
    : spec_(&spec),
      observer_(observer),
      source_(std::move(source)),
      policy_(spec),
      device_(spec.device),
      queue_(spec.commandQueue),
      progress_(spec.modes.changes.size(), 0) {
  enterMode(0);
  if (!spec.hasRefresh) return;
  for (int r = 0; r < spec.device.ranks; ++r) due_.push_back(spec.refreshInterval / spec.device.ranks * (r + 1));
  nextDue_ = *std::min_element(due_.begin(), due_.end());
}

template <typename Source, typename Policy>
Checkpoint ChannelOf<Source, Policy>::run() {
  for (;;) {
    if constexpr (!Source::kIsQueuedAtOnce)
      if (t_ > source_.horizon()) return {Checkpoint::Kind::kWaiting, -1};
    if (nextDue_ <= t_) {
      takeRefreshRequests();
      admit();
      return {isStarved() ? Checkpoint::Kind::kStuck : Checkpoint::Kind::kEvent, -1};
    }
    if (modeAt_ <= t_) {
      enterMode(nextMode_);
      modeAt_ = kNever;
    }
    if (admit()) return {Checkpoint::Kind::kIteration, crossed_};
    if (queue_.commands() == 0 && source_.isDone()) return {Checkpoint::Kind::kDone, -1};
    const typename Policy::Decision decision = policy_.decide({device_, queue_, t_, pending_, refused_});
    // The first cycle at which something from outside may change the answer.
    Tick limit = std::min(nextDue_, modeAt_), arrival = nextArrival_;
    if constexpr (!Source::kIsQueuedAtOnce) {
      limit = std::min(limit, source_.horizon() + 1);
      arrival = std::max(arrival, source_.arrival());
    }
    if (decision.isOpen && queue_.commands() < spec_->commandQueue && !source_.isDone())
      limit = std::min(limit, arrival + 1);
    if (decision.choice.time < limit) {
      execute(decision.choice);
      t_ = decision.choice.time + 1;
      // With refresh, events look for this, so that a fast-forwarded run stops in the same place.
      if (decision.choice.act == Act::kPrecharge && nextDue_ == kNever && isStarved())
        return {Checkpoint::Kind::kStuck, -1};
    } else if (decision.choice.act == Act::kNone && isStuck(decision)) [[unlikely]] {
      return {Checkpoint::Kind::kStuck, -1};
    } else {
      t_ = limit;
    }
  }
}

// One transaction enters the command queue per cycle while there is room. A host that has queued everything at cycle 0
// never lets the transaction queue behind it run dry. Returns true if that completed an iteration worth a look.
template <typename Source, typename Policy>
bool ChannelOf<Source, Policy>::admit() {
  bool isCrossed = false;
  while (nextArrival_ < t_ && queue_.commands() < spec_->commandQueue && !source_.isDone()) {
    const Tick at = Source::kIsQueuedAtOnce ? nextArrival_ : std::max(nextArrival_, source_.arrival());
    if (!Source::kIsQueuedAtOnce && at >= t_) break;
    Transaction t = source_.peek();
    if constexpr (Source::kIsQueuedAtOnce) {
      // The transaction queue is exactly full and nothing has overflowed yet: the barrier has nowhere to go.
      if (spec_->losesBarriers && fetched_ + 1 == spec_->transactionQueue) t.isBarrier = false;
    } else if (queue_.commands() == 0) {
      busySince_ = at;
    }
    queue_.add(t, source_.mayContinue(t), observer_ == nullptr ? 0 : source_.burst(t));
    ++fetched_;
    nextArrival_ = (t.isBarrier && spec_->fence > 0) ? kNever : at + 1;
    const int crossed = source_.advance();
    if constexpr (Source::kHasLoops)
      if (crossed >= 0 && fetched_ > spec_->transactionQueue &&
          isWorthCheckpoint(source_.position().code().loops()[static_cast<std::size_t>(crossed)])) {
        crossed_ = crossed;
        isCrossed = true;
      }
  }
  if (nextArrival_ < t_) nextArrival_ = t_;
  return isCrossed;
}

// Nothing can issue now: could a mode change, an arrival or the precharges of a refresh change that?
template <typename Source, typename Policy>
bool ChannelOf<Source, Policy>::isStuck(const typename Policy::Decision &decision) const {
  if (modeAt_ != kNever || (device_.active() != 0 && nextDue_ != kNever)) return false;
  return queue_.commands() == spec_->commandQueue || source_.isDone() || nextArrival_ == kNever || !decision.isOpen;
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::execute(const Choice &choice) {
  t_ = choice.time;
  policy_.onIssue(choice);
  switch (choice.act) {
    case Act::kColumn:
      issueColumn(choice);
      break;
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
      device_.issue(spec_->refresh, first, 0, -1, t_);
      pending_ &= ~(std::uint64_t{1} << choice.index);
      ++counts_.refreshes;
      notify(spec_->refresh, first, 0);
      break;
    }
    case Act::kNone:
      PIMENTO_CHECK(!"nothing can ever issue");
  }
}

/// Opens or closes rows; `one` and `many` count it, by how many banks it reaches.
template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::issueRow(const Choice &choice, int bank, std::int64_t row, int opener,
                                         std::int64_t &one, std::int64_t &many) {
  const bool isWide = spec_->device.width[static_cast<std::size_t>(choice.command)] > 1;
  device_.issue(choice.command, bank, static_cast<std::int32_t>(row), opener, t_);
  ++(isWide || spec_->modes.reachesMany(mode_, bank, row) ? many : one);
  notify(choice.command, bank, row);
  trackMode(spec_->device.kind[static_cast<std::size_t>(choice.command)], bank, row);
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::issueColumn(const Choice &choice) {
  const CommandQueue::Run &run = queue_[choice.index];
  const std::int64_t burst = run.burst + choice.place;
  Transaction t = run.first;
  t.command += choice.place;
  t.column = static_cast<std::int16_t>(t.column + choice.place);
  const Tick latency = spec_->latency[static_cast<std::size_t>(t.op)];
  device_.issue(t.op, t.bank, t.row, t.command, t_);
  lastCompletion_ = std::max(lastCompletion_, t_ + latency);
  ++counts_.columns;
  if (t.isBarrier && spec_->fence > 0 && nextArrival_ == kNever) nextArrival_ = t_ + latency + spec_->fence;
  if (observer_ != nullptr) notify(t.op, t.bank, t.row, t.column, &t, burst);
  queue_.remove(choice.index, choice.place);
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::trackMode(CommandKind kind, int bank, std::int64_t row) {
  const Modes &m = spec_->modes;
  if (m.changes.empty() || row < m.reservedRows.front()) return;
  for (std::size_t i = 0; i < m.changes.size(); ++i) {
    const Modes::Change &r = m.changes[i];
    // Commands arrive in order, so this one meets the mode that the ones before it will have set.
    if (r.command != kind || r.row != row || r.to == nextMode_) continue;
    const std::uint64_t bit = std::uint64_t{1} << (bank % spec_->device.banksPerRank);
    if (bank >= spec_->device.banksPerRank * m.ranks || !(r.banks & bit)) continue;
    progress_[i] |= bit;
    if (progress_[i] != r.banks) continue;
    progress_[i] = 0;
    nextMode_ = r.to;
    modeAt_ = t_ + spec_->commandLatency;
  }
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::enterMode(int mode) {
  mode_ = mode;
  refused_ = spec_->modes.modes[static_cast<std::size_t>(mode)].refused;
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::notify(int op, int bank, std::int64_t row, std::int64_t column,
                                       const Transaction *transaction, std::int64_t burst) const {
  if (observer_ == nullptr) return;
  const auto k = static_cast<std::size_t>(op);
  IssuedCommand c{t_, spec_->device.kind[k], bank, row, column, nullptr, burst, op, spec_->device.reach(op, bank)};
  c.name = spec_->names[k];
  if (transaction != nullptr) {
    c.number = transaction->command;
    c.command = source_.command(c.number);
  }
  observer_->onCommand(c);
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::takeRefreshRequests() {
  for (int r = 0; r < spec_->device.ranks; ++r) {
    Tick &due = due_[static_cast<std::size_t>(r)];
    if (due > t_) continue;
    due += spec_->refreshInterval;
    const std::uint64_t bit = std::uint64_t{1} << r;
    if (spec_->hasSingleRefreshSlot) {
      if (pending_ != 0) ++counts_.lostRefreshes;
      pending_ = bit;
    } else {
      if (pending_ & bit) ++counts_.lostRefreshes;
      pending_ |= bit;
    }
  }
  nextDue_ = *std::min_element(due_.begin(), due_.end());
}

template <typename Source, typename Policy>
Transaction ChannelOf<Source, Policy>::normalised(const Transaction &t, int scope) const
  requires(Source::kHasLoops)
{
  Transaction n = t;
  const program::LoopsCursor &cursor = source_.position();
  const program::FlatLoops &code = cursor.code();
  const program::FlatLoops::FlatCommand &f = code.commands()[static_cast<std::size_t>(t.command)];
  const int deepest = std::min({scope, f.depth - 1, cursor.depth() - 1});
  for (int d = 0; d <= deepest; ++d) {
    const auto i = static_cast<std::size_t>(d);
    const int loop = cursor.loopAt(d);
    if (f.loops[i] != loop) break;
    if (!code.loops()[static_cast<std::size_t>(loop)].isUniform) continue;
    n.row -= static_cast<std::int32_t>(f.command.row.stride[i] * cursor.counter(d));
    n.column = static_cast<std::int16_t>(n.column - f.command.column.stride[i] * cursor.counter(d));
  }
  return n;
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::encode(int scope, bool withCountdowns, StateWords &out) const
  requires(Source::kHasLoops)
{
  const program::LoopsCursor &cursor = source_.position();
  out.put(cursor.step(), scope);
  for (int d = 0; d < cursor.depth(); ++d)
    if (d > scope || !cursor.code().loops()[static_cast<std::size_t>(cursor.loopAt(d))].isUniform)
      out.put(cursor.counter(d));
  out.put(mode_ | (nextMode_ << 8) | (policy_.state() << 16), queue_.runs());
  out.put(modeAt_ == kNever ? -1 : modeAt_ - t_);
  // A completion still ahead may be the last one of all; one that has passed cannot.
  out.put(std::max<Tick>(lastCompletion_ - t_, 0));
  out.put(static_cast<std::int64_t>(pending_));
  out.put(nextArrival_ == kNever ? -1 : std::max<Tick>(nextArrival_ - t_, 0));
  out.put(std::min(fetched_, spec_->transactionQueue));
  for (const std::uint64_t p : progress_) out.put(static_cast<std::int64_t>(p));
  for (int i = 0; i < queue_.runs(); ++i) {
    const CommandQueue::Run &run = queue_[i];
    const Transaction t = normalised(run.first, scope);
    out.put(t.row, t.column);
    out.put(t.command, 2 * run.length + (run.first.isBarrier ? 1 : 0));
  }
  out.put(static_cast<std::int64_t>(device_.active()));
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const Bank &b = device_.bank(std::countr_zero(m));
    Transaction t;
    t.row = b.row;
    t.command = b.opener;
    out.put(normalised(t, scope).row, b.opener);
  }
  device_.encode(t_, out);
  if (!withCountdowns) return;
  out.put(-7);
  for (const Tick due : due_) out.put(due - t_);
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::shift(const LoopShift &by, Tick time, bool withEvents)
  requires(Source::kHasLoops)
{
  program::LoopsCursor &cursor = source_.position();
  const program::FlatLoops &code = cursor.code();
  const auto moved = [&](int command, std::int64_t &row, std::int64_t &column) {
    const program::FlatLoops::FlatCommand &f = code.commands()[static_cast<std::size_t>(command)];
    row = column = 0;
    for (int d = 0; d < std::min(f.depth, cursor.depth()); ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (f.loops[i] != cursor.loopAt(d)) break;
      row += f.command.row.stride[i] * by[i];
      column += f.command.column.stride[i] * by[i];
    }
  };
  std::int64_t row = 0, column = 0;
  for (int i = 0; i < queue_.runs(); ++i) {
    Transaction &t = queue_[i].first;
    moved(t.command, row, column);
    t.row += static_cast<std::int32_t>(row);
    t.column = static_cast<std::int16_t>(t.column + column);
  }
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const int b = std::countr_zero(m);
    moved(device_.bank(b).opener, row, column);
    device_.shiftRow(b, row);
  }
  for (int d = 0; d < program::kMaxDepth; ++d)
    if (by[static_cast<std::size_t>(d)] != 0) cursor.shift(d, by[static_cast<std::size_t>(d)]);
  device_.shiftTimes(time);
  t_ += time;
  lastCompletion_ += time;
  if (nextArrival_ != kNever) nextArrival_ += time;
  if (modeAt_ != kNever) modeAt_ += time;
  if (!withEvents) return;
  for (Tick &due : due_) due += time;
  if (nextDue_ != kNever) nextDue_ += time;
}

template class ChannelOf<LoopsSource>;
template class ChannelOf<ListSource>;
template class ChannelOf<RequestSource>;

}  // namespace pimento::sim::dram
