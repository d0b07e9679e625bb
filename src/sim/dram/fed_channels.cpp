#include "pimento/sim/dram/fed_channels.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dram {

using program::Channels;
using program::Transaction;

FedChannels::FedChannels(const ChannelSpec &spec, const program::FlatLoops &code, int channels,
                         CommandObserver *observer)
    : spec_(&spec), channels_(channels), observer_(observer), cursor_(code) {
  PIMENTO_CHECK(channels >= 1 && channels <= kMostChannels && spec.isFourQueues);
  groups_.push_back({maskOf({}), FourQueues(spec, code, observer)});
  for (const program::FlatLoops::FlatCommand &c : code.commands()) masks_.push_back(maskOf(c.command.channels));
  if (spec.hasRefresh) nextDue_ = spec.refreshInterval;
}

FedChannels::Mask FedChannels::maskOf(const Channels &c) const {
  if (c.count == 0) return channels_ == kMostChannels ? ~Mask{0} : (Mask{1} << channels_) - 1;
  Mask m = 0;
  for (int i = 0; i < c.count; ++i) m |= Mask{1} << ((c.first + i * c.step) % channels_);
  return m;
}

Checkpoint FedChannels::run() {
  for (;;) {
    if (nextDue_ <= t_) {
      for (Group &g : groups_) g.queues.requestRefresh();
      nextDue_ += spec_->refreshInterval;
      if (groups_.size() > 1) join();
      return {isStarved() ? Checkpoint::Kind::kStuck : Checkpoint::Kind::kEvent, -1};
    }
    feed();
    for (Group &g : groups_)
      if (g.queues.wake() <= t_) g.queues.cycle(t_);
    if (isDone()) return {Checkpoint::Kind::kDone, -1};
    t_ = nextTime();
    if (t_ >= kNever || (nextDue_ == kNever && isStarved())) return {Checkpoint::Kind::kStuck, -1};
    if (crossed_ >= 0) return {Checkpoint::Kind::kIteration, std::exchange(crossed_, -1)};
  }
}

bool FedChannels::isDone() const {
  if (!cursor_.isDone()) return false;
  return std::all_of(groups_.begin(), groups_.end(),
                     [this](const Group &g) { return g.queues.isEmpty() && g.queues.lastData() <= t_; });
}

// Requests are refused until their channel changes, which is when it wakes.
Tick FedChannels::nextTime() const {
  Tick next = kNever, data = t_;
  bool isEmpty = cursor_.isDone();
  for (const Group &g : groups_) {
    next = std::min(next, g.queues.wake());
    data = std::max(data, g.queues.lastData());
    isEmpty = isEmpty && g.queues.isEmpty();
  }
  if (isEmpty) next = std::min(next, data);
  return std::max(t_ + 1, std::min(next, nextDue_));
}

bool FedChannels::isWorthCheckpointHere(int loop) const {
  const program::FlatLoops::Loop &l = cursor_.code().loops()[static_cast<std::size_t>(loop)];
  return isWorthCheckpoint(l) && l.trip / l.recurrence >= 4 && cursor_.counter(l.depth) % l.recurrence == 0;
}

void FedChannels::feed() {
  while (!cursor_.isDone()) {
    if (!deliver(cursor_.peek())) return;
    served_ = 0;
    const int crossed = cursor_.advance();
    if (crossed >= 0 && isWorthCheckpointHere(crossed)) crossed_ = crossed;
  }
}

std::int64_t FedChannels::burstOf(const Transaction &t) const {
  if (observer_ == nullptr) return 0;
  const program::FlatLoops::FlatCommand &f = cursor_.code().commands()[static_cast<std::size_t>(t.command)];
  std::int64_t burst = f.command.burst.base;
  for (int d = 0; d < f.depth; ++d) burst += f.command.burst.stride[static_cast<std::size_t>(d)] * cursor_.counter(d);
  return burst;
}

bool FedChannels::deliver(const Transaction &t) {
  const auto command = static_cast<std::size_t>(t.command);
  if (served_ == 0 && groups_.size() == 1 && masks_[command] == groups_.front().channels) {
    FourQueues &all = groups_.front().queues;
    if (!all.accepts(t)) return false;
    all.take(t, t_, burstOf(t));
    return true;
  }
  return deliverInOrder(t, cursor_.code().commands()[command].command.channels);
}

// Channels of a group answer alike. Those that a refusal keeps from the command are no longer like those that have it.
bool FedChannels::deliverInOrder(const Transaction &t, const Channels &to) {
  const int count = to.count == 0 ? channels_ : to.count;
  Mask accepted = 0;
  bool isRefused = false;
  for (int i = 0; i < count && !isRefused; ++i) {
    const Mask bit = Mask{1} << ((to.first + i * to.step) % channels_);
    if ((served_ & bit) != 0) continue;
    for (const Group &g : groups_) {
      if ((g.channels & bit) == 0) continue;
      isRefused = (g.channels & accepted) == 0 && !g.queues.accepts(t);
      break;
    }
    if (!isRefused) accepted |= bit;
  }
  const std::size_t before = groups_.size();
  for (std::size_t i = 0; i < before; ++i) {
    const Mask within = groups_[i].channels & accepted;
    if (within == 0) continue;
    if (within != groups_[i].channels) split(i, groups_[i].channels & ~within);
    groups_[i].queues.take(t, t_, burstOf(t));
  }
  served_ |= accepted;
  return !isRefused;
}

void FedChannels::split(std::size_t group, Mask apart) {
  Group other = groups_[group];
  other.channels = apart;
  groups_[group].channels &= ~apart;
  Group &unseen = (apart & 1U) != 0 ? groups_[group] : other;
  unseen.queues.setObserver(nullptr);
  groups_.push_back(std::move(other));
}

void FedChannels::join() {
  std::vector<StateWords> words(groups_.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const FourQueues &q = groups_[i].queues;
    StateWords &w = words[i];
    w.begin(0);
    q.encodeQueues(cursor_, w);
    q.encodeMaintenance(w);
    q.encodePolicy(w);
    q.encodeRows(cursor_, w);
    q.encodeData(t_, w);
    w.begin(1);
    q.device().encodeWaits(t_, w);
    w.begin(2);
    q.device().encodeWindows(t_, w);
  }
  const ChannelCounts all = counts();
  std::vector<Group> joined;
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const bool isServed = (served_ & groups_[i].channels) != 0;
    bool isNew = true;
    for (std::size_t j = 0; j < joined.size() && isNew; ++j) {
      if (((served_ & joined[j].channels) != 0) != isServed || !words[i].matches(words[from[j]], 0)) continue;
      isNew = false;
      joined[j].channels |= groups_[i].channels;
      if ((groups_[i].channels & 1U) != 0) joined[j].queues.setObserver(observer_);
    }
    if (!isNew) continue;
    joined.push_back(std::move(groups_[i]));
    from.push_back(i);
  }
  groups_ = std::move(joined);
  setCounts(all);
}

ChannelCounts FedChannels::counts() const {
  ChannelCounts all = apart_;
  for (const Group &g : groups_) all.add(g.queues.counts(), std::popcount(g.channels));
  return all;
}

void FedChannels::setCounts(const ChannelCounts &counts) {
  apart_ = counts;
  for (const Group &g : groups_) apart_.add(g.queues.counts(), -std::popcount(g.channels));
}

Tick FedChannels::completion() const {
  Tick t = 0;
  for (const Group &g : groups_) t = std::max(t, g.queues.progress());
  return t;
}

void FedChannels::setCompletion(Tick t) {
  for (Group &g : groups_) g.queues.setProgress(t);
}

int FedChannels::commonDepth() const {
  int depth = cursor_.depth();
  for (const Group &g : groups_) depth = std::min(depth, g.queues.commonDepth(cursor_));
  return depth;
}

// Loops around all commands whose rows wait or are open are shifted with them. A loop without one of these would move
// its rows past those that stay: its counter is part of the state.
void FedChannels::encode(StateWords &out) const {
  out.begin(Part::kProcess);
  out.put(static_cast<std::int64_t>(groups_.size()));
  for (const Group &g : groups_) out.put(static_cast<std::int64_t>(g.channels));
  out.put(static_cast<std::int64_t>(served_));
  out.put(cursor_.step());
  const int common = commonDepth();
  for (int d = 0; d < cursor_.depth(); ++d) {
    const program::FlatLoops::Loop &l = cursor_.code().loops()[static_cast<std::size_t>(cursor_.loopAt(d))];
    if (!l.isUniform || (d >= common && l.moves))
      out.put(cursor_.counter(d));
    else if (l.recurrence > 1)
      out.put(cursor_.counter(d) % l.recurrence);
  }
  out.begin(Part::kQueues);
  for (const Group &g : groups_) {
    g.queues.encodeQueues(cursor_, out);
    g.queues.encodePolicy(out);
    g.queues.encodeMaintenance(out);
    g.queues.encodeData(t_, out);
  }
  out.begin(Part::kRows);
  for (const Group &g : groups_) g.queues.encodeRows(cursor_, out);
  out.begin(Part::kWaits);
  for (const Group &g : groups_) {
    g.queues.device().encodeWaits(t_, out);
    out.put(-1);
    g.queues.device().encodeWindows(t_, out);
    out.put(-1);
  }
}

void FedChannels::restore(const StateWords &words, std::span<const program::LoopsCursor> positions, Tick now,
                          bool withCountdowns) {
  cursor_ = positions.front();
  t_ = now;
  crossed_ = -1;
  StateReader in(words);
  in.begin(Part::kProcess);
  groups_.resize(static_cast<std::size_t>(in.get()), groups_.front());
  for (Group &g : groups_) {
    g.channels = static_cast<Mask>(in.get());
    g.queues.setWake(t_);
  }
  served_ = static_cast<Mask>(in.get());
  in.begin(Part::kQueues);
  for (Group &g : groups_) {
    g.queues.restoreQueues(cursor_, t_, in);
    g.queues.restorePolicy(in);
    g.queues.restoreMaintenance(in);
    g.queues.restoreData(t_, in);
  }
  in.begin(Part::kRows);
  for (Group &g : groups_) g.queues.restoreRows(cursor_, in);
  in.begin(Part::kWaits);
  for (Group &g : groups_) {
    g.queues.device().restoreWaits(t_, in);
    g.queues.device().restoreWindows(t_, in);
  }
  // Refreshes of all pseudo channels fall due together, so events are at multiples of the interval.
  if (withCountdowns && nextDue_ != kNever) nextDue_ = t_ + spec_->refreshInterval;
}

}  // namespace pimento::sim::dram
