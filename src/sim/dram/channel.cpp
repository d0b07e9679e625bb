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

// A loop that is not uniform moves nothing here: its counter is a word of the state.
template <typename Source, typename Policy>
std::pair<std::int32_t, std::int16_t> ChannelOf<Source, Policy>::movedBy(int command) const
  requires(Source::kHasLoops)
{
  const program::LoopsCursor &cursor = source_.position();
  const program::FlatLoops &code = cursor.code();
  const program::FlatLoops::FlatCommand &f = code.commands()[static_cast<std::size_t>(command)];
  std::int64_t row = 0, column = 0;
  for (int i = 0; i < f.moveCount; ++i) {
    const program::FlatLoops::FlatCommand::Move &m = f.moves[static_cast<std::size_t>(i)];
    const int loop = f.loops[static_cast<std::size_t>(m.depth)];
    if (m.depth >= cursor.depth() || cursor.loopAt(m.depth) != loop) break;
    if (!code.loops()[static_cast<std::size_t>(loop)].isUniform) continue;
    row += m.row * cursor.counter(m.depth);
    column += m.column * cursor.counter(m.depth);
  }
  return {static_cast<std::int32_t>(row), static_cast<std::int16_t>(column)};
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::encode(StateWords &out) const
  requires(Source::kHasLoops)
{
  const program::LoopsCursor &cursor = source_.position();
  out.begin(Part::kProcess);
  out.put(cursor.step());
  for (int d = 0; d < cursor.depth(); ++d)
    if (!cursor.code().loops()[static_cast<std::size_t>(cursor.loopAt(d))].isUniform) out.put(cursor.counter(d));
  out.begin(Part::kMode);
  out.put(mode_, nextMode_);
  out.put(modeAt_ == kNever ? -1 : std::max<Tick>(modeAt_ - t_, 0));
  out.begin(Part::kModeProgress);
  for (const std::uint64_t p : progress_) out.put(static_cast<std::int64_t>(p));
  out.begin(Part::kTurn);
  out.put(policy_.state());
  out.begin(Part::kCompletion);
  // A completion still ahead may be the last one of all; one that has passed cannot.
  out.put(std::max<Tick>(lastCompletion_ - t_, 0));
  out.begin(Part::kPending);
  out.put(static_cast<std::int64_t>(pending_));
  out.begin(Part::kArrival);
  out.put(nextArrival_ == kNever ? -1 : std::max<Tick>(nextArrival_ - t_, 0));
  out.begin(Part::kFetched);
  out.put(std::min(fetched_, spec_->transactionQueue + 1));
  out.begin(Part::kQueue);
  for (int i = 0; i < queue_.runs(); ++i) {
    const CommandQueue::Run &run = queue_[i];
    const auto [row, column] = movedBy(run.first.command);
    out.put(run.first.row - row, run.first.column - column);
    out.put(run.first.command, 2 * run.length + (run.first.isBarrier ? 1 : 0));
  }
  out.begin(Part::kRows);
  out.put(static_cast<std::int64_t>(device_.active()));
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const Bank &b = device_.bank(std::countr_zero(m));
    out.put(b.row - movedBy(b.opener).first, b.opener);
  }
  out.begin(Part::kWaits);
  device_.encodeWaits(t_, out);
  out.begin(Part::kBusyBanks);
  device_.encodeBusyBanks(t_, out);
  out.begin(Part::kWindows);
  device_.encodeWindows(t_, out);
  out.begin(Part::kCountdowns);
  for (const Tick due : due_) out.put(due - t_);
}

template <typename Source, typename Policy>
void ChannelOf<Source, Policy>::restore(const StateWords &words, std::span<const program::LoopsCursor> positions,
                                        Tick now, bool withCountdowns)
  requires(Source::kHasLoops)
{
  source_.position() = positions.front();
  t_ = now;
  StateReader in(words);
  in.begin(Part::kMode);
  const auto [mode, nextMode] = in.getPair();
  enterMode(mode);
  nextMode_ = nextMode;
  modeAt_ = in.getTime(t_, kNever);
  in.begin(Part::kModeProgress);
  for (std::uint64_t &p : progress_) p = static_cast<std::uint64_t>(in.get());
  in.begin(Part::kTurn);
  policy_.setState(static_cast<int>(in.get()));
  in.begin(Part::kPending);
  pending_ = static_cast<std::uint64_t>(in.get());
  in.begin(Part::kArrival);
  nextArrival_ = in.getTime(t_, kNever);
  in.begin(Part::kFetched);
  fetched_ = in.get();
  in.begin(Part::kQueue);
  queue_.clear();
  while (in.hasMore()) {
    const auto [row, column] = in.getPair();
    const auto [command, length] = in.getPair();
    Transaction t = positions.front().code().commands()[static_cast<std::size_t>(command)].origin;
    const auto moved = movedBy(command);
    t.row = row + moved.first;
    t.column = static_cast<std::int16_t>(column + moved.second);
    t.isBarrier = (length & 1) != 0;
    queue_.addRun(t, length / 2);
  }
  in.begin(Part::kRows);
  device_.setActive(static_cast<std::uint64_t>(in.get()));
  for (std::uint64_t m = device_.active(); m != 0; m &= m - 1) {
    const auto [row, opener] = in.getPair();
    device_.setRow(std::countr_zero(m), row + movedBy(opener).first, opener);
  }
  in.begin(Part::kWaits);
  device_.restoreWaits(t_, in);
  in.begin(Part::kBusyBanks);
  device_.restoreBusyBanks(t_, in);
  in.begin(Part::kWindows);
  device_.restoreWindows(t_, in);
  if (!withCountdowns || due_.empty()) return;
  in.begin(Part::kCountdowns);
  for (Tick &due : due_) due = t_ + in.get();
  nextDue_ = *std::min_element(due_.begin(), due_.end());
}

template class ChannelOf<LoopsSource>;
template class ChannelOf<ListSource>;
template class ChannelOf<RequestSource>;

}  // namespace pimento::sim::dram
